//! The output folder. Files are written to a hidden folder inside it and moved into place when
//! complete, so a run that fails or is killed leaves no partial file under a real name.

use crate::engine::clock::is_stamp;
use crate::error::{Error, Result};
use crate::output::checkpoint::store::{has_checkpoint, resume_command};
use crate::output::features::FEATURES;
use crate::output::format::FORMATS;
use crate::output::project::{PROJECT, is_saved_by_qgis};
use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// Report of a finished run, in JSON; it is published last.
pub const REPORT: &str = "run.json";

/// HTML report for people.
pub const PAGE: &str = "report.html";

/// Final state of the run.
pub const STATE: &str = "state.inundate";

/// Table of the gauges.
pub const GAUGES: &str = "gauges.csv";
/// Table of the sections.
pub const SECTIONS: &str = "sections.csv";
/// Table of the points' results.
pub const POINTS_TABLE: &str = "points.csv";
/// GeoPackage layer of the points' results.
pub const POINTS_LAYER: &str = "points.gpkg";
/// Table of the mass balance.
pub const MASS_BALANCE: &str = "mass_balance.csv";

/// Series in Zarr, which is a folder.
pub const ZARR: &str = "series.zarr";
/// Series as a NetCDF file.
pub const NETCDF: &str = "series.nc";

/// Other files that every run writes.
const ALWAYS: [&str; 2] = [MASS_BALANCE, PAGE];

/// Files that only some runs write. Their names are common, so they count as ours only beside other
/// results.
const SOMETIMES: [&str; 8] =
    [STATE, GAUGES, SECTIONS, POINTS_TABLE, POINTS_LAYER, FEATURES, NETCDF, ZARR];

/// Extensions of the files written beside the maps, and by `inundate animate` from them.
const OURS: [&str; 2] = ["qml", "gif"];

/// Extension of what GDAL and QGIS may leave beside a raster; removed with the raster.
const SIDECAR: &str = ".aux.xml";

/// Prefix of the hidden folder's name, followed by the process id.
const STAGING: &str = ".inundate-";

/// An output folder in use.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    staging: tempfile::TempDir,
    /// Results of an earlier run, to be removed when the first new file is ready.
    earlier: Mutex<Vec<PathBuf>>,
    /// Names of the published files.
    published: Mutex<Vec<String>>,
}

