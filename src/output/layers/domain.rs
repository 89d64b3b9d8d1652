//! Cells of the domain, as a bit mask.

use crate::engine::grid::{Bed, Grid};
use crate::output::colour::NODATA;
use rayon::prelude::*;

/// Mask of the domain's cells, kept while the maps of a run are written.
#[derive(Debug)]
pub struct Domain {
    /// Words per row of the mask.
    width: usize,
    /// Bits of the cells, lowest first; empty if every cell of the grid is in the domain.
    bits: Vec<u64>,
}

impl Domain {
    /// Returns the domain of a grid with a bed.
    pub fn of(grid: &Grid, bed: &Bed) -> Domain {
        let width = grid.columns.div_ceil(64);
        if bed.levels.par_iter().all(|level| *level != Bed::OUTSIDE) {
            return Domain { width, bits: Vec::new() };
        }
        let mut bits = vec![0u64; width * grid.rows];
        let rows = bed.levels.par_chunks(grid.columns);
        bits.par_chunks_mut(width).zip(rows).for_each(|(bits, levels)| {
            for (word, levels) in bits.iter_mut().zip(levels.chunks(64)) {
                for (bit, level) in levels.iter().enumerate() {
                    *word |= u64::from(*level != Bed::OUTSIDE) << bit;
                }
            }
        });
        Domain { width, bits }
    }

    /// Returns `true` if a cell (column, row) is in the domain.
    pub fn holds(&self, (column, row): (usize, usize)) -> bool {
        self.bits.is_empty() || self.bits[row * self.width + column / 64] >> (column % 64) & 1 == 1
    }

    /// Returns `true` if every cell of the grid is in the domain.
    pub fn is_all(&self) -> bool {
        self.bits.is_empty()
    }

    /// Sets the values of a row outside the domain to [`NODATA`].
    pub fn blank(&self, row: usize, values: &mut [f32]) {
        if self.bits.is_empty() {
            return;
        }
        let words = &self.bits[row * self.width..][..self.width];
        for (word, values) in words.iter().zip(values.chunks_mut(64)) {
            if *word == u64::MAX {
                continue;
            }
            for (bit, value) in values.iter_mut().enumerate() {
                if word >> bit & 1 == 0 {
                    *value = NODATA;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_outside_are_blanked_and_no_others() {
        let grid = Grid::plain(67, 3, 1.0);
        let mut levels = vec![0; grid.cells()];
        let all = Bed { levels: levels.clone(), ..Bed::default() };
        let all = Domain::of(&grid, &all);
        for cell in [0, 66, 67 + 64, 2 * 67 + 1] {
            levels[cell] = Bed::OUTSIDE;
        }
        let some = Domain::of(&grid, &Bed { levels: levels.clone(), ..Bed::default() });
        for row in 0..3 {
            let (mut full, mut blanked) = (vec![1.0; 67], vec![1.0; 67]);
            all.blank(row, &mut full);
            some.blank(row, &mut blanked);
            assert!(full.iter().all(|value| *value == 1.0));
            for column in 0..67 {
                let inside = levels[row * 67 + column] != Bed::OUTSIDE;
                assert_eq!(blanked[column] != NODATA, inside, "{column}, {row}");
                assert_eq!(some.holds((column, row)), inside, "{column}, {row}");
                assert!(all.holds((column, row)));
            }
        }
    }
}
