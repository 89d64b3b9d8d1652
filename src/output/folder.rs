//! The output folder. Files are written to a hidden folder inside it and moved into place when
//! complete, so a run that fails or is killed leaves no partial file under a real name.

use crate::engine::clock::is_stamp;
use crate::error::{Error, Result};
use crate::output::checkpoint::store::{check_free, has_checkpoint, resume_command};
use crate::output::features::FEATURES;
use crate::output::format::FORMATS;
use crate::output::layers::LAYERS;
use crate::output::own_files::{MadeFiles, Maker, SIDECAR};
use crate::output::project::{PROJECT, is_saved_by_qgis};
use crate::output::staging::Staging;
use serde::Serialize;
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
/// Extents of the flood, as polygons.
pub const EXTENTS: &str = "extents.gpkg";
/// Table of the mass balance.
pub const MASS_BALANCE: &str = "mass_balance.csv";

/// Table of the heads and discharges at the nodes of a sewer network.
pub const SEWERS: &str = "sewers.csv";
/// Table of the peaks and volumes at those nodes.
pub const SEWER_NODES: &str = "sewer_nodes.csv";
/// SWMM's report.
pub const SEWER_REPORT: &str = "sewers.rpt";
/// SWMM's results.
pub const SEWER_RESULTS: &str = "sewers.out";
/// Files of a run with sewers.
pub const SEWER_FILES: [&str; 4] = [SEWERS, SEWER_NODES, SEWER_REPORT, SEWER_RESULTS];

/// Series in Zarr, which is a folder.
pub const ZARR: &str = "series.zarr";
/// Series as a NetCDF file.
pub const NETCDF: &str = "series.nc";

/// Files that a run may write besides its maps, depending on its options.
const BESIDE_MAPS: [&str; 17] = [
    REPORT,
    PAGE,
    PROJECT,
    MASS_BALANCE,
    STATE,
    GAUGES,
    SECTIONS,
    POINTS_TABLE,
    POINTS_LAYER,
    EXTENTS,
    FEATURES,
    SEWERS,
    SEWER_NODES,
    SEWER_REPORT,
    SEWER_RESULTS,
    NETCDF,
    ZARR,
];

/// Extensions of the files written beside the maps, and by `inundate animate` from them.
const OURS: [&str; 2] = ["qml", "gif"];

/// Maker of the files of runs.
pub const RUN: Maker =
    Maker { name: "a run", report: REPORT, list: "outputs", can_make: is_result };

/// An output folder in use.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    staging: Staging,
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

/// Returns a value as the text of the JSON file `name`.
pub fn json_text(value: &impl Serialize, name: &str) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map_err(|error| Error::run(format!("cannot write {name}")).because(error))
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

impl OutputFolder {
    /// Prepares a folder for the files of `maker`. Fails if it holds earlier results, unless
    /// `overwrite` is set.
    pub fn prepare(path: &Path, maker: &Maker, overwrite: bool) -> Result<OutputFolder> {
        let earlier = check(path, maker, overwrite)?;
        OutputFolder::with(path, earlier, Vec::new())
    }

    /// Prepares the folder of a resumed run: `published` are the files that it has moved into
    /// place,
    /// `earlier` those still to be replaced.
    pub fn reopen(
        path: &Path,
        earlier: Vec<PathBuf>,
        published: Vec<String>,
    ) -> Result<OutputFolder> {
        OutputFolder::with(path, earlier, published)
    }

    fn with(path: &Path, earlier: Vec<PathBuf>, published: Vec<String>) -> Result<OutputFolder> {
        let unusable = |error: std::io::Error| unusable(path, &error);
        fs::create_dir_all(path).map_err(unusable)?;
        let made = names_of(&earlier).into_iter().chain(published.iter().cloned());
        let staging = Staging::new(path, made).map_err(unusable)?;
        let (earlier, published) = (Mutex::new(earlier), Mutex::new(published));
        Ok(OutputFolder { path: path.to_path_buf(), staging, earlier, published })
    }

    /// Returns the staging path of a file.
    pub fn staged(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Moves a finished file into place.
    ///
    /// # Errors
    /// If another file is in its place that this run may not replace, or if it cannot be moved.
    pub fn publish(&self, name: &str) -> Result<()> {
        for old in std::mem::take(&mut *held(&self.earlier)) {
            // Files that are already gone need no removal.
            let _ = if is_zarr(&old) { fs::remove_dir_all(old) } else { fs::remove_file(old) };
        }
        if self.is_taken(name) {
            return Err(Error::run(format!("{} was not made by this run", self.named(name)))
                .hint("it appeared during the run: move it away, and run again"));
        }
        self.staging.record(name);
        self.replace(name)?;
        held(&self.published).push(name.to_string());
        Ok(())
    }

    /// Returns `true` if a file of this name exists that this run neither made nor may replace.
    pub fn is_taken(&self, name: &str) -> bool {
        let path = self.path.join(name);
        fs::symlink_metadata(&path).is_ok()
            && !held(&self.published).iter().any(|known| known == name)
            && !held(&self.earlier).contains(&path)
    }

    /// Replaces an existing file with a finished one.
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

    /// Returns the names of the files that are ready to be published.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn ready(&self) -> Result<Vec<String>> {
        self.staging.ready().map_err(|error| {
            Error::run(format!("cannot read '{}'", self.path.display())).because(error)
        })
    }

