//! Opening files in a folder that anyone may have filled: links are not followed, and nothing that was there is cut.

use crate::error::{Error, Result};
use std::fmt::Display;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

const LINK: &str = "it is a link, and links are not followed here";

/// Options that follow no link in the last part of a path.
fn here() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without O_NONBLOCK a pipe of that name would be waited for.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    options
}

/// Opens a file to read. An error if it is a link, or no file.
pub fn read(path: &Path) -> io::Result<File> {
    plain(here().read(true).open(path))
}

/// Opens a file to hold a lock on it, and makes it if it is not there; what it holds stays. An error if it is a link,
/// or no file.
pub fn lock(path: &Path) -> io::Result<File> {
    plain(here().write(true).create(true).truncate(false).open(path))
}

/// Makes a file that is not there. A link of that name goes, not what it points to.
pub fn fresh(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// What is at a path itself, be it a link.
pub fn is(path: &Path, what: impl Fn(&Metadata) -> bool) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| what(&data))
}

/// What a file holds. An error if it is a link, or no file.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file; none if it is a link, no file, or no text.
pub fn text(path: &Path) -> Option<String> {
    String::from_utf8(bytes(path).ok()?).ok()
}

/// An error if something else than a folder lies at a path: a link, say, to a folder elsewhere. Nothing may lie there.
pub fn check_folder(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(unusable(path, LINK)),
        Ok(found) if !found.is_dir() => Err(unusable(path, "it is no folder")),
        _ => Ok(()),
    }
}

/// The error of what cannot be used in an output folder.
pub fn unusable(path: &Path, why: impl Display) -> Error {
    Error::input(format!("out: cannot use '{}': {why}", path.display()))
        .hint("remove it or mend its permissions, or choose another output folder")
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
        false => Err(io::Error::other("it is no file")),
    }
}
