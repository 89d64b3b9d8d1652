//! Tables that come with the program, told from the user's own.

use super::text;
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::path::Path;

/// A table that comes with the program: its name, what it is for, its contents, which say where its values are from.
pub type Bundled = (&'static str, &'static str, &'static str);

/// The names of some tables, for help and hints.
pub fn names(tables: &[Bundled]) -> String {
    tables.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// Whether a text that may be a table's name or a path is the name of one.
pub fn is_one(path: &Path, tables: &[Bundled]) -> bool {
    tables.iter().any(|(name, ..)| path.as_os_str() == *name)
}

/// The contents of a file, or of the table of that name (a file called like one is `./nlcd`), and how to call it in
/// messages; `key` is the option that asks for it.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path, tables: &[Bundled], key: &str) -> Result<(Cow<'static, [u8]>, String)> {
    if let Some((name, _, text)) = tables.iter().find(|(name, ..)| path.as_os_str() == *name) {
        return Ok((text.as_bytes().into(), (*name).into()));
    }
    let shown = path.display();
    let text = text::bytes(path, text::TABLE).map_err(|error| {
        Error::input(format!("{key}: cannot open '{shown}'"))
            .because(error)
            .hint(format!("give a CSV file, or a bundled table: {}", names(tables)))
    })?;
    Ok((text.into(), shown.to_string()))
}
