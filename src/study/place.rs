//! The output folder of a study: no link below it is followed, and commands that would run into each other know of each other.

use super::row::MAPS;
use super::{LOG, RUNS, Run};
use crate::error::{Error, Result};
use crate::output::checkpoint::links;
use crate::output::checkpoint::lock::{self, Held, Taken};
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Held by who starts runs: alone by one who starts them all, shared by the tasks of an array.
const RUNNING: &str = ".running.lock";
/// Held by who makes the table and the maps.
const COLLECTING: &str = ".collecting.lock";
/// Held in the folder of a run by who has started it.
const STARTED: &str = ".started.lock";
/// Between two looks at a lock that is waited for.
const LOOK: Duration = Duration::from_millis(100);

/// A lock on a part of a study's folder; its file goes with it.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// None on disks that have no locks.
    file: Option<File>,
}

impl Lock {
    fn take(folder: &Path, name: &str, how: Held) -> Result<Option<Lock>> {
        let path = folder.join(name);
        let file = match lock::take(&path, how).map_err(|why| links::unusable(&path, why))? {
            Taken::Ours(file) => Some(file),
            Taken::NoLocks => None,
            Taken::Theirs => return Ok(None),
        };
        Ok(Some(Lock { path, file }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Others who share it go on holding it.
        if self.file.as_ref().is_none_or(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The right to start runs of a study: all of them, or some beside others who do. An error if another command is in the way.
pub fn to_run(out: &Path, how: Held) -> Result<Lock> {
    let (who, then) = match how {
        Held::Alone => (
            "a study, or a task of it, is under way",
            "; its tasks go on side by side with --only or --array-task",
        ),
        Held::Shared => ("a study is under way", ""),
    };
    Lock::take(out, RUNNING, how)?.ok_or_else(|| {
        Error::input(format!("out: {who} in '{}'", out.display())).hint(format!(
            "wait for its end or stop it, or name another folder as the study's `out`{then}"
        ))
    })
}

/// The right to make the table and the maps of a study, for which it waits.
pub fn to_collect(out: &Path) -> Result<Lock> {
    let mut said = false;
    loop {
        if let Some(lock) = Lock::take(out, COLLECTING, Held::Alone)? {
            return Ok(lock);
        }
        if !std::mem::replace(&mut said, true) {
            tell!("note: waiting for another command that makes the maps of this study");
        }
        std::thread::sleep(LOOK);
    }
}

/// The right to write in the folder of a run; none if another command has it.
pub fn to_start(folder: &Path) -> Result<Option<Lock>> {
    Lock::take(folder, STARTED, Held::Alone)
}

/// An error if the way to a folder that a study keeps below its own leads elsewhere, by a link.
pub fn check_inside(out: &Path, folder: &Path) -> Result<()> {
    let mut path = out.to_path_buf();
    folder.components().try_for_each(|part| {
        path.push(part);
        links::check_folder(&path)
    })
}

/// An error if what a study is to write for these runs would lie elsewhere, by a link.
pub fn check(out: &Path, runs: &[&Run]) -> Result<()> {
    check_inside(out, Path::new(MAPS))?;
    check_inside(out, Path::new(RUNS))?;
    for run in runs {
        check_inside(out, &run.folder())?;
        let log = out.join(run.folder()).join(LOG);
        if links::is(&log, |found: &Metadata| !found.is_file()) {
            return Err(links::unusable(&log, "it is a link, or no file"));
        }
    }
    Ok(())
}
