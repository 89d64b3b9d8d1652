//! CSV tables with a header, for observed points and series.

use crate::error::{Error, Result};
use crate::input::notice::Notice;
use crate::input::records::Records;
use crate::input::text;
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
    /// The line of the header.
    pub header_line: u64,
    /// Records with their lines in the file.
    pub rows: Vec<(u64, StringRecord)>,
    /// The comments, without the leading `#`.
    pub comments: Vec<String>,
    /// How the file is written if that is not the usual way.
    note: Option<String>,
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
            header_line: 1,
            rows: Vec::new(),
            comments: Vec::new(),
            note: None,
        };
        let text = text::bytes(path, text::TABLE).map_err(|error| {
            Error::input(format!("{role}: cannot open '{}'", table.name))
                .because(error)
                .hint("check the path; one that stands in a file is relative to that file's folder")
        })?;
        let records = Records::read(&text)
            .map_err(|fault| fault.error(|line, what| table.wrong(line, what)))?;
        table.header = records.header.iter().map(plain).collect();
        table.header_line = records.header_line;
        table.comments = records.comments;
        table.note = records.note;
        table.rows = records.rows;
        if table.header.iter().any(|name| name.parse::<f64>().is_ok()) {
            return Err(table.wrong_header("the header line is missing"));
        }
        if table.rows.is_empty() {
            return Err(table.wrong(table.header_line + 1, "there is no line of data"));
        }
        Ok(table)
    }

    /// A note on how the file is written if that is not the usual way.
    pub fn note(&self) -> Option<Notice> {
        self.note.as_ref().map(|note| self.notice(note))
    }

    /// An error in a line.
    pub fn wrong(&self, line: u64, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}', line {line}: {what}", self.role, self.name))
            .hint(self.example)
    }

    /// An error in the header.
    pub fn wrong_header(&self, what: impl std::fmt::Display) -> Error {
        self.wrong(self.header_line, what)
    }

    /// Refuses columns whose names differ in upper and lower case alone, for readers that take them
    /// for the same.
    ///
    /// # Errors
    /// If there are two.
    pub fn check_names_ignoring_case(&self) -> Result<()> {
        let names: Vec<String> = self.header.iter().map(str::to_lowercase).collect();
        let twice = |at: &usize| !names[*at].is_empty() && names[..*at].contains(&names[*at]);
        match (0..names.len()).find(twice) {
            Some(at) => Err(self
                .wrong_header(format!("the column '{}' is there twice", names[at]))
                .hint("rename one of them, or take one out")),
            None => Ok(()),
        }
    }

    /// A notice about the table.
    pub fn notice(&self, what: impl std::fmt::Display) -> Notice {
        Notice::of(&self.role, &self.name, what)
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

    /// The number of the column called `name`, and the unit that its header has in brackets, if
    /// any; `None` if there is no such column.
    pub fn measured(&self, name: &str) -> Option<(usize, Option<&str>)> {
        let mut columns = self.header.iter().enumerate();
        columns.find_map(|(at, header)| match header.split_once('[') {
            Some((bare, unit)) if bare.trim() == name => {
                Some((at, Some(unit.trim_end_matches(']').trim())))
            }
            _ => (header == name).then_some((at, None)),
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
