//! The DEM as seen by layers and features placed on it.

use crate::engine::grid::{Bed, Grid};
use crate::units::Metre;
use crate::words;

/// Cells raised above the ground, ascending.
#[derive(Clone, Debug, Default)]
pub struct RaisedCells {
    /// Cells raised by buildings.
    pub roofs: Vec<usize>,
    /// Cells raised by walls.
    pub walls: Vec<usize>,
}

/// Grid and bed levels of a DEM.
#[derive(Clone, Copy, Debug)]
pub struct Topography<'a> {
    /// Grid.
    pub grid: &'a Grid,
    /// Bed levels.
    pub bed: &'a Bed,
    /// Cells raised by buildings and walls.
    pub raised: &'a RaisedCells,
}

impl<'a> Topography<'a> {
    /// Returns a topography without buildings and walls.
    pub fn new(grid: &'a Grid, bed: &'a Bed) -> Topography<'a> {
        static NONE: RaisedCells = RaisedCells { roofs: Vec::new(), walls: Vec::new() };
        Topography { grid, bed, raised: &NONE }
    }
}

impl Topography<'_> {
    /// Returns `true` if a building raises a cell.
    pub fn is_roof(self, cell: usize) -> bool {
        self.raised.roofs.binary_search(&cell).is_ok()
    }

    /// Names what raises a cell, if anything does: "the roof of a building".
    pub fn raised_by(self, cell: usize) -> Option<&'static str> {
        let is_wall = || self.raised.walls.binary_search(&cell).is_ok();
        let wall = || is_wall().then_some("a wall");
        self.is_roof(cell).then_some("the roof of a building").or_else(wall)
    }

    /// Returns `true` if a cell is in the domain, and neither a building nor a wall raises it.
    pub fn is_free(self, cell: usize) -> bool {
        self.is_inside(cell) && self.raised_by(cell).is_none()
    }

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
