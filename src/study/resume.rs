//! Checks whether the results of a run already exist and belong to its present scenario.

use super::row::Status;
use super::{HEADER, LOG, RUNS, SCENARIO, StudyRun};
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::observer::quality::figure::Verdict;
use crate::output::checkpoint::links;
use crate::output::folder::{self, REPORT, RUN};
use crate::output::layers::DepthRounding;
use crate::output::points::PointsReport;
use crate::results::report::{GridFacts, SubgridFacts};
use crate::scenario::options::OutputGrid;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

/// Keys that affect where, how fast and how verbosely a run computes, and its style, but not its
/// results.
pub const NOT_RESULTS: &str = "subgrid_tables out overwrite quiet json device device_memory threads tile allow_remote \
    checkpoint_every style compress";

/// Everything that determines the results of a run: the program version, its keys and the contents
/// of its files. Names of input files do not count, so a study may be moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    version: String,
    parameters: Value,
    inputs: Vec<(String, String)>,
}

impl Identity {
    /// Returns the identity of a run with these keys and inputs by this program.
    pub fn new(parameters: Value, inputs: &[InputFile]) -> Identity {
        Identity::of(crate::results::report::VERSION, parameters, inputs)
    }

    fn of(version: &str, mut parameters: Value, inputs: &[InputFile]) -> Identity {
        if let Some(keys) = parameters.as_object_mut() {
            keys.retain(|key, _| !NOT_RESULTS.split(' ').any(|other| other == key));
            // The former name of the key.
            if let Some(solver) = keys.remove("rule") {
                keys.insert("solver".into(), solver);
            }
        }
        // A scenario file adds nothing to its keys.
        let inputs: Vec<&InputFile> =
            inputs.iter().filter(|input| input.role != "scenario").collect();
        by_contents(&mut parameters, &inputs);
        let identity = |input: &&InputFile| {
            (input.role.clone(), input.sha256.clone().unwrap_or_else(|| input.path.clone()))
        };
        let mut inputs: Vec<_> = inputs.iter().map(identity).collect();
        inputs.sort();
        Identity { version: version.into(), parameters, inputs }
    }
}

