//! Hidden folders in which files are prepared, with a record of the files moved out of them. With
//! the record, other commands recognize these files before a report lists them, or if a command is
//! killed.

use super::checkpoint::links;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Prefix of the hidden folder's name, followed by the process id.
const PREFIX: &str = ".inundate-";

/// Longest name of the hidden folder (bytes): with a process id of 7 digits and 6 random letters.
pub const LONGEST_NAME: usize = PREFIX.len() + 7 + 1 + 6;

/// Name of the record in the folder, with one file name per line.
const RECORD: &str = ".made";

/// A hidden folder in an output folder, removed when dropped.
#[derive(Debug)]
pub struct Staging {
    folder: tempfile::TempDir,
    /// Created with the first name.
    record: Mutex<Option<File>>,
}

impl Staging {
    /// Creates a folder whose record starts with the names in `made`, and removes the folders of
    /// killed commands.
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
        // A failure is harmless: they are just left there.
        leftovers(out).iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
        Ok(staging)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Records that this command made a file, before it is moved into place.
    pub fn record(&self, name: &str) {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a record, the file of a killed command counts as the user's, and is kept.
        if record.is_none() {
            *record = File::create(self.path().join(RECORD)).ok();
        }
        let _ = record.iter_mut().try_for_each(|to| to.write_all(format!("{name}\n").as_bytes()));
    }

    /// Returns the names of the files that are ready, in ascending order.
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

/// Returns the names in the records of commands that are writing to a folder, or were killed
/// meanwhile.
pub fn recorded(out: &Path) -> Vec<String> {
    let read = |(folder, _): (PathBuf, i32)| links::text(&folder.join(RECORD));
    let texts: Vec<String> = folders(out).into_iter().filter_map(read).collect();
    texts.iter().flat_map(|text| text.lines().map(String::from)).collect()
}

/// Returns the hidden folders of killed commands, whose processes no longer exist.
fn leftovers(out: &Path) -> Vec<PathBuf> {
    let dead = folders(out).into_iter().filter(|(_, process)| !is_running(*process));
    dead.map(|(folder, _)| folder).collect()
}

/// Returns the hidden folders in an output folder, with the process ids from their names.
fn folders(out: &Path) -> Vec<(PathBuf, i32)> {
    let named = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let process = name.to_str()?.strip_prefix(PREFIX)?.split('-').next()?;
        Some((entry.path(), process.parse().ok()?))
    };
    fs::read_dir(out).into_iter().flatten().flatten().filter_map(named).collect()
}

/// Returns `true` if a process exists; `true` on systems where this cannot be checked.
fn is_running(process: i32) -> bool {
    #[cfg(unix)]
    // SAFETY: signal 0 is not delivered; `kill` only checks whether the process exists.
    return unsafe { libc::kill(process, 0) } == 0
        || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH);
    #[cfg(not(unix))]
    true
}
