//! Rasterizes the polygons of an observed extent onto the result's grid.

use super::raster::Compared;
use super::vector::Vectors;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use crate::input::vector::{burn, clip};
use gdal::vector::Geometry;
use std::path::Path;

/// Marks cells whose centre is in a polygon as wet, all others as dry.
pub fn burn(
    mut vectors: Vectors,
    path: &Path,
    grid: &Grid,
    warnings: &mut Vec<String>,
) -> Result<Compared> {
    let mut polygons: Vec<Geometry> = Vec::new();
    vectors.for_each(path, grid, warnings, |_, geometry| {
        polygons.push(geometry);
        Ok(())
    })?;
    let shown = path.display();
    let marks = rasterized(&polygons, grid).map_err(|error| {
        let said = gdal_log::why(error);
        Error::input(format!("with: the polygons of '{shown}' cannot be rasterized: {said}"))
    })?;
    if !marks.contains(&1) {
        return Err(not_touched(&polygons, path, grid));
    }
    Ok(Compared { values: marks.into_iter().map(f32::from).collect(), warped: true })
}

fn rasterized(polygons: &[Geometry], grid: &Grid) -> gdal::errors::Result<Vec<u8>> {
    let mut near = Vec::with_capacity(polygons.len());
    for polygon in polygons {
        near.push(clip::about(polygon, grid)?.unwrap_or_else(|| polygon.clone()));
    }
    near.retain(|polygon| !polygon.is_empty());
    let marks = vec![1.0; near.len()];
    burn::picture((grid.columns, grid.rows), &grid.transform, (&near, &marks), false)
}

/// Explains why no cell is wet: the polygons are outside the grid, or smaller than a cell.
fn not_touched(polygons: &[Geometry], path: &Path, grid: &Grid) -> Error {
    let shown = path.display();
    let [west, south, east, north] = grid.extent();
    let mut extent = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for envelope in polygons.iter().map(Geometry::envelope) {
        extent[0] = extent[0].min(envelope.MinX);
        extent[1] = extent[1].min(envelope.MinY);
        extent[2] = extent[2].max(envelope.MaxX);
        extent[3] = extent[3].max(envelope.MaxY);
    }
    let apart = extent[0] > east || extent[2] < west || extent[1] > north || extent[3] < south;
    if apart {
        return Error::input(format!(
            "with: no polygon of '{shown}' touches the result: they cover x {} to {}, y {} to {} in its CRS",
            extent[0], extent[2], extent[1], extent[3]
        ))
        .hint(format!("the result covers x {west} to {east}, y {south} to {north}: is the polygons' CRS right?"));
    }
    Error::input(format!(
        "with: no polygon of '{shown}' contains the centre of a cell of the result"
    ))
    .hint("they are smaller than its cells: compare with a result on a finer grid")
}
