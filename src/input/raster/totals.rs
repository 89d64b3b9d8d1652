//! Totals of a raster on another grid over the DEM's extent, summed row by row, so that the result
//! does not depend on the number of threads.

use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::raster::place::projection;
use crate::input::raster::{RasterFile, Undeclared};
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
    let [west, south, east, north] = grid.extent_within();
    let metres = grid.metres_per_unit();
    // Each thread needs its own projection, which is slow to create.
    let rows = (values.len() / columns).div_ceil(rayon::current_num_threads()).max(1);
    let some = |(at, values): (usize, &[f64])| {
        let to_dem = projection(crs.as_deref(), grid.crs.as_deref());
        // Centres of a row of cells, in units of the DEM's CRS.
        let centres = |row: usize| {
            let row = row as f64 + 0.5;
            let (mut x, mut y): (Vec<f64>, Vec<f64>) = (0..=columns)
                .map(|i| i as f64 + 0.5)
                .map(|i| (own[0] + i * own[1] + row * own[2], own[3] + i * own[4] + row * own[5]))
                .unzip();
            if let Some(to_dem) = &to_dem {
                // Points that cannot be projected become infinite and are outside the extent.
                let _ = to_dem.transform_coords(&mut x, &mut y, &mut []);
            }
            (x, y)
        };
        let first = first + at * rows;
        let mut here = centres(first);
        let of_row = |(row, values): (usize, &[f64])| {
            let below = centres(first + row + 1);
            let mut total = RowTotal::default();
            for (i, &value) in values.iter().enumerate() {
                let (x, y) = (here.0[i], here.1[i]);
                let (along, down) =
                    ((here.0[i + 1] - x, here.1[i + 1] - y), (below.0[i] - x, below.1[i] - y));
                // The share of the cell in the extent: exact if the cell's sides are parallel to
                // the DEM's, by its bounding box otherwise.
                let part = part_within(x, along.0.abs() + down.0.abs(), west, east)
                    * part_within(y, along.1.abs() + down.1.abs(), south, north);
                if part == 0.0 {
                    continue;
                }
                let area = (along.0 * down.1 - along.1 * down.0).abs() * metres * metres;
                total.area += area;
                total.cells += 1;
                if value > 0.0 {
                    total.amount += value * area * part;
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

/// Returns the share of an interval around `middle` of a given `length` that is between `low` and
/// `high`; 0 if it is not finite.
fn part_within(middle: f64, length: f64, low: f64, high: f64) -> f64 {
    let inside = (middle + length / 2.0).min(high) - (middle - length / 2.0).max(low);
    let part = inside / length;
    if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
}
