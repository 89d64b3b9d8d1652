//! How every CSV is read: blanks around values do not count, and lines that start with `#` are comments.

use csv::{Reader, ReaderBuilder, Trim};

/// A reader of a text whose first line is a header.
pub fn reader(text: &[u8]) -> Reader<&[u8]> {
    builder().from_reader(text)
}

/// A reader that takes the first line for one like the others.
pub fn headless(text: &[u8]) -> Reader<&[u8]> {
    builder().has_headers(false).from_reader(text)
}

fn builder() -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.trim(Trim::All).comment(Some(b'#'));
    builder
}
