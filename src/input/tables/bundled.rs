//! Tables bundled with the program.

use crate::error::{Error, Result};
use crate::input::text;
use std::borrow::Cow;
use std::path::Path;

/// A bundled table: name, purpose, contents. The contents name the source of the values.
pub type Bundled = (&'static str, &'static str, &'static str);

/// Joins the names of tables, for help and hints.
pub fn names(tables: &[Bundled]) -> String {
    tables.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// Returns `true` if a text that may be a path or a table name is the name of a bundled table.
pub fn is_one(path: &Path, tables: &[Bundled]) -> bool {
    tables.iter().any(|(name, ..)| path.as_os_str() == *name)
}

/// Reads a file, or the bundled table of that name (a file of the same name is `./nlcd`). Returns
/// the contents and the name for messages; `key` is the option that names the table.
///
/// # Errors
/// If the file cannot be read.
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
