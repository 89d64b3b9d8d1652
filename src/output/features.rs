//! `features.gpkg`: gauges, sections and the like as tables of a GeoPackage, whichever way they were given.

use crate::error::{Error, Result};
use crate::input::{gdal_log, gdal_option};
use crate::output::project::MapLayerKind;
use gdal::DriverManager;
use gdal::spatial_ref::SpatialRef;
use gdal::vector::{Feature as GdalFeature, FieldValue, Geometry, LayerAccess, LayerOptions};
use gdal_sys::{OGRFieldType, OGRwkbGeometryType};
use std::path::Path;

/// The file.
pub const FEATURES: &str = "features.gpkg";

/// The field that every table has.
pub const NAME: &str = "name";

/// Equal runs write equal files, so these do not say when.
const NO_DATE: (&str, &str) = ("OGR_CURRENT_DATE", "2000-01-01T00:00:00.000Z");

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A number, if it is known.
    Number(Option<f64>),
    /// A text.
    Text(String),
}

/// A point or a line with a name.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its points, in the CRS of the run.
    pub points: Vec<(f64, f64)>,
    /// What is known of it, in the order of the table's fields.
    pub facts: Vec<Fact>,
}

/// Features of one kind.
#[derive(Clone, Debug)]
pub struct FeatureTable {
    /// Its name in the file.
    pub name: &'static str,
    /// Points or lines.
    pub kind: MapLayerKind,
    /// Names of its fields beside [`NAME`], with units.
    pub fields: &'static [&'static str],
    /// The features.
    pub features: Vec<Feature>,
}

/// What SQLite says of what cannot be written.
const SQLITE_SAYS: [&str; 3] =
    ["database or disk is full", "disk I/O error", "attempt to write a readonly database"];

/// Writes tables into a new file.
///
/// # Errors
/// GDAL's, as when the disk is full.
pub fn write(path: &Path, crs: Option<&str>, tables: &[FeatureTable]) -> Result<()> {
    undated(FEATURES, || write_all(path, crs, tables))
}

/// Writes a GeoPackage called `name`, which does not say when that was.
pub(super) fn undated(name: &str, write: impl FnOnce() -> gdal::errors::Result<()>) -> Result<()> {
    gdal_log::install();
    gdal_log::take();
    let failed = |error: gdal::errors::GdalError| write_failed(name, &gdal_log::why(error));
    gdal_option::with(NO_DATE, write).map_err(failed)?;
    match gdal_log::take() {
        Some(said) => Err(write_failed(name, &said)),
        None => Ok(()),
    }
}

/// Of what GDAL says only why: the rest are statements of SQL.
fn write_failed(name: &str, said: &str) -> Error {
    let why = SQLITE_SAYS.iter().find(|why| said.contains(*why));
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    Error::run(format!("cannot write {name}{why}"))
        .hint("is the disk full, or is there a limit on file sizes?")
}

fn write_all(path: &Path, crs: Option<&str>, tables: &[FeatureTable]) -> gdal::errors::Result<()> {
    let srs = crs.map(SpatialRef::from_wkt).transpose()?;
    let mut file = DriverManager::get_driver_by_name("GPKG")?.create_vector_only(path)?;
    for table in tables {
        let ty = match table.kind {
            MapLayerKind::Lines => OGRwkbGeometryType::wkbLineString,
            _ => OGRwkbGeometryType::wkbPoint,
        };
        let options = LayerOptions { name: table.name, srs: srs.as_ref(), ty, options: None };
        let layer = file.create_layer(options)?;
        let is_text = |at: usize| {
            table.features.iter().any(|feature| matches!(feature.facts[at], Fact::Text(_)))
        };
        let texts = table.fields.iter().enumerate().map(|(at, name)| {
            let kind = if is_text(at) { OGRFieldType::OFTString } else { OGRFieldType::OFTReal };
            (*name, kind)
        });
        let fields: Vec<(&str, OGRFieldType::Type)> =
            [(NAME, OGRFieldType::OFTString)].into_iter().chain(texts).collect();
        layer.create_defn_fields(&fields)?;
        for of in &table.features {
            let mut feature = GdalFeature::new(layer.defn())?;
            let mut geometry = Geometry::empty(ty)?;
            of.points.iter().for_each(|&(x, y)| geometry.add_point_2d((x, y)));
            feature.set_geometry(geometry)?;
            feature.set_field(0, &FieldValue::StringValue(of.name.clone()))?;
            for (at, fact) in of.facts.iter().enumerate() {
                match fact {
                    Fact::Number(None) => {}
                    Fact::Number(Some(number)) => {
                        feature.set_field(at + 1, &FieldValue::RealValue(*number))?;
                    }
                    Fact::Text(text) => {
                        feature.set_field(at + 1, &FieldValue::StringValue(text.clone()))?;
                    }
                }
            }
            feature.create(&layer)?;
        }
    }
    file.close()
}
