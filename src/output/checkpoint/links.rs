//! Opens files in folders that others may have manipulated: links are not followed, and existing
//! files are not truncated.

use crate::error::{Error, Result};
use std::fmt::Display;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

const LINK: &str = "it is a link, which is not followed here";

/// Returns open options that do not follow a link in the last part of a path.
fn here() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without O_NONBLOCK, opening a pipe of that name would block.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    options
}

/// Opens a file for reading. Fails if it is a link or not a regular file.
pub fn read(path: &Path) -> io::Result<File> {
    plain(here().read(true).open(path))
}

/// Opens a file to lock it, creating it if necessary; its content is kept. Fails if it is a link or
/// not a regular file.
pub fn lock(path: &Path) -> io::Result<File> {
    plain(here().write(true).create(true).truncate(false).open(path))
}

/// Creates a new file. An existing file or link of that name is removed, but not the target of a
/// link.
pub fn fresh(path: &Path) -> io::Result<File> {
    gone(std::fs::remove_file(path))?;
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Treats a missing file as removed.
pub fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Tests the metadata of a path itself, without following a link.
pub fn is(path: &Path, what: impl Fn(&Metadata) -> bool) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| what(&data))
}

/// Reads a file. Fails if it is a link or not a regular file.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text file; `None` if it is a link, not a regular file, or not UTF-8.
pub fn text(path: &Path) -> Option<String> {
    String::from_utf8(bytes(path).ok()?).ok()
}

/// Fails if something other than a folder is at a path, such as a link to a folder elsewhere. The
/// path may be absent.
pub fn check_folder(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(unusable(path, LINK)),
        Ok(found) if !found.is_dir() => Err(unusable(path, "it is not a folder")),
        _ => Ok(()),
    }
}

/// Returns the error of an unusable path in an output folder.
pub fn unusable(path: &Path, why: impl Display) -> Error {
    Error::input(format!("out: cannot use '{}': {why}", path.display()))
        .hint("remove it, correct its permissions, or choose another output folder")
}

fn plain(opened: io::Result<File>) -> io::Result<File> {
    #[cfg(unix)]
    let opened = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::other(LINK),
        _ => error,
    });
    let file = opened?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a file")),
    }
}
