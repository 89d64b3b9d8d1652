//! Rectangles of cells.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Rect {
    /// First column.
    pub column: usize,
    /// First row.
    pub row: usize,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Rect {
    /// The places of its cells, row by row, in an array whose rows have so many `columns`.
    pub fn lines(self, columns: usize) -> impl Iterator<Item = Range<usize>> {
        let first = move |row| row * columns + self.column;
        let rows = self.row..self.row + self.rows;
        rows.map(move |row| first(row)..first(row) + self.columns)
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Whether a cell lies in it.
    #[inline]
    pub fn holds(&self, column: usize, row: usize) -> bool {
        (self.column..self.column + self.columns).contains(&column)
            && (self.row..self.row + self.rows).contains(&row)
    }

    /// The part of it that lies within another.
    pub fn within(&self, other: Rect) -> Rect {
        let column = self.column.max(other.column);
        let row = self.row.max(other.row);
        let end_column = (self.column + self.columns).min(other.column + other.columns);
        let end_row = (self.row + self.rows).min(other.row + other.rows);
        Rect {
            column,
            row,
            columns: end_column.saturating_sub(column),
            rows: end_row.saturating_sub(row),
        }
    }

    /// It with so many cells more on every side, but for those before column or row 0.
    pub fn grown(&self, by: usize) -> Rect {
        let (column, row) = (self.column.saturating_sub(by), self.row.saturating_sub(by));
        Rect {
            column,
            row,
            columns: self.column + self.columns + by - column,
            rows: self.row + self.rows + by - row,
        }
    }

    /// The least rectangle with it and a cell (column, row).
    pub fn with(&self, (column, row): (usize, usize)) -> Rect {
        let (first_column, first_row) = (self.column.min(column), self.row.min(row));
        Rect {
            column: first_column,
            row: first_row,
            columns: (self.column + self.columns).max(column + 1) - first_column,
            rows: (self.row + self.rows).max(row + 1) - first_row,
        }
    }

    /// The least rectangle with it and another that has cells.
    pub fn joined(&self, other: Rect) -> Rect {
        let last = (other.column + other.columns - 1, other.row + other.rows - 1);
        self.with((other.column, other.row)).with(last)
    }

    /// Whether it has a cell in common with another.
    pub fn meets(&self, other: Rect) -> bool {
        self.column < other.column + other.columns
            && other.column < self.column + self.columns
            && self.row < other.row + other.rows
            && other.row < self.row + self.rows
    }
}
