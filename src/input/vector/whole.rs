//! Vector layers of points or polygons as a whole: every feature with all of its fields, wherever
//! it is.

use super::Fields;
use super::feature::is_set;
use super::reader::{Reader, first_point};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::burn::{Shape, burn, shape};
use crate::input::notice::Notices;
use crate::input::whereabouts::covered;
use gdal::vector::{Feature, FieldValue, Geometry, LayerAccess};
use gdal_sys::{OGRFieldType, OGRwkbGeometryType};
use rayon::prelude::*;
use std::path::Path;

/// Number of features placed on the grid at a time, by all threads.
const TOGETHER: usize = 4096;

/// Field of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name of the field.
    pub name: String,
    /// Type of the values: integers, numbers or texts. Other types, such as dates and lists, are
    /// kept as text.
    pub kind: OGRFieldType::Type,
}

/// Feature with all attributes of its layer.
#[derive(Debug)]
pub struct Whole {
    /// Number in the layer.
    pub id: u64,
    /// Geometry as WKB, in the DEM's CRS.
    pub geometry: Vec<u8>,
    /// Type of the geometry.
    pub kind: OGRwkbGeometryType::Type,
    /// Area of its polygons (m²); `None` for points.
    pub area: Option<f64>,
    /// Values of its fields, in the order of the layer's fields.
    pub values: Vec<Option<FieldValue>>,
    /// Cells of the grid that it covers, ascending, inside or outside the domain.
    pub cells: Vec<usize>,
    /// `true` if a part of it is outside the grid.
    pub beyond: bool,
}

/// Reads a layer of points or polygons for `role` and passes its features, one by one, with the
/// layer's fields to `each`, which returns `true` if it has placed the feature. Returns its files
/// and notices.
///
/// # Errors
/// If the layer cannot be read, has features of another kind or none, or if none has been placed.
pub fn read_whole(
    path: &Path,
    role: &str,
    grid: &Grid,
    mut each: impl FnMut(&[Field], Whole) -> Result<bool>,
) -> Result<Notices> {
    let reader = Reader { path, role, fields: Fields::optional(""), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.open(&dataset)?;
    let known = layer.layer.defn().fields();
    let fields: Vec<Field> = known
        .map(|field| Field { name: field.name(), kind: kept_as(field.field_type()) })
        .collect();
    let (mut count, mut placed, mut first) = (0usize, 0usize, None);
    let mut lay = |together: &mut Vec<Whole>| {
        let laid = together.par_iter_mut().map(|whole| lay_on(whole, grid));
        laid.collect::<std::result::Result<(), String>>().map_err(|what| reader.wrong(what))?;
        for whole in together.drain(..) {
            count += 1;
            placed += usize::from(each(&fields, whole)?);
        }
        Ok(())
    };
    let mut together = Vec::new();
    let read = layer.each(|item| {
        let geometry = item.geometry()?;
        let area = match shape(&geometry) {
            Some(Shape::Points) => None,
            Some(Shape::Polygons) => Some(geometry.area() * grid.metres_per_unit().powi(2)),
            _ => {
                let name = geometry.geometry_name();
                return Err(item
                    .wrong(format_args!(" is neither point nor polygon but a {name}"))
                    .hint("give a layer of points or of polygons"));
            }
        };
        first = first.or_else(|| first_point(item.feature.geometry()?));
        let values = (0..fields.len()).map(|at| value(item.feature, at)).collect();
        let kind = geometry.geometry_type();
        let geometry = geometry.wkb();
        let geometry = geometry.map_err(|error| item.wrong(format_args!(": {error}")))?;
        let (cells, beyond) = (Vec::new(), false);
        together.push(Whole { id: item.id, geometry, kind, area, values, cells, beyond });
        if together.len() == TOGETHER { lay(&mut together) } else { Ok(()) }
    })?;
    lay(&mut together)?;
    if placed == 0 {
        let what = format!("none of its {count} features lies on the DEM");
        return Err(reader.wrong(what).hint(format!(
            "{}{}; check the layer's CRS and the DEM's NoData cells",
            covered(grid),
            layer.likely(first)
        )));
    }
    Ok(read.notices)
}

/// Finds the cells of a feature; an error describes the fault of the feature.
fn lay_on(whole: &mut Whole, grid: &Grid) -> std::result::Result<(), String> {
    let geometry = Geometry::from_wkb(&whole.geometry);
    let burnt = geometry.and_then(|geometry| burn(&geometry, grid));
    let burnt = burnt.map_err(|error| format!("feature {}: {error}", whole.id))?;
    let burnt = burnt.expect("points and polygons have cells");
    (whole.cells, whole.beyond) = (burnt.cells, burnt.beyond);
    Ok(())
}

/// Returns the type in which the values of a field are kept.
fn kept_as(kind: OGRFieldType::Type) -> OGRFieldType::Type {
    match kind {
        OGRFieldType::OFTInteger | OGRFieldType::OFTInteger64 | OGRFieldType::OFTReal => kind,
        _ => OGRFieldType::OFTString,
    }
}

/// Returns the value of a field of a feature, as it is kept; `None` if it is empty.
fn value(feature: &Feature, at: usize) -> Option<FieldValue> {
    use FieldValue::{Integer64Value, IntegerValue, RealValue, StringValue};
    if !is_set(feature, at) {
        return None;
    }
    match feature.field(at) {
        Ok(Some(value @ (StringValue(_) | IntegerValue(_) | Integer64Value(_) | RealValue(_)))) => {
            Some(value)
        }
        _ => feature.field_as_string(at).ok().flatten().map(StringValue),
    }
}

/// Formats a value as text: numbers parse to the same value.
pub fn text_of(value: &FieldValue) -> String {
    match value {
        FieldValue::StringValue(text) => text.clone(),
        FieldValue::IntegerValue(number) => number.to_string(),
        FieldValue::Integer64Value(number) => number.to_string(),
        FieldValue::RealValue(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Returns the geometry type of a layer after adding a geometry: the common type, else unknown.
pub fn kind_of_all(
    before: Option<OGRwkbGeometryType::Type>,
    kind: OGRwkbGeometryType::Type,
) -> OGRwkbGeometryType::Type {
    match before {
        Some(before) if before != kind => OGRwkbGeometryType::wkbUnknown,
        _ => kind,
    }
}