/// Returns a function that wraps an error as a failure to write `what`.
pub fn cannot_write<E: std::error::Error + Send + Sync + 'static>(
    what: impl Display,
) -> impl Fn(E) -> Error {
    move |error| Error::run(format!("cannot write {what}")).because(error).hint("is the disk full?")
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

impl OutputFolder {
    /// Prepares the folder. Refuses one with earlier results, unless `overwrite` is set. `keys` are
    /// the layers whose files count as results.
    pub fn prepare(path: &Path, keys: &[&str], overwrite: bool) -> Result<OutputFolder> {
        let earlier = check(path, keys, overwrite)?;
        OutputFolder::with(path, earlier, Vec::new())
    }

    /// Prepares the folder of a resumed run: `published` lists the files that it has published,
    /// `earlier` those still to be replaced.
    pub fn reopen(path: &Path, earlier: &[String], published: &[String]) -> Result<OutputFolder> {
        let earlier = earlier.iter().map(|name| path.join(name)).collect();
        OutputFolder::with(path, earlier, published.to_vec())
    }

    fn with(path: &Path, earlier: Vec<PathBuf>, published: Vec<String>) -> Result<OutputFolder> {
        let unusable = |error: std::io::Error| unusable(path, &error);
        fs::create_dir_all(path).map_err(unusable)?;
        let staging = staging(path).map_err(unusable)?;
        let (earlier, published) = (Mutex::new(earlier), Mutex::new(published));
        Ok(OutputFolder { path: path.to_path_buf(), staging, earlier, published })
    }

    /// Returns the staging path of a file.
    pub fn staged(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Moves a finished file into place.
    pub fn publish(&self, name: &str) -> Result<()> {
        for old in std::mem::take(&mut *held(&self.earlier)) {
            // Files that are already gone need no removal.
            let _ = if is_zarr(&old) { fs::remove_dir_all(old) } else { fs::remove_file(old) };
        }
        self.replace(name)?;
        held(&self.published).push(name.to_string());
        Ok(())
    }

    /// Moves a finished file into place, replacing an existing one.
    pub fn replace(&self, name: &str) -> Result<()> {
        fs::rename(self.staged(name), self.path.join(name)).map_err(|error| {
            Error::run(format!("cannot move {name} into '{}'", self.path.display())).because(error)
        })
    }

    /// Describes a file of the folder in messages.
    pub fn named(&self, name: &str) -> String {
        format!("{name} in '{}'", self.path.display())
    }

    /// Writes a small text file, ready to be published.
    pub fn stage_text(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.staged(name), text).map_err(cannot_write(self.named(name)))
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of the published files.
    pub fn published(&self) -> Vec<String> {
        held(&self.published).clone()
    }

    /// Returns the names of the files that the first new file will replace.
    pub fn earlier(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
        held(&self.earlier).iter().filter_map(name).collect()
    }
}

/// Locks a mutex, ignoring poisoning.
fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Creates a hidden folder for unfinished files inside a folder, and removes leftover ones of
/// killed runs.
pub fn staging(path: &Path) -> std::io::Result<tempfile::TempDir> {
    remove_leftovers(path);
    let prefix = format!("{STAGING}{}-", std::process::id());
    tempfile::Builder::new().prefix(&prefix).tempdir_in(path)
}

/// Removes the hidden folders of killed runs, recognized by process ids that no longer exist.
fn remove_leftovers(path: &Path) {
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(STAGING));
        let process = process.and_then(|rest| rest.split('-').next()?.parse::<i32>().ok());
        if process.is_some_and(|process| !is_running(process)) {
            // A failure is harmless.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether a process exists; true where that cannot be determined.
fn is_running(process: i32) -> bool {
    #[cfg(unix)]
    // SAFETY: signal 0 only tests whether the process exists.
    return unsafe { libc::kill(process, 0) } == 0
        || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH);
    #[cfg(not(unix))]
    true
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::input(format!("out: cannot write in '{}': {why}", path.display()))
        .hint("choose another folder with --out, or mend its permissions")
}

/// Checks whether a run may write to a folder, without creating anything; returns the earlier
/// results that `overwrite` allows it to replace.
pub fn check(path: &Path, keys: &[&str], overwrite: bool) -> Result<Vec<PathBuf>> {
    let earlier = look(path, keys, overwrite)?;
    if !earlier.is_empty() && !overwrite {
        return Err(Error::input(holds_results(path))
            .hint("choose another folder with --out, or replace them with --overwrite"));
    }
    Ok(earlier)
}

/// Describes a folder with earlier results in messages.
pub fn holds_results(path: &Path) -> String {
    format!("out: '{}' holds the results of an earlier run", path.display())
}

/// Like [`check`], for a caller that does not write: earlier results are not an error, whatever
/// `overwrite` is.
pub fn look(path: &Path, keys: &[&str], overwrite: bool) -> Result<Vec<PathBuf>> {
    let shown = path.display();
    if path.exists() && !path.is_dir() {
        return Err(Error::input(format!("out: '{shown}' is a file, not a folder"))
            .hint("choose another name with --out"));
    }
    if path.as_os_str().is_empty() {
        return Err(Error::input("out: it is empty").hint("name a folder: --out results"));
    }
    // A dangling link, or an invalid name.
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() && !path.exists() => {
            return Err(unusable(path, &"it is a link to nothing"));
        }
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(unusable(path, &error));
        }
        _ => {}
    }
    let there = path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        let why = format!("'{}' is a file, not a folder", there.display());
        return Err(unusable(path, &why));
    }
    // A nameless file, which is removed when closed.
    tempfile::tempfile_in(there).map_err(|error| unusable(path, &error))?;
    if has_checkpoint(path) && !overwrite {
        let command = resume_command(path);
        return Err(Error::input(format!("out: '{shown}' holds a run that was stopped"))
            .hint(format!("start anew with --overwrite, or choose another folder with --out, or go on with: {command}")));
    }
    spare_project(path)?;
    let earlier = results_in(path, keys);
    if let Some(folder) = earlier.iter().find(|found| found.is_dir() && !is_zarr(found)) {
        let what = format!(
            "out: '{}' is a folder, and a run writes files of such names",
            folder.display()
        );
        return Err(
            Error::input(what).hint("rename or remove it, or choose another folder with --out")
        );
    }
    Ok(earlier)
}

