//! Window of a job: its cells in the arrays of their frame, with their surroundings.

pub(crate) use crate::backend::padded_grid::PADDING;

/// Distance around its own cells that a job reads: the neighbours' outflows depend on their
/// neighbours, and these on the quantities kept on the edges behind them.
pub const REACH: usize = 3;

/// The cells of a job, and [`REACH`] around them on every side, as the step reads them. The arrays
/// start at the first of them, with `stride` elements from row to row, and are [`PADDING`] longer
/// than the last of them.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    /// Bed height above the datum (2⁻¹⁶ m).
    pub bed: &'a [i32],
    /// Water of the cells (grains).
    pub water: &'a [i32],
    /// Per row: set if any of its cells holds water.
    pub row_wet: &'a [bool],
    /// Distance from one row of the arrays to the next.
    pub stride: usize,
    /// Number of columns of the window.
    pub width: usize,
    /// Index in the frame of the window's first cell, which may be before the frame's.
    pub first: isize,
    /// Cells of the frame through which water leaves, by index, ascending.
    pub intakes: &'a [usize],
    /// Columns and rows of it that are on the grid; others are ghosts and walls.
    pub grid: [(usize, usize); 2],
}

impl Window<'_> {
    /// Returns the minimum length of its arrays.
    pub fn cells(&self) -> usize {
        self.stride * (self.row_wet.len() - 1) + self.width + PADDING
    }

    /// Returns the index in the frame of a cell of the window, given its index in the arrays.
    #[inline(always)]
    pub fn number(&self, place: usize) -> usize {
        (self.first + place as isize) as usize
    }

    /// Returns the columns of a row's intakes.
    #[inline(always)]
    pub(crate) fn intakes_of(&self, row: usize) -> impl Iterator<Item = usize> + Clone {
        let start = self.first + (row * self.stride) as isize;
        let from = self.intakes.partition_point(|&cell| (cell as isize) < start);
        let columns =
            self.intakes[from..].iter().map(move |&cell| (cell as isize - start) as usize);
        let width = self.width;
        columns.take_while(move |&column| column < width)
    }

    /// Returns its own columns that are on the grid.
    #[inline(always)]
    pub(crate) fn own_on_grid(&self) -> std::ops::Range<usize> {
        let (first, end) = self.grid[0];
        let (first, end) = (first.max(REACH), end.min(self.width - REACH));
        first..end.max(first)
    }

    /// Returns `true` if a row is on the grid.
    #[inline(always)]
    pub(crate) fn row_on_grid(&self, row: usize) -> bool {
        (self.grid[1].0..self.grid[1].1).contains(&row)
    }
}
