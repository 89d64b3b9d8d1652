//! What a job of the step sees: its cells in the arrays of their frame, with those around them.

pub(crate) use crate::backend::canvas::PADDING;

/// How far around its own cells a job looks: the neighbours' outflows depend on their neighbours, and those on what is
/// remembered of the edges behind them.
pub const REACH: usize = 3;

/// The cells of a job, and [`REACH`] around them on every side, as the step reads them: arrays begin at the first of them,
/// go on `stride` from row to row, and are [`PADDING`] cells longer than the last of them.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    /// Bed height above the datum (2⁻¹⁶ m).
    pub bed: &'a [i32],
    /// Water (grains).
    pub water: &'a [i32],
    /// Per row: whether any cell of it holds water.
    pub row_wet: &'a [bool],
    /// Cells from one row of the arrays to the next.
    pub stride: usize,
    /// Columns of the window.
    pub width: usize,
    /// The number in the frame of the window's first cell; it may lie before the frame's.
    pub first: isize,
    /// Columns and rows of it that lie on the grid; others are ghosts and walls.
    pub grid: [(usize, usize); 2],
}

impl Window<'_> {
    /// Cells that its arrays must have at the least.
    pub fn cells(&self) -> usize {
        self.stride * (self.row_wet.len() - 1) + self.width + PADDING
    }

    /// The number in the frame of a cell of the window, by its place in the arrays.
    #[inline(always)]
    pub fn number(&self, place: usize) -> usize {
        (self.first + place as isize) as usize
    }

    /// Its own columns on the grid.
    #[inline(always)]
    pub(crate) fn own_on_grid(&self) -> std::ops::Range<usize> {
        let (first, end) = self.grid[0];
        let (first, end) = (first.max(REACH), end.min(self.width - REACH));
        first..end.max(first)
    }

    /// Whether a row lies on the grid.
    #[inline(always)]
    pub(crate) fn row_on_grid(&self, row: usize) -> bool {
        (self.grid[1].0..self.grid[1].1).contains(&row)
    }
}
