//! The output folder. Files are written in a hidden folder inside it and moved into place when whole,
//! so a run that fails or is killed leaves no half-written file under a real name.

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

/// The file that lists a finished run; it is moved into place last.
pub const REPORT: &str = "run.json";

/// The report for people.
pub const PAGE: &str = "report.html";

/// The file of the state at the end.
pub const STATE: &str = "state.inundate";

/// The file of the gauges.
pub const GAUGES: &str = "gauges.csv";
/// The file of the sections.
pub const SECTIONS: &str = "sections.csv";
/// The table of points.
pub const POINTS_TABLE: &str = "points.csv";
/// The layer of them.
pub const POINTS_LAYER: &str = "points.gpkg";
/// The file of the balance of the volume.
pub const MASS_BALANCE: &str = "mass_balance.csv";

/// The file of a series in Zarr: a folder.
pub const ZARR: &str = "series.zarr";
/// That of one in NetCDF.
pub const NETCDF: &str = "series.nc";

/// The other files that every run writes.
const ALWAYS: [&str; 2] = [MASS_BALANCE, PAGE];

/// Files that some runs write. Other people's may have such names: they are ours beside the others.
const SOMETIMES: [&str; 8] =
    [STATE, GAUGES, SECTIONS, POINTS_TABLE, POINTS_LAYER, FEATURES, NETCDF, ZARR];

/// Endings of the files that a run writes beside its maps, and of those that `inundate animate` makes of these.
const OURS: [&str; 2] = ["qml", "gif"];

/// What GDAL and QGIS may leave beside a raster; it goes with the raster.
const SIDECAR: &str = ".aux.xml";

/// How the hidden folder's name begins; the process follows.
const STAGING: &str = ".inundate-";

/// An output folder in use.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    staging: tempfile::TempDir,
    /// Results of an earlier run, to be removed when the first new file is ready.
    earlier: Mutex<Vec<PathBuf>>,
    /// Names of what has been moved into place.
    published: Mutex<Vec<String>>,
}

