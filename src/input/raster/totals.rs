//! Totals of a raster on another grid over the DEM's extent, summed row by row, so that the result
//! does not depend on the number of threads.

use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::raster::place::{is_in_degrees, projection, transform_all};
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::vector::clip;
use crate::machine::host_memory::how_to_cut;
use rayon::prelude::*;

/// Maximum number of cells of a raster that is summed; more would take hours.
const MOST_CELLS: usize = 1 << 37;

/// Total of the cells of a row that are in the DEM's extent.
#[derive(Clone, Copy, Debug, Default)]
struct RowTotal {
    /// Sum of positive values times their area in the extent (unit · m²).
    amount: f64,
    /// Whole area of the cells (m²), including parts outside the extent.
    area: f64,
    /// Number of cells.
    cells: usize,
}

/// Sums rows of a raster from row `first` on; `values` holds whole rows.
fn of_rows(file: &RasterFile, grid: &Grid, first: usize, values: &[f64]) -> Vec<RowTotal> {
    let own = file.transform().unwrap_or(grid.transform);
    let (crs, columns) = (file.crs(), file.columns);
    let degrees = crs.as_deref().is_some_and(is_in_degrees);
    // Positive if the corners of a cell run counterclockwise.
    let turn = own[1] * own[5] - own[2] * own[4];
    let extent = grid.extent_within();
    let metres = grid.metres_per_unit();
    // Each thread needs its own projection, which is slow to create.
    let rows = (values.len() / columns).div_ceil(rayon::current_num_threads()).max(1);
    let some = |(at, values): (usize, &[f64])| {
        let to_dem = projection(crs.as_deref(), grid.crs.as_deref());
        // Corners of the cells on a line between two rows, in units of the DEM's CRS.
        let corners = |row: usize| {
            let row = row as f64;
            let (mut x, mut y): (Vec<f64>, Vec<f64>) = (0..=columns)
                .map(|i| i as f64)
                .map(|i| (own[0] + i * own[1] + row * own[2], own[3] + i * own[4] + row * own[5]))
                .unzip();
            if let Some(to_dem) = &to_dem {
                // Points that cannot be projected become infinite and are outside the extent.
                transform_all(to_dem, &mut x, &mut y);
            }
            x.into_iter().zip(y).collect::<Vec<_>>()
        };
        let first = first + at * rows;
        let mut here = corners(first);
        let of_row = |(row, values): (usize, &[f64])| {
            let below = corners(first + row + 1);
            let mut total = RowTotal::default();
            for (i, &value) in values.iter().enumerate() {
                let cell = [here[i], here[i + 1], below[i + 1], below[i]];
                let whole = clip::ring_area(&cell);
                // A cell across the 180th meridian may reach from one end of the map to the other.
                let is_torn = degrees && whole * turn < 0.0;
                let inside = clip::ring_area_within(&cell, extent).abs() * metres * metres;
                if inside == 0.0 || is_torn {
                    continue;
                }
                total.area += whole.abs() * metres * metres;
                total.cells += 1;
                if value > 0.0 {
                    total.amount += value * inside;
                }
            }
            here = below;
            total
        };
        values.chunks(columns).enumerate().map(of_row).collect::<Vec<_>>()
    };
    values.par_chunks(rows * columns).enumerate().flat_map_iter(some).collect()
}

/// Returns the sum of a raster's values times area (unit · m²) over the parts of its cells in the
/// DEM's extent, the mean area of these cells (m²), and the values taken as NoData although not
/// declared.
pub fn over(file: &RasterFile, grid: &Grid) -> Result<(f64, f64, Undeclared)> {
    if file.columns.saturating_mul(file.rows) > MOST_CELLS {
        return Err(file
            .wrong(format_args!(
                "has {} × {} cells (columns × rows), which are too many to sum",
                file.columns, file.rows
            ))
            .hint(how_to_cut(&file.path.display().to_string())));
    }
    let mut all = RowTotal::default();
    let mut add = |rows: &[RowTotal]| {
        for row in rows {
            all.amount += row.amount;
            all.area += row.area;
            all.cells += row.cells;
        }
    };
    let undeclared = file.for_each_rows(|first, values| {
        add(&of_rows(file, grid, first, values));
        Ok(())
    })?;
    let own = file.transform().unwrap_or(grid.transform);
    let metres = grid.metres_per_unit();
    let mean = || all.area / all.cells as f64;
    let area = if all.cells > 0 { mean() } else { (own[1] * own[5]).abs() * metres * metres };
    Ok((all.amount, area, undeclared))
}
