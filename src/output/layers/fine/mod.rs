//! Maps on the fine grid of cells with tables ([`crate::engine::subgrid`]): what a cell's water is over each of its pixels.
//!
//! A pixel is wet where the level of its cell's water stands above it and water can have come (`reach`). It has the depth from itself to
//! that level, and of the rest what its cell has. Ground is read, and rows are made, a strip of cells at a time.

mod arrivals;
mod map;
mod pools;
mod reach;

pub use arrivals::Passing;
pub use map::{FineMap, Tally};

use crate::error::Result;
use crate::input::fine_ground::FineGround;

/// The level of a cell without water.
const DRY: i32 = i32::MIN;

/// About how many pixels are looked at together.
const PIXELS: usize = 1 << 22;

/// Some rows of cells, from `start` on.
struct Strip {
    start: usize,
    rows: usize,
}

impl Strip {
    /// The rows of its pixels: the first, and how many.
    fn pixels(&self, ground: &FineGround) -> (usize, usize) {
        let first = self.start * ground.ratio;
        (first, (self.rows * ground.ratio).min(ground.grid.rows - first))
    }

    /// Levels of its pixels (2⁻¹⁶ m).
    fn read(&self, ground: &FineGround) -> Result<Vec<i32>> {
        let (first, count) = self.pixels(ground);
        ground.rows(first, count)
    }
}

/// Rows of cells that are looked at together: one for each thread, unless that would be very many pixels.
fn rows_of_strip(ground: &FineGround) -> usize {
    let (_, rows) = ground.cells();
    let fit = |pixels: usize| pixels / (ground.ratio * ground.grid.columns);
    let threads = rayon::current_num_threads().min(fit(16 * PIXELS));
    fit(PIXELS).max(threads).clamp(1, rows)
}

/// All rows of cells.
fn strips(ground: &FineGround) -> impl Iterator<Item = Strip> {
    let ((_, all), step) = (ground.cells(), rows_of_strip(ground));
    (0..all).step_by(step).map(move |start| Strip { start, rows: step.min(all - start) })
}
