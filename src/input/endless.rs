//! Paths whose reading may never end: devices, and named pipes without a writer.

use std::fs::FileType;
use std::path::Path;

/// Returns the reason why a path must not be read; `None` for a file, a folder of files, a path
/// that does not exist, or a pipe that the shell holds open (`<(command)`).
pub fn why_not_read(path: &Path) -> Option<&'static str> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    if kind.is_dir() {
        // GDAL opens the files of a folder to identify its format.
        let mut inside = std::fs::read_dir(path).ok()?.flatten();
        let waits = inside.any(|entry| entry.file_type().is_ok_and(|kind| what(kind).is_some()));
        return waits.then_some("it contains a pipe or a device");
    }
    match what(kind) {
        // An anonymous pipe is held open by another process.
        Some(PIPE) => path.canonicalize().is_ok().then_some(PIPE),
        other => other,
    }
}

const PIPE: &str = "it is a pipe, not a file";

#[cfg(unix)]
fn what(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_char_device() || kind.is_block_device() {
        Some("it is a device, not a file")
    } else if kind.is_fifo() {
        Some(PIPE)
    } else if kind.is_socket() {
        Some("it is a socket, not a file")
    } else {
        None
    }
}

#[cfg(not(unix))]
fn what(_: FileType) -> Option<&'static str> {
    None
}
