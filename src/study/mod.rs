//! Studies: one scenario run in many variations, with a table and maps of all results.
//!
//! [`mod@file`] reads a study, [`matrix`] expands it, [`check`] builds every scenario once.
//! [`schema`] describes the file. [`slots`] assigns runs to processors, [`execute`] starts a
//! process per run, [`progress`] shows their progress, and [`resume`] finds the runs that are
//! already done; [`place`] manages the output folder. [`mod@warnings`] merges the warnings of the
//! runs. [`collect`] reads the results: [`table`] writes a row per run, [`aggregate`] makes maps over
//! the runs of a grid, `extents` their outlines, [`points`] writes tables of their points,
//! [`mod@show`] a QGIS project, and `page` a report with the table of `runs`; `publish` moves
//! everything into place.

pub mod aggregate;
mod annual;
pub mod check;
pub mod collect;
pub mod execute;
mod extents;
pub mod file;
mod ground;
mod groups;
pub mod maps;
pub mod matrix;
pub mod outputs;
mod page;
pub mod place;
pub mod points;
pub mod progress;
mod publish;
pub mod quantile;
pub mod resume;
pub mod row;
mod runs;
pub mod schema;
pub mod select;
pub mod show;
pub mod slots;
pub mod table;
pub mod warnings;

use crate::output::layers::Layer;
pub use crate::output::own_files::{HEADER, SCENARIO};
use crate::scenario::options::Options;
use std::path::{Path, PathBuf};

/// Folder of the runs' results in a study's output folder.
pub const RUNS: &str = "runs";
/// Name of a run's log file, in its folder.
pub const LOG: &str = "run.log";
/// A study as specified in its file.
#[derive(Debug)]
pub struct Study {
    /// Path of the study file.
    pub file: PathBuf,
    /// Base scenario, if it is a file.
    pub base: Option<PathBuf>,
    /// Folder for the results.
    pub out: PathBuf,
    /// Depths above which a cell counts as flooded (m).
    pub depths: Vec<f64>,
    /// Layers that are mapped over the runs.
    pub aggregates: Vec<&'static Layer>,
    /// Percentiles to map (0 to 100).
    pub percentiles: Vec<f64>,
    /// Keys that some run sets, in file order.
    pub varied: Vec<String>,
    /// All runs, in file order.
    pub runs: Vec<StudyRun>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
}

/// A run of a study.
#[derive(Clone, Debug)]
pub struct StudyRun {
    /// Number, starting at 1.
    pub index: usize,
    /// Name, also of its folder.
    pub name: String,
    /// Weight in statistics; only ratios count.
    pub weight: f64,
    /// Return period of its event (years), at least 1.
    pub return_period: Option<f64>,
    /// Name of the variant, shared by the runs that differ only in return period and weight.
    pub variant: String,
    /// Keys that the run sets, as in the study file.
    pub varied: toml::Table,
    /// Complete options; paths are absolute.
    pub options: Options,
}

impl Study {
    /// Returns `true` if the runs are events with return periods: all are, or none.
    pub fn has_events(&self) -> bool {
        self.runs.iter().all(|run| run.return_period.is_some())
    }
}

impl StudyRun {
    /// Returns the run's folder, relative to the study's output folder.
    pub fn folder(&self) -> PathBuf {
        Path::new(RUNS).join(&self.name)
    }
}

/// Returns `true` if a value removes its key from the scenario of a run: an empty list does, for
/// every key.
pub fn is_none(value: &toml::Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

/// Returns the distinct items in order of first appearance.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().fold(Vec::new(), |mut known, one| {
        if !known.contains(&one) {
            known.push(one);
        }
        known
    })
}

/// Returns a value of a study file as a number, if it is one.
pub fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|number| number as f64))
}

/// Returns a value of a study file as text: lists joined by `; `, `none` for an empty one.
pub fn in_words(value: &toml::Value) -> String {
    match value {
        empty if is_none(empty) => "none".into(),
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(list) => list.iter().map(in_words).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
