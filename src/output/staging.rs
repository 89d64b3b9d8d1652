//! Hidden folders in which files are made ready, with a record of what was moved out of them: from it a later command
//! knows the files of one that was killed.

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
    record: Mutex<File>,
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
        let record = Mutex::new(File::create(folder.path().join(RECORD))?);
        let staging = Staging { folder, record };
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
        let _ = record.write_all(format!("{name}\n").as_bytes());
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

/// Names in the records of commands that were killed while they wrote to a folder.
pub fn recorded(out: &Path) -> Vec<String> {
    let texts = leftovers(out).into_iter().filter_map(|folder| links::text(&folder.join(RECORD)));
    let texts: Vec<String> = texts.collect();
    texts.iter().flat_map(|text| text.lines().map(String::from)).collect()
}

/// The hidden folders of commands that were killed: their names hold the process, which is gone.
fn leftovers(out: &Path) -> Vec<PathBuf> {
    let of_dead = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let process = process.and_then(|process| process.parse::<i32>().ok());
        process.is_some_and(|process| !is_running(process))
    };
    let entries = fs::read_dir(out).into_iter().flatten().flatten();
    entries.filter(of_dead).map(|entry| entry.path()).collect()
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
