//! Grids with a margin for the cells beyond the edge.

use crate::board::{Board, Margin, Packing};
use crate::grid::Grid;
use crate::machine::Setup;
use rayon::prelude::*;

/// Storage type of a cell.
pub trait Kept: Copy + Send + Sync + 'static {
    /// Converts from a state.
    fn of(state: u8) -> Self;
    /// Converts to a state.
    fn state(self) -> u8;
}

impl Kept for i32 {
    fn of(state: u8) -> i32 {
        i32::from(state)
    }
    fn state(self) -> u8 {
        self as u8
    }
}

impl Kept for u8 {
    fn of(state: u8) -> u8 {
        state
    }
    fn state(self) -> u8 {
        self
    }
}

/// Rows and layers of cells of type `T`, with a margin on every side (along z only for deep
/// automata).
#[derive(Clone)]
pub struct Padded<T> {
    board: Board,
    /// Cells with the margin, row by row.
    pub cells: Vec<T>,
}

impl<T: Kept> Padded<T> {
    /// Copies a grid, adding a margin of `margin` cells.
    pub fn of(setup: &Setup, margin: usize) -> Padded<T> {
        let (grid, deep) = (setup.grid, setup.model.automaton.deep);
        let size = [grid.columns, grid.rows, grid.layers];
        let margin = Margin { cells: margin, ..Margin::default() };
        let board = Board::new(Packing::SINGLE, size, deep, setup.edges, margin);
        let states = board.pack(Packing::SINGLE, grid, |state| state);
        Padded { board, cells: states.into_iter().map(T::of).collect() }
    }

    /// Returns the grid without the margin.
    pub fn read(&self) -> Grid {
        let states: Vec<u8> = self.cells.iter().map(|cell| cell.state()).collect();
        self.board.unpack(Packing::SINGLE, &states, |state| state)
    }

    /// Returns the offset in memory to the cell displaced by x, y and z.
    pub fn offset(&self, x: i64, y: i64, z: i64) -> isize {
        let [pitch, height, _] = self.board.size.map(i64::from);
        ((z * height + y) * pitch + x) as isize
    }

    /// Fills the margin of a torus from the opposite sides. With dead edges the margin is never
    /// written and stays empty.
    pub fn fill(&mut self) {
        if self.board.wrap == 0 {
            return;
        }
        let [columns, rows, layers] = self.board.cells.map(|count| count as usize);
        let [mx, my, mz] = self.board.margin.map(|count| count as usize);
        let [pitch, height, _] = self.board.size.map(|count| count as usize);
        let beyond = |size: usize, margin: usize| {
            (0..size + 2 * margin).map(move |at| (at, (at + size * margin - margin) % size))
        };
        for (z, from_z) in beyond(layers, mz) {
            for (y, from_y) in beyond(rows, my) {
                let (to, from) = ((z * height + y) * pitch, self.board.start(from_y, from_z));
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

    /// Computes the rows of the next state: `make` receives the index of a row's first cell in this
    /// state, and the row to fill.
    pub fn make(&self, next: &mut Padded<T>, make: impl Fn(usize, &mut [T]) + Sync) {
        let [pitch, columns, margin] =
            [self.board.size[0], self.board.cells[0], self.board.margin[0]]
                .map(|count| count as usize);
        next.cells.par_chunks_mut(pitch).enumerate().for_each(|(line, cells)| {
            if let Some((_, y, z)) = self.board.line(Packing::SINGLE, line) {
                make(self.board.start(y, z), &mut cells[margin..margin + columns]);
            }
        });
    }
}
