//! How every CSV is read: blanks around values do not count, and lines that start with `#` are comments.

use super::endless::why_not_read;
use csv::{Reader, ReaderBuilder, Trim};
use std::fs::File;
use std::path::Path;

/// Whether a file is a CSV by its name.
pub fn is_a_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

/// A reader of a text whose first line is a header.
pub fn reader(text: &[u8]) -> Reader<&[u8]> {
    builder().from_reader(text)
}

/// A reader that takes the first line for one like the others.
pub fn headless(text: &[u8]) -> Reader<&[u8]> {
    builder().has_headers(false).from_reader(text)
}

/// A reader of a file whose first line is a header.
///
/// # Errors
/// If it cannot be opened.
pub fn open(path: &Path) -> csv::Result<Reader<File>> {
    if let Some(why) = why_not_read(path) {
        return Err(std::io::Error::other(why).into());
    }
    builder().from_path(path)
}

fn builder() -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.trim(Trim::All).comment(Some(b'#'));
    builder
}
