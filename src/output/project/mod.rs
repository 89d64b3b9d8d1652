//! A QGIS project (`project.qgs`) as data: layers in groups, their styles, when each is shown, and sheets to print.
//!
//! It is written for QGIS 3.22 and read by all later ones. Nothing in it depends on when or where it
//! was written, so equal runs have equal projects.

mod crs;
mod graticule;
mod layer;
mod layout;
mod lettering;
mod scale_bar;
mod sheet;
mod themes;
pub mod time;
mod xml;

use crate::error::{Error, Result};
use crate::input::logo::Logo;
use crate::output::colour::Ramp;
use jiff::Timestamp;
use std::io;
use time::Animation;
pub use xml::is_saved_by_qgis;
use xml::{Xml, leaf};

/// The project's file.
pub const PROJECT: &str = "project.qgs";

/// The QGIS whose format this is.
const QGIS_VERSION: &str = "3.22.0";

/// Temporal controller ready to play, in QGIS's numbers.
const ANIMATED: &str = "1";

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

impl Project {
    /// The project as the text of a `.qgs` file.
    ///
    /// # Errors
    /// If a layer's style is no XML, which is a defect of this program.
    pub fn to_xml(&self) -> Result<String> {
        let mut xml = Xml::new_with_indent(Vec::new(), b' ', 2);
        let failed =
            |error: io::Error| Error::run(format!("cannot write {PROJECT}")).because(error);
        self.write(&mut xml).map_err(failed)?;
        Ok(String::from_utf8(xml.into_inner()).expect("all that is written is UTF-8"))
    }

    fn layers(&self) -> impl DoubleEndedIterator<Item = &MapLayer> {
        self.groups.iter().flat_map(|group| &group.layers)
    }

    fn write(&self, xml: &mut Xml) -> io::Result<()> {
        xml::doctype(xml)?;
        let root = xml.create_element("qgis").with_attribute(("version", QGIS_VERSION));
        root.with_attribute(("projectname", &*self.title)).write_inner_content(|xml| {
            leaf(xml, "title", &self.title)?;
            if let Some(wkt) = &self.crs {
                crs::write(xml, "projectCrs", wkt)?;
            }
            self.write_tree(xml)?;
            self.write_canvas(xml)?;
            xml.create_element("projectlayers").write_inner_content(|xml| {
                self.layers().try_for_each(|layer| layer.write(xml, self.crs.as_deref()))
            })?;
            xml.create_element("layerorder").write_inner_content(|xml| {
                self.layers().try_for_each(|layer| {
                    xml.create_element("layer").with_attribute(("id", &*layer.id)).write_empty()?;
                    Ok(())
                })
            })?;
            self.write_metadata(xml)?;
            self.write_properties(xml)?;
            themes::write(xml, &self.groups)?;
            self.write_view(xml)?;
            layout::write(xml, self)?;
            if let Some(animation) = &self.animation {
                animation.write(xml)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    fn write_tree(&self, xml: &mut Xml) -> io::Result<()> {
        xml.create_element("layer-tree-group").write_inner_content(|xml| {
            self.groups.iter().try_for_each(|group| {
                let element = xml.create_element("layer-tree-group").with_attributes([
                    ("name", &*group.name),
                    ("checked", xml::checked(group.shown)),
                    ("expanded", xml::flag(group.unfolded)),
                    ("mutually-exclusive", xml::flag(group.role == Role::Choice)),
                    ("mutually-exclusive-child", "0"),
                ]);
                element.write_inner_content(|xml| {
                    group.layers.iter().try_for_each(|layer| layer.write_node(xml))
                })?;
                Ok(())
            })
        })?;
        Ok(())
    }

    fn write_canvas(&self, xml: &mut Xml) -> io::Result<()> {
        let canvas = xml.create_element("mapcanvas").with_attribute(("name", "theMapCanvas"));
        canvas.write_inner_content(|xml| {
            xml::extent(xml, self.extent)?;
            leaf(xml, "rotation", "0")?;
            self.crs.as_deref().map_or(Ok(()), |wkt| crs::write(xml, "destinationsrs", wkt))
        })?;
        Ok(())
    }

    /// What Project > Properties > Metadata shows.
    fn write_metadata(&self, xml: &mut Xml) -> io::Result<()> {
        xml.create_element("projectMetadata").write_inner_content(|xml| {
            leaf(xml, "title", &self.title)?;
            leaf(xml, "abstract", &[&self.imprint[..], &self.facts].concat().join("\n"))?;
            self.author.as_deref().map_or(Ok(()), |author| leaf(xml, "author", author))
        })?;
        Ok(())
    }

    fn write_properties(&self, xml: &mut Xml) -> io::Result<()> {
        let typed = |xml: &mut Xml, group: &str, key: &str, of: &str, value: &str| {
            xml.create_element(group).write_inner_content(|xml| {
                let element = xml.create_element(key).with_attribute(("type", of));
                element.write_text_content(xml::text(value))?;
                Ok(())
            })?;
            io::Result::Ok(())
        };
        xml.create_element("properties").write_inner_content(|xml| {
            typed(xml, "Paths", "Absolute", "bool", "false")?;
            let projected = if self.crs.is_some() { "1" } else { "0" };
            typed(xml, "SpatialRefSys", "ProjectionsEnabled", "int", projected)?;
            if self.animation.is_some() {
                typed(xml, "TemporalControllerWidget", "NavigationMode", "int", ANIMATED)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    fn write_view(&self, xml: &mut Xml) -> io::Result<()> {
        let [west, south, east, north] = self.extent.map(|side| side.to_string());
        xml.create_element("ProjectViewSettings").write_inner_content(|xml| {
            let view = xml.create_element("DefaultViewExtent").with_attributes([
                ("xmin", &*west),
                ("ymin", &south),
                ("xmax", &east),
                ("ymax", &north),
            ]);
            view.write_inner_content(|xml| {
                self.crs.as_deref().map_or(Ok(()), |wkt| crs::write_bare(xml, wkt))
            })?;
            Ok(())
        })?;
        Ok(())
    }
}
