//! Vector layers of points with a value each, without their cells.

use super::reader::Reader;
use super::{Fields, Shape, Value};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::notice::Reading;
use std::path::Path;

/// Point in the DEM's CRS, with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedValue {
    /// Number of the feature in the layer.
    pub id: u64,
    /// Value of the feature.
    pub value: Value,
    /// East, in units of the DEM's CRS.
    pub x: f64,
    /// North, in units of the DEM's CRS.
    pub y: f64,
}

/// Reads a layer of points for `role`: at least one. Every point must have a value.
pub fn read_points(
    path: &Path,
    role: &str,
    fields: Fields,
    grid: &Grid,
) -> Result<Reading<Vec<PlacedValue>>> {
    let reader = Reader { path, role, fields, grid };
    let dataset = reader.opened()?;
    let mut layer = reader.open(&dataset)?;
    let columns = layer.value_columns()?;
    layer.each(|item| {
        let value = item.value(&columns)?;
        let [(x, y)] = item.drawn(Shape::Points)?.0[..] else {
            return Err(item.wrong(" is not one point"));
        };
        Ok(PlacedValue { id: item.id, value, x, y })
    })
}