/// Replaces paths by checksums, both alone and after a place (`612300,4052100,flow.csv`); the path
/// of a folder by the names and checksums of the inputs in it.
fn by_contents(value: &mut Value, inputs: &[&InputFile]) {
    match value {
        Value::String(text) => {
            if let Some(contents) = contents_of(Path::new(text), inputs) {
                *text = contents;
                return;
            }
            for InputFile { path, sha256, .. } in inputs {
                let before = text.strip_suffix(path.as_str());
                if let (Some(before), Some(sum)) = (before, sha256)
                    && (before.is_empty() || before.ends_with(','))
                {
                    *text = format!("{before}sha256:{sum}");
                    return;
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| by_contents(value, inputs)),
        Value::Object(map) => map.values_mut().for_each(|value| by_contents(value, inputs)),
        _ => {}
    }
}

/// Returns the names and checksums of the inputs in a folder; `None` if there are none.
fn contents_of(folder: &Path, inputs: &[&InputFile]) -> Option<String> {
    let within = |input: &&InputFile| {
        let name = Path::new(&input.path).strip_prefix(folder).ok()?.to_str()?;
        let is_inside = !name.is_empty() && name.len() < input.path.len();
        let sum = input.sha256.as_ref()?;
        is_inside.then(|| format!("{name}=sha256:{sum}"))
    };
    let mut all: Vec<String> = inputs.iter().filter_map(within).collect();
    all.sort();
    (!all.is_empty()).then(|| all.join(" "))
}

/// The parts of `run.json` that a study uses.
#[derive(Clone, Debug, Deserialize)]
pub struct PastRun {
    version: String,
    parameters: Value,
    inputs: Vec<InputFile>,
    /// Grid of the computation.
    pub grid: GridFacts,
    /// Subgrid terrain, if any.
    subgrid: Option<SubgridFacts>,
    /// Size of a grain (m).
    grain_m: f64,
    /// Processor that was used.
    pub device: String,
    /// Number of steps taken.
    pub steps: u64,
    /// Simulated time, for runs in physical time (s).
    pub simulated_s: Option<f64>,
    /// Wall-clock time of the whole run (s).
    pub wall_s: f64,
    /// Mass balance terms (m³).
    pub volume: toml::Table,
    /// Point results, if any.
    #[serde(default)]
    pub points: Option<PointsReport>,
    /// Names of the files written.
    pub outputs: Vec<String>,
    /// Warnings of the run, about its input and its results.
    pub warnings: Vec<String>,
    /// Quality figures of the flow; `null` for automata.
    quality: Value,
}

impl PastRun {
    /// Reads the report of a run in a folder; `None` if there is none that can be read.
    pub fn read(folder: &Path) -> Option<PastRun> {
        serde_json::from_str(&links::text(&folder.join(REPORT))?).ok()
    }

    /// Returns the verdict on its flow, `ok` or `doubtful`; `None` for automata.
    pub fn verdict(&self) -> Option<&str> {
        self.quality["verdict"].as_str()
    }

    /// Returns the first reason why the run is doubtful; `None` if it is not.
    pub fn first_doubt(&self) -> Option<&str> {
        if self.verdict() != Some(Verdict::Doubtful.word()) {
            return None;
        }
        let figures = self.quality.as_object()?.values();
        let figures = figures.flat_map(|value| value.as_array().map_or(from_ref(value), |all| all));
        let sentences: Vec<&str> =
            figures.filter_map(|figure| figure["sentence"].as_str()).collect();
        let first = self.warnings.iter().find(|warning| sentences.contains(&&warning[..]));
        Some(first.map_or("see its report", String::as_str))
    }

    /// Returns the grid of the maps.
    pub fn map_grid(&self) -> &GridFacts {
        GridFacts::of_maps(&self.grid, self.subgrid.as_ref())
    }

    /// Returns the resolution of the depths in the maps.
    pub fn rounding(&self) -> DepthRounding {
        let is_fine = |subgrid: &SubgridFacts| subgrid.output_grid == OutputGrid::Fine;
        let is_fine = self.subgrid.as_ref().is_some_and(is_fine);
        DepthRounding { grain_m: self.grain_m, is_fine }
    }
}

/// State of a run.
#[derive(Clone, Debug)]
pub enum State {
    /// All results are there and complete.
    Done(Box<PastRun>),
    /// It failed, with the reason.
    Failed(String),
    /// There are results of another scenario, of other inputs or of another version.
    Changed,
    /// The folder has no results.
    Missing,
}

impl State {
    /// Returns its status in tables.
    pub fn status(&self) -> Status {
        match self {
            State::Done(_) => Status::Done,
            State::Failed(_) => Status::Failed,
            State::Changed => Status::Changed,
            State::Missing => Status::Missing,
        }
    }

    /// Returns the run's report, if it is done.
    pub fn past(&self) -> Option<&PastRun> {
        match self {
            State::Done(past) => Some(past),
            _ => None,
        }
    }

    /// Determines the state from the folder of a run with this identity.
    pub fn of(folder: &Path, wanted: &Identity) -> State {
        let report = links::text(&folder.join(REPORT));
        let past = report.as_ref().and_then(|text| serde_json::from_str::<PastRun>(text).ok());
        if let Some(past) = past {
            let whole = past.outputs.iter().all(|name| folder::is_written(&folder.join(name)));
            let was = Identity::of(&past.version, past.parameters.clone(), &past.inputs);
            if whole && was == *wanted {
                return State::Done(Box::new(past));
            }
        }
        match (error_in(&folder.join(LOG)), report) {
            (Some(error), _) => State::Failed(error),
            (None, Some(_)) => State::Changed,
            (None, None) => State::Missing,
        }
    }
}

/// Returns the error at the end of a log, in one line.
pub fn error_in(log: &Path) -> Option<String> {
    let bytes = links::bytes(log).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let start =
        text.rfind("\nerror: ").map(|at| at + 1).or(text.starts_with("error: ").then_some(0))?;
    let lines: Vec<&str> = text[start + "error: ".len()..].lines().map(str::trim).collect();
    Some(lines.join("; "))
}

/// Checks that a run's folder holds no results, scenario or log from elsewhere. Returns the study's
/// own earlier results, which may be replaced.
pub fn check_own(out: &Path, run: &StudyRun) -> Result<Vec<PathBuf>> {
    let folder = out.join(run.folder());
    let earlier = folder::check(&folder, &RUN, true)?;
    let scenario = links::text(&folder.join(SCENARIO)).unwrap_or_default();
    if scenario.starts_with(HEADER) {
        return Ok(earlier);
    }
    let is_there = |name: &&str| links::is(&folder.join(name), |_| true);
    let found = [SCENARIO, LOG].into_iter().find(is_there).map(|name| folder.join(name));
    let what = match found {
        _ if !earlier.is_empty() => {
            format!(
                "'{}' holds the results of a run that does not belong to a study",
                folder.display()
            )
        }
        Some(file) => {
            format!("'{}' was not made by a study, which would replace it", file.display())
        }
        None => return Ok(earlier),
    };
    Err(Error::input(format!("out: {what}")).hint(format!(
        "name another folder as the study's `out`, or move its folder '{RUNS}' away"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn input(role: &str, path: &str, sum: &str) -> InputFile {
        InputFile {
            role: role.into(),
            path: path.into(),
            companions: Vec::new(),
            sha256: Some(sum.into()),
        }
    }

    #[test]
    fn contents_count_and_names_do_not() {
        let at = |folder: &str, rain: &str, threads: u32| {
            let (dem, flow) = (format!("{folder}/dem.tif"), format!("{folder}/flow.csv"));
            let inputs = [
                input("scenario", &format!("{folder}/scenario.toml"), folder),
                input("dem", &dem, "d"),
                input("source", &flow, "f"),
            ];
            let source = vec![format!("1,2,{flow}")];
            Identity::new(
                json!({"dem": dem, "rain": rain, "source": source, "threads": threads}),
                &inputs,
            )
        };
        assert_eq!(at("/home", "5 mm/h", 1), at("/cluster", "5 mm/h", 8));
        assert_ne!(at("/home", "5 mm/h", 1), at("/home", "6 mm/h", 1));
        let dem = |sum| Identity::new(json!({"dem": "/dem.tif"}), &[input("dem", "/dem.tif", sum)]);
        assert_eq!(dem("a"), dem("a"));
        assert_ne!(dem("a"), dem("b"));
    }
}
