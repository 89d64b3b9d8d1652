//! Summary of a run in the results of a study, and the names of its files.

use serde::Serialize;

/// Table of the runs.
pub const TABLE: &str = "runs.csv";
/// Table of the points of all runs.
pub const POINTS: &str = "points.csv";
/// Table of the expected annual damage at points.
pub const EXPECTED: &str = "expected_damage.csv";
/// Report of a study; it is published last.
pub const REPORT: &str = "study.json";
/// Folder of the maps over runs.
pub const MAPS: &str = "aggregates";
/// Extents of the runs and of the maps over them, in the folder of the maps.
pub use crate::output::folder::EXTENTS;
/// Table of the extents of the runs.
pub const EXTENTS_OF_RUNS: &str = "runs";
/// Table of the extents of the maps over the runs.
pub const EXTENTS_OF_MAPS: &str = "aggregates";
/// Field of the run of an extent.
pub const RUN: &str = "run";
/// Field of the map of an extent.
pub const MAP: &str = "map";
/// First part of the names of its folders for several grids; a number follows.
pub const GRID: &str = "grid-";
/// As [`GRID`], for the variants of runs with return periods.
pub const VARIANT: &str = "variant-";

/// State of the results of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All results are there and complete.
    Done,
    /// The run failed.
    Failed,
    /// There are results of another scenario, of other inputs or of another version.
    Changed,
    /// There are no results.
    Missing,
}

impl Status {
    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Changed => "changed",
            Status::Missing => "missing",
        }
    }
}

/// A run in `study.json` and `runs.csv`.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Number of the run.
    pub run: usize,
    /// Name of the run.
    pub name: String,
    /// Weight of the run.
    pub weight: f64,
    /// Return period of its event (years).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_period: Option<f64>,
    /// Keys that the run sets.
    pub varied: toml::Table,
    /// State of its results.
    pub status: Status,
    /// Verdict of the run on its flow, `ok` or `doubtful`; `None` for automata and runs that are
    /// not done.
    pub verdict: Option<String>,
    /// Warnings of the run; of its input only, if it is not done.
    pub warnings: Vec<String>,
    /// Reason of the failure.
    pub error: Option<String>,
    /// Folder of the run, relative to the study's.
    pub folder: String,
    /// Processor that was used.
    pub ran_on: Option<String>,
    /// Wall-clock time of the whole run (s).
    pub wall_s: Option<f64>,
    /// Number of steps taken.
    pub steps_taken: Option<u64>,
    /// Simulated time of the run (s).
    pub simulated_s: Option<f64>,
    /// Mass balance terms (m³).
    pub volume: Option<toml::Table>,
    /// Greatest depth of any cell and step (m).
    pub max_depth_m: Option<f32>,
    /// Area of the cells that ever held water (m²).
    pub wet_area_m2: Option<f64>,
    /// Area of the cells that were ever deeper than each depth (m²).
    pub areas_above_m2: Option<Vec<f64>>,
    /// Damage at the points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<f64>,
}
