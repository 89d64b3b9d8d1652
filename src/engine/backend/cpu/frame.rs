//! The shape of a tile with its halo, as every part of the backend sees it.

use crate::forcing::ports::{self, Booked};

/// Cells by which frames and scratch rows are longer than what they hold, for the last lanes.
pub const PADDING: usize = 64;

/// Depth of a tile's halo: how far from a cell its new state reaches between two exchanges. The neighbours' gifts
/// depend on their neighbours, and those on what is remembered of the edges behind them.
pub const REACH: usize = 3;

/// A tile with its halo as the step reads it. Row-major, `stride` cells a row; the arrays are
/// [`PADDING`] cells longer than `stride · rows`.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// Bed height above the datum (2⁻¹⁶ m).
    pub bed: &'a [i32],
    /// Water (grains).
    pub water: &'a [i32],
    /// Per row: whether any cell of it holds water.
    pub row_wet: &'a [bool],
    /// Cells from one row to the next, all of them part of the frame.
    pub stride: usize,
}

/// What left over open sides of the grid (grains).
#[derive(Clone, Copy, Debug, Default)]
pub struct Left {
    /// Over the first row.
    pub north: i64,
    /// Over the last column.
    pub east: i64,
    /// Over the last row.
    pub south: i64,
    /// Over the first column.
    pub west: i64,
}

impl Left {
    /// Over all of them.
    pub fn sum(self) -> i64 {
        self.north + self.east + self.south + self.west
    }

    /// Adds it to what is booked of the sides.
    pub fn book(self, booked: &mut Booked) {
        let Left { north, east, south, west } = self;
        let sides = [ports::NORTH, ports::EAST, ports::SOUTH, ports::WEST];
        for (port, left) in sides.into_iter().zip([north, east, south, west]) {
            booked.add(port, 0, left as u64);
        }
    }
}

impl std::ops::AddAssign for Left {
    fn add_assign(&mut self, other: Left) {
        self.north += other.north;
        self.east += other.east;
        self.south += other.south;
        self.west += other.west;
    }
}

/// Which of a tile's sides are open sides of the grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// Frame row whose gifts northwards leave.
    pub north: Option<usize>,
    /// Frame row whose gifts southwards leave.
    pub south: Option<usize>,
    /// Frame column whose gifts westwards leave.
    pub west: Option<usize>,
    /// Frame column whose gifts eastwards leave.
    pub east: Option<usize>,
}
