//! CSV tables with a header, for observed points and series.

use crate::error::{Error, Result};
use crate::input::notice::Notice;
use crate::input::tables::records::Records;
use crate::input::text;
use crate::measures::header_unit;
use crate::words::plain;
use csv::StringRecord;
use std::path::Path;

/// Table as read.
pub struct CsvTable {
    /// Name of the file, for messages.
    name: String,
    /// Role of the file, for messages.
    role: String,
    /// Example of such a file, for hints.
    example: &'static str,
    /// Names of the columns.
    pub header: StringRecord,
    /// Line number of the header.
    pub header_line: u64,
    /// Records with their line numbers in the file.
    pub rows: Vec<(u64, StringRecord)>,
    /// Comments, without the leading `#`.
    pub comments: Vec<String>,
    /// Note on the file's dialect, if it is unusual.
    note: Option<String>,
}

/// Line number in the file, easting and northing, and all values of a line.
type PointLine<'a> = (u64, (f64, f64), &'a StringRecord);

impl CsvTable {
    /// Reads a table; lines that begin with # are comments.
    pub fn read(path: &Path, role: &str, example: &'static str) -> Result<CsvTable> {
        let (name, role) = (path.display().to_string(), role.to_string());
        let text = text::bytes(path, text::TABLE).map_err(|error| {
            Error::input(format!("{role}: cannot open '{name}'"))
                .because(error)
                .hint("check the path; a path in a file is relative to the folder of that file")
        })?;
        let records = Records::read(&text).map_err(|fault| {
            fault.error(|line, what| {
                Error::input(format!("{role}: '{name}', line {line}: {what}")).hint(example)
            })
        })?;
        let Records { header, header_line, rows, comments, note } = records;
        let header = header.iter().map(plain).collect();
        let table = CsvTable { name, role, example, header, header_line, rows, comments, note };
        if table.header.iter().any(|name| name.parse::<f64>().is_ok()) {
            return Err(table.wrong_header("the header line is missing"));
        }
        if table.rows.is_empty() {
            return Err(table.wrong(table.header_line + 1, "the table has no data lines"));
        }
        Ok(table)
    }

    /// Returns a notice about the file's dialect, if it is unusual.
    pub fn note(&self) -> Option<Notice> {
        self.note.as_ref().map(|note| self.notice(note))
    }

    /// Returns the error for a line.
    pub fn wrong(&self, line: u64, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}', line {line}: {what}", self.role, self.name))
            .hint(self.example)
    }

    /// Returns the error for the header.
    pub fn wrong_header(&self, what: impl std::fmt::Display) -> Error {
        self.wrong(self.header_line, what)
    }

    /// Returns a notice about the table.
    pub fn notice(&self, what: impl std::fmt::Display) -> Notice {
        Notice::of(&self.role, &self.name, what)
    }

    /// Returns the index of the column `name`, in any case and with or without a unit in brackets.
    pub fn column(&self, name: &str) -> Result<usize> {
        let exact = self.header.iter().position(|known| known == name);
        let bare = |known: &str| header_unit(known).0.eq_ignore_ascii_case(name);
        let mut alike = (0..self.header.len()).filter(|&at| bare(&self.header[at]));
        let only = alike.next().filter(|_| alike.next().is_none());
        exact.or(only).ok_or_else(|| self.without_column(name))
    }

    /// Returns the index of the first column with one of these names, ignoring case.
    pub fn any_column(&self, names: &[&str]) -> Option<usize> {
        let has =
            |name: &&str| self.header.iter().position(|known| known.eq_ignore_ascii_case(name));
        names.iter().find_map(has)
    }

    /// Iterates over line number, point (columns x and y) and record in the order of the file.
    ///
    /// # Errors
    /// If there is no column x or y, or a coordinate is not a finite number.
    pub fn points(&self) -> Result<impl Iterator<Item = Result<PointLine<'_>>>> {
        let (Some(x), Some(y)) = (self.any_column(&["x"]), self.any_column(&["y"])) else {
            let names: Vec<&str> = self.header.iter().collect();
            let what = format!("expected columns x and y, but found {}", names.join(", "));
            return Err(self.wrong_header(what));
        };
        Ok(self.rows.iter().map(move |(line, record)| {
            let [x, y] = [x, y].map(|at| self.coordinate(*line, record, at));
            Ok((*line, (x?, y?), record))
        }))
    }

    /// Returns the error for a missing column.
    pub fn without_column(&self, name: &str) -> Error {
        let columns = self.header.iter().collect::<Vec<_>>().join(", ");
        self.wrong_header(format!("there is no column '{name}'; the columns are: {columns}"))
    }

    /// Returns the index of the column `name`, in any case, and the unit in brackets in its header,
    /// if any; `None` if there is no such column.
    pub fn measured(&self, name: &str) -> Option<(usize, Option<&str>)> {
        let mut columns = self.header.iter().map(|header| header_unit(header)).enumerate();
        columns.find_map(|(at, (bare, unit))| bare.eq_ignore_ascii_case(name).then_some((at, unit)))
    }

    /// Reads a coordinate of a record.
    pub fn coordinate(&self, line: u64, record: &StringRecord, column: usize) -> Result<f64> {
        let (text, name) = (&record[column], &self.header[column]);
        coordinate(text).ok_or_else(|| {
            self.wrong(line, format!("'{text}' in column '{name}' is not a coordinate"))
        })
    }

    /// Reads a finite number of a record.
    pub fn number(&self, line: u64, record: &StringRecord, column: usize) -> Result<f64> {
        let text = &record[column];
        text.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
            self.wrong(
                line,
                format!("'{text}' in column '{}' is not a number", &self.header[column]),
            )
        })
    }
}

/// Parses a finite coordinate.
pub fn coordinate(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}
