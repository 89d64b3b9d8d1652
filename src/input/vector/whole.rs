//! A vector layer of points or polygons as a whole: every feature with all of its fields, wherever it lies.

use super::{Fields, Reader, first_point};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::burn::{Shape, burn, shape};
use crate::input::{dataset, gdal_log};
use gdal::vector::{Feature, FieldValue, Geometry, LayerAccess, geometry_type_flatten};
use gdal_sys::{OGRFieldType, OGRwkbGeometryType};
use std::path::{Path, PathBuf};

/// A field of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds: whole numbers, numbers or texts. What is neither, as dates and lists, is kept as text.
    pub kind: OGRFieldType::Type,
}

/// A feature with all that its layer tells of it.
#[derive(Debug)]
pub struct Whole {
    /// Its number in the layer.
    pub id: u64,
    /// Its geometry, in the DEM's CRS.
    pub geometry: Geometry,
    /// Area of its polygons (m²); none of points.
    pub area: Option<f64>,
    /// What its fields hold, in the order of the layer's.
    pub values: Vec<Option<FieldValue>>,
    /// The cells of the grid that it lies on, in rising order, be they in the domain or not.
    pub cells: Vec<usize>,
    /// Whether a part of it lies outside the grid.
    pub beyond: bool,
}

/// What is known of a layer when all of it was read.
#[derive(Debug)]
pub struct WholeLayer {
    /// The files that it is made of.
    pub files: Vec<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Reads a layer of points or polygons for `role` and hands over its features, one by one, with the layer's fields; `each` says whether it has
/// found a place for it.
///
/// # Errors
/// If it cannot be read, has features of another kind or none, or if none of them has a place.
pub fn read_whole(
    path: &Path,
    role: &str,
    grid: &Grid,
    mut each: impl FnMut(&[Field], Whole) -> Result<bool>,
) -> Result<WholeLayer> {
    gdal_log::install();
    let reader = Reader { path, role, fields: Fields::optional(""), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.layer(&dataset)?;
    let mut warnings = Vec::new();
    let to_dem = reader.to_dem(&layer, &mut warnings)?;
    let known = layer.defn().fields();
    let fields: Vec<Field> = known
        .map(|field| Field { name: field.name(), kind: kept_as(field.field_type()) })
        .collect();
    let (mut count, mut placed, mut first_outside) = (0usize, 0usize, None);
    for feature in layer.features() {
        let id = feature.fid().unwrap_or(0);
        let geometry = reader.geometry(&feature, id, to_dem.as_ref())?;
        let area = match shape(&geometry) {
            Some(Shape::Points) => None,
            Some(Shape::Polygons) => Some(geometry.area() * grid.metres_per_unit().powi(2)),
            _ => {
                let name = geometry.geometry_name();
                return Err(reader
                    .wrong(format!("feature {id} is neither point nor polygon but a {name}"))
                    .hint("give a layer of points or of polygons"));
            }
        };
        let burnt = burn(&geometry, grid);
        let burnt = burnt.map_err(|error| reader.wrong(format!("feature {id}: {error}")))?;
        let burnt = burnt.expect("points and polygons have cells");
        if burnt.cells.is_empty() {
            first_outside = first_outside.or_else(|| first_point(feature.geometry()?));
        }
        let values = (0..fields.len()).map(|at| value(&feature, at)).collect();
        let whole = Whole { id, geometry, area, values, cells: burnt.cells, beyond: burnt.beyond };
        placed += usize::from(each(&fields, whole)?);
        count += 1;
    }
    if let Some(said) = gdal_log::take() {
        return Err(reader.wrong(format!("it cannot be read: {said}")));
    }
    if count == 0 {
        return Err(reader.wrong("the layer has no features").hint("leave it out, or draw some"));
    }
    if placed == 0 {
        let [west, south, east, north] = grid.extent();
        let what = format!("none of its {count} features lies on the DEM");
        return Err(reader.wrong(what).hint(format!(
            "the DEM covers x {west} to {east}, y {south} to {north}{}; look at the layer's CRS, and at the DEM's NoData cells",
            reader.likely(first_outside, to_dem.as_ref())
        )));
    }
    Ok(WholeLayer { files: dataset::files(&dataset, path), warnings })
}

/// How the values of a field are kept.
fn kept_as(kind: OGRFieldType::Type) -> OGRFieldType::Type {
    match kind {
        OGRFieldType::OFTInteger | OGRFieldType::OFTInteger64 | OGRFieldType::OFTReal => kind,
        _ => OGRFieldType::OFTString,
    }
}

/// What a field of a feature holds, as it is kept; `None` if it is empty.
fn value(feature: &Feature, at: usize) -> Option<FieldValue> {
    use FieldValue::{Integer64Value, IntegerValue, RealValue, StringValue};
    // SAFETY: the feature is alive and the index is that of one of its fields.
    let set = unsafe { gdal_sys::OGR_F_IsFieldSetAndNotNull(feature.c_feature(), at as i32) };
    if set == 0 {
        return None;
    }
    match feature.field(at) {
        Ok(Some(value @ (StringValue(_) | IntegerValue(_) | Integer64Value(_) | RealValue(_)))) => {
            Some(value)
        }
        _ => feature.field_as_string(at).ok().flatten().map(StringValue),
    }
}

/// A value as text: numbers so that they read the same again.
pub fn text_of(value: &FieldValue) -> String {
    match value {
        FieldValue::StringValue(text) => text.clone(),
        FieldValue::IntegerValue(number) => number.to_string(),
        FieldValue::Integer64Value(number) => number.to_string(),
        FieldValue::RealValue(number) => number.to_string(),
        _ => String::new(),
    }
}

/// What a layer of such geometries is said to be made of: of one kind if all are of that.
pub fn kind_of_all(
    before: Option<OGRwkbGeometryType::Type>,
    geometry: &Geometry,
) -> OGRwkbGeometryType::Type {
    let kind = geometry_type_flatten(geometry.geometry_type());
    match before {
        Some(before) if before != kind => OGRwkbGeometryType::wkbUnknown,
        _ => kind,
    }
}
