//! A study: one scenario run in many variations, with a table and maps of what came of all of them.
//!
//! [`mod@file`] reads what is asked for, [`matrix`] multiplies it out, [`check`] builds every scenario
//! once. [`schema`] is that of the file. [`slots`] says what runs where at the same time, [`execute`] starts a process a run, and
//! [`resume`] tells which runs need none; [`place`] is where all of it lies. [`collect`] reads the results: [`table`] has a row per run,
//! [`aggregate`] makes maps over the runs of a grid, [`points`] tables of their points, [`mod@show`] a QGIS project of them and `page` a page, with the table of `runs`; `publish` moves all of it into place.

pub mod aggregate;
mod annual;
pub mod check;
pub mod collect;
pub mod execute;
pub mod file;
mod ground;
pub mod maps;
pub mod matrix;
pub mod outputs;
mod page;
pub mod place;
pub mod points;
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

use crate::output::layers::Layer;
pub use crate::output::made::{HEADER, SCENARIO};
use crate::scenario::options::Options;
use std::path::{Path, PathBuf};

/// The folder of the runs' results in a study's output folder.
pub const RUNS: &str = "runs";
/// What a run said, in its folder.
pub const LOG: &str = "run.log";
/// A study as its file has it.
#[derive(Debug)]
pub struct Study {
    /// The study file.
    pub file: PathBuf,
    /// The scenario that is varied, if it is a file.
    pub base: Option<PathBuf>,
    /// The output folder.
    pub out: PathBuf,
    /// Depths above which a cell counts as flooded (m).
    pub depths: Vec<f64>,
    /// The layers that maps over the runs are made of.
    pub aggregates: Vec<&'static Layer>,
    /// Percentiles of their values (0 to 100).
    pub percentiles: Vec<f64>,
    /// Keys that some run sets, in the order of the file.
    pub varied: Vec<String>,
    /// Every run.
    pub runs: Vec<Run>,
}

/// A run of a study.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its number, from 1.
    pub index: usize,
    /// Its name, and that of its folder.
    pub name: String,
    /// Its weight in aggregates; only ratios count.
    pub weight: f64,
    /// How often what comes is reached or exceeded: once in so many years, at least 1.
    pub return_period: Option<f64>,
    /// What it has in common with runs of other return periods and weights.
    pub variant: String,
    /// What it sets, as the study file has it.
    pub varied: toml::Table,
    /// All that is said about it; paths are absolute.
    pub options: Options,
}

impl Run {
    /// Its folder, relative to the study's output folder.
    pub fn folder(&self) -> PathBuf {
        Path::new(RUNS).join(&self.name)
    }
}

/// Whether a value takes its key out of the scenario of a run: an empty list does, for every key.
pub fn is_none(value: &toml::Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

/// Some things, each once, in the order in which they come first.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().fold(Vec::new(), |mut known, one| {
        if !known.contains(&one) {
            known.push(one);
        }
        known
    })
}

/// A value of a study file as a number, if it is one.
pub fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|number| number as f64))
}

/// A value of a study file as text: lists joined by `; `, `none` for an empty one.
pub fn in_words(value: &toml::Value) -> String {
    match value {
        empty if is_none(empty) => "none".into(),
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(list) => list.iter().map(in_words).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
