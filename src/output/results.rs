//! The maps of a run, written, and known from then on: what each shows, when, in which numbers and colours. Styles, the
//! project, the report and `run.json` are made of that.

mod writing;

pub use writing::Writing;

use crate::error::Result;
use crate::output::colour::{Ramp, Scales};
use crate::output::folder::OutputFolder;
use crate::output::format::USUAL;
use crate::output::layers::fine::Tally;
use crate::output::layers::{self, Layer};
use crate::output::small::Small;
use crate::output::statistics::Statistics;
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Deserialize as FromJson, Serialize, Serializer};
use std::collections::BTreeMap;

/// A map that is written.
#[derive(Clone, Debug, FromJson, Serialize)]
pub struct Map {
    /// The name of its files, without ending.
    pub name: String,
    /// What it is of.
    #[serde(serialize_with = "to_key", deserialize_with = "from_key")]
    pub layer: &'static Layer,
    /// What it shows, as its band is called.
    pub about: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// The time of a map on the way (s, or steps); none of those at the end.
    pub time: Option<f64>,
    /// Its numbers; none if it has no value.
    pub statistics: Option<Statistics>,
    /// What is shown of it on a page.
    #[serde(skip)]
    pub picture: Option<Small>,
    /// What its values come to, if that was asked for and it lies on a fine grid.
    #[serde(skip)]
    pub tally: Option<Tally>,
}

fn to_key<S: Serializer>(layer: &&'static Layer, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(layer.key)
}

fn from_key<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<&'static Layer, D::Error> {
    let key = String::deserialize(from)?;
    layers::find(&key).ok_or_else(|| D::Error::custom(format!("there is no layer '{key}'")))
}

/// What is to be written.
pub struct NewMap<'a> {
    /// The layer.
    pub layer: &'static Layer,
    /// The name of its files, without ending.
    pub name: String,
    /// What its band is to be called.
    pub about: &'a str,
    /// The time that it is of, on the way.
    pub time: Option<f64>,
    /// The longer side of its picture (pixels), if there is to be one.
    pub picture: Option<usize>,
    /// The value above which its pixels are counted, if it lies on a fine grid.
    pub above: Option<f32>,
}

/// The maps of a run so far, and what their colours follow.
#[derive(Clone, Debug)]
pub struct Results {
    /// The maps, in the order in which they were written.
    pub maps: Vec<Map>,
    /// What the colours follow.
    pub scales: Scales,
}

impl Map {
    /// The raster's file.
    pub fn raster(&self) -> String {
        USUAL.file(&self.name)
    }

    /// The style's file.
    pub fn style(&self) -> String {
        style_of(&self.name)
    }
}

/// The style's file of a map whose files have this name without ending.
pub fn style_of(name: &str) -> String {
    format!("{name}.qml")
}

impl Results {
    /// No maps so far.
    pub fn new(scales: Scales) -> Results {
        Results { maps: Vec::new(), scales }
    }

    /// The colours of a map, as far as its values and those of the others are known.
    pub fn ramp(&self, map: &Map) -> Ramp {
        self.scales.ramp(map.layer.scale, &map.unit)
    }

    /// The colours of every layer that was written.
    pub fn styles(&self) -> BTreeMap<String, Ramp> {
        self.maps.iter().map(|map| (map.layer.key.into(), self.ramp(map))).collect()
    }

    /// Writes the style of a map, ready to be published, with the colours that the scales have so far.
    pub fn stage_style(&self, folder: &OutputFolder, map: &Map) -> Result<()> {
        folder.stage_text(&map.style(), &self.ramp(map).to_qml())
    }
}
