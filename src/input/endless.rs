//! What looks like a file and need never end: devices, and pipes of a name, to which nobody may ever write.

use std::fs::FileType;
use std::path::Path;

/// Why something is not read; none if it is a file, a folder of files, not there, or a pipe that the shell holds open
/// (`<(command)`).
pub fn why_not_read(path: &Path) -> Option<&'static str> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    if kind.is_dir() {
        // GDAL looks into the files of a folder to tell what it is.
        let mut inside = std::fs::read_dir(path).ok()?.flatten();
        let waits = inside.any(|entry| entry.file_type().is_ok_and(|kind| what(kind).is_some()));
        return waits.then_some("it holds a pipe, or a device");
    }
    match what(kind) {
        // A pipe without a name is one that someone holds.
        Some(PIPE) => path.canonicalize().is_ok().then_some(PIPE),
        other => other,
    }
}

const PIPE: &str = "it is a pipe, no file";

#[cfg(unix)]
fn what(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_char_device() || kind.is_block_device() {
        Some("it is a device, no file")
    } else if kind.is_fifo() {
        Some(PIPE)
    } else if kind.is_socket() {
        Some("it is a socket, no file")
    } else {
        None
    }
}

#[cfg(not(unix))]
fn what(_: FileType) -> Option<&'static str> {
    None
}
