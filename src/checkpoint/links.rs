//! Opening files in a folder that anyone may have filled: links are not followed, and nothing that was there is cut.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

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

fn plain(opened: io::Result<File>) -> io::Result<File> {
    #[cfg(unix)]
    let opened = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::other("it is a link, and links are not followed here"),
        _ => error,
    });
    let file = opened?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no file")),
    }
}
