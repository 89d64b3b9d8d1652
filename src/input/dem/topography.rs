//! The DEM as seen by layers and features placed on it.

use crate::engine::grid::{Bed, Grid};
use crate::units::Metre;
use crate::words;

/// Grid and bed levels of a DEM.
#[derive(Clone, Copy, Debug)]
pub struct Topography<'a> {
    /// Grid.
    pub grid: &'a Grid,
    /// Bed levels.
    pub bed: &'a Bed,
}

impl Topography<'_> {
    /// Returns `true` if a cell is in the domain.
    pub fn is_inside(self, cell: usize) -> bool {
        self.bed.levels[cell] != Bed::OUTSIDE
    }

    /// Describes the place of a cell, for messages.
    pub fn place(self, cell: usize) -> String {
        let (column, row) = self.grid.column_row(cell);
        words::place(column, row)
    }

    /// Returns the level of a cell of the domain (m above the datum).
    pub fn level(self, cell: usize) -> Metre {
        f64::from(self.bed.levels[cell]) / Bed::PER_METRE
    }
}
