//! Maps on the fine grid of cells with subgrid tables ([`crate::engine::subgrid`]).
//!
//! A pixel is wet if the water level is above it and the water can have reached it (`reach`). The
//! level is that of its cell, or slopes between cells whose water is connected (`surface`). The
//! depth is the difference; other quantities are those of the cell. Ground is read and rows are
//! computed in strips of cells.

mod arrivals;
mod map;
mod pools;
mod reach;
mod surface;

pub use arrivals::FirstExceedance;
pub use map::{FineMap, PixelTally};
pub use surface::DividedSides;

use crate::error::Result;
use crate::input::dem::fine_ground::FineGround;

/// Level of a cell without water.
const DRY: i32 = i32::MIN;

/// Approximate number of pixels processed together.
const PIXELS: usize = 1 << 22;

/// A strip of rows of cells, beginning with row `start`.
#[derive(Clone, Copy)]
struct Strip {
    start: usize,
    rows: usize,
}

impl Strip {
    /// Returns the first of its pixel rows, and their number.
    fn pixels(&self, ground: &FineGround) -> (usize, usize) {
        let first = self.start * ground.ratio;
        (first, (self.rows * ground.ratio).min(ground.grid.rows - first))
    }

    /// Reads the levels of its pixels (2⁻¹⁶ m).
    fn read(&self, ground: &FineGround) -> Result<Vec<i32>> {
        let (first, count) = self.pixels(ground);
        ground.rows(first, count)
    }
}

/// Returns the number of rows of cells processed together: one per thread, unless that would be too
/// many pixels.
fn rows_of_strip(ground: &FineGround) -> usize {
    let (_, rows) = ground.cells();
    let fit = |pixels: usize| pixels / (ground.ratio * ground.grid.columns);
    let threads = rayon::current_num_threads().min(fit(16 * PIXELS));
    fit(PIXELS).max(threads).clamp(1, rows)
}

/// Iterates over all strips.
fn strips(ground: &FineGround) -> impl Iterator<Item = Strip> {
    let ((_, all), step) = (ground.cells(), rows_of_strip(ground));
    (0..all).step_by(step).map(move |start| Strip { start, rows: step.min(all - start) })
}
