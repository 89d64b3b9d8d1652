//! A QGIS project (`project.qgs`) as data: layers in groups, their styles and time ranges, and
//! print layouts.
//!
//! It is written for QGIS 3.22 and can be read by all later versions. It does not depend on when or
//! where it was written, so equal runs have equal projects.

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

/// Name of the project file.
pub const PROJECT: &str = "project.qgs";

/// QGIS version of the format.
const QGIS_VERSION: &str = "3.22.0";

/// Content of a project.
#[derive(Clone, Debug)]
pub struct Project {
    /// Title of the window.
    pub title: String,
    /// ReportDetails under the title of a sheet.
    pub report_details: Vec<String>,
    /// Author of the project.
    pub author: Option<String>,
    /// Logo of the sheets.
    pub logo: Option<Logo>,
    /// CRS as WKT, if known; also used for layers without their own.
    pub crs: Option<String>,
    /// West, south, east and north of the view, in units of the CRS.
    pub extent: [f64; 4],
    /// Metres per unit of the CRS.
    pub metres_per_unit: f64,
    /// Facts about the run on a sheet, line by line.
    pub facts: Vec<String>,
    /// Groups in the layer tree, topmost first.
    pub groups: Vec<Group>,
    /// Animation of the temporal controller.
    pub animation: Option<Animation>,
}

/// A group in the layer tree.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name, unique among groups.
    pub name: String,
    /// Set if its layers are shown when the project opens.
    pub shown: bool,
    /// Set if its layers are listed when the project opens.
    pub unfolded: bool,
    /// Role of its layers.
    pub role: Role,
    /// Set if its layers, drawn below or above a map, are in the legend of the map's sheet.
    pub in_legend: bool,
    /// Layers of the group, topmost first.
    pub layers: Vec<MapLayer>,
}

impl Group {
    /// Creates a group that is shown and in legends.
    pub fn of(name: impl Into<String>, role: Role, layers: Vec<MapLayer>) -> Group {
        Group { name: name.into(), shown: true, unfolded: true, role, in_legend: true, layers }
    }

    /// Creates a folded group that is not in legends.
    pub fn aside(name: impl Into<String>, role: Role, layers: Vec<MapLayer>) -> Group {
        Group { unfolded: false, in_legend: false, ..Group::of(name, role, layers) }
    }
}

/// Role of the layers of a group, which determines the map themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Separate maps: each has a theme and a sheet.
    Maps,
    /// Maps of one quantity, shown one at a time: the first has a theme and a sheet.
    Choice,
    /// A map through time: one theme for all.
    Series,
    /// Maps without a theme, shown by ticking them.
    Aside,
    /// Layers below or above the maps in every theme.
    Backdrop,
}

/// A layer of the map.
#[derive(Clone, Debug)]
pub struct MapLayer {
    /// Unique identifier of at least ten letters.
    pub id: String,
    /// Name in the layer tree.
    pub name: String,
    /// Data source in QGIS's notation: relative to the project, beginning with `./` or `../`.
    pub source: String,
    /// Kind of its data.
    pub kind: MapLayerKind,
    /// Style of the layer.
    pub style: Style,
    /// Set if it is ticked.
    pub shown: bool,
    /// Additional NoData value, besides the one that the file declares.
    pub nodata: Option<f64>,
    /// CRS as WKT, if it is not the project's.
    pub crs: Option<String>,
    /// First and last moment at which it is shown; `None` for always.
    pub during: Option<(Timestamp, Timestamp)>,
}

/// Style of a layer.
#[derive(Clone, Debug)]
pub enum Style {
    /// Raster cells in the colours of their values.
    Ramp(Ramp),
    /// The text of a QML document.
    Document(String),
}

/// Kind of a layer's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapLayerKind {
    /// Raster, read by GDAL.
    Raster,
    /// Points, read by OGR.
    Points,
    /// Lines, read by OGR.
    Lines,
    /// Polygons, read by OGR.
    Polygons,
}

impl Group {
    /// Returns the maps with a theme and a sheet of their own.
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

    /// Escapes text between tags.
    #[filter_fn]
    pub fn xml(text: impl AsRef<str>, _: &dyn Values) -> Result<String> {
        Ok(quick_xml::escape::escape(text.as_ref()).into_owned())
    }

    /// Escapes text in an attribute.
    #[filter_fn]
    pub fn attribute(text: impl AsRef<str>, _: &dyn Values) -> Result<String> {
        Ok(escaped(text.as_ref()))
    }
}

/// Template of the project file.
#[derive(Template)]
#[template(path = "project.qgs", escape = "none")]
struct File<'a> {
    version: &'a str,
    p: &'a Project,
    /// Layers with their styles.
    layers: Vec<(&'a MapLayer, String)>,
    abstract_text: String,
    themes: Vec<Theme<'a>>,
    layouts: Vec<Layout<'a>>,
    /// North arrow, in base 64.
    arrow: String,
}

impl Project {
    /// Returns the project as the text of a `.qgs` file.
    ///
    /// # Errors
    /// If a layer's style is not valid XML, which is a defect of this program.
    pub fn to_xml(&self) -> Result<String> {
        let failed =
            |error: io::Error| Error::run(format!("cannot write {PROJECT}")).because(error);
        let layers = self.groups.iter().flat_map(|group| &group.layers);
        let layers = layers.map(|layer| Ok((layer, layer.styled().map_err(failed)?)));
        let file = File {
            version: QGIS_VERSION,
            p: self,
            layers: layers.collect::<Result<_>>()?,
            abstract_text: [&self.report_details[..], &self.facts].concat().join("\n"),
            themes: themes::of(&self.groups),
            layouts: layout::all(self),
            arrow: STANDARD.encode(layout::ARROW),
        };
        let text = file.render().map_err(|error| failed(io::Error::other(error)))?;
        Ok(printable(&text).into_owned())
    }
}
