//! Files that no other user can have created or replaced.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Opens a file to read it if it belongs to this user or to root.
///
/// # Errors
/// If it cannot be opened, is not a regular file (a link or a pipe, say), belongs to another user,
/// or is world-writable.
pub fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe without a writer would block.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Checks that a path is a regular file, not a link, owned by this user or by root.
///
/// # Errors
/// As [`open`].
pub fn check_path(path: &Path) -> Result<()> {
    check(&std::fs::symlink_metadata(path)?)
}

/// Returns `true` if a path is a folder to which only this user and root can write.
pub fn is_own_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_dir() && check_owner(&data).is_ok())
}

fn check(data: &Metadata) -> Result<()> {
    if !data.is_file() {
        return refuse("it is not a regular file");
    }
    check_owner(data)
}

fn refuse(what: &str) -> Result<()> {
    Err(Error::new(ErrorKind::PermissionDenied, what))
}

fn check_owner(data: &Metadata) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // SAFETY: `geteuid` only returns a number.
        let own = unsafe { libc::geteuid() };
        if ![own, 0].contains(&data.uid()) {
            return refuse("it belongs to another user");
        }
        if data.mode() & 0o002 != 0 {
            return refuse("it is world-writable");
        }
    }
    #[cfg(not(unix))]
    let _ = data;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    #[test]
    fn links_pipes_and_files_of_others_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("own"), "x").unwrap();
        assert!(open(&path("own")).is_ok() && check_path(&path("own")).is_ok());
        symlink(path("own"), path("link")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        std::fs::write(path("open"), "x").unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o666)).unwrap();
        let mut refused = vec!["link", "pipe", "open", "none"];
        std::fs::write(path("foreign"), "x").unwrap();
        // Root alone can give a file away.
        if chown(path("foreign"), Some(12_345), None).is_ok() {
            refused.push("foreign");
        }
        for name in refused {
            assert!(open(&path(name)).is_err(), "{name}");
            assert!(check_path(&path(name)).is_err(), "{name}");
        }
    }
}
