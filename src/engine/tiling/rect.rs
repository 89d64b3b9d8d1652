//! Rectangles of cells of a grid.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Rect {
    /// Index of the first column.
    pub column: usize,
    /// Index of the first row.
    pub row: usize,
    /// Number of its columns.
    pub columns: usize,
    /// Number of its rows.
    pub rows: usize,
}

impl Rect {
    /// Iterates over the index ranges of its rows in an array with `columns` columns.
    pub fn lines(self, columns: usize) -> impl Iterator<Item = Range<usize>> {
        let first = move |row| row * columns + self.column;
        let rows = self.row..self.row + self.rows;
        rows.map(move |row| first(row)..first(row) + self.columns)
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Returns `true` if it contains a cell.
    #[inline]
    pub fn holds(&self, column: usize, row: usize) -> bool {
        (self.column..self.column + self.columns).contains(&column)
            && (self.row..self.row + self.rows).contains(&row)
    }

    /// Returns the intersection with another rectangle.
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

    /// Returns the rectangle grown by `by` cells on every side, clipped at column and row 0.
    pub fn grown(&self, by: usize) -> Rect {
        let (column, row) = (self.column.saturating_sub(by), self.row.saturating_sub(by));
        Rect {
            column,
            row,
            columns: self.column + self.columns + by - column,
            rows: self.row + self.rows + by - row,
        }
    }

    /// Returns the smallest rectangle that contains it and a cell (column, row).
    pub fn with(&self, (column, row): (usize, usize)) -> Rect {
        let (first_column, first_row) = (self.column.min(column), self.row.min(row));
        Rect {
            column: first_column,
            row: first_row,
            columns: (self.column + self.columns).max(column + 1) - first_column,
            rows: (self.row + self.rows).max(row + 1) - first_row,
        }
    }

    /// Returns the smallest rectangle that contains it and another non-empty rectangle.
    pub fn joined(&self, other: Rect) -> Rect {
        let last = (other.column + other.columns - 1, other.row + other.rows - 1);
        self.with((other.column, other.row)).with(last)
    }

    /// Returns `true` if it shares a cell with another rectangle.
    pub fn meets(&self, other: Rect) -> bool {
        self.column < other.column + other.columns
            && other.column < self.column + self.columns
            && self.row < other.row + other.rows
            && other.row < self.row + self.rows
    }
}
