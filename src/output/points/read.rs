//! Reads a layer at features, from their cells or pixels, consistent with its map.

use super::Points;
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::dem::fine_ground::FineGround;
use crate::output::layers::fine::FineMap;
use crate::output::layers::{ARRIVAL_TIME, Layer, NODATA, Now};
use std::sync::Arc;

/// Returns the value of a layer at each feature: the greatest of its cells, or the earliest for
/// arrival times; [`NODATA`] if none has a value.
pub fn at_each(
    points: &Points,
    now: &Now,
    layer: &'static Layer,
    ground: Option<&Arc<FineGround>>,
) -> Result<Vec<f32>> {
    let mut all = vec![NODATA; points.len()];
    let first_comes = layer.key == ARRIVAL_TIME.key;
    let mut take = |first: usize, columns: usize, values: &[f32]| {
        for span in points.spans.in_rows(first, values.len() / columns) {
            let cells = &values[span.first - first * columns..][..span.count as usize];
            let of = &mut all[span.feature as usize];
            for &value in cells.iter().filter(|value| **value != NODATA) {
                let beats = if first_comes { value < *of } else { value > *of };
                if beats || *of == NODATA {
                    *of = value;
                }
            }
        }
    };
    let mut bands = |grid: &Grid, step: usize, read: &dyn Fn(usize, usize) -> Result<Vec<f32>>| {
        for first in (0..grid.rows).step_by(step) {
            let rows = step.min(grid.rows - first);
            if !points.spans.in_rows(first, rows).is_empty() {
                take(first, grid.columns, &read(first, rows)?);
            }
        }
        Ok(())
    };
    match ground {
        Some(ground) => {
            let map = FineMap::of(now, layer, ground)?;
            bands(&ground.grid, map.rows_of_strip(), &map.rows()?)?;
        }
        None => {
            let grid = &now.maps.grid;
            bands(grid, grid.rows_together(), &|first, rows| {
                let mut values = vec![NODATA; rows * grid.columns];
                now.read(layer, first, &mut values)?;
                Ok(values)
            })?;
        }
    }
    Ok(all)
}
