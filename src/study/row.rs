//! A run as the results of a study tell it, and the names of these.

use serde::{Serialize, Serializer};

/// The table of runs.
pub const TABLE: &str = "runs.csv";
/// The table of the points of all runs.
pub const POINTS: &str = "points.csv";
/// The table of the expected annual damage at points.
pub const EXPECTED: &str = "expected_damage.csv";
/// The report of a study; it is moved into place last.
pub const REPORT: &str = "study.json";
/// The folder of the maps over runs.
pub const MAPS: &str = "aggregates";

/// A run in `study.json` and `runs.csv`.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its number.
    pub run: usize,
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Its return period (years).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_period: Option<f64>,
    /// What it sets.
    pub varied: toml::Table,
    /// `done`, `failed`, `changed` or `missing`.
    pub status: &'static str,
    /// Why it failed.
    pub error: Option<String>,
    /// Its folder, relative to the study's.
    pub folder: String,
    /// What it ran on.
    pub ran_on: Option<String>,
    /// Time of the whole run (s).
    pub wall_s: Option<f64>,
    /// Steps taken.
    pub steps_taken: Option<u64>,
    /// Simulated time (s).
    pub simulated_s: Option<f64>,
    /// The ledger (m³).
    #[serde(serialize_with = "as_map")]
    pub volume: Option<Vec<(String, f64)>>,
    /// Greatest depth of any cell and step (m).
    pub max_depth_m: Option<f32>,
    /// Area of the cells that ever held water (m²).
    pub wet_area_m2: Option<f64>,
    /// Area of the cells that were ever deeper than each depth (m²).
    pub areas_above_m2: Option<Vec<f64>>,
    /// The damage at its points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<f64>,
}

fn as_map<S: Serializer>(
    volume: &Option<Vec<(String, f64)>>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    match volume {
        Some(lines) => to.collect_map(lines.iter().map(|(name, volume)| (name, volume))),
        None => to.serialize_none(),
    }
}