/// What makes of an error that of something that cannot be written.
pub fn cannot_write<E: std::error::Error + Send + Sync + 'static>(
    what: impl Display,
) -> impl Fn(E) -> Error {
    move |error| Error::run(format!("cannot write {what}")).because(error).hint("is the disk full?")
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

impl OutputFolder {
    /// Makes the folder ready. Refuses one that holds earlier results, unless `overwrite`.
    /// `keys` are the layers whose files count as results.
    pub fn prepare(path: &Path, keys: &[&str], overwrite: bool) -> Result<OutputFolder> {
        let earlier = check(path, keys, overwrite)?;
        OutputFolder::with(path, earlier, Vec::new())
    }

    /// Makes the folder of a run ready that goes on: `published` is what it has moved into place, `earlier` what is
    /// still to give way.
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

    /// Where to write the file that is to be called `name`.
    pub fn staged(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Moves a finished file into place.
    pub fn publish(&self, name: &str) -> Result<()> {
        for old in std::mem::take(&mut *held(&self.earlier)) {
            // Gone already is as good as removed.
            let _ = if is_zarr(&old) { fs::remove_dir_all(old) } else { fs::remove_file(old) };
        }
        self.replace(name)?;
        held(&self.published).push(name.to_string());
        Ok(())
    }

    /// Puts a finished file in the place of one that is there already.
    pub fn replace(&self, name: &str) -> Result<()> {
        fs::rename(self.staged(name), self.path.join(name)).map_err(|error| {
            Error::run(format!("cannot move {name} into '{}'", self.path.display())).because(error)
        })
    }

    /// A file of it, for messages.
    pub fn named(&self, name: &str) -> String {
        format!("{name} in '{}'", self.path.display())
    }

    /// Writes a small text file, ready to be published.
    pub fn stage_text(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.staged(name), text).map_err(cannot_write(self.named(name)))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of what is in place.
    pub fn published(&self) -> Vec<String> {
        held(&self.published).clone()
    }

    /// Names of what is to give way to the first new file.
    pub fn earlier(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
        held(&self.earlier).iter().filter_map(name).collect()
    }
}

/// What nothing panics with.
fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Makes a hidden folder inside one for what is not whole yet, and removes those of runs that were killed.
pub fn staging(path: &Path) -> std::io::Result<tempfile::TempDir> {
    remove_leftovers(path);
    let prefix = format!("{STAGING}{}-", std::process::id());
    tempfile::Builder::new().prefix(&prefix).tempdir_in(path)
}

/// Removes the hidden folders of runs that were killed: their names hold the process, which is gone.
fn remove_leftovers(path: &Path) {
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(STAGING));
        let process = process.and_then(|rest| rest.split('-').next()?.parse::<i32>().ok());
        if process.is_some_and(|process| !is_running(process)) {
            // Left where it is, it harms nothing.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a process exists. Where that cannot be asked, it is taken to.
fn is_running(process: i32) -> bool {
    #[cfg(unix)]
    // SAFETY: signal 0 only asks whether the process exists.
    return unsafe { libc::kill(process, 0) } == 0
        || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH);
    #[cfg(not(unix))]
    true
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::input(format!("out: cannot write in '{}': {why}", path.display()))
        .hint("choose another folder with --out, or mend its permissions")
}

/// Looks whether a run may write in a folder without making anything; returns the earlier results
/// that `overwrite` allows to replace.
pub fn check(path: &Path, keys: &[&str], overwrite: bool) -> Result<Vec<PathBuf>> {
    let earlier = look(path, keys, overwrite)?;
    if !earlier.is_empty() && !overwrite {
        return Err(Error::input(holds_results(path))
            .hint("choose another folder with --out, or replace them with --overwrite"));
    }
    Ok(earlier)
}

/// Says that a folder holds earlier results.
pub fn holds_results(path: &Path) -> String {
    format!("out: '{}' holds the results of an earlier run", path.display())
}

/// The same as [`check`], for one who does not write: earlier results are no error, whatever `overwrite` says.
pub fn look(path: &Path, keys: &[&str], overwrite: bool) -> Result<Vec<PathBuf>> {
    let shown = path.display();
    if path.exists() && !path.is_dir() {
        return Err(Error::input(format!("out: '{shown}' is a file, not a folder"))
            .hint("choose another name with --out"));
    }
    if path.as_os_str().is_empty() {
        return Err(Error::input("out: it is empty").hint("name a folder: --out results"));
    }
    // A link to nothing, or a name that no folder can have.
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
    // A file without a name, gone when it is closed.
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

/// Refuses a folder whose project someone has saved in QGIS: a run would replace it.
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

/// The files of an earlier run in a folder: its report, its project, and rasters and styles named by a layer.
fn results_in(path: &Path, keys: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let is_a_run = [REPORT, MASS_BALANCE].iter().any(|name| path.join(name).exists());
    let is_result = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        is_result(&name, keys, is_a_run)
    };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(is_result).collect()
}

/// Whether a name is the bare name of a file that a run can have made, or of what GDAL leaves beside one: its report, its
/// project, its tables, or a raster or style named by one of the layers `keys`. Some tables have names that other people's
/// may have, too: they count in the folder of a run (`is_a_run`).
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

/// Whether a file of a run is a series in Zarr, which is a folder.
fn is_zarr(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ZARR) && path.join(".zmetadata").is_file()
}

/// The name, without extension, of a layer's file for a depth (m).
pub fn above(key: &str, depth: f64) -> String {
    format!("{key}_above_{depth}m")
}

/// Whether the end of a name is one that [`above`] gives.
fn is_above(text: &str) -> bool {
    let depth = text.strip_prefix("_above_").and_then(|depth| depth.strip_suffix('m'));
    depth.is_some_and(|depth| depth.parse::<f64>().is_ok())
}
