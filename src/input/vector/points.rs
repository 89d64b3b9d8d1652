//! A vector layer of points with a value each, wherever they lie: they are not laid on the grid.

use super::named::Wanted;
use super::{Fields, Reader, Value, index};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::{dataset, gdal_log};
use gdal::vector::LayerAccess;
use std::path::{Path, PathBuf};

/// A point in the DEM's CRS.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedValue {
    /// The feature's number in the layer.
    pub id: u64,
    /// What it says.
    pub value: Value,
    /// East, in units of the DEM's CRS.
    pub x: f64,
    /// North, in units of the DEM's CRS.
    pub y: f64,
}

/// A layer of points.
#[derive(Debug)]
pub struct Points {
    /// The points; at least one.
    pub points: Vec<PlacedValue>,
    /// The files that it is made of.
    pub files: Vec<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Reads a layer of points for `role`. Every one must say something.
pub fn read_points(path: &Path, role: &str, fields: Fields, grid: &Grid) -> Result<Points> {
    let reader = Reader { path, role, fields, grid };
    let dataset = reader.opened()?;
    let mut layer = reader.layer(&dataset)?;
    let mut warnings = Vec::new();
    let to_dem = reader.to_dem(&layer, &mut warnings)?;
    let columns = [Some(fields.constant), fields.second()];
    let columns = columns.map(|name| name.and_then(|name| index(&layer, name)));
    if columns == [None, None] {
        return Err(reader.no_field(&layer));
    }
    let mut points = Vec::new();
    for feature in layer.features() {
        let id = feature.fid().unwrap_or(0);
        let value = reader.value(&feature, id, columns)?;
        let [(x, y)] = reader.points(&feature, id, Wanted::Points, to_dem.as_ref())?[..] else {
            return Err(reader.wrong(format!("feature {id} is not one point")));
        };
        if !(x.is_finite() && y.is_finite()) {
            return Err(reader.wrong(format!("feature {id} lies at ({x}, {y})")));
        }
        points.push(PlacedValue { id, value, x, y });
    }
    if let Some(said) = gdal_log::take() {
        return Err(reader.wrong(format!("it cannot be read: {said}")));
    }
    if points.is_empty() {
        return Err(reader.wrong("the layer has no features").hint("leave it out, or draw some"));
    }
    Ok(Points { points, files: dataset::files(&dataset, path), warnings })
}
