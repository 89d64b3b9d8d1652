//! Where checkpoints lie: a hidden folder in the output folder. The last two are kept; one is written under
//! another name and takes its place when it is on the disk and was read back, so that whenever a run is killed the
//! last whole one is there. Others may have filled the folder: no link in it is followed.

use super::lock::{self, Held, Taken};
use super::{file, links};
use crate::error::{Error, Failure, Result};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

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

/// The checkpoints of a run in an output folder, which no other run may touch meanwhile.
#[derive(Debug)]
pub struct Store {
    out: PathBuf,
    folder: PathBuf,
    /// Whether the last one is whole: this run wrote it, or went on from it.
    last_is_whole: AtomicBool,
    /// Let go of when it is closed.
    _lock: Option<File>,
}

impl Store {
    /// Makes the checkpoints of an output folder one's own. An error if a run is under way there.
    pub fn open(out: &Path) -> Result<Store> {
        let folder = out.join(FOLDER);
        let path = folder.join(LOCK);
        links::check_folder(&folder)?;
        let lock =
            match lock::take(&path, Held::Alone).map_err(|why| links::unusable(&path, why))? {
                Taken::Ours(lock) => Some(lock),
                Taken::NoLocks => None,
                Taken::Theirs => return Err(under_way(out)),
            };
        let last_is_whole = AtomicBool::new(false);
        Ok(Store { out: out.to_path_buf(), folder, last_is_whole, _lock: lock })
    }

    /// The output folder.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Its checkpoints, the last one first.
    pub fn found(&self) -> Vec<PathBuf> {
        found_in(&self.folder)
    }

    /// Says which of [`Store::found`] the run goes on from: it stays until a newer one is whole.
    pub fn goes_on_from(&self, path: &Path) {
        self.last_is_whole.store(path == self.folder.join(LAST), Ordering::Relaxed);
    }

    /// Writes a checkpoint, and reads it back. If that fails the last whole one stays.
    pub fn replace(&self, mut write: impl FnMut(&File) -> io::Result<()>) -> io::Result<()> {
        let [last, before, writing] = [LAST, BEFORE, WRITING].map(|name| self.folder.join(name));
        let mut written = write_whole(&writing, &mut write);
        // There is room for two on the disk, not always for three.
        if written.as_ref().is_err_and(is_full) && self.make_room()? {
            written = write_whole(&writing, &mut write);
        }
        if let Err(error) = written {
            let _ = fs::remove_file(&writing);
            return Err(error);
        }
        if self.last_is_whole.load(Ordering::Relaxed) {
            gone(fs::rename(&last, &before))?;
        }
        fs::rename(&writing, &last)?;
        self.last_is_whole.store(true, Ordering::Relaxed);
        sync_folder(&self.folder)
    }

    /// Removes the one of two checkpoints that is not needed, if the other is whole; says whether there is more room now.
    fn make_room(&self) -> io::Result<bool> {
        let [last, before] = [LAST, BEFORE].map(|name| self.folder.join(name));
        let (kept, other) = if self.last_is_whole.load(Ordering::Relaxed) {
            (&last, &before)
        } else {
            (&before, &last)
        };
        if !other.exists()
            || file::Reader::open::<serde_json::Value>(kept, file::CHECKPOINT).is_err()
        {
            return Ok(false);
        }
        fs::remove_file(other)?;
        Ok(true)
    }

    /// The error of a run that failed: with how to go on, if that is any use.
    pub fn advise(&self, error: Error) -> Error {
        if error.kind != Failure::Run || self.found().is_empty() {
            return error;
        }
        let command = resume_command(&self.out);
        let then =
            format!("its last checkpoint is kept; when that is mended, go on with: {command}");
        let hint = error.hint.as_ref().map_or(then.clone(), |hint| format!("{hint}; {then}"));
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
        remove_lock(&self.out);
    }
}

/// Puts on the disk which files are in a folder.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return File::open(folder)?.sync_all();
    #[cfg(not(unix))]
    return Ok(());
}

/// The checkpoints in an output folder, the last one first.
pub fn found(out: &Path) -> Vec<PathBuf> {
    found_in(&out.join(FOLDER))
}

/// Whether an output folder has checkpoints.
pub fn has_checkpoint(out: &Path) -> bool {
    !found(out).is_empty()
}

/// An error if a run is under way in a folder.
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
    Error::input(format!("out: a run is under way in '{}'", out.display()))
        .hint("wait for its end or stop it, or choose another folder with --out")
}

/// Removes what a run without checkpoints leaves where they would be.
pub fn remove_lock(out: &Path) {
    let folder = out.join(FOLDER);
    if links::is(&folder, fs::Metadata::is_dir) && found_in(&folder).is_empty() {
        for name in [WRITING, LOCK] {
            let _ = fs::remove_file(folder.join(name));
        }
        let _ = fs::remove_dir(&folder);
    }
}

/// The command that goes on with the run in a folder.
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

/// Writes a file that must not be there, sees that it is on the disk, and reads it back.
fn write_whole(path: &Path, write: &mut impl FnMut(&File) -> io::Result<()>) -> io::Result<()> {
    let to = links::fresh(path)?;
    write(&to)?;
    to.sync_all()?;
    match file::Reader::open::<serde_json::Value>(path, file::CHECKPOINT) {
        Ok(_) => Ok(()),
        Err(flaw) => {
            Err(io::Error::other(format!("what was written is not what is there: {flaw}")))
        }
    }
}

/// Whether the disk, or the user's share of it, is full.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What is not there need not go.
fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