/// Refuses a folder whose project was saved by someone in QGIS, because a run would replace it.
pub fn spare_project(path: &Path) -> Result<()> {
    let project = path.join(PROJECT);
    if !is_saved_by_qgis(&project) {
        return Ok(());
    }
    Err(Error::input(format!(
        "out: '{}' was saved in QGIS, and this run would replace it",
        project.display()
    ))
    .hint("save it in QGIS under another name and remove this one, or choose another folder with --out"))
}

/// Refuses a run whose `inputs` are among the `earlier` results that it would replace.
pub fn spare_inputs<'a>(
    earlier: &[PathBuf],
    inputs: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let real = |path: &Path| fs::canonicalize(path).ok();
    for input in inputs {
        let there = real(Path::new(input));
        if there.is_some() && earlier.iter().any(|file| real(file) == there) {
            return Err(Error::input(format!(
                "out: '{input}' is an input of this run, which would replace it"
            ))
            .hint("choose another folder with --out, or rename the input"));
        }
    }
    Ok(())
}

/// Returns the files of an earlier run in a folder: report, project, and rasters and styles named
/// after a layer.
fn results_in(path: &Path, keys: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let is_a_run = [REPORT, MASS_BALANCE].iter().any(|name| path.join(name).exists());
    let is_result = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        is_result(&name, keys, is_a_run)
    };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(is_result).collect()
}

/// Returns whether a name is the bare name of a file that a run may have written, or of a file that
/// GDAL leaves beside one: report, project, tables, or a raster or style named after one of the
/// layers `keys`. Some tables have common names, which count only in the folder of a run
/// (`is_a_run`).
pub fn is_result(name: &str, keys: &[&str], is_a_run: bool) -> bool {
    let name = name.strip_suffix(SIDECAR).unwrap_or(name);
    let ours = |key: &&str| {
        let mut endings = FORMATS.iter().map(|format| &format.endings[0]).chain(&OURS);
        name.strip_prefix(*key)
            .and_then(|rest| endings.find_map(|end| rest.strip_suffix(end)?.strip_suffix('.')))
            .is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('_').is_some_and(is_stamp) || is_above(rest)
            })
    };
    [REPORT, PROJECT].contains(&name)
        || ALWAYS.contains(&name)
        || (is_a_run && SOMETIMES.contains(&name))
        || keys.iter().any(ours)
}

/// Returns whether a file of a run is a Zarr series, which is a folder.
fn is_zarr(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ZARR) && path.join(".zmetadata").is_file()
}

/// Returns the name, without extension, of a layer's file for a depth (m).
pub fn above(key: &str, depth: f64) -> String {
    format!("{key}_above_{depth}m")
}

/// Returns whether a suffix could be from [`above`].
fn is_above(text: &str) -> bool {
    let depth = text.strip_prefix("_above_").and_then(|depth| depth.strip_suffix('m'));
    depth.is_some_and(|depth| depth.parse::<f64>().is_ok())
}
