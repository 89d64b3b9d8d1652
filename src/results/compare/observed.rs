//! Reads observed points, from a CSV or a vector layer.

use super::points::{Observed, ObservedQuantity};
use super::vector::Vectors;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::description::missing::{self, Codes, Spread, without_codes};
use crate::input::raster::place::{projection, transformed};
use crate::input::tables::columns::CsvTable;
use crate::input::tables::series_table::unit_of;
use crate::measures::quantity::DEPTH;
use crate::words::{and_more, counted};
use gdal::spatial_ref::SpatialRef;
use gdal::vector::LayerAccess;
use std::path::Path;

/// Example of a CSV with points.
const EXAMPLE: &str =
    "the file starts like this:\n    name,x,y,depth [m]\n    bridge,500120.5,4999870,0.85";
/// Fields that name a point.
const LABELS: [&str; 4] = ["name", "id", "point", "gauge"];

/// Finds the column among `names` with the observed values, and returns its quantity and its unit
/// in metres.
fn value_column(
    names: &[String],
    wanted: Option<&str>,
    requested: Option<ObservedQuantity>,
    whose: &str,
    warnings: &mut Vec<String>,
) -> Result<(usize, ObservedQuantity, f64)> {
    let all = || names.join(", ");
    let column = match wanted {
        Some(wanted) => names.iter().position(|name| name == wanted).ok_or_else(|| {
            Error::input(format!("with: {whose} has no field '{wanted}'"))
                .hint(format!("it has: {}", all()))
        })?,
        None => {
            let says: Vec<usize> =
                (0..names.len()).filter(|&i| ObservedQuantity::of(&names[i]).is_some()).collect();
            match says[..] {
                [only] => only,
                [] => {
                    return Err(Error::input(format!(
                        "with: no field of {whose} is named as a depth or a level"
                    ))
                    .hint(format!(
                        "name it: --field NAME --quantity depth (or level); it has: {}",
                        all()
                    )));
                }
                _ => {
                    return Err(Error::input(format!(
                        "with: several fields of {whose} may be the depth or the level"
                    ))
                    .hint(format!("choose one with --field; it has: {}", all())));
                }
            }
        }
    };
    let name = &names[column];
    let quantity = requested.or_else(|| ObservedQuantity::of(name)).ok_or_else(|| {
        Error::input(format!(
            "with: it is unclear whether field '{name}' of {whose} is a depth or a level"
        ))
        .hint("specify --quantity depth or --quantity level")
    })?;
    let unit = unit_of(&without_codes(name), |word| DEPTH.has(word));
    let metres = match unit.as_str() {
        "" => {
            warnings.push(format!("with: field '{name}' of {whose} declares no unit; taken in m"));
            1.0
        }
        unit => DEPTH
            .factor(unit)
            .map_err(|error| error.of(format_args!("with: field '{name}' of {whose}")))?,
    };
    Ok((column, quantity, metres))
}

/// A point with the value that was observed there, before it is compared with the others.
struct Found {
    name: String,
    at: (f64, f64),
    /// Value as written.
    written: String,
    /// Value (m).
    value: f64,
    /// Value without its unit, if it is a common code for a missing value.
    code: Option<f64>,
}

/// Omits points whose value is probably a code for a missing value, judged by the other values.
/// `without` are the names of points without any value.
///
/// # Errors
/// If a depth is below 0, or no point is left; `wrong` adds the location of a point.
fn with_values(
    found: Vec<Found>,
    mut without: Vec<String>,
    quantity: ObservedQuantity,
    whose: &str,
    wrong: impl Fn(&Found) -> Error,
    warnings: &mut Vec<String>,
) -> Result<Observed> {
    let others = found.iter().filter(|point| point.code.is_none());
    let others: Vec<f64> = others.map(|point| point.value).collect();
    let mut points = Vec::new();
    for point in found {
        let implausible = |code| missing::is_implausible(point.value, code, &others, Spread::About);
        if point.code.is_some_and(implausible) {
            without.push(format!("{} ('{}')", point.name, point.written));
        } else if quantity == ObservedQuantity::Depth && point.value < 0.0 {
            return Err(wrong(&point));
        } else {
            points.push((point.name, point.at.0, point.at.1, point.value));
        }
    }
    if points.is_empty() {
        return Err(Error::input(format!("with: no point of {whose} has a value"))
            .hint("choose another field with --field"));
    }
    if !without.is_empty() {
        let which = and_more(without.iter(), 4);
        let points = counted(without.len(), "point", "points");
        let have = if without.len() == 1 { "has" } else { "have" };
        warnings.push(format!("with: {points} of {whose} {have} no value; left out: {which}"));
    }
    Ok(Observed { quantity, points })
}

