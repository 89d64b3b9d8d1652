//! Map series of a finished run, read from its output folder.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::endless::why_not_read;
use crate::input::file::InputFile;
use crate::input::text;
use crate::input::time::wall_time::{self, WallClock};
use crate::output::colour::Ramp;
use crate::output::folder::REPORT;
use crate::output::layers::{self, Layer};
use crate::output::project::PROJECT;
use crate::output::results::Map;
use crate::results::report::{GridFacts, SubgridFacts};
use crate::units::show_duration;
use crate::words::capital;
use jiff::Zoned;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Fields of `run.json` that are needed.
#[derive(Deserialize)]
struct AnimatedRun {
    grid: GridFacts,
    subgrid: Option<SubgridFacts>,
    inputs: Vec<InputFile>,
    time_unit: String,
    maps: Vec<Map>,
    styles: BTreeMap<String, Ramp>,
    parameters: serde_json::Value,
}

/// A series of maps of one layer.
#[derive(Debug)]
pub struct ShownSeries {
    /// Output folder that contains it.
    pub folder: PathBuf,
    /// Layer of the maps.
    pub layer: &'static Layer,
    /// Maps of the series, in order of time.
    pub maps: Vec<Map>,
    /// Colours of the maps.
    pub ramp: Ramp,
    /// Grid of the maps.
    pub grid: Grid,
    /// The DEM, if it still exists.
    pub dem: Option<PathBuf>,
    /// Quantity with its unit.
    pub title: String,
    /// Set if times are in seconds, not steps.
    timed: bool,
    /// When the run began, if known.
    start: Option<Zoned>,
}

impl ShownSeries {
    /// Opens the series of a layer in an output folder.
    ///
    /// # Errors
    /// If there is no finished run, or it has no such series.
    pub fn open(folder: &Path, key: &str) -> Result<ShownSeries> {
        let shown = folder.display();
        let report = folder.join(REPORT);
        let text = text::text(&report, text::TABLE).map_err(|error| {
            Error::input(format!("'{shown}' is not the output folder of a finished run"))
                .because(error)
                .hint(format!(
                    "give the folder that the run wrote (--out); a finished run has written {REPORT}"
                ))
        })?;
        let past: AnimatedRun = serde_json::from_str(&text).map_err(|error| {
            Error::input(format!("'{}' is not that of a run", report.display()))
                .because(error)
                .hint("give the output folder of a run, not that of a study")
        })?;
        let mut maps: Vec<Map> = past.maps.into_iter().filter(|map| map.time.is_some()).collect();
        let mut known: Vec<&str> = maps.iter().map(|map| map.layer.key).collect();
        known.sort_unstable();
        known.dedup();
        let key = key.replace('-', "_");
        maps.retain(|map| map.layer.key == key);
        let (Some(first), Some(ramp)) = (maps.first(), past.styles.get(&key)) else {
            return Err(none(&shown.to_string(), &key, &known));
        };
        let grid = GridFacts::of_maps(&past.grid, past.subgrid.as_ref());
        let (layer, ramp, grid) = (first.layer, ramp.clone(), grid.grid());
        // The classes in the legend have the unit.
        let title = capital(&first.about);
        let timed = past.time_unit == "seconds";
        let start = past.parameters["start"].as_str();
        let start = start.and_then(|text| WallClock::starting(text).ok()?.start().cloned());
        let dem = past.inputs.iter().find(|input| input.role == "dem");
        let dem = dem.and_then(|dem| find(folder, dem));
        Ok(ShownSeries { folder: folder.into(), layer, maps, ramp, grid, dem, title, timed, start })
    }

    /// Selects the maps to show if at most `most` are allowed.
    pub fn chosen(&self, most: usize) -> Vec<&Map> {
        let all = self.maps.len();
        let shown = all.min(most.max(1));
        (1..=shown).map(|number| &self.maps[number * all / shown - 1]).collect()
    }

    /// Formats the time of a map for people.
    pub fn time(&self, map: &Map) -> String {
        let time = map.time.unwrap_or_default();
        let moment = |start| wall_time::moment(start, time.round());
        match self.start.as_ref().filter(|_| self.timed).and_then(moment) {
            Some(moment) => moment.strftime("%Y-%m-%d %H:%M").to_string(),
            None if self.timed => show_duration(time),
            None => format!("{time} steps"),
        }
    }
}

/// Returns the error for a run without the requested series.
fn none(folder: &str, key: &str, known: &[&str]) -> Error {
    let error = |what: String| Error::input(format!("'{folder}' has no series of {what}"));
    match layers::find(key) {
        _ if known.is_empty() => error("maps".into()).hint(
            "run it again with output_every: --output-every 10min writes a map every ten minutes",
        ),
        Some(layer) if layer.scope == layers::TimeScope::Now => {
            error(format!("'{key}'")).hint(format!(
                "it has {}; run it again with --layers {key} and --output-every for another",
                known.join(", ")
            ))
        }
        _ => error(format!("'{key}'")).hint(format!("it has {}", known.join(", "))),
    }
}

/// Finds the DEM with the contents that the run read: at its path, or at the path in the project,
/// which is relative to the folder.
fn find(folder: &Path, dem: &InputFile) -> Option<PathBuf> {
    let is_there = |path: &Path| {
        let is_same = |there: InputFile| there.sha256 == dem.sha256;
        path.exists()
            && why_not_read(path).is_none()
            && InputFile::new("dem", path).is_ok_and(is_same)
    };
    let path = Path::new(&dem.path);
    if is_there(path) {
        return Some(path.into());
    }
    let name = path.file_name()?.to_string_lossy();
    let project = text::text(&folder.join(PROJECT), text::TABLE).ok()?;
    let sources = project.split("<datasource>").skip(1).filter_map(|rest| rest.split('<').next());
    let sources = sources.filter_map(|source| quick_xml::escape::unescape(source).ok());
    let mut there = sources.filter(|source| source.ends_with(&*name)).map(|s| folder.join(&*s));
    there.find(|path| is_there(path))
}
