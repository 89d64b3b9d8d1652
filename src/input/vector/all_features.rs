//! Vector layers of points or polygons as a whole: every feature with all of its fields, wherever
//! it is.

use super::Fields;
use super::feature::is_set;
use super::reader::{Reader, first_point};
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::notice::Notices;
use crate::input::vector::burn::{Shape, burn, shape};
use crate::input::vector::clip;
use crate::input::vector::point_position::covered;
use crate::input::vector::validity::Validity;
use crate::words::{and_more, counted};
use gdal::errors::GdalError;
use gdal::vector::{Feature, FieldValue, Geometry, LayerAccess};
use gdal_sys::{OGRFieldType, OGRwkbGeometryType};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Number of features placed on the grid at a time, by all threads.
const TOGETHER: usize = 4096;

/// Number of invalid features that a warning names.
const MOST_NAMED: usize = 5;

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
    /// Area of its polygons inside the domain (m²); `None` for points. Cells that buildings block
    /// count as inside.
    pub area: Option<f64>,
    /// Values of its fields, in the order of the layer's fields.
    pub values: Vec<Option<FieldValue>>,
    /// Cells of the grid that it covers, ascending, inside or outside the domain.
    pub cells: Vec<usize>,
    /// `true` if a part of it is outside the grid or on NoData cells.
    pub partly: bool,
    /// Set if its polygons are invalid: `true` if they could be repaired.
    repaired: Option<bool>,
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
    ground: Topography,
    mut each: impl FnMut(&[Field], Whole) -> Result<bool>,
) -> Result<Notices> {
    let grid = ground.grid;
    let reader = Reader { path, role, fields: Fields::optional(""), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.open(&dataset)?;
    let known = layer.layer.defn().fields();
    let fields: Vec<Field> = known
        .map(|field| Field { name: field.name(), kind: kept_as(field.field_type()) })
        .collect();
    let (mut count, mut placed, mut first) = (0usize, 0usize, None);
    let mut invalid: [Vec<u64>; 2] = Default::default();
    let mut lay = |together: &mut Vec<Whole>| {
        let laid = together.par_iter_mut().map(|whole| lay_on(whole, ground));
        laid.collect::<std::result::Result<(), String>>().map_err(|what| reader.wrong(what))?;
        for whole in together.drain(..) {
            count += 1;
            if let Some(repaired) = whole.repaired {
                invalid[usize::from(repaired)].push(whole.id);
            }
            placed += usize::from(each(&fields, whole)?);
        }
        Ok(())
    };
    let mut together = Vec::new();
    let mut read = layer.each(|item| {
        let geometry = match item.near()? {
            Some(geometry) => geometry,
            // A place without coordinates in the DEM's CRS.
            None => item.empty()?,
        };
        let area = match shape(&geometry) {
            Some(Shape::Points) => None,
            Some(Shape::Polygons) => Some(0.0),
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
        let (cells, partly, repaired) = (Vec::new(), false, None);
        together.push(Whole { id: item.id, geometry, kind, area, values, cells, partly, repaired });
        if together.len() == TOGETHER { lay(&mut together) } else { Ok(()) }
    })?;
    lay(&mut together)?;
    if placed == 0 {
        let what = format!("none of its {count} features is on the DEM");
        return Err(reader.wrong(what).hint(format!(
            "{}{}; check the layer's CRS and the DEM's NoData cells",
            covered(grid),
            layer.likely(first)
        )));
    }
    read.notices.warn_all(warnings(&reader, &invalid));
    Ok(read.notices)
}

/// Returns the warnings of invalid polygons: those that remain, and those that were repaired.
fn warnings(reader: &Reader, [invalid, repaired]: &[Vec<u64>; 2]) -> Vec<String> {
    let shown = reader.path.display();
    let begin = |ids: &[u64]| {
        let polygons = counted(ids.len(), "invalid polygon", "invalid polygons");
        let features = if ids.len() == 1 { "feature" } else { "features" };
        let ids = and_more(ids.iter(), MOST_NAMED);
        format!("{}: '{shown}' has {polygons} ({features} {ids})", reader.role)
    };
    let mut warnings = Vec::new();
    if !invalid.is_empty() {
        warnings.push(format!(
            "{}, which GDAL cannot repair; areas and cells may be wrong. Repair them: ogr2ogr -makevalid valid.gpkg '{shown}'",
            begin(invalid)
        ));
    }
    if !repaired.is_empty() {
        warnings.push(format!("{}; areas and cells are of the repaired polygons", begin(repaired)));
    }
    warnings
}

/// Finds the cells of a feature, and its area inside the domain; an error describes the fault of
/// the feature.
fn lay_on(whole: &mut Whole, ground: Topography) -> std::result::Result<(), String> {
    let lay = |whole: &mut Whole| -> std::result::Result<(), GdalError> {
        let geometry = Geometry::from_wkb(&whole.geometry)?;
        let validity = Validity::of(&geometry);
        whole.repaired = match validity {
            Validity::Valid => None,
            Validity::Repaired(_) => Some(true),
            Validity::Invalid => Some(false),
        };
        let geometry = validity.repaired().unwrap_or(&geometry);
        let burnt = burn(geometry, ground.grid)?.expect("points and polygons have cells");
        whole.partly = burnt.beyond || burnt.cells.iter().any(|&cell| has_no_data(cell, ground));
        whole.cells = burnt.cells;
        if let Some(area) = &mut whole.area {
            let inside = area_inside(geometry, burnt.beyond, ground)?;
            let all = || geometry.area() * ground.grid.metres_per_unit().powi(2);
            *area = inside.unwrap_or_else(all);
        }
        Ok(())
    };
    lay(whole).map_err(|error| format!("feature {}: {error}", whole.id))
}

/// Returns `true` for a NoData cell.
fn has_no_data(cell: usize, ground: Topography) -> bool {
    !ground.is_inside(cell) && ground.bed.blocked.binary_search(&cell).is_err()
}

/// Returns the area of polygons on cells of the DEM with data (m²); `None` if that is all of it.
fn area_inside(
    geometry: &Geometry,
    beyond: bool,
    ground: Topography,
) -> std::result::Result<Option<f64>, GdalError> {
    let grid = ground.grid;
    let envelope = geometry.envelope();
    let (west, north) = grid.place_of(envelope.MinX, envelope.MaxY);
    let (east, south) = grid.place_of(envelope.MaxX, envelope.MinY);
    let span = |from: f64, to: f64, size: usize| {
        let [from, to] = [from.floor(), to.ceil()].map(|at| at.clamp(0.0, size as f64) as usize);
        from..to
    };
    let columns = span(west, east, grid.columns);
    let [left, dx, _, top, _, dy] = grid.transform;
    let rectangle = |row: usize, columns: Range<usize>| {
        let [row, first, end] = [row, columns.start, columns.end].map(|count| count as f64);
        [left + first * dx, top + (row + 1.0) * dy, left + end * dx, top + row * dy]
    };
    let inside = clip::within(geometry, grid.extent())?;
    let mut without = beyond.then_some(0.0);
    for row in span(north, south, grid.rows) {
        let is_gap = |column: &usize| has_no_data(row * grid.columns + column, ground);
        let gaps: Vec<usize> = columns.clone().filter(is_gap).collect();
        if gaps.is_empty() {
            continue;
        }
        let part = clip::within(&inside, rectangle(row, 0..grid.columns))?;
        for run in gaps.chunk_by(|column, next| column + 1 == *next) {
            let gap = rectangle(row, run[0]..run[0] + run.len());
            *without.get_or_insert(0.0) += clip::within(&part, gap)?.area();
        }
    }
    let square_metres = grid.metres_per_unit().powi(2);
    Ok(without.map(|without| (inside.area() - without).max(0.0) * square_metres))
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
