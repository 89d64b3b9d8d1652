//! File locks that keep several processes from using a folder at the same time.

use super::links;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// Number of attempts to take a lock that others remove at the same time.
const TRIES: usize = 100;

/// Mode of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// Exclusive, held by one process.
    Alone,
    /// Shared with other holders.
    Shared,
}

/// Result of an attempt to take a lock.
#[derive(Debug)]
pub enum LockResult {
    /// The lock is held until the file is closed.
    Ours(File),
    /// The file system, such as some network disks, has no locks.
    NoLocks,
    /// Another process holds the lock.
    Theirs,
}

/// Tries to take the lock represented by a file, creating the file and its folder if necessary.
/// Fails if it is a link or not a regular file.
pub fn take(path: &Path, how: LockMode) -> io::Result<LockResult> {
    // A process that ends at this moment may remove the file just created.
    for _ in 0..TRIES {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        let lock = match links::lock(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            lock => lock?,
        };
        let locked = match how {
            LockMode::Alone => lock.try_lock(),
            LockMode::Shared => lock.try_lock_shared(),
        };
        match locked {
            Ok(()) if is_at(&lock, path) => return Ok(LockResult::Ours(lock)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(LockResult::Theirs),
            Err(TryLockError::Error(_)) => return Ok(LockResult::NoLocks),
        }
    }
    Ok(LockResult::Theirs)
}

/// Returns `true` if an open file is still the one at a path.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |data: io::Result<fs::Metadata>| data.ok().map(|data| (data.dev(), data.ino()));
        of(file.metadata()) == of(fs::symlink_metadata(path))
    }
    // An open file cannot be removed on such systems.
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}
