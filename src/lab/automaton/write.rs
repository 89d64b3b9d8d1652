//! Writes the results of an automaton: the final states, a series of them, the population of each
//! state, and pictures.

use super::frames::{FILM, Frames, Pictures, is_picture};
use super::states::{Bytes, Legend, legend};
use super::{REPORT, Task};
use crate::automata::grid::Grid;
use crate::automata::rules::clouds::CLOUD;
use crate::engine::clock::is_stamp;
use crate::error::{Error, Result};
use crate::output::folder::OutputFolder;
use crate::output::own_files::SIDECAR;

/// The states; of clouds the cloud bit alone, and the clouds as seen from above.
const STATES: &str = "states";
const CLOUDS: &str = "clouds";
const COVER: &str = "cover";

/// Every one of them.
const KEYS: [&str; 3] = [STATES, CLOUDS, COVER];

/// File name of the population table.
const POPULATION: &str = "population.csv";

/// Returns `true` if an automaton run, or GDAL for a sidecar, can have made a file of this name.
pub fn is_result(name: &str) -> bool {
    let name = name.strip_suffix(SIDECAR).unwrap_or(name);
    [POPULATION, REPORT, FILM].contains(&name)
        || is_picture(name)
        || KEYS.iter().any(|key| is_map(name, key))
}

/// Returns `true` if a task may write a file of this name.
pub fn writes(task: &Task, name: &str) -> bool {
    let name = name.strip_suffix(SIDECAR).unwrap_or(name);
    let keys = if task.model.automaton.deep { &KEYS[..] } else { &KEYS[..1] };
    [POPULATION, REPORT].contains(&name)
        || (task.frames == Some(Frames::Gif) && name == FILM)
        || (task.frames == Some(Frames::Png) && is_picture(name))
        || keys.iter().any(|key| is_map(name, key))
}

/// Returns `true` if a name is that of a map of a key, final or in a series.
fn is_map(name: &str, key: &str) -> bool {
    let rest = name.strip_prefix(key).and_then(|rest| rest.strip_suffix(".tif"));
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(is_stamp))
}

/// Writer of the outputs during a run.
pub struct Writer<'a> {
    task: &'a Task,
    folder: &'a OutputFolder,
    population: csv::Writer<Vec<u8>>,
    legend: Legend,
    pictures: Option<Pictures>,
    last: Vec<u64>,
}

fn unwritable(error: csv::Error) -> Error {
    Error::run(format!("cannot write {POPULATION}")).because(error)
}

impl<'a> Writer<'a> {
    /// Creates a writer.
    ///
    /// # Errors
    /// If pictures of this size are not possible.
    pub fn new(task: &'a Task, folder: &'a OutputFolder) -> Result<Writer<'a>> {
        let mut population = csv::Writer::from_writer(Vec::new());
        let names = (0..task.model.states).map(|state| task.model.state_name(state));
        population
            .write_record(std::iter::once("step".to_string()).chain(names))
            .map_err(unwritable)?;
        let shown = shown_legend(task);
        let size = (task.grid.columns, task.grid.rows);
        let pictures = task.frames.map(|frames| Pictures::new(frames, size, &shown)).transpose()?;
        let (legend, last) = (legend(task.model), Vec::new());
        Ok(Writer { task, folder, population, legend, pictures, last })
    }

    /// Counts the states after `step` steps, and writes a map of the series if `is_due` is set.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn add(&mut self, step: u64, grid: &Grid, is_due: bool) -> Result<()> {
        self.last = grid.population(self.task.model.states);
        let numbers = std::iter::once(step).chain(self.last.iter().copied());
        self.population
            .write_record(numbers.map(|number| number.to_string()))
            .map_err(unwritable)?;
        if is_due {
            let stamp = format!("_step{step:0>width$}", width = self.task.steps.to_string().len());
            self.maps(grid, &stamp)?;
            let shown = shown(self.task, grid);
            if let Some(pictures) = &mut self.pictures {
                let is_last = self.task.every.is_none_or(|every| step + every > self.task.steps);
                pictures.add(self.folder, &stamp, &shown, is_last)?;
            }
        }
        Ok(())
    }

    /// Writes the final results, and returns the population of each state.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn end(mut self, grid: &Grid) -> Result<Vec<(String, u64)>> {
        self.maps(grid, "")?;
        if let Some(pictures) = self.pictures.take() {
            pictures.end(self.folder)?;
        }
        let table = self.population.into_inner().map_err(|error| Error::run(error.to_string()))?;
        self.folder.stage_text(POPULATION, &String::from_utf8_lossy(&table))?;
        Ok(self.legend.iter().map(|(name, _)| name.clone()).zip(self.last).collect())
    }

    /// Writes the maps of a grid.
    fn maps(&self, grid: &Grid, stamp: &str) -> Result<()> {
        let size = (grid.columns, grid.rows);
        let write = |key: &str, numbers: &[u8], legend: &Legend| {
            let path = self.folder.staged(&format!("{key}{stamp}.tif"));
            Bytes { size, numbers, legend }.geotiff(&path, &self.task.place)
        };
        write(STATES, &grid.states, &self.legend)?;
        if self.task.model.automaton.deep {
            let clouds: Vec<u8> = grid.states.iter().map(|state| (state / CLOUD) & 1).collect();
            write(CLOUDS, &clouds, &shown_legend(self.task))?;
            write(COVER, &shown(self.task, grid), &shown_legend(self.task))?;
        }
        Ok(())
    }
}

/// Returns the displayed values of a grid: its states, or the view of clouds from above.
fn shown(task: &Task, grid: &Grid) -> Vec<u8> {
    if !task.model.automaton.deep {
        return grid.states.clone();
    }
    let mut cover = vec![0; grid.columns * grid.rows];
    for layer in grid.states.chunks(cover.len()) {
        for (cover, state) in cover.iter_mut().zip(layer) {
            *cover |= (state / CLOUD) & 1;
        }
    }
    cover
}

/// Returns the legend of the displayed values.
fn shown_legend(task: &Task) -> Legend {
    match task.model.automaton.deep {
        false => legend(task.model),
        true => vec![("clear".into(), (40, 90, 170)), ("cloud".into(), (245, 245, 250))],
    }
}
