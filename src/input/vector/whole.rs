//! A vector layer of points or polygons as a whole: every feature with all of its fields, wherever it lies.

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

/// So many features are laid on the grid together, by all threads.
const TOGETHER: usize = 4096;

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
    /// Its geometry as WKB, in the DEM's CRS.
    pub geometry: Vec<u8>,
    /// What that is made of.
    pub kind: OGRwkbGeometryType::Type,
    /// Area of its polygons (m²); none of points.
    pub area: Option<f64>,
    /// What its fields hold, in the order of the layer's.
    pub values: Vec<Option<FieldValue>>,
    /// The cells of the grid that it lies on, in rising order, be they in the domain or not.
    pub cells: Vec<usize>,
    /// Whether a part of it lies outside the grid.
    pub beyond: bool,
}

/// Reads a layer of points or polygons for `role` and hands over its features, one by one, with the layer's fields; `each` says whether it has
/// found a place for it. Returns its files, and what the user should know.
///
/// # Errors
/// If it cannot be read, has features of another kind or none, or if none of them has a place.
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
            "{}{}; look at the layer's CRS, and at the DEM's NoData cells",
            covered(grid),
            layer.likely(first)
        )));
    }
    Ok(read.notices)
}

/// Finds the cells of a feature; an error says what is wrong with it.
fn lay_on(whole: &mut Whole, grid: &Grid) -> std::result::Result<(), String> {
    let geometry = Geometry::from_wkb(&whole.geometry);
    let burnt = geometry.and_then(|geometry| burn(&geometry, grid));
    let burnt = burnt.map_err(|error| format!("feature {}: {error}", whole.id))?;
    let burnt = burnt.expect("points and polygons have cells");
    (whole.cells, whole.beyond) = (burnt.cells, burnt.beyond);
    Ok(())
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
    kind: OGRwkbGeometryType::Type,
) -> OGRwkbGeometryType::Type {
    match before {
        Some(before) if before != kind => OGRwkbGeometryType::wkbUnknown,
        _ => kind,
    }
}
