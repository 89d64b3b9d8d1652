//! The pixels of a fine grid as parts of coarser cells.

use crate::engine::grid::Grid;

/// Which cell each pixel of a fine grid lies in: cells are `ratio` × `ratio` pixels, from the north-west corner. Those at the east and
/// the south side may reach beyond the pixels.
#[derive(Clone, Copy, Debug)]
pub struct Coarser {
    /// Pixels side by side in a cell; 1 if pixels are cells.
    pub ratio: usize,
    /// Columns of pixels.
    fine: usize,
    /// Columns of cells.
    across: usize,
}

impl Coarser {
    /// Cells of `ratio` × `ratio` pixels of a grid.
    pub fn new(grid: &Grid, ratio: usize) -> Coarser {
        Coarser { ratio, fine: grid.columns, across: grid.columns.div_ceil(ratio) }
    }

    /// The cell that a pixel lies in.
    #[inline]
    pub fn cell(self, pixel: usize) -> usize {
        match self.ratio {
            1 => pixel,
            ratio => pixel / self.fine / ratio * self.across + pixel % self.fine / ratio,
        }
    }

    /// Columns of pixels.
    pub fn columns(self) -> usize {
        self.fine
    }

    /// The levels of the pixels of a cell, of those of all.
    pub fn pixels(self, cell: usize, levels: &[i32]) -> impl Iterator<Item = i32> {
        let (first, column) = (cell / self.across * self.ratio, cell % self.across * self.ratio);
        let columns = column..(column + self.ratio).min(self.fine);
        let rows = levels.chunks_exact(self.fine).skip(first).take(self.ratio);
        rows.flat_map(move |row| row[columns.clone()].iter().copied())
    }

    /// The part of a cell that a pixel is.
    pub fn part(self) -> f64 {
        1.0 / (self.ratio * self.ratio) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_lie_in_cells_that_may_reach_beyond_them() {
        let fine = Grid::plain(7, 5, 2.0);
        let coarser = Coarser::new(&fine, 3);
        let cells = fine.coarser(3);
        assert_eq!((cells.columns, cells.rows, cells.dx), (3, 2, 6.0));
        assert_eq!(cells.extent(), [0.0, -2.0, 18.0, 10.0]);
        let of = |column: usize, row: usize| coarser.cell(row * 7 + column);
        assert_eq!([of(0, 0), of(2, 2), of(3, 2), of(6, 2), of(6, 3)], [0, 0, 1, 2, 5]);
        let same = Coarser::new(&fine, 1);
        assert!((0..35).all(|pixel| same.cell(pixel) == pixel) && fine.coarser(1) == fine);
    }
}
