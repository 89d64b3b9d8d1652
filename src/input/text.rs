//! Text files that the user names: scenarios and tables. Devices and pipes, which may have no end, and files that are too large to be
//! what they should be are refused before they fill the memory.

use super::endless::why_not_read;
use crate::units::show_bytes;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest scenario or study that makes sense (bytes).
pub const SCENARIO: u64 = 16 << 20;
/// The largest table that makes sense (bytes).
pub const TABLE: u64 = 1 << 30;

/// The contents of a file, or of a pipe that the shell holds, of no more than `most` bytes.
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
    Err(io::Error::other(format!("it is larger than {}, so it is none", show_bytes(most))))
}

/// The same as text in UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    let not_text = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    String::from_utf8(bytes(path, most)?).map_err(not_text)
}
