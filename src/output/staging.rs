//! Hidden folders in which files are made ready, with a record of what was moved out of them: from it other commands know
//! these files before a report lists them, and after one was killed.

use super::checkpoint::links;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How the hidden folder's name begins; the process follows.
const PREFIX: &str = ".inundate-";

/// The record in it: a name a line.
const RECORD: &str = ".made";

/// A hidden folder in an output folder. It goes when it is dropped.
#[derive(Debug)]
pub struct Staging {
    folder: tempfile::TempDir,
    /// There from the first name on.
    record: Mutex<Option<File>>,
}

impl Staging {
    /// Makes one that takes over the names in `made`, and removes those of commands that were killed.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn new<T: AsRef<str>>(
        out: &Path,
        made: impl IntoIterator<Item = T>,
    ) -> io::Result<Staging> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(out)?;
        let staging = Staging { folder, record: Mutex::new(None) };
        made.into_iter().for_each(|name| staging.record(name.as_ref()));
        // Left where they are, they harm nothing.
        leftovers(out).iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
        Ok(staging)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Notes, before it is in place, that this command made a file.
    pub fn record(&self, name: &str) {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        // Without it the file of a command that is killed is taken for somebody else's, and kept.
        if record.is_none() {
            *record = File::create(self.path().join(RECORD)).ok();
        }
        let _ = record.iter_mut().try_for_each(|to| to.write_all(format!("{name}\n").as_bytes()));
    }

    /// Names of the files that are ready, in rising order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn ready(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path())? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.retain(|name| name != RECORD);
        names.sort();
        Ok(names)
    }
}

/// Names in the records of commands that write to a folder, or were killed while they did.
pub fn recorded(out: &Path) -> Vec<String> {
    let read = |(folder, _): (PathBuf, i32)| links::text(&folder.join(RECORD));
    let texts: Vec<String> = folders(out).into_iter().filter_map(read).collect();
    texts.iter().flat_map(|text| text.lines().map(String::from)).collect()
}

/// The hidden folders of commands that were killed: their processes are gone.
fn leftovers(out: &Path) -> Vec<PathBuf> {
    let dead = folders(out).into_iter().filter(|(_, process)| !is_running(*process));
    dead.map(|(folder, _)| folder).collect()
}

/// The hidden folders in an output folder, with the processes that their names hold.
fn folders(out: &Path) -> Vec<(PathBuf, i32)> {
    let named = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let process = name.to_str()?.strip_prefix(PREFIX)?.split('-').next()?;
        Some((entry.path(), process.parse().ok()?))
    };
    fs::read_dir(out).into_iter().flatten().flatten().filter_map(named).collect()
}

/// Whether a process exists. Where that cannot be asked, it is taken to.
fn is_running(process: i32) -> bool {
    #[cfg(unix)]
    // SAFETY: signal 0 only asks whether the process exists.
    return unsafe { libc::kill(process, 0) } == 0
        || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH);
    #[cfg(not(unix))]
    true
}
