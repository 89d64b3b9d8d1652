//! The tables of a grid, as planes of words.

use super::layout::{cell, edge};
use crate::arrays::zeros;
use crate::grid::Bed;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Words of a cell's table, in the order of [`cell`].
pub type CellWords = [u32; cell::WORDS];

/// Words of an edge's table, in the order of [`edge`].
pub type EdgeWords = [u32; edge::WORDS];

/// Subgrid tables of all cells of a grid and the edges between them. Arrays over cells are
/// row-major from the north-west.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Tables {
    /// Number of fine pixels along a side of a cell.
    pub ratio: usize,
    /// Number of columns of cells.
    pub columns: usize,
    /// Number of rows of cells.
    pub rows: usize,
    /// Per cell: the lowest open pixel (2⁻¹⁶ m), which is the bed of the grid of cells;
    /// [`Bed::OUTSIDE`] if none is open.
    pub bed: Vec<i32>,
    /// Per cell: the mean of Manning's n over its open pixels (s/m^⅓), used for the conveyance of
    /// its edges; 0 if no pixel is open. Empty if the roughness is uniform.
    pub roughness: Vec<f32>,
    /// Per cell: set if its pixels form two or more pools deeper than 0.1 m when water reaches the
    /// pass to a neighbour. Its water has only one level, so a wall that divides the pools has no
    /// effect within the cell.
    pub parted: Vec<bool>,
    /// [`cell::WORDS`] planes of columns × rows.
    pub cells: Vec<Vec<u32>>,
    /// [`edge::WORDS`] planes per axis. East edges are (columns + 1) × rows: the first of a row is
    /// the west side of the grid, the last the east side. South edges are columns × (rows + 1): the
    /// first row is the north side, the last the south side.
    pub edges: [Vec<Vec<u32>>; 2],
}

impl Tables {
    /// Returns a word of the table of the edge ahead of a cell (column, row), which may be just
    /// west or north of the grid (−1); `None` if there is no such edge.
    pub fn edge_ahead(&self, axis: usize, word: usize, [column, row]: [isize; 2]) -> Option<u32> {
        let before = [usize::from(axis == 0), usize::from(axis == 1)];
        let (width, height) = (self.columns + before[0], self.rows + before[1]);
        let column = usize::try_from(column + before[0] as isize).ok().filter(|&at| at < width)?;
        let row = usize::try_from(row + before[1] as isize).ok().filter(|&at| at < height)?;
        Some(self.edge(axis, word)[row * width + column])
    }

    /// Allocates tables that are still empty.
    pub(super) fn empty(columns: usize, rows: usize, ratio: usize, is_rough: bool) -> Tables {
        let planes = |words: usize, length: usize| vec![vec![0; length]; words];
        Tables {
            ratio,
            columns,
            rows,
            bed: vec![Bed::OUTSIDE; columns * rows],
            roughness: if is_rough { vec![0.0; columns * rows] } else { Vec::new() },
            parted: vec![false; columns * rows],
            cells: planes(cell::WORDS, columns * rows),
            edges: [
                planes(edge::WORDS, (columns + 1) * rows),
                planes(edge::WORDS, columns * (rows + 1)),
            ],
        }
    }

    /// Returns the cells that are [parted](Tables::parted), in ascending order.
    pub fn parted_cells(&self) -> Arc<[usize]> {
        (0..self.parted.len()).filter(|&cell| self.parted[cell]).collect()
    }

    /// Returns the memory used (bytes).
    pub fn bytes(&self) -> usize {
        let planes = self.cells.iter().chain(self.edges.iter().flatten());
        let words: usize =
            planes.map(Vec::len).sum::<usize>() + self.bed.len() + self.roughness.len();
        size_of::<u32>() * words + self.parted.len()
    }

    /// Returns tables of the same dimensions without any arrays, as a marker that tables exist.
    pub(crate) fn hollow(&self) -> Tables {
        Tables {
            ratio: self.ratio,
            columns: self.columns,
            rows: self.rows,
            bed: Vec::new(),
            roughness: Vec::new(),
            parted: Vec::new(),
            cells: Vec::new(),
            edges: [Vec::new(), Vec::new()],
        }
    }

    /// Allocates tables of the same shape without touching their memory, and without bed and
    /// roughness, which the problem holds.
    pub(crate) fn blank(&self) -> Tables {
        let Tables { columns, rows, .. } = *self;
        let planes = |words: usize, length: usize| (0..words).map(|_| zeros(length)).collect();
        let cells = planes(cell::WORDS, columns * rows);
        let edges = [(columns + 1) * rows, columns * (rows + 1)];
        let edges = edges.map(|length| planes(edge::WORDS, length));
        Tables { cells, edges, ..self.hollow() }
    }

    /// Iterates over the values of every plane for some rows of cells and the edges on their four
    /// sides.
    pub(crate) fn of_rows(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]> {
        let lengths = self.lengths(&rows);
        let planes = self.cells.iter().chain(self.edges.iter().flatten());
        planes.zip(lengths).map(|(plane, length)| &plane[length])
    }

    /// Like [`Tables::of_rows`], mutably.
    pub(crate) fn of_rows_mut(&mut self, rows: Range<usize>) -> impl Iterator<Item = &mut [u32]> {
        let lengths = self.lengths(&rows);
        let planes = self.cells.iter_mut().chain(self.edges.iter_mut().flatten());
        planes.zip(lengths).map(|(plane, length)| &mut plane[length])
    }

    /// Returns the index ranges of some rows in every plane.
    fn lengths(&self, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let of = |width: usize, end: usize| rows.start * width..end * width;
        let cells = of(self.columns, rows.end);
        let edges = [of(self.columns + 1, rows.end), of(self.columns, rows.end + 1)];
        let edges = edges.into_iter().flat_map(|at| std::iter::repeat_n(at, edge::WORDS));
        std::iter::repeat_n(cells, cell::WORDS).chain(edges)
    }

    /// Returns a word of [`cell`] for all cells.
    pub fn cell(&self, word: usize) -> &[u32] {
        &self.cells[word]
    }

    /// Returns a word of [`edge`] for all east edges (axis 0) or south edges (axis 1).
    pub fn edge(&self, axis: usize, word: usize) -> &[u32] {
        &self.edges[axis][word]
    }

    /// Returns the table of a cell.
    pub fn words_of_cell(&self, cell: usize) -> CellWords {
        std::array::from_fn(|word| self.cells[word][cell])
    }

    /// Returns the table of an edge.
    pub fn words_of_edge(&self, axis: usize, edge: usize) -> EdgeWords {
        std::array::from_fn(|word| self.edge(axis, word)[edge])
    }

    /// Writes the tables of consecutive cells.
    pub(super) fn put_cells(&mut self, from: usize, tables: &[CellWords]) {
        put(&mut self.cells, from, tables);
    }

    /// Writes the tables of consecutive edges of an axis.
    pub(super) fn put_edges(&mut self, axis: usize, from: usize, tables: &[EdgeWords]) {
        put(&mut self.edges[axis], from, tables);
    }
}

/// Distributes tables over the planes of their words.
fn put<const WORDS: usize>(planes: &mut [Vec<u32>], from: usize, tables: &[[u32; WORDS]]) {
    for (word, plane) in planes.iter_mut().enumerate() {
        for (place, table) in plane[from..].iter_mut().zip(tables) {
            *place = table[word];
        }
    }
}
