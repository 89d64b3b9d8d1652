//! The series of a finished run, as its output folder has it.

use super::unusable;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::input::when::{self, WallClock};
use crate::layers::{self, Layer};
use crate::output::folder::REPORT;
use crate::output::geotiff;
use crate::output::project::PROJECT;
use crate::report::GridFacts;
use crate::units::show_duration;
use crate::words::capital;
use jiff::Zoned;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What of `run.json` is asked for.
#[derive(Deserialize)]
struct Past {
    grid: GridFacts,
    inputs: Vec<InputFile>,
    outputs: Vec<String>,
    parameters: serde_json::Value,
}

/// A series of maps of one layer.
#[derive(Debug)]
pub struct Series {
    /// Where it lies.
    pub folder: PathBuf,
    /// Its layer.
    pub layer: &'static Layer,
    /// Its maps, by their names without ending, in the order of their times.
    pub stems: Vec<String>,
    /// Where they lie.
    pub grid: Grid,
    /// The DEM, if it is still where it was.
    pub dem: Option<PathBuf>,
    /// What it shows, with its unit.
    pub title: String,
    /// When the run began, if it was said.
    start: Option<Zoned>,
}

impl Series {
    /// The series of a layer in an output folder.
    ///
    /// # Errors
    /// If there is no finished run, or it has no such series.
    pub fn open(folder: &Path, key: &str) -> Result<Series> {
        let shown = folder.display();
        let report = folder.join(REPORT);
        let text = std::fs::read_to_string(&report).map_err(|error| {
            Error::input(format!("'{shown}' is no output folder of a finished run: {error}")).hint(
                format!("give the folder that the run wrote with --out; {REPORT} is its last file"),
            )
        })?;
        let past: Past = serde_json::from_str(&text).map_err(|error| {
            Error::input(format!("'{}' is not that of a run: {error}", report.display()))
                .hint("give the output folder of a run, not that of a study")
        })?;
        let stems = past.outputs.iter().filter_map(|name| name.strip_suffix(".tif"));
        let of: Vec<(&str, &'static Layer)> =
            stems.filter_map(|stem| Some((stem, layers::of_series(stem)?))).collect();
        let mut known: Vec<&str> = of.iter().map(|(_, layer)| layer.key).collect();
        known.sort_unstable();
        known.dedup();
        let key = key.replace('-', "_");
        let of = of.iter().filter(|(_, layer)| layer.key == key);
        let (stems, layers): (Vec<String>, Vec<&Layer>) =
            of.map(|(stem, layer)| (stem.to_string(), *layer)).unzip();
        let Some(layer) = layers.first().copied() else {
            return Err(none(&shown.to_string(), &key, &known));
        };
        let grid = past.grid.grid();
        let labels = labels(&folder.join(format!("{}.tif", stems[0])))?;
        let unit =
            if labels.unit.is_empty() { String::new() } else { format!(" [{}]", labels.unit) };
        let title = capital(&labels.description) + &unit;
        let start = past.parameters["start"].as_str();
        let start = start.and_then(|text| WallClock::starting(text).ok()?.start().cloned());
        let dem = past.inputs.iter().find(|input| input.role == "dem");
        let dem = dem.and_then(|dem| find(folder, Path::new(&dem.path)));
        Ok(Series { folder: folder.into(), layer, stems, grid, dem, title, start })
    }

    /// The names of those maps that are shown if there may be no more than so many.
    pub fn chosen(&self, most: usize) -> Vec<&str> {
        let all = self.stems.len();
        let shown = all.min(most.max(1));
        (1..=shown).map(|number| self.stems[number * all / shown - 1].as_str()).collect()
    }

    /// The style of a map (.qml).
    pub fn style(&self, stem: &str) -> Result<String> {
        let path = self.folder.join(format!("{stem}.qml"));
        std::fs::read_to_string(&path).map_err(|error| unusable("read", &path, error))
    }

    /// The time of a map, for people.
    pub fn time(&self, stem: &str) -> Result<String> {
        let time = labels(&self.folder.join(format!("{stem}.tif")))?.time;
        let seconds = time.strip_suffix(" s").and_then(|seconds| seconds.parse::<f64>().ok());
        Ok(match (seconds, &self.start) {
            (Some(seconds), Some(start)) => when::moment(start, seconds.round()).map_or_else(
                || show_duration(seconds),
                |then| then.strftime("%Y-%m-%d %H:%M").to_string(),
            ),
            (Some(seconds), None) => show_duration(seconds),
            (None, _) => time,
        })
    }
}

fn labels(raster: &Path) -> Result<geotiff::WrittenLabels> {
    geotiff::read_labels(raster).map_err(|error| unusable("read", raster, error))
}

/// The error of a run without the series that is asked for.
fn none(folder: &str, key: &str, known: &[&str]) -> Error {
    let error = |what: String| Error::input(format!("'{folder}' holds no series of {what}"));
    match layers::find(key) {
        _ if known.is_empty() => error("maps".into()).hint(
            "run it again with output_every: --output-every 10min writes a map every ten minutes",
        ),
        Some(layer) if layer.tells == layers::Tells::Now => {
            error(format!("'{key}'")).hint(format!(
                "it has {}; run it again with --layers {key} and --output-every for another",
                known.join(", ")
            ))
        }
        _ => error(format!("'{key}'")).hint(format!("it has {}", known.join(", "))),
    }
}

/// The DEM: where the run had it, or where its project has it, which knows the way from the folder.
fn find(folder: &Path, dem: &Path) -> Option<PathBuf> {
    if dem.exists() {
        return Some(dem.into());
    }
    let name = dem.file_name()?.to_string_lossy();
    let project = std::fs::read_to_string(folder.join(PROJECT)).ok()?;
    let sources = project.split("<datasource>").skip(1).filter_map(|rest| rest.split('<').next());
    let sources = sources.filter_map(|source| quick_xml::escape::unescape(source).ok());
    let mut there = sources.filter(|source| source.ends_with(&*name)).map(|s| folder.join(&*s));
    there.find(|path| path.exists())
}
