//! Pools of a cell: connected pixels below its water level.

use crate::engine::grid::{Bed, beside};
use crate::engine::subgrid::main_pool::lowest_of;

/// Pixels of a cell within a band of the fine grid.
#[derive(Clone, Copy)]
pub struct Pixels<'a> {
    /// Levels of the band (2⁻¹⁶ m).
    pub levels: &'a [i32],
    /// Columns of the fine grid.
    pub width: usize,
    /// First pixel of the cell in the band.
    pub first: usize,
    /// Columns and rows; smaller at the eastern and southern edge of the grid.
    pub size: (usize, usize),
}

impl<'a> Pixels<'a> {
    /// Returns the pixels of a cell, given its column and the pixel levels of its row of cells.
    pub fn of(levels: &'a [i32], width: usize, column: usize, ratio: usize) -> Pixels<'a> {
        let first = column * ratio;
        let size = (ratio.min(width - first), levels.len() / width);
        Pixels { levels, width, first, size }
    }

    /// Returns a row of pixels.
    pub fn row(&self, row: usize) -> &'a [i32] {
        &self.levels[row * self.width + self.first..][..self.size.0]
    }

    /// Returns the level of a pixel, counted row-major in the cell.
    pub fn at(&self, pixel: usize) -> i32 {
        self.row(pixel / self.size.0)[pixel % self.size.0]
    }

    /// Returns `true` if water at a level covers a pixel (2⁻¹⁶ m).
    pub fn is_below(pixel: i32, level: i32) -> bool {
        pixel != Bed::OUTSIDE && pixel < level
    }
}

/// Sides of a cell.
#[derive(Clone, Copy)]
pub enum Side {
    /// First row of pixels.
    North,
    /// Last row of pixels.
    South,
    /// First column of pixels.
    West,
    /// Last column of pixels.
    East,
}

impl Side {
    /// Returns the side of the neighbour that is the same line.
    pub fn facing(self) -> Side {
        match self {
            Side::North => Side::South,
            Side::South => Side::North,
            Side::West => Side::East,
            Side::East => Side::West,
        }
    }

    /// Iterates over the pixels along a side of a cell of `size`, row-major in the cell.
    pub fn pixels(self, (columns, rows): (usize, usize)) -> impl Iterator<Item = usize> {
        let (first, step, count) = match self {
            Side::North => (0, 1, columns),
            Side::South => (columns * (rows - 1), 1, columns),
            Side::West => (0, columns, rows),
            Side::East => (columns - 1, columns, rows),
        };
        (0..count).map(move |at| first + step * at)
    }
}

/// Pools of a cell, numbered from 1 in the order of their first pixels, row by row.
#[derive(Debug, Default)]
pub struct Pools {
    /// Pool of each pixel, row-major; 0 for none.
    of: Vec<u32>,
    size: (usize, usize),
    /// Number of pools in the cell.
    pub count: u32,
    /// Pool of the lowest pixel, which holds the cell's water, as in the tables of its edges
    /// ([`lowest_of`]).
    pub lowest: u32,
    /// Pixels found whose neighbours have not been visited.
    open: Vec<usize>,
}

impl Pools {
    /// Finds the pools of a cell with a water level (2⁻¹⁶ m). Pixels are connected across their
    /// sides.
    pub fn find(&mut self, cell: Pixels, level: i32) {
        self.size = cell.size;
        (self.count, self.lowest) = (0, 0);
        self.of.clear();
        let pixels = || (0..cell.size.1).flat_map(|row| cell.row(row)).copied().zip(0..);
        let is_wet = |&(pixel, _): &(i32, usize)| Pixels::is_below(pixel, level);
        self.of.extend(pixels().map(|pixel| if is_wet(&pixel) { u32::MAX } else { 0 }));
        let Some((least, mut lowest)) = pixels().filter(is_wet).min() else { return };
        if pixels().skip(lowest + 1).any(|(pixel, _)| pixel == least) {
            let mut open: Vec<(i32, usize)> =
                pixels().filter(|&(pixel, _)| pixel != Bed::OUTSIDE).collect();
            open.sort_unstable();
            lowest = lowest_of(&open, cell.size.0).unwrap_or(lowest);
        }
        for start in 0..self.of.len() {
            if self.of[start] != u32::MAX {
                continue;
            }
            self.count += 1;
            self.reach(start);
            while let Some(at) = self.open.pop() {
                for near in beside(at, cell.size) {
                    if self.of[near] == u32::MAX {
                        self.reach(near);
                    }
                }
            }
        }
        self.lowest = self.of[lowest];
    }

    /// Adds a pixel to the last pool.
    fn reach(&mut self, at: usize) {
        self.of[at] = self.count;
        self.open.push(at);
    }

    /// Returns the pools of a row of pixels.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.of[row * self.size.0..][..self.size.0]
    }

    /// Returns the pool of a pixel, counted row-major in the cell.
    pub fn of_pixel(&self, pixel: usize) -> u32 {
        self.of[pixel]
    }

    /// Returns the pools along a side.
    pub fn side(&self, side: Side) -> Vec<u32> {
        side.pixels(self.size).map(|pixel| self.of[pixel]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_hang_together_over_sides_and_not_over_corners() {
        let o = Bed::OUTSIDE;
        #[rustfmt::skip]
        let levels = [
            9, 1, 9, 2, 2,
            3, 9, 9, o, 2,
            3, 3, 0, 9, 2,
        ];
        let mut pools = Pools::default();
        pools.find(Pixels::of(&levels, 5, 0, 5), 5);
        let found: Vec<u32> = (0..3).flat_map(|row| pools.row(row).to_vec()).collect();
        assert_eq!(found, [0, 1, 0, 2, 2, 3, 0, 0, 0, 2, 3, 3, 3, 0, 2]);
        assert_eq!((pools.count, pools.lowest), (3, 3));
        assert_eq!(pools.side(Side::West), [0, 3, 3]);
        assert_eq!(pools.side(Side::East), [2, 2, 2]);
        assert_eq!(pools.side(Side::North), [0, 1, 0, 2, 2]);
        assert_eq!(pools.side(Side::South), [3, 3, 3, 0, 2]);
        // Cells that extend beyond the grid are narrower; a level that covers nothing makes no
        // pool.
        pools.find(Pixels::of(&levels, 5, 1, 3), 3);
        assert_eq!((pools.size, pools.count), ((2, 3), 1));
        pools.find(Pixels::of(&levels, 5, 0, 3), 0);
        assert_eq!((pools.count, pools.lowest), (0, 0));
    }
}
