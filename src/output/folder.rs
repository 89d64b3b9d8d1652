//! The output folder. Files are written in a hidden folder inside it and moved into place when whole,
//! so a run that fails or is killed leaves no half-written file under a real name.

use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The file that lists a finished run; it is moved into place last.
pub const REPORT: &str = "run.json";

/// Endings of the files that a run writes.
const OURS: [&str; 2] = [".tif", ".qml"];

/// An output folder in use.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    staging: tempfile::TempDir,
    /// Results of an earlier run, to be removed when the first new file is ready.
    earlier: Vec<PathBuf>,
    /// Names of what has been moved into place.
    published: Vec<String>,
}

impl OutputFolder {
    /// Makes the folder ready. Refuses one that holds earlier results, unless `overwrite`.
    /// `keys` are the layers whose files count as results.
    pub fn prepare(path: &Path, keys: &[&str], overwrite: bool) -> Result<OutputFolder> {
        let shown = path.display();
        let unusable = |error: std::io::Error| {
            Error::input(format!("out: cannot write in '{shown}': {error}"))
                .hint("choose another folder with --out, or mend its permissions")
        };
        let earlier = check(path, keys, overwrite)?;
        fs::create_dir_all(path).map_err(unusable)?;
        let staging =
            tempfile::Builder::new().prefix(".inundate-").tempdir_in(path).map_err(unusable)?;
        Ok(OutputFolder { path: path.to_path_buf(), staging, earlier, published: Vec::new() })
    }

    /// Where to write the file that is to be called `name`.
    pub fn staged(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Moves a finished file into place.
    pub fn publish(&mut self, name: &str) -> Result<()> {
        for old in self.earlier.drain(..) {
            // Gone already is as good as removed.
            let _ = fs::remove_file(old);
        }
        fs::rename(self.staged(name), self.path.join(name)).map_err(|error| {
            Error::run(format!("cannot move {name} into '{}': {error}", self.path.display()))
        })?;
        self.published.push(name.to_string());
        Ok(())
    }

    /// Writes a small text file, ready to be published.
    pub fn stage_text(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.staged(name), text).map_err(|error| {
            Error::run(format!("cannot write {name} in '{}': {error}", self.path.display()))
                .hint("is the disk full?")
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of what is in place.
    pub fn published(&self) -> &[String] {
        &self.published
    }
}

/// Looks whether a run may write in a folder without making anything; returns the earlier results
/// that `overwrite` allows to replace.
pub fn check(path: &Path, keys: &[&str], overwrite: bool) -> Result<Vec<PathBuf>> {
    let shown = path.display();
    if path.exists() && !path.is_dir() {
        return Err(Error::input(format!("out: '{shown}' is a file, not a folder"))
            .hint("choose another name with --out"));
    }
    let earlier = results_in(path, keys);
    if !earlier.is_empty() && !overwrite {
        return Err(Error::input(format!("out: '{shown}' holds the results of an earlier run"))
            .hint("choose another folder with --out, or replace them with --overwrite"));
    }
    Ok(earlier)
}

/// The files of an earlier run in a folder: its report, and rasters and styles named by a layer.
fn results_in(path: &Path, keys: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let ours = |key: &&str| {
                name.strip_prefix(*key)
                    .and_then(|rest| OURS.iter().find_map(|ending| rest.strip_suffix(ending)))
                    .is_some_and(|stamp| stamp.is_empty() || stamp.starts_with('_'))
            };
            name == REPORT || keys.iter().any(ours)
        })
        .collect()
}
