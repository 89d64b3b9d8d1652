//! Mapping of the pixels of a fine grid to coarse cells.

use crate::engine::grid::Grid;

/// Mapping of pixels to cells of `ratio` × `ratio` pixels, counted from the north-west corner.
/// Cells at the east and south side may extend beyond the pixels.
#[derive(Clone, Copy, Debug)]
pub struct Coarser {
    /// Number of pixels along a side of a cell; 1 if cells are pixels.
    pub ratio: usize,
    /// Number of columns of pixels.
    fine: usize,
    /// Number of columns of cells.
    across: usize,
}

impl Coarser {
    /// Creates the mapping of a grid of pixels to cells of `ratio` × `ratio` pixels.
    pub fn new(grid: &Grid, ratio: usize) -> Coarser {
        Coarser { ratio, fine: grid.columns, across: grid.columns.div_ceil(ratio) }
    }

    /// Returns the cell that contains a pixel.
    #[inline]
    pub fn cell(self, pixel: usize) -> usize {
        match self.ratio {
            1 => pixel,
            ratio => pixel / self.fine / ratio * self.across + pixel % self.fine / ratio,
        }
    }

    /// Returns the number of columns of pixels.
    pub fn columns(self) -> usize {
        self.fine
    }

    /// Returns the levels of the pixels in a cell; `levels` has all pixels of the grid.
    pub fn pixels(self, cell: usize, levels: &[i32]) -> impl Iterator<Item = i32> {
        let (first, column) = (cell / self.across * self.ratio, cell % self.across * self.ratio);
        let columns = column..(column + self.ratio).min(self.fine);
        let rows = levels.chunks_exact(self.fine).skip(first).take(self.ratio);
        rows.flat_map(move |row| row[columns.clone()].iter().copied())
    }

    /// Returns the area of a pixel as a fraction of a cell.
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
