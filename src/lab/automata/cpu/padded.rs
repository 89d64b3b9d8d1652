//! Cells with a margin around them that holds what lies beyond the edge.

use crate::grid::{Edges, Grid};
use rayon::prelude::*;

/// Rows and layers of cells of type `T`, with a margin of `margin` cells on every side (along z only if it is deep).
#[derive(Clone)]
pub struct Padded<T> {
    /// Columns, rows and layers without the margin.
    pub size: [usize; 3],
    margins: [usize; 3],
    /// Cells from row to row, and rows from layer to layer.
    pub pitch: usize,
    height: usize,
    /// The cells.
    pub cells: Vec<T>,
}

impl<T: Copy + Default + Send + Sync> Padded<T> {
    /// A grid, each state being turned into a cell.
    pub fn of(grid: &Grid, margin: usize, deep: bool, cell: impl Fn(u8) -> T) -> Padded<T> {
        let size = [grid.columns, grid.rows, grid.layers];
        let margins = [margin, margin, if deep { margin } else { 0 }];
        let [pitch, height, depth] = [0, 1, 2].map(|k| size[k] + 2 * margins[k]);
        let cells = vec![T::default(); pitch * height * depth];
        let mut padded = Padded { size, margins, pitch, height, cells };
        for (line, states) in grid.states.chunks(grid.columns).enumerate() {
            let start = padded.start(line % grid.rows, line / grid.rows);
            for (to, &state) in padded.cells[start..].iter_mut().zip(states) {
                *to = cell(state);
            }
        }
        padded
    }

    /// The grid, each cell being turned into a state.
    pub fn read(&self, state: impl Fn(T) -> u8) -> Grid {
        let [columns, rows, layers] = self.size;
        let mut grid = Grid::new(columns, rows, layers);
        for (line, states) in grid.states.chunks_mut(columns).enumerate() {
            let start = self.start(line % rows, line / rows);
            for (to, &cell) in states.iter_mut().zip(&self.cells[start..]) {
                *to = state(cell);
            }
        }
        grid
    }

    /// Where the first cell of a row lies.
    pub fn start(&self, y: usize, z: usize) -> usize {
        ((z + self.margins[2]) * self.height + y + self.margins[1]) * self.pitch + self.margins[0]
    }

    /// Cells from a cell to another so far from it.
    pub fn offset(&self, x: i64, y: i64, z: i64) -> isize {
        ((z * self.height as i64 + y) * self.pitch as i64 + x) as isize
    }

    /// Fills the margin with what lies on the other side.
    pub fn fill(&mut self, edges: Edges) {
        if edges == Edges::Dead {
            // Nothing but cells is ever written, and the margin was empty at first.
            return;
        }
        let ([columns, rows, layers], [mx, my, mz]) = (self.size, self.margins);
        let beyond = |size: usize, margin: usize| {
            (0..size + 2 * margin).map(move |at| (at, (at + size * margin - margin) % size))
        };
        for (z, from_z) in beyond(layers, mz) {
            for (y, from_y) in beyond(rows, my) {
                let (to, from) = ((z * self.height + y) * self.pitch, self.start(from_y, from_z));
                if to + mx != from {
                    self.cells.copy_within(from..from + columns, to + mx);
                }
                for (x, from_x) in beyond(columns, mx) {
                    if !(mx..mx + columns).contains(&x) {
                        self.cells[to + x] = self.cells[from + from_x];
                    }
                }
            }
        }
    }

    /// Makes the rows of the next state: `make` gets the place of a row's first cell in these, and the row, from its first
    /// cell on.
    pub fn make(&self, next: &mut Padded<T>, make: impl Fn(usize, &mut [T]) + Sync) {
        let [columns, rows, layers] = self.size;
        next.cells.par_chunks_mut(self.pitch).enumerate().for_each(|(line, cells)| {
            let (y, z) = (line % self.height, line / self.height);
            let (y, z) = (y.wrapping_sub(self.margins[1]), z.wrapping_sub(self.margins[2]));
            if y < rows && z < layers {
                let margin = self.margins[0];
                make(self.start(y, z), &mut cells[margin..margin + columns]);
            }
        });
    }
}