    /// Returns the names of the published files.
    pub fn published(&self) -> Vec<String> {
        held(&self.published).clone()
    }

    /// Returns the names of the files that the first new file will replace.
    pub fn earlier(&self) -> Vec<String> {
        names_of(&held(&self.earlier))
    }
}

/// Returns the names of files.
fn names_of(files: &[PathBuf]) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
    files.iter().filter_map(name).collect()
}

/// Locks a mutex, ignoring that a thread may have panicked while holding it.
fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::input(format!("out: cannot write in '{}': {why}", path.display()))
        .hint("choose another folder with --out, or correct its permissions")
}

/// Checks, without creating anything, that a run may write to a folder. Returns the earlier results
/// that `overwrite` allows it to replace.
pub fn check(path: &Path, maker: &Maker, overwrite: bool) -> Result<Vec<PathBuf>> {
    let earlier = find_earlier_results(path, maker, overwrite)?;
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

/// Like [`check`], for commands that do not write: earlier results are not an error, whatever the
/// value of `overwrite`.
pub fn find_earlier_results(path: &Path, maker: &Maker, overwrite: bool) -> Result<Vec<PathBuf>> {
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
            return Err(unusable(path, &"it is a dangling link"));
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
        check_free(path)?;
        let command = resume_command(path);
        return Err(Error::input(format!("out: '{shown}' holds a run that was stopped"))
            .hint(format!("start again with --overwrite, choose another folder with --out, or continue with: {command}")));
    }
    spare_project(path)?;
    let earlier = results_in(path, maker);
    if let Some(folder) = earlier.iter().find(|found| found.is_dir() && !is_zarr(found)) {
        let what = format!(
            "out: '{}' is a folder, but a run writes files of such names",
            folder.display()
        );
        return Err(
            Error::input(what).hint("rename or remove it, or choose another folder with --out")
        );
    }
    Ok(earlier)
}

/// Refuses a folder whose project someone has saved in QGIS: a run would replace it.
fn spare_project(path: &Path) -> Result<()> {
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

/// Checks that no file to be written has the name of an existing file or folder that is not `ours`.
///
/// # Errors
/// If one has.
pub fn spare_others(
    path: &Path,
    maker: &Maker,
    ours: &[PathBuf],
    writes: impl Fn(&str) -> bool,
) -> Result<()> {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let (file, name) = (entry.path(), entry.file_name());
        if ours.contains(&file) || !writes(&name.to_string_lossy()) {
            continue;
        }
        let (shown, Maker { name, .. }) = (file.display(), maker);
        let what = if file.is_dir() {
            format!("out: '{shown}' is a folder, but {name} writes a file of that name")
        } else {
            format!("out: '{shown}' was not made by {name}, which would replace it")
        };
        return Err(
            Error::input(what).hint("rename or remove it, or choose another folder with --out")
        );
    }
    Ok(())
}

/// Returns the files that commands of a kind made in a folder.
fn results_in(path: &Path, maker: &Maker) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let made = MadeFiles::by(maker, path);
    let is_result =
        |file: &PathBuf| made.has(&file.file_name().unwrap_or_default().to_string_lossy());
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(is_result).collect()
}

/// Returns `true` if a run, or GDAL for a sidecar, can have made a file of this bare name: the
/// report, the project, a table, or the raster or style of a layer.
pub fn is_result(name: &str) -> bool {
    let name = name.strip_suffix(SIDECAR).unwrap_or(name);
    let ours = |key: &str| {
        let mut endings = FORMATS.iter().map(|format| &format.endings[0]).chain(&OURS);
        name.strip_prefix(key)
            .and_then(|rest| endings.find_map(|end| rest.strip_suffix(end)?.strip_suffix('.')))
            .is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('_').is_some_and(is_stamp) || is_above(rest)
            })
    };
    BESIDE_MAPS.contains(&name) || LAYERS.iter().any(|layer| ours(layer.key))
}

/// Returns `true` if a path is a result of a run: a file, or a Zarr series, which is a folder.
pub fn is_written(path: &Path) -> bool {
    path.is_file() || is_zarr(path)
}

/// Returns `true` if a file of a run is a Zarr series, which is a folder.
fn is_zarr(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ZARR) && path.join(".zmetadata").is_file()
}

/// Returns the name, without extension, of a layer's file for a depth (m).
pub fn above(key: &str, depth: f64) -> String {
    format!("{key}_above_{depth}m")
}

/// Returns `true` if a suffix could be from [`above`].
fn is_above(text: &str) -> bool {
    let depth = text.strip_prefix("_above_").and_then(|depth| depth.strip_suffix('m'));
    depth.is_some_and(|depth| depth.parse::<f64>().is_ok())
}
