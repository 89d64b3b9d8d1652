//! Where checkpoints lie: a hidden folder in the output folder. The last two are kept; one is written under
//! another name and takes its place when it is on the disk, so that whenever a run is killed the last whole
//! one is there.

use crate::error::{Error, Kind, Result};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The hidden folder.
pub const FOLDER: &str = ".checkpoint";

/// The last checkpoint.
const LAST: &str = "last";
/// The one before.
const BEFORE: &str = "before";
/// The one that is being written.
const WRITING: &str = "writing";
/// Held by the run that writes here, whether it keeps checkpoints or not.
const LOCK: &str = "lock";
/// How often to try for a lock that others remove at the same time.
const TRIES: usize = 100;

/// The checkpoints of a run in an output folder, which no other run may touch meanwhile.
#[derive(Debug)]
pub struct Store {
    out: PathBuf,
    folder: PathBuf,
    /// Let go of when it is closed.
    _lock: Option<File>,
}

impl Store {
    /// Makes the checkpoints of an output folder one's own. An error if a run is under way there.
    pub fn open(out: &Path) -> Result<Store> {
        let folder = out.join(FOLDER);
        let unusable = |error: io::Error| {
            Error::input(format!("out: cannot write in '{}': {error}", folder.display()))
                .hint("mend its permissions, or choose another folder with --out")
        };
        let path = folder.join(LOCK);
        // A run that ends at this moment may remove what was just made.
        for _ in 0..TRIES {
            fs::create_dir_all(&folder).map_err(unusable)?;
            let lock = match File::create(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                lock => lock.map_err(unusable)?,
            };
            let lock = match lock.try_lock() {
                Ok(()) if is_at(&lock, &path) => Some(lock),
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => return Err(under_way(out)),
                // Some network disks have no locks.
                Err(TryLockError::Error(_)) => None,
            };
            return Ok(Store { out: out.to_path_buf(), folder, _lock: lock });
        }
        Err(under_way(out))
    }

    /// The output folder.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Its checkpoints, the last one first.
    pub fn found(&self) -> Vec<PathBuf> {
        found_in(&self.folder)
    }

    /// Writes a checkpoint. If that fails the ones before stay.
    pub fn replace(&self, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let [last, before, writing] = [LAST, BEFORE, WRITING].map(|name| self.folder.join(name));
        if last.exists() {
            // There is room for two on the disk, not always for three.
            gone(fs::remove_file(&before))?;
        }
        let written = File::create(&writing).and_then(|file| {
            write(&file)?;
            file.sync_all()
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&writing);
            return Err(error);
        }
        gone(fs::rename(&last, &before))?;
        fs::rename(&writing, &last)?;
        sync_folder(&self.folder)
    }

    /// The error of a run that failed: with how to go on, if that is any use.
    pub fn advise(&self, error: Error) -> Error {
        if error.kind != Kind::Run || self.found().is_empty() {
            return error;
        }
        let command = resume_command(&self.out);
        let then =
            format!("its last checkpoint is kept; when that is mended, go on with: {command}");
        let hint = error.hint.as_ref().map_or(then.clone(), |hint| format!("{hint} {then}"));
        error.hint(hint)
    }

    /// Removes the checkpoints: they are needed no more.
    pub fn discard(&self) {
        // The older one first: what a power cut leaves is the last one.
        for name in [BEFORE, WRITING, LAST] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

impl Drop for Store {
    /// Leaves nothing if there is no checkpoint.
    fn drop(&mut self) {
        if self.found().is_empty() {
            for name in [WRITING, LOCK] {
                let _ = fs::remove_file(self.folder.join(name));
            }
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Puts on the disk which files are in a folder.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return File::open(folder)?.sync_all();
    #[cfg(not(unix))]
    return Ok(());
}

/// Whether an open file still is the one at a path.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |data: io::Result<fs::Metadata>| data.ok().map(|data| (data.dev(), data.ino()));
        of(file.metadata()) == of(fs::metadata(path))
    }
    // An open file cannot be removed there.
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Whether an output folder has checkpoints.
pub fn has_checkpoint(out: &Path) -> bool {
    !found_in(&out.join(FOLDER)).is_empty()
}

/// An error if a run is under way in a folder.
pub fn check_free(out: &Path) -> Result<()> {
    let lock = File::open(out.join(FOLDER).join(LOCK));
    match lock.map(|lock| lock.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) => Err(under_way(out)),
        _ => Ok(()),
    }
}

fn under_way(out: &Path) -> Error {
    Error::input(format!("out: a run is under way in '{}'", out.display()))
        .hint("wait for its end or stop it, or choose another folder with --out")
}

/// The command that goes on with the run in a folder.
pub fn resume_command(out: &Path) -> String {
    let shown = out.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "._-/".contains(letter);
    let quoted = if shown.chars().all(plain) { shown } else { format!("'{shown}'") };
    format!("inundate resume {quoted}")
}

fn found_in(folder: &Path) -> Vec<PathBuf> {
    [LAST, BEFORE].map(|name| folder.join(name)).into_iter().filter(|path| path.is_file()).collect()
}

/// What is not there need not go.
fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
