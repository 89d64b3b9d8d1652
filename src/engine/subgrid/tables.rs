//! The tables of a grid, as planes of words.

use super::layout::{cell, edge};
use crate::arrays::zeros;
use crate::grid::Bed;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The words of a cell's table, in the order of [`cell`].
pub type CellWords = [u32; cell::WORDS];

/// The words of an edge's table, in the order of [`edge`].
pub type EdgeWords = [u32; edge::WORDS];

/// The tables of all cells of a grid, and of the edges between them. Whatever is stored of a cell lies row-major over the grid, from
/// the north-west.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Tables {
    /// Fine pixels that lie side by side in a cell.
    pub ratio: usize,
    /// Columns of cells.
    pub columns: usize,
    /// Rows of cells.
    pub rows: usize,
    /// Per cell: the lowest open pixel (2⁻¹⁶ m), [`Bed::OUTSIDE`] where none is open. It is the bed of the grid of cells.
    pub bed: Vec<i32>,
    /// Per cell: the mean of Manning's n over its open pixels (s/m^⅓), with which its edges' depths of conveyance were worked out; empty if
    /// the roughness is the same everywhere. 0 where no pixel is open.
    pub roughness: Vec<f32>,
    /// Per cell: whether its pixels form two pools or more that are deeper than 0.1 m, when water stands at the pass to a neighbour. Its water has
    /// but one level: what parts them, a wall say, does not hold within the cell.
    pub parted: Vec<bool>,
    /// [`cell::WORDS`] planes of columns × rows.
    pub cells: Vec<Vec<u32>>,
    /// [`edge::WORDS`] planes each. East edges lie (columns + 1) × rows: the first of a row is the west side of the grid, the last the
    /// east side. South edges lie columns × (rows + 1): the first row is the north side, the last the south side.
    pub edges: [Vec<Vec<u32>>; 2],
}

impl Tables {
    /// A word of the table of the edge ahead of a cell (column, row), which may lie just west or north of the grid (−1); none if there is
    /// no such edge.
    pub fn edge_ahead(&self, axis: usize, word: usize, [column, row]: [isize; 2]) -> Option<u32> {
        let before = [usize::from(axis == 0), usize::from(axis == 1)];
        let (width, height) = (self.columns + before[0], self.rows + before[1]);
        let column = usize::try_from(column + before[0] as isize).ok().filter(|&at| at < width)?;
        let row = usize::try_from(row + before[1] as isize).ok().filter(|&at| at < height)?;
        Some(self.edge(axis, word)[row * width + column])
    }

    /// Tables in which nothing is written yet.
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

    /// The cells that are [parted](Tables::parted), in rising order.
    pub fn parted_cells(&self) -> Arc<[usize]> {
        (0..self.parted.len()).filter(|&cell| self.parted[cell]).collect()
    }

    /// The memory that they take (bytes).
    pub fn bytes(&self) -> usize {
        let planes = self.cells.iter().chain(self.edges.iter().flatten());
        let words: usize =
            planes.map(Vec::len).sum::<usize>() + self.bed.len() + self.roughness.len();
        size_of::<u32>() * words + self.parted.len()
    }

    /// What tells that there are such tables, with no numbers in them.
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

    /// Tables of the same shape in which no number is written, of whose memory nothing is touched; without what their cells' bed and
    /// roughness are, which a problem has.
    pub(crate) fn blank(&self) -> Tables {
        let Tables { columns, rows, .. } = *self;
        let planes = |words: usize, length: usize| (0..words).map(|_| zeros(length)).collect();
        let cells = planes(cell::WORDS, columns * rows);
        let edges = [(columns + 1) * rows, columns * (rows + 1)];
        let edges = edges.map(|length| planes(edge::WORDS, length));
        Tables { cells, edges, ..self.hollow() }
    }

    /// The numbers of every plane for some rows of cells and the edges on their four sides.
    pub(crate) fn of_rows(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]> {
        let lengths = self.lengths(&rows);
        let planes = self.cells.iter().chain(self.edges.iter().flatten());
        planes.zip(lengths).map(|(plane, length)| &plane[length])
    }

    /// The same, to be written.
    pub(crate) fn of_rows_mut(&mut self, rows: Range<usize>) -> impl Iterator<Item = &mut [u32]> {
        let lengths = self.lengths(&rows);
        let planes = self.cells.iter_mut().chain(self.edges.iter_mut().flatten());
        planes.zip(lengths).map(|(plane, length)| &mut plane[length])
    }

    /// Where the numbers of rows lie in every plane.
    fn lengths(&self, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let of = |width: usize, end: usize| rows.start * width..end * width;
        let cells = of(self.columns, rows.end);
        let edges = [of(self.columns + 1, rows.end), of(self.columns, rows.end + 1)];
        let edges = edges.into_iter().flat_map(|at| std::iter::repeat_n(at, edge::WORDS));
        std::iter::repeat_n(cells, cell::WORDS).chain(edges)
    }

    /// A word of [`cell`] of all cells.
    pub fn cell(&self, word: usize) -> &[u32] {
        &self.cells[word]
    }

    /// A word of [`edge`] of all east edges (axis 0) or south edges (axis 1).
    pub fn edge(&self, axis: usize, word: usize) -> &[u32] {
        &self.edges[axis][word]
    }

    /// The table of a cell.
    pub fn words_of_cell(&self, cell: usize) -> CellWords {
        std::array::from_fn(|word| self.cells[word][cell])
    }

    /// The table of an edge.
    pub fn words_of_edge(&self, axis: usize, edge: usize) -> EdgeWords {
        std::array::from_fn(|word| self.edge(axis, word)[edge])
    }

    /// Writes the tables of cells that follow each other, from one on.
    pub(super) fn put_cells(&mut self, from: usize, tables: &[CellWords]) {
        put(&mut self.cells, from, tables);
    }

    /// Writes the tables of edges of an axis that follow each other, from one on.
    pub(super) fn put_edges(&mut self, axis: usize, from: usize, tables: &[EdgeWords]) {
        put(&mut self.edges[axis], from, tables);
    }
}

/// Spreads tables over the planes of their words.
fn put<const WORDS: usize>(planes: &mut [Vec<u32>], from: usize, tables: &[[u32; WORDS]]) {
    for (word, plane) in planes.iter_mut().enumerate() {
        for (place, table) in plane[from..].iter_mut().zip(tables) {
            *place = table[word];
        }
    }
}
