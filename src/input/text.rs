//! Text files named by the user: scenarios and tables. Devices and pipes, which may never end, and
//! files that are too large are rejected before they fill the memory.

use super::endless::why_not_read;
use crate::units::show_bytes;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a scenario or study (bytes).
pub const SCENARIO: u64 = 16 << 20;
/// Maximum size of a table (bytes).
pub const TABLE: u64 = 1 << 30;

/// Reads a file, or a pipe that the shell holds, of at most `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if let Some(why) = why_not_read(path) {
        return Err(io::Error::other(why));
    }
    let file = File::open(path)?;
    let data = file.metadata()?;
    let mut contents = Vec::new();
    if !data.is_file() || data.len() <= most {
        file.take(most + 1).read_to_end(&mut contents)?;
        if contents.len() as u64 <= most {
            return Ok(contents);
        }
    }
    Err(io::Error::other(format!(
        "it is larger than {}, the limit for such a file",
        show_bytes(most)
    )))
}

/// Like [`bytes`], but returns UTF-8 text.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    let not_text = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    String::from_utf8(bytes(path, most)?).map_err(not_text)
}
