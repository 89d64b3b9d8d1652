//! CSV of points with the columns x and y and further columns, such as gauges and rain gauges.

use crate::error::Result;
use crate::input::tables::columns::CsvTable;
use csv::StringRecord;
use std::path::Path;

/// CSV of points.
pub struct PointTable {
    table: CsvTable,
    at: [usize; 2],
}

/// Line of a point table.
pub struct PointLine<'a> {
    /// Line number in the file.
    pub line: u64,
    /// Easting and northing.
    pub point: (f64, f64),
    record: &'a StringRecord,
}

impl PointTable {
    /// Reads a table for `role`; `example` is sample content for hints.
    ///
    /// # Errors
    /// If the file cannot be read, lacks a column x or y, or has no data line.
    pub fn read(path: &Path, role: &str, example: &'static str) -> Result<PointTable> {
        let mut read = PointTable { table: CsvTable::read(path, role, example)?, at: [0, 0] };
        match (read.column(&["x"]), read.column(&["y"])) {
            (Some(x), Some(y)) => read.at = [x, y],
            _ => {
                let names: Vec<&str> = read.table.header.iter().collect();
                let what = format!("expected columns x and y, but found {}", names.join(", "));
                return Err(read.table.wrong_header(what));
            }
        }
        Ok(read)
    }

    /// Returns the index of the first column with one of these names, ignoring case.
    pub fn column(&self, names: &[&str]) -> Option<usize> {
        let is = |known: &str, name: &str| known.to_lowercase() == name;
        let has = |name: &&str| self.table.header.iter().position(|known| is(known, name));
        names.iter().find_map(has)
    }

    /// Like [`PointTable::column`], but for a required column.
    ///
    /// # Errors
    /// If no column has one of the names.
    pub fn needed(&self, names: &[&str]) -> Result<usize> {
        self.column(names).ok_or_else(|| self.table.without_column(names[0]))
    }

    /// Iterates over the points in the order of the file.
    ///
    /// # Errors
    /// If x or y is not a finite number.
    pub fn lines(&self) -> impl Iterator<Item = Result<PointLine<'_>>> {
        self.table.rows.iter().map(|(line, record)| {
            let [x, y] = self.at.map(|at| self.table.coordinate(*line, record, at));
            let point = (x?, y?);
            Ok(PointLine { line: *line, point, record })
        })
    }

    /// Creates an error about a line.
    pub fn wrong(&self, line: u64, what: &str) -> crate::error::Error {
        self.table.wrong(line, what)
    }
}

impl<'a> PointLine<'a> {
    /// Returns the text in a column; `None` if it is empty.
    pub fn text(&self, column: usize) -> Option<&'a str> {
        Some(&self.record[column]).filter(|text| !text.is_empty())
    }
}
