//! Written maps of a run, with their content, time, statistics and colours, from which styles, the
//! project, the report and `run.json` are made.

mod writing;

pub use writing::Writing;

use crate::error::Result;
use crate::output::colour::{Ramp, Scales};
use crate::output::folder::OutputFolder;
use crate::output::format::USUAL;
use crate::output::layers::fine::PixelTally;
use crate::output::layers::{self, Layer};
use crate::output::small::Small;
use crate::output::statistics::Statistics;
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Deserialize as FromJson, Serialize, Serializer};
use std::collections::BTreeMap;

/// A map that has been written.
#[derive(Clone, Debug, FromJson, Serialize)]
pub struct Map {
    /// Stem of its file names.
    pub name: String,
    /// Layer of the map.
    #[serde(serialize_with = "to_key", deserialize_with = "from_key")]
    pub layer: &'static Layer,
    /// Description, also used for its band.
    pub about: String,
    /// Unit; empty if it has none.
    pub unit: String,
    /// Time of a map of a series (s, or steps); `None` for final maps.
    pub time: Option<f64>,
    /// Statistics of its values; `None` if it has none.
    pub statistics: Option<Statistics>,
    /// Picture for a page.
    #[serde(skip)]
    pub picture: Option<Small>,
    /// Totals of its values, if requested for a map on a fine grid.
    #[serde(skip)]
    pub tally: Option<PixelTally>,
}

fn to_key<S: Serializer>(layer: &&'static Layer, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(layer.key)
}

fn from_key<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<&'static Layer, D::Error> {
    let key = String::deserialize(from)?;
    layers::find(&key).ok_or_else(|| D::Error::custom(format!("there is no layer '{key}'")))
}

/// A map to be written.
pub struct NewMap<'a> {
    /// Layer to write.
    pub layer: &'static Layer,
    /// Stem of its file names.
    pub name: String,
    /// Description of its band.
    pub about: &'a str,
    /// Time, for a map of a series.
    pub time: Option<f64>,
    /// Longer side of its picture (pixels), if one is needed.
    pub picture: Option<usize>,
    /// Value above which pixels are counted, on a fine grid.
    pub above: Option<f32>,
}

/// Maps of a run written so far, with the ranges of their colours.
#[derive(Clone, Debug)]
pub struct Results {
    /// The maps, in the order in which they were written.
    pub maps: Vec<Map>,
    /// Value ranges of the colour scales.
    pub scales: Scales,
}

impl Map {
    /// Returns the file name of the raster.
    pub fn raster(&self) -> String {
        USUAL.file(&self.name)
    }

    /// Returns the file name of the style.
    pub fn style(&self) -> String {
        style_of(&self.name)
    }
}

/// The style's file of a map whose files have this name without ending.
pub fn style_of(name: &str) -> String {
    format!("{name}.qml")
}

impl Results {
    /// Creates an empty collection.
    pub fn new(scales: Scales) -> Results {
        Results { maps: Vec::new(), scales }
    }

    /// Returns the colours of a map, based on the values of all maps so far.
    pub fn ramp(&self, map: &Map) -> Ramp {
        self.scales.ramp(map.layer.scale, &map.unit)
    }

    /// Returns the colours of every written layer.
    pub fn styles(&self) -> BTreeMap<String, Ramp> {
        self.maps.iter().map(|map| (map.layer.key.into(), self.ramp(map))).collect()
    }

    /// Writes the style of a map with the colours so far, ready to be published.
    pub fn stage_style(&self, folder: &OutputFolder, map: &Map) -> Result<()> {
        folder.stage_text(&map.style(), &self.ramp(map).to_qml())
    }
}
