//! Output folder of a study: links below it are not followed, and locks keep commands from
//! interfering with each other.

use super::row::MAPS;
use super::{LOG, RUNS, StudyRun};
use crate::error::{Error, Result};
use crate::output::checkpoint::links;
use crate::output::checkpoint::lock::{self, LockMode, LockResult};
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Lock for starting runs: exclusive for a command that starts all runs, shared by the tasks of a
/// job array.
const RUNNING: &str = ".running.lock";
/// Lock for writing the table and the maps.
const COLLECTING: &str = ".collecting.lock";
/// Lock in the folder of a run, held by the command that started it.
const STARTED: &str = ".started.lock";
/// Polling interval while waiting for a lock.
const POLL_EVERY: Duration = Duration::from_millis(100);

/// A lock on a part of a study's folder; its file is removed with it.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// `None` on file systems without locks.
    file: Option<File>,
}

impl Lock {
    fn take(folder: &Path, name: &str, how: LockMode) -> Result<Option<Lock>> {
        let path = folder.join(name);
        let file = match lock::take(&path, how).map_err(|why| links::unusable(&path, why))? {
            LockResult::Ours(file) => Some(file),
            LockResult::NoLocks => None,
            LockResult::Theirs => return Ok(None),
        };
        Ok(Some(Lock { path, file }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Leave the file if others share the lock.
        if self.file.as_ref().is_none_or(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Locks the study for starting runs: all of them, or some alongside other commands. Fails if
/// another command is in the way.
pub fn to_run(out: &Path, how: LockMode) -> Result<Lock> {
    let (who, then) = match how {
        LockMode::Alone => (
            "a study, or a task of it, is in progress",
            "; run tasks in parallel with --only or --array-task",
        ),
        LockMode::Shared => ("a study is in progress", ""),
    };
    Lock::take(out, RUNNING, how)?.ok_or_else(|| {
        Error::input(format!("out: {who} in '{}'", out.display())).hint(format!(
            "wait for it to end, stop it, or name another folder as the study's `out`{then}"
        ))
    })
}

/// Locks the study for writing its table and maps, waiting if necessary.
pub fn to_collect(out: &Path) -> Result<Lock> {
    let mut said = false;
    loop {
        if let Some(lock) = Lock::take(out, COLLECTING, LockMode::Alone)? {
            return Ok(lock);
        }
        if !std::mem::replace(&mut said, true) {
            errln!("note: waiting for another command that makes the maps of this study");
        }
        std::thread::sleep(POLL_EVERY);
    }
}

/// Locks the folder of a run; `None` if another command holds it.
pub fn to_start(folder: &Path) -> Result<Option<Lock>> {
    Lock::take(folder, STARTED, LockMode::Alone)
}

/// Fails if a folder inside a study's folder is reached through a link.
pub fn check_inside(out: &Path, folder: &Path) -> Result<()> {
    let mut path = out.to_path_buf();
    folder.components().try_for_each(|part| {
        path.push(part);
        links::check_folder(&path)
    })
}

/// Fails if anything that a study will write for these runs is reached through a link.
pub fn check(out: &Path, runs: &[&StudyRun]) -> Result<()> {
    check_inside(out, Path::new(MAPS))?;
    check_inside(out, Path::new(RUNS))?;
    for run in runs {
        check_inside(out, &run.folder())?;
        let log = out.join(run.folder()).join(LOG);
        if links::is(&log, |found: &Metadata| !found.is_file()) {
            return Err(links::unusable(&log, "it is a link, or not a file"));
        }
    }
    Ok(())
}
