//! A QGIS project (`project.qgs`) as data: layers in groups, their styles, when each is shown, and sheets to print.
//!
//! It is written for QGIS 3.22 and read by all later ones. Nothing in it depends on when or where it
//! was written, so equal runs have equal projects.

mod layer;
mod layout;
mod lettering;
mod sheet;
mod themes;
pub mod time;
mod xml;

use crate::error::{Error, Result};
use crate::input::logo::Logo;
use crate::output::colour::Ramp;
use crate::words::printable;
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use layout::Layout;
use std::io;
use themes::Theme;
use time::Animation;
pub use xml::is_saved_by_qgis;

/// The project's file.
pub const PROJECT: &str = "project.qgs";

/// The QGIS whose format this is.
const QGIS_VERSION: &str = "3.22.0";

/// What is shown on a map.
#[derive(Clone, Debug)]
pub struct Project {
    /// Title of the window.
    pub title: String,
    /// What stands under the title of a sheet: whose it is.
    pub imprint: Vec<String>,
    /// Author.
    pub author: Option<String>,
    /// Logo of the sheets.
    pub logo: Option<Logo>,
    /// CRS as WKT, if there is one; layers have it, too, unless they have their own.
    pub crs: Option<String>,
    /// West, south, east and north of the view, in units of the CRS.
    pub extent: [f64; 4],
    /// Metres per unit of the CRS.
    pub metres_per_unit: f64,
    /// What a sheet tells of the run, line by line.
    pub facts: Vec<String>,
    /// Groups in the layer tree, the topmost first.
    pub groups: Vec<Group>,
    /// What the temporal controller plays.
    pub animation: Option<Animation>,
}

/// A group in the layer tree.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name; no two groups share one.
    pub name: String,
    /// Whether its layers are shown when the project opens.
    pub shown: bool,
    /// Whether it opens with its layers listed.
    pub unfolded: bool,
    /// What its layers are to each other.
    pub role: Role,
    /// Whether the legend of a sheet tells of its layers, if they lie below or above its map.
    pub in_legend: bool,
    /// Its layers, the topmost first.
    pub layers: Vec<MapLayer>,
}

impl Group {
    /// One that is shown and told of in legends.
    pub fn of(name: impl Into<String>, role: Role, layers: Vec<MapLayer>) -> Group {
        Group { name: name.into(), shown: true, unfolded: true, role, in_legend: true, layers }
    }

    /// One of what no legend tells.
    pub fn aside(name: impl Into<String>, role: Role, layers: Vec<MapLayer>) -> Group {
        Group { unfolded: false, in_legend: false, ..Group::of(name, role, layers) }
    }
}

/// What the layers of a group are to each other, which makes the map themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Maps to look at one by one: a theme and a sheet for each.
    Maps,
    /// Maps of one quantity, of which one is shown at a time: a theme and a sheet for the first.
    Choice,
    /// One map through time: a theme for all.
    Series,
    /// Maps to be had by their ticks, with no theme.
    Aside,
    /// What lies below or above the maps in every theme.
    Backdrop,
}

/// A layer of the map.
#[derive(Clone, Debug)]
pub struct MapLayer {
    /// Identifier of ten letters or more; no two layers share one.
    pub id: String,
    /// Name in the layer tree.
    pub name: String,
    /// Where its data are, as QGIS reads it: relative to the project with `./` or `../` before it.
    pub source: String,
    /// What it consists of.
    pub kind: MapLayerKind,
    /// How it looks.
    pub style: Style,
    /// Whether it is ticked.
    pub shown: bool,
    /// A value that marks missing data beside the one that the file declares.
    pub nodata: Option<f64>,
    /// CRS as WKT, if it is not the project's.
    pub crs: Option<String>,
    /// When it is shown: from the first to the last moment. Always, if there is none.
    pub during: Option<(Timestamp, Timestamp)>,
}

/// How a layer looks.
#[derive(Clone, Debug)]
pub enum Style {
    /// Cells in the colours of their values.
    Ramp(Ramp),
    /// As a QML document has it.
    Document(String),
}

/// What a layer consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapLayerKind {
    /// Cells, read by GDAL.
    Raster,
    /// Points, read by OGR.
    Points,
    /// Lines, read by OGR.
    Lines,
    /// Polygons, read by OGR.
    Polygons,
}

impl Group {
    /// The maps that have a theme and a sheet of their own.
    fn sheets(&self) -> &[MapLayer] {
        match self.role {
            Role::Maps => &self.layers,
            Role::Choice => &self.layers[..self.layers.len().min(1)],
            Role::Series | Role::Aside | Role::Backdrop => &[],
        }
    }
}

/// Filters of the template.
mod filters {
    use super::xml::attribute as escaped;
    use askama::{Result, Values, filter_fn};

    /// A text between two tags.
    #[filter_fn]
    pub fn xml(text: impl AsRef<str>, _: &dyn Values) -> Result<String> {
        Ok(quick_xml::escape::escape(text.as_ref()).into_owned())
    }

    /// A text in an attribute.
    #[filter_fn]
    pub fn attribute(text: impl AsRef<str>, _: &dyn Values) -> Result<String> {
        Ok(escaped(text.as_ref()))
    }
}

/// The file, made of a project.
#[derive(Template)]
#[template(path = "project.qgs", escape = "none")]
struct File<'a> {
    version: &'a str,
    p: &'a Project,
    /// The layers, with their styles.
    layers: Vec<(&'a MapLayer, String)>,
    abstract_text: String,
    themes: Vec<Theme<'a>>,
    layouts: Vec<Layout<'a>>,
    /// A picture, in base 64.
    arrow: String,
}

impl Project {
    /// The project as the text of a `.qgs` file.
    ///
    /// # Errors
    /// If a layer's style is no XML, which is a defect of this program.
    pub fn to_xml(&self) -> Result<String> {
        let failed =
            |error: io::Error| Error::run(format!("cannot write {PROJECT}")).because(error);
        let layers = self.groups.iter().flat_map(|group| &group.layers);
        let layers = layers.map(|layer| Ok((layer, layer.styled().map_err(failed)?)));
        let file = File {
            version: QGIS_VERSION,
            p: self,
            layers: layers.collect::<Result<_>>()?,
            abstract_text: [&self.imprint[..], &self.facts].concat().join("\n"),
            themes: themes::of(&self.groups),
            layouts: layout::all(self),
            arrow: STANDARD.encode(layout::ARROW),
        };
        let text = file.render().map_err(|error| failed(io::Error::other(error)))?;
        Ok(printable(&text).into_owned())
    }
}
