//! Single cells far above or far below all their neighbours: a wrong pixel makes a tower that
//! diverts the flow, or a pit that swallows it and shortens the time steps.

use crate::engine::grid::{Bed, CellLocation, Grid};
use crate::input::raster::RasterFile;
use crate::words;
use rayon::prelude::*;

/// Minimum height of a spike above all its neighbours: in m, and as a share of a cell's length.
const LEAST: f64 = 5.0;
const OF_CELL: f64 = 0.125;
/// Minimum height of a spike, in multiples of the range of its neighbours.
const TIMES: f64 = 1.5;
/// Minimum number of the eight neighbours in the domain.
const LEAST_NEIGHBOURS: usize = 5;

/// Spikes or pits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Found {
    cells: usize,
    /// Height of the worst (2⁻¹⁶ m), and its cell.
    worst: (i64, usize),
}

impl Found {
    fn with(self, other: Found) -> Found {
        Found { cells: self.cells + other.cells, worst: self.worst.max(other.worst) }
    }
}

/// Returns warnings about spikes and pits in a DEM's levels, as [`Bed`] stores them; `metres` is
/// the height unit of the file.
pub fn warnings(file: &RasterFile, grid: &Grid, metres: f64, levels: &[i32]) -> Vec<String> {
    let message = |(found, stand): (Found, &str)| {
        let (beyond, cell) = found.worst;
        let CellLocation { x, y, column, row } = grid.spot(cell);
        let height = file.stored(f64::from(levels[cell]) / Bed::PER_METRE / metres);
        let shown = file.path.display();
        let mark = file.declare(&format!("-a_nodata {height}"));
        (found.cells > 0).then(|| {
            format!(
                "dem: '{shown}' has {} {stand} all neighbours, the worst by {:.0} m: {height} in {} (at {x:.1},{y:.1}). Ground is not like that: exclude it with --nodata {height}, or fill it: {mark} and gdal_fillnodata.py '{shown}' filled.tif",
                words::counted(found.cells, "single cell", "single cells"),
                beyond as f64 / Bed::PER_METRE,
                words::place(column, row),
            )
        })
    };
    let ways = ["far above", "far below"];
    find(grid, levels).into_iter().zip(ways).filter_map(message).collect()
}

/// Finds the spikes and the pits.
fn find(grid: &Grid, levels: &[i32]) -> [Found; 2] {
    let least = (LEAST.max(OF_CELL * grid.dx.max(grid.dy)) * Bed::PER_METRE) as i64;
    let rows = (0..grid.rows).into_par_iter().map(|row| {
        let mut found = [Found::default(); 2];
        for column in 0..grid.columns {
            let cell = row * grid.columns + column;
            let level = levels[cell];
            if level == Bed::OUTSIDE {
                continue;
            }
            let (mut low, mut high, mut count) = (i64::MAX, i64::MIN, 0);
            for row in row.saturating_sub(1)..(row + 2).min(grid.rows) {
                for column in column.saturating_sub(1)..(column + 2).min(grid.columns) {
                    let at = row * grid.columns + column;
                    if at != cell && levels[at] != Bed::OUTSIDE {
                        let other = i64::from(levels[at]);
                        (low, high, count) = (low.min(other), high.max(other), count + 1);
                    }
                }
            }
            if count < LEAST_NEIGHBOURS {
                continue;
            }
            let beyond = [i64::from(level) - high, low - i64::from(level)];
            for (found, beyond) in found.iter_mut().zip(beyond) {
                if beyond > least && beyond as f64 > TIMES * (high - low) as f64 {
                    *found = found.with(Found { cells: 1, worst: (beyond, cell) });
                }
            }
        }
        found
    });
    rows.reduce(Default::default, |[a, b], [c, d]| [a.with(c), b.with(d)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(changed: &[(usize, f64)], relief: f64) -> [(usize, f64, usize); 2] {
        let grid = Grid::plain(20, 15, 10.0);
        let ground = |cell: usize| 100.0 + relief * (cell * 37 % 19) as f64 / 19.0;
        let mut levels: Vec<i32> = (0..300).map(|c| Bed::quantize(ground(c)).unwrap()).collect();
        changed.iter().for_each(|&(cell, z)| levels[cell] = Bed::quantize(z).unwrap());
        find(&grid, &levels).map(|of| (of.cells, of.worst.0 as f64 / Bed::PER_METRE, of.worst.1))
    }

    #[test]
    fn single_cells_beyond_all_around_are_found_and_rough_ground_is_not() {
        let none = (0, 0.0, 0);
        assert_eq!(found(&[], 0.0), [none, none]);
        assert_eq!(found(&[], 30.0), [none, none], "rough ground");
        let towers = [(47, 9999.0), (130, 106.0)];
        assert_eq!(found(&towers, 0.0), [(2, 9899.0, 47), none]);
        assert_eq!(found(&[(0, 0.0), (210, 0.0)], 0.0), [none, (1, 100.0, 210)], "not in a corner");
        assert_eq!(found(&[(47, 104.0)], 0.0), [none, none]);
        // Two adjacent cells are a building or a lake.
        assert_eq!(found(&[(47, 130.0), (48, 130.0)], 0.0), [none, none]);
    }
}
