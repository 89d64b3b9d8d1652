//! `features.gpkg`: gauges, sections and other features as tables of a GeoPackage, however they
//! were specified.

use crate::error::{Error, Result};
use crate::input::gdal_access::{gdal_log, gdal_option};
use crate::output::format::name_of;
use crate::output::project::MapLayerKind;
use crate::words::printable;

use gdal::spatial_ref::SpatialRef;
use gdal::vector::{
    Feature as GdalFeature, FieldValue, Geometry, Layer, LayerAccess, LayerOptions,
};
use gdal::{Dataset, DriverManager};
use gdal_sys::{OGRFieldType, OGRwkbGeometryType};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Name of the file.
pub const FEATURES: &str = "features.gpkg";

/// Field that every table has.
pub const NAME: &str = "name";

/// A fixed date, so that equal runs write equal files.
const NO_DATE: (&str, &str) = ("OGR_CURRENT_DATE", "2000-01-01T00:00:00.000Z");

/// Content of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A number, if it is known.
    Number(Option<f64>),
    /// A text, possibly empty.
    Text(String),
}

/// A named point or line.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Name of the feature.
    pub name: String,
    /// Points, in the CRS of the run.
    pub points: Vec<(f64, f64)>,
    /// Fields besides [`NAME`], with units, and their values; the same fields for all features of
    /// a table.
    pub facts: Vec<(&'static str, Fact)>,
}

/// Features of one kind.
#[derive(Clone, Debug)]
pub struct FeatureTable {
    /// Name of the table.
    pub name: &'static str,
    /// Geometry: points or lines.
    pub kind: MapLayerKind,
    /// Features of the table; at least one.
    pub features: Vec<Feature>,
}

/// Result of writing a GeoPackage: it was written, or the reason why GDAL cannot store the
/// features.
pub type WriteOutcome = std::result::Result<(), String>;

/// Messages of SQLite on write errors.
const SQLITE_SAYS: [&str; 3] =
    ["database or disk is full", "disk I/O error", "attempt to write a readonly database"];

/// Writes tables to a new file.
///
/// # Errors
/// If the file cannot be written: the disk is full, say.
pub fn write(path: &Path, crs: Option<&str>, tables: &[FeatureTable]) -> Result<WriteOutcome> {
    undated(path, |path| write_all(path, crs, tables))
}

/// Writes a GeoPackage without the current date.
///
/// # Errors
/// If it can be written in memory but not to the disk, which may be full.
pub(super) fn undated(
    path: &Path,
    write: impl Fn(&Path) -> gdal::errors::Result<()>,
) -> Result<WriteOutcome> {
    let Err(said) = attempt(path, &write) else { return Ok(Ok(())) };
    match rehearse(write) {
        Err(said) => Ok(Err(said)),
        Ok(()) => Err(write_failed(&name_of(path), &said)),
    }
}

/// Writes a GeoPackage in memory and discards it.
pub(super) fn rehearse(write: impl Fn(&Path) -> gdal::errors::Result<()>) -> WriteOutcome {
    /// Number of the next file in memory.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let path = format!("/vsimem/inundate-{}.gpkg", NEXT.fetch_add(1, Ordering::Relaxed));
    let written = attempt(Path::new(&path), &write);
    // Fails if the file was not created, which is harmless.
    let _ = gdal::vsi::unlink_mem_file(&path);
    gdal_log::take();
    written
}

/// Writes a GeoPackage; the error is GDAL's message.
fn attempt(path: &Path, write: &impl Fn(&Path) -> gdal::errors::Result<()>) -> WriteOutcome {
    gdal_log::install();
    gdal_log::take();
    let written = gdal_option::with(NO_DATE, || write(path));
    let said = written.err().map(gdal_log::why).or_else(gdal_log::take);
    // The message begins with the SQL statement that failed.
    said.map_or(Ok(()), |said| Err(said.rsplit("failed: ").next().unwrap_or(&said).to_string()))
}

/// Extracts the reason from GDAL's message; the rest are SQL statements.
fn write_failed(name: &str, said: &str) -> Error {
    let why = SQLITE_SAYS.iter().find(|why| said.contains(*why));
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    Error::run(format!("cannot write {name}{why}"))
        .hint("is the disk full, or is there a limit on file sizes?")
}

fn write_all(path: &Path, crs: Option<&str>, tables: &[FeatureTable]) -> gdal::errors::Result<()> {
    let srs = crs.map(SpatialRef::from_wkt).transpose()?;
    let mut file = DriverManager::get_driver_by_name("GPKG")?.create_vector_only(path)?;
    for FeatureTable { name, kind, features } in tables {
        let ty = match kind {
            MapLayerKind::Lines => OGRwkbGeometryType::wkbLineString,
            _ => OGRwkbGeometryType::wkbPoint,
        };
        let (fields, kinds): (Vec<&str>, Vec<Fact>) = features[0].facts.iter().cloned().unzip();
        let layer = create_table(&mut file, name, ty, srs.as_ref(), &fields, &kinds)?;
        for of in features {
            let mut geometry = Geometry::empty(ty)?;
            of.points.iter().for_each(|&(x, y)| geometry.add_point_2d((x, y)));
            add_feature(&layer, geometry, &of.name, of.facts.iter().map(|(_, fact)| fact))?;
        }
    }
    file.close()
}

/// Creates a table with the field [`NAME`] and further `fields`, with values like those in `kinds`.
pub(super) fn create_table<'a>(
    file: &'a mut Dataset,
    name: &str,
    ty: OGRwkbGeometryType::Type,
    srs: Option<&SpatialRef>,
    fields: &[&str],
    kinds: &[Fact],
) -> gdal::errors::Result<Layer<'a>> {
    let layer = file.create_layer(LayerOptions { name, srs, ty, options: None })?;
    let further = fields.iter().zip(kinds).map(|(name, kind)| match kind {
        Fact::Text(_) => (*name, OGRFieldType::OFTString),
        Fact::Number(_) => (*name, OGRFieldType::OFTReal),
    });
    let fields: Vec<(&str, OGRFieldType::Type)> =
        [(NAME, OGRFieldType::OFTString)].into_iter().chain(further).collect();
    layer.create_defn_fields(&fields)?;
    Ok(layer)
}

/// Adds a feature to a table, with the values of its further fields.
pub(super) fn add_feature<'a>(
    layer: &Layer,
    geometry: Geometry,
    name: &str,
    facts: impl IntoIterator<Item = &'a Fact>,
) -> gdal::errors::Result<()> {
    let mut feature = GdalFeature::new(layer.defn())?;
    feature.set_geometry(geometry)?;
    feature.set_field(0, &FieldValue::StringValue(printable(name).into_owned()))?;
    for (at, fact) in facts.into_iter().enumerate() {
        match fact {
            Fact::Number(None) => {}
            Fact::Number(Some(number)) => {
                feature.set_field(at + 1, &FieldValue::RealValue(*number))?;
            }
            Fact::Text(text) => {
                let text = printable(text).into_owned();
                feature.set_field(at + 1, &FieldValue::StringValue(text))?;
            }
        }
    }
    feature.create(layer)
}
