//! Location of checkpoints: a hidden folder in the output folder. The latest two are kept. A new
//! one is written under a temporary name and renamed once it is on disk and has been read back, so
//! that an intact checkpoint exists whenever a run is killed. Others may have manipulated the
//! folder, so links in it are not followed.

use super::lock::{self, LockMode, LockResult};
use super::{file, links};
use crate::error::{Error, Failure, Result};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Name of the hidden folder.
pub const FOLDER: &str = ".checkpoint";

/// Name of the latest checkpoint.
const LAST: &str = "last";
/// Name of the previous checkpoint.
const BEFORE: &str = "before";
/// Name of a checkpoint being written.
const WRITING: &str = "writing";
/// Lock held by the run that uses the folder, whether it writes checkpoints or not.
const LOCK: &str = "lock";

/// Checkpoints of a run in an output folder, locked against other runs.
#[derive(Debug)]
pub struct Store {
    out: PathBuf,
    folder: PathBuf,
    /// Set if the latest checkpoint is known to be intact: this run wrote it or was resumed from
    /// it.
    last_is_whole: AtomicBool,
    /// Released when it is closed.
    _lock: Option<File>,
}

impl Store {
    /// Locks the checkpoints of an output folder. Fails if a run is in progress there.
    pub fn open(out: &Path) -> Result<Store> {
        let folder = out.join(FOLDER);
        let path = folder.join(LOCK);
        links::check_folder(&folder)?;
        let lock =
            match lock::take(&path, LockMode::Alone).map_err(|why| links::unusable(&path, why))? {
                LockResult::Ours(lock) => Some(lock),
                LockResult::NoLocks => None,
                LockResult::Theirs => return Err(under_way(out)),
            };
        let last_is_whole = AtomicBool::new(false);
        Ok(Store { out: out.to_path_buf(), folder, last_is_whole, _lock: lock })
    }

    /// Returns the output folder.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Returns the checkpoints, the latest first.
    pub fn found(&self) -> Vec<PathBuf> {
        found_in(&self.folder)
    }

    /// Marks the checkpoint of [`Store::found`] from which the run is resumed; it is kept until a
    /// newer one is intact.
    pub fn goes_on_from(&self, path: &Path) {
        self.last_is_whole.store(path == self.folder.join(LAST), Ordering::Relaxed);
    }

    /// Writes a checkpoint and reads it back. If that fails, the latest intact one is kept.
    pub fn replace(&self, mut write: impl FnMut(&File) -> io::Result<()>) -> io::Result<()> {
        let [last, before, writing] = [LAST, BEFORE, WRITING].map(|name| self.folder.join(name));
        let mut written = write_whole(&writing, &mut write);
        // The disk may have room for two but not for three.
        if written.as_ref().is_err_and(is_full) && self.make_room()? {
            written = write_whole(&writing, &mut write);
        }
        if let Err(error) = written {
            let _ = fs::remove_file(&writing);
            return Err(error);
        }
        if self.last_is_whole.load(Ordering::Relaxed) {
            links::gone(fs::rename(&last, &before))?;
        }
        fs::rename(&writing, &last)?;
        self.last_is_whole.store(true, Ordering::Relaxed);
        sync_folder(&self.folder)
    }

    /// Removes the dispensable one of two checkpoints, if the other is intact; returns `true` if it
    /// freed space.
    fn make_room(&self) -> io::Result<bool> {
        let [last, before] = [LAST, BEFORE].map(|name| self.folder.join(name));
        let (kept, other) = if self.last_is_whole.load(Ordering::Relaxed) {
            (&last, &before)
        } else {
            (&before, &last)
        };
        if !other.exists()
            || file::CheckpointReader::open::<serde_json::Value>(kept, file::CHECKPOINT).is_err()
        {
            return Ok(false);
        }
        fs::remove_file(other)?;
        Ok(true)
    }

    /// Adds a hint on how to resume to the error of a failed run, if that is possible.
    pub fn advise(&self, error: Error) -> Error {
        if error.kind != Failure::Run || self.found().is_empty() {
            return error;
        }
        let command = resume_command(&self.out);
        let then =
            format!("its last checkpoint is kept; when this is fixed, continue with: {command}");
        let hint = error.hint.as_ref().map_or(then.clone(), |hint| format!("{hint}; {then}"));
        error.hint(hint)
    }

    /// Removes the checkpoints of a completed run.
    pub fn discard(&self) {
        // Remove the older one first, so that a power failure leaves the latest one.
        for name in [BEFORE, WRITING, LAST] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

impl Drop for Store {
    /// Leaves nothing behind unless there is a checkpoint.
    fn drop(&mut self) {
        remove_lock(&self.out);
    }
}

/// Syncs the entries of a folder to disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return File::open(folder)?.sync_all();
    #[cfg(not(unix))]
    return Ok(());
}

/// Returns the checkpoints in an output folder, the latest first.
pub fn found(out: &Path) -> Vec<PathBuf> {
    found_in(&out.join(FOLDER))
}

/// Returns `true` if an output folder has checkpoints.
pub fn has_checkpoint(out: &Path) -> bool {
    !found(out).is_empty()
}

/// Fails if a run is in progress in a folder.
pub fn check_free(out: &Path) -> Result<()> {
    let folder = out.join(FOLDER);
    links::check_folder(&folder)?;
    let lock = links::read(&folder.join(LOCK));
    match lock.map(|lock| lock.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) => Err(under_way(out)),
        _ => Ok(()),
    }
}

fn under_way(out: &Path) -> Error {
    Error::input(format!("out: a run is in progress in '{}'", out.display()))
        .hint("wait for it to end, stop it, or choose another folder with --out")
}

/// Removes the lock and the hidden folder after a run without checkpoints.
pub fn remove_lock(out: &Path) {
    let folder = out.join(FOLDER);
    if links::is(&folder, fs::Metadata::is_dir) && found_in(&folder).is_empty() {
        for name in [WRITING, LOCK] {
            let _ = fs::remove_file(folder.join(name));
        }
        let _ = fs::remove_dir(&folder);
    }
}

/// Returns the command that resumes the run in a folder.
pub fn resume_command(out: &Path) -> String {
    let shown = out.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "._-/".contains(letter);
    let quoted = if shown.chars().all(plain) { shown } else { format!("'{shown}'") };
    format!("inundate resume {quoted}")
}

fn found_in(folder: &Path) -> Vec<PathBuf> {
    if !links::is(folder, fs::Metadata::is_dir) {
        return Vec::new();
    }
    let all = [LAST, BEFORE].map(|name| folder.join(name));
    all.into_iter().filter(|path| links::is(path, fs::Metadata::is_file)).collect()
}

/// Creates a file, syncs it to disk, and reads it back.
fn write_whole(path: &Path, write: &mut impl FnMut(&File) -> io::Result<()>) -> io::Result<()> {
    let to = links::fresh(path)?;
    write(&to)?;
    to.sync_all()?;
    match file::CheckpointReader::open::<serde_json::Value>(path, file::CHECKPOINT) {
        Ok(_) => Ok(()),
        Err(flaw) => Err(io::Error::other(format!(
            "it reads back differently from what was written: {flaw}"
        ))),
    }
}

/// Returns `true` if the disk or the user's quota is full.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
