//! Locks on files that tell others who works in a folder.

use super::links;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// How often to try for a lock that others remove at the same time.
const TRIES: usize = 100;

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// By nobody else.
    Alone,
    /// Beside others who share it.
    Shared,
}

/// What comes of asking for a lock.
#[derive(Debug)]
pub enum Taken {
    /// It is ours until the file is closed.
    Ours(File),
    /// Some network disks have no locks.
    NoLocks,
    /// Others hold it.
    Theirs,
}

/// Asks for the lock that a file stands for; the file and its folder are made if they are not there. An error if it is a
/// link, or no file.
pub fn take(path: &Path, how: Held) -> io::Result<Taken> {
    // One who ends at this moment may remove what was just made.
    for _ in 0..TRIES {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        let lock = match links::lock(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            lock => lock?,
        };
        let locked = match how {
            Held::Alone => lock.try_lock(),
            Held::Shared => lock.try_lock_shared(),
        };
        match locked {
            Ok(()) if is_at(&lock, path) => return Ok(Taken::Ours(lock)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Taken::Theirs),
            Err(TryLockError::Error(_)) => return Ok(Taken::NoLocks),
        }
    }
    Ok(Taken::Theirs)
}

/// Whether an open file still is the one at a path.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |data: io::Result<fs::Metadata>| data.ok().map(|data| (data.dev(), data.ino()));
        of(file.metadata()) == of(fs::symlink_metadata(path))
    }
    // An open file cannot be removed there.
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}
