//! Reads observed points, from a CSV or a vector layer.

use super::points::{Observed, Quantity};
use super::vector::Vectors;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::columns::Table;
use crate::input::place::projection;
use crate::input::table::unit_of;
use crate::measures::quantity::DEPTH;
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
    asked: Option<Quantity>,
    whose: &str,
    warnings: &mut Vec<String>,
) -> Result<(usize, Quantity, f64)> {
    let all = || names.join(", ");
    let column = match wanted {
        Some(wanted) => names.iter().position(|name| name == wanted).ok_or_else(|| {
            Error::input(format!("with: {whose} has no field '{wanted}'"))
                .hint(format!("it has: {}", all()))
        })?,
        None => {
            let says: Vec<usize> =
                (0..names.len()).filter(|&i| Quantity::of(&names[i]).is_some()).collect();
            match says[..] {
                [only] => only,
                [] => {
                    return Err(Error::input(format!(
                        "with: no field of {whose} says that it is a depth or a level"
                    ))
                    .hint(format!(
                        "name it: --field NAME --quantity depth (or level); it has: {}",
                        all()
                    )));
                }
                _ => {
                    return Err(Error::input(format!(
                        "with: several fields of {whose} may be meant"
                    ))
                    .hint(format!("choose one with --field; it has: {}", all())));
                }
            }
        }
    };
    let name = &names[column];
    let quantity = asked.or_else(|| Quantity::of(name)).ok_or_else(|| {
        Error::input(format!(
            "with: field '{name}' of {whose} does not say whether it is a depth or a level"
        ))
        .hint("say so: --quantity depth, or --quantity level")
    })?;
    let unit = unit_of(name, |word| DEPTH.has(word));
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

/// Reads points from a CSV with the columns x, y, depth or level, and optionally name.
pub fn from_csv(
    path: &Path,
    field: Option<&str>,
    asked: Option<Quantity>,
    warnings: &mut Vec<String>,
) -> Result<Observed> {
    let table = Table::read(path, "with", EXAMPLE)?;
    let names: Vec<String> = table.header.iter().map(String::from).collect();
    let find = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let (Some(x), Some(y)) = (find("x"), find("y")) else {
        return Err(
            table.wrong(1, format!("expected columns x and y, but found {}", names.join(", ")))
        );
    };
    let whose = format!("'{}'", path.display());
    let (column, quantity, metres) = value_column(&names, field, asked, &whose, warnings)?;
    let label = LABELS.into_iter().find_map(find);
    let mut points = Vec::new();
    for (line, record) in &table.rows {
        let number = |column| table.number(*line, record, column);
        let value = number(column)? * metres;
        if quantity == Quantity::Depth && value < 0.0 {
            return Err(table.wrong(*line, format!("the depth {} is negative", &record[column])));
        }
        let number_of_point = (points.len() + 1).to_string();
        let name = label.map_or(number_of_point, |label| record[label].to_string());
        points.push((name, number(x)?, number(y)?, value));
    }
    Ok(Observed { quantity, points })
}

/// Reads points from a vector layer.
pub fn from_layer(
    mut vectors: Vectors,
    path: &Path,
    grid: &Grid,
    field: Option<&str>,
    asked: Option<Quantity>,
    warnings: &mut Vec<String>,
) -> Result<Observed> {
    let whose = format!("'{}'", path.display());
    let names: Vec<String> = vectors.layer.defn().fields().map(|field| field.name()).collect();
    let (column, quantity, metres) = value_column(&names, field, asked, &whose, warnings)?;
    let is_label = |name: &String| LABELS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let label = names.iter().position(is_label);
    let (mut points, mut without) = (Vec::new(), 0);
    vectors.for_each(path, grid, warnings, |feature, geometry| {
        let number = (points.len() + without + 1).to_string();
        let text = |field| feature.field_as_string(field).ok().flatten();
        let name = label.and_then(text).filter(|name| !name.is_empty()).unwrap_or(number);
        let Some(written) = text(column).filter(|text| !text.trim().is_empty()) else {
            without += 1;
            return Ok(());
        };
        let value = written.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        let negative = |value: f64| quantity == Quantity::Depth && value < 0.0;
        let value = value.filter(|&value| !negative(value)).ok_or_else(|| {
            Error::input(format!(
                "with: point {name} of {whose} has '{written}' in field '{}', which is no {quantity}",
                names[column]
            ))
            .hint("correct it, or empty it: points without a value are left out")
        })?;
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
        points.push((name, x, y, value * metres));
        Ok(())
    })?;
    if points.is_empty() {
        return Err(Error::input(format!(
            "with: no point of {whose} has a value in '{}'",
            names[column]
        ))
        .hint("choose another field with --field"));
    }
    if without > 0 {
        warnings.push(format!("with: {without} points of {whose} have no value; left out"));
    }
    Ok(Observed { quantity, points })
}

/// Transforms points from another CRS (such as `EPSG:4326`; x is easting or longitude) to the
/// grid's.
pub fn bring(observed: &mut Observed, crs: &str, grid: &Grid) -> Result<()> {
    let from = SpatialRef::from_definition(crs).and_then(|srs| srs.to_wkt()).map_err(|_| {
        crate::input::gdal_log::take();
        Error::input(format!("crs: '{crs}' is no coordinate reference system"))
            .hint("give its EPSG code: --crs EPSG:4326")
    })?;
    if grid.crs.is_none() {
        return Err(Error::input("crs: the result has no coordinate reference system")
            .hint("give the points in the result's coordinates, without --crs"));
    }
    let Some(transform) = projection(Some(&from), grid.crs.as_deref()) else { return Ok(()) };
    for (name, x, y, _) in &mut observed.points {
        let (mut to_x, mut to_y) = ([*x], [*y]);
        let moved = transform.transform_coords(&mut to_x, &mut to_y, &mut []);
        if moved.is_err() || !to_x[0].is_finite() || !to_y[0].is_finite() {
            crate::input::gdal_log::take();
            return Err(Error::input(format!("with: point {name} ({x}, {y}) is nowhere in {crs}"))
                .hint("x is east or longitude, y is north or latitude"));
        }
        (*x, *y) = (to_x[0], to_y[0]);
    }
    Ok(())
}
