//! Text files that the user names: scenarios and tables. Devices, which may have no end, and files that are too large to be
//! what they should be are refused before they fill the memory.

use crate::units::show_bytes;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest scenario or study that makes sense (bytes).
pub const SCENARIO: u64 = 16 << 20;
/// The largest table that makes sense (bytes).
pub const TABLE: u64 = 1 << 30;

/// The contents of a file, or of a pipe, of no more than `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let data = file.metadata()?;
    if is_device(&data) {
        return Err(io::Error::other("it is a device, no file"));
    }
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

fn is_device(data: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = data.file_type();
        kind.is_char_device() || kind.is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = data;
        false
    }
}
