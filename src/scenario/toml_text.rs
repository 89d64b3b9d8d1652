//! A TOML file as read: its keys, and their lines for messages.

use super::toml_hint;
use crate::error::{Error, Result};
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

/// The text of a TOML file.
#[derive(Clone, Copy)]
pub struct TomlText<'a> {
    /// Text without a byte order mark.
    pub text: &'a str,
    /// Name of the file in messages.
    name: &'a str,
}

/// The place of a key: the file and the line, if the key is in the text.
#[derive(Clone, Copy)]
pub struct Place<'a>(TomlText<'a>, Option<usize>);

impl<'a> TomlText<'a> {
    /// Parses a text; `name` is for messages.
    ///
    /// # Errors
    /// If lines are not TOML: one error that lists all of them.
    pub fn parse(text: &'a str, name: &'a str) -> Result<(TomlText<'a>, Table)> {
        // Some editors write a byte order mark.
        let this = TomlText { text: text.trim_start_matches('\u{feff}'), name };
        let (_, wrong) = DeTable::parse_recoverable(this.text);
        // One slip may cause several messages about a line.
        let mut lines = Vec::new();
        let mut errors = Vec::new();
        for error in wrong {
            let line = this.line(error.span());
            if !lines.contains(&line) {
                lines.push(line);
                errors.push(this.error(&error));
            }
        }
        together(errors)?;
        let table = toml::from_str(this.text).map_err(|error| this.error(&error))?;
        Ok((this, table))
    }

    /// Creates the error for a message of the TOML crate.
    pub fn error(self, error: &toml::de::Error) -> Error {
        Place(self, self.line(error.span())).error("", error.message())
    }

    /// Returns the place of a key, below the tables that are named first; elements of lists are
    /// named by their numbers from 0.
    pub fn place(self, keys: &[&str]) -> Place<'a> {
        let (root, _) = DeTable::parse_recoverable(self.text);
        let root = DeValue::Table(root.into_inner());
        let [above @ .., key] = keys else { return Place(self, None) };
        let within = above.iter().try_fold(&root, |within, key| {
            let inside = match within {
                DeValue::Array(list) => list.get(key.parse::<usize>().ok()?)?,
                within => within.get(*key)?,
            };
            Some(inside.get_ref())
        });
        let mut keys =
            within.and_then(DeValue::as_table).into_iter().flat_map(|table| table.keys());
        let found = keys.find(|name| name.get_ref() == key);
        Place(self, self.line(found.map(Spanned::span)))
    }

    fn line(self, span: Option<Range<usize>>) -> Option<usize> {
        span.map(|span| self.text[..span.start].matches('\n').count() + 1)
    }
}

impl Place<'_> {
    /// Creates the error for a message of the TOML crate about the text here; `what` precedes it.
    pub fn error(&self, what: &str, message: &str) -> Error {
        let said = self.1.and_then(|line| self.0.text.lines().nth(line - 1)).unwrap_or_default();
        let hint = toml_hint::of_message(message, said);
        Error::input(format!("{self}{what}: {}", toml_hint::plain(message))).hint(hint)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "'{}'", self.0.name)?;
        self.1.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

/// Returns the place of a key at the top of a file, if the file sets it.
pub fn line_of(file: &Path, key: &str) -> Option<String> {
    let (text, name) = (fs::read_to_string(file).ok()?, file.display().to_string());
    let place = TomlText::parse(&text, &name).ok()?.0.place(&[key]);
    place.1.map(|_| place.to_string())
}

/// Fails with all of `errors`, if there are any.
pub fn together(mut errors: Vec<Error>) -> Result<()> {
    let Some(last) = errors.pop() else { return Ok(()) };
    let before: String = errors.iter().map(|error| format!("{error}\nerror: ")).collect();
    Err(Error { what: format!("{before}{}", last.what), ..last })
}
