//! CSV tables with a header, for observed points and series.

use crate::error::{Error, Result};
use crate::input::{dialect, text};
use crate::words::plain;
use csv::StringRecord;
use std::path::Path;

/// A table as read.
pub struct Table {
    /// The file, for messages.
    name: String,
    /// What it is used as, for messages.
    role: String,
    /// What such a file looks like, for hints.
    example: &'static str,
    /// Names of the columns.
    pub header: StringRecord,
    /// Records with their lines in the file.
    pub rows: Vec<(u64, StringRecord)>,
}

impl Table {
    /// Reads a table; lines that begin with # are comments.
    pub fn read(path: &Path, role: &str, example: &'static str) -> Result<Table> {
        let name = path.display().to_string();
        let mut table = Table {
            name,
            role: role.into(),
            example,
            header: StringRecord::new(),
            rows: Vec::new(),
        };
        let text = text::bytes(path, text::TABLE).map_err(|error| {
            Error::input(format!("{role}: cannot open '{}'", table.name))
                .because(error)
                .hint("check the path; one that stands in a file is relative to that file's folder")
        })?;
        let mut reader = dialect::reader(&text);
        let header = reader.headers().map_err(|error| table.wrong(1, error.to_string()))?;
        table.header = header.iter().map(plain).collect();
        if table.header.iter().any(|name| name.contains(';')) {
            return Err(table.wrong(1, "separate the columns by a comma, not a semicolon (;)"));
        }
        if table.header.iter().any(|name| name.parse::<f64>().is_ok()) {
            return Err(table.wrong(1, "the header line is missing"));
        }
        let twice = |at: &usize| {
            let name = &table.header[*at];
            !name.is_empty() && table.header.iter().take(*at).any(|known| known == name)
        };
        if let Some(at) = (0..table.header.len()).find(twice) {
            let name = &table.header[at];
            return Err(table.wrong(1, format!("there are two columns '{name}'")));
        }
        for record in reader.into_records() {
            let record = record.map_err(|error| {
                table.wrong(error.position().map_or(0, csv::Position::line), error.to_string())
            })?;
            table.rows.push((record.position().map_or(0, csv::Position::line), record));
        }
        if table.rows.is_empty() {
            return Err(table.wrong(2, "there is no line of data"));
        }
        Ok(table)
    }

    /// An error in a line.
    pub fn wrong(&self, line: u64, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}', line {line}: {what}", self.role, self.name))
            .hint(self.example)
    }

    /// The number of the column called `name`, with its unit in brackets or without.
    pub fn column(&self, name: &str) -> Result<usize> {
        let exact = self.header.iter().position(|known| known == name);
        let bare = |known: &str| known.split_once('[').is_some_and(|(bare, _)| bare.trim() == name);
        let mut alike = (0..self.header.len()).filter(|&at| bare(&self.header[at]));
        let only = alike.next().filter(|_| alike.next().is_none());
        exact.or(only).ok_or_else(|| {
            Error::input(format!("{}: '{}' has no column '{name}'", self.role, self.name))
                .hint(format!("it has: {}", self.header.iter().collect::<Vec<_>>().join(", ")))
        })
    }

    /// A finite number in a record.
    pub fn number(&self, line: u64, record: &StringRecord, column: usize) -> Result<f64> {
        let text = &record[column];
        text.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
            self.wrong(line, format!("'{text}' in column '{}' is no number", &self.header[column]))
        })
    }
}