/// Reads points from a CSV with the columns x, y, depth or level, and optionally name.
pub fn from_csv(
    path: &Path,
    field: Option<&str>,
    requested: Option<ObservedQuantity>,
    warnings: &mut Vec<String>,
) -> Result<Observed> {
    let table = CsvTable::read(path, "with", EXAMPLE)?;
    warnings.extend(table.note().map(|note| note.text));
    let names: Vec<String> = table.header.iter().map(String::from).collect();
    let find = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let (Some(x), Some(y)) = (find("x"), find("y")) else {
        return Err(
            table.wrong_header(format!("expected columns x and y, but found {}", names.join(", ")))
        );
    };
    let whose = format!("'{}'", path.display());
    let (column, quantity, metres) = value_column(&names, field, requested, &whose, warnings)?;
    let codes = Codes::declared(&table.comments, &names[column]);
    let label = LABELS.into_iter().find_map(find);
    let (mut found, mut without, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (line, record)) in table.rows.iter().enumerate() {
        let number = |column| table.number(*line, record, column);
        let name = label.map_or((at + 1).to_string(), |label| record[label].to_string());
        let written = record[column].to_string();
        let code = match codes.classify(&written) {
            missing::Value::Missing => {
                without.push(name);
                continue;
            }
            missing::Value::Code(code) => Some(code),
            missing::Value::Plain => None,
        };
        let value = number(column)? * metres;
        let at = (number(x)?, number(y)?);
        lines.push((at, *line));
        found.push(Found { name, at, written, value, code });
    }
    let negative = |point: &Found| {
        let line = lines.iter().find(|(at, _)| *at == point.at).map_or(1, |(_, line)| *line);
        table.wrong(line, format!("the depth {} is negative", point.written))
    };
    with_values(found, without, quantity, &whose, negative, warnings)
}

/// Reads points from a vector layer.
pub fn from_layer(
    mut vectors: Vectors,
    path: &Path,
    grid: &Grid,
    field: Option<&str>,
    requested: Option<ObservedQuantity>,
    warnings: &mut Vec<String>,
) -> Result<Observed> {
    let whose = format!("'{}'", path.display());
    let names: Vec<String> = vectors.layer.defn().fields().map(|field| field.name()).collect();
    let (column, quantity, metres) = value_column(&names, field, requested, &whose, warnings)?;
    let is_label = |name: &String| LABELS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let label = names.iter().position(is_label);
    let codes = Codes::default();
    let (mut found, mut without) = (Vec::new(), Vec::new());
    let no_value = |name: &str, written: &str| {
        Error::input(format!(
            "with: point {name} of {whose} has '{written}' in field '{}', which is not a {quantity}",
            names[column]
        ))
        .hint("correct it, or empty it: points without a value are left out")
    };
    vectors.for_each(path, grid, warnings, |feature, geometry| {
        let number = (found.len() + without.len() + 1).to_string();
        let text = |field| feature.field_as_string(field).ok().flatten();
        let name = label.and_then(text).filter(|name| !name.is_empty()).unwrap_or(number);
        let written = text(column).unwrap_or_default();
        let code = match codes.classify(&written) {
            missing::Value::Missing => {
                without.push(name);
                return Ok(());
            }
            missing::Value::Code(code) => Some(code),
            missing::Value::Plain => None,
        };
        let value = written.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        let value = value.ok_or_else(|| no_value(&name, &written))? * metres;
        let parts = geometry.geometry_count();
        let (x, y, _) = match parts {
            0 => geometry.get_point(0),
            1 => geometry.get_geometry(0).get_point(0),
            _ => {
                return Err(Error::input(format!(
                    "with: point {name} of {whose} is {parts} points in one"
                ))
                .hint("split it: ogr2ogr -explodecollections single.gpkg …"));
            }
        };
        found.push(Found { name, at: (x, y), written, value, code });
        Ok(())
    })?;
    let whose = format!("{whose} in '{}'", names[column]);
    let negative = |point: &Found| no_value(&point.name, &point.written);
    with_values(found, without, quantity, &whose, negative, warnings)
}

/// Transforms points from another CRS (such as `EPSG:4326`; x is easting or longitude) to the
/// grid's.
pub fn bring(observed: &mut Observed, crs: &str, grid: &Grid) -> Result<()> {
    let from = SpatialRef::from_definition(crs).and_then(|srs| srs.to_wkt()).map_err(|_| {
        crate::input::gdal_access::gdal_log::take();
        Error::input(format!("crs: '{crs}' is not a coordinate reference system"))
            .hint("give its EPSG code: --crs EPSG:4326")
    })?;
    if grid.crs.is_none() {
        return Err(Error::input("crs: the result has no coordinate reference system")
            .hint("give the points in the result's coordinates, without --crs"));
    }
    let Some(transform) = projection(Some(&from), grid.crs.as_deref()) else { return Ok(()) };
    for (name, x, y, _) in &mut observed.points {
        let moved = transformed(&transform, (*x, *y));
        let Some(moved) = moved.filter(|(x, y)| x.is_finite() && y.is_finite()) else {
            return Err(Error::input(format!(
                "with: point {name} ({x}, {y}) is outside the range of {crs}"
            ))
            .hint("x is east or longitude, y is north or latitude"));
        };
        (*x, *y) = moved;
    }
    Ok(())
}
