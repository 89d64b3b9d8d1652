//! Header of a checkpoint, which precedes the arrays.

use crate::engine::backend::saved::Sums;
use crate::engine::backend::{Backend, Problem};
use crate::engine::clock::Clock;
use crate::engine::field::Field;
use crate::engine::forcing::series::Piece;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::output::checkpoint::about::AboutRun;
use crate::output::checkpoint::clock::ClockState;
use crate::output::checkpoint::file::{CHECKPOINT, Writer};
use crate::output::checkpoint::sewers::SewerState;
use crate::output::timings::WallParts;
use crate::scenario::Facts;
use crate::scenario::options::Options;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

/// Metadata of a run. Floats of the clock are stored as bits, sums as text.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Header {
    /// Version of the program that wrote the checkpoint.
    pub version: String,
    /// Command line of the run.
    pub command: Vec<String>,
    /// Working folder in which the run was started.
    pub folder: String,
    /// Scenario file, if any.
    pub scenario_file: Option<String>,
    /// Options as a scenario file (TOML), with the original paths.
    pub options: String,
    /// Input files with their checksums.
    pub inputs: Vec<InputFile>,
    /// Description of the run to which the state belongs.
    pub about: AboutRun,
    /// Arrays that follow the header.
    pub arrays: Vec<Field>,
    /// Present piece of each rate layer; `None` for layers that have not begun.
    pub pieces: Vec<Option<Piece>>,
    /// State of the clock.
    pub time: ClockState,
    /// Time of the checkpoint as text.
    pub when: String,
    /// Totals of the run.
    #[serde(flatten)]
    pub sums: Sums,
    /// State of each observer, in order.
    pub observers: Vec<serde_json::Value>,
    /// State of the sewer network at the end of a run, for runs that start from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sewers: Option<SewerState>,
    /// Published files of the run.
    pub published: Vec<String>,
    /// Files of an earlier run that will be replaced.
    pub earlier: Vec<String>,
    /// Wall-clock time so far (s).
    pub spent: WallParts,
    /// Step counts at which the run was resumed from a checkpoint.
    pub resumed_at_steps: Vec<u64>,
}

impl Header {
    /// Creates the part of the header that is common to all checkpoints of a run.
    pub fn new(
        options: &Options,
        command: &[String],
        facts: &Facts,
        problem: &Problem,
    ) -> Result<Header> {
        let no_text = || {
            Error::input(
                "a path of this run is not UTF-8, so checkpoints and states cannot store it",
            )
            .hint("rename it, or leave checkpoint_every and keep_state out")
        };
        let file = options.scenario_file.as_ref();
        let file = file.map(|file| file.to_str().map(String::from).ok_or_else(no_text));
        let folder = std::env::current_dir().unwrap_or_default();
        Ok(Header {
            version: env!("CARGO_PKG_VERSION").into(),
            command: command.to_vec(),
            folder: folder.to_string_lossy().into_owned(),
            scenario_file: file.transpose()?,
            options: toml::to_string(options).map_err(|_| no_text())?,
            inputs: facts.inputs.clone(),
            about: AboutRun::of(problem, facts.start.as_ref(), &facts.remembering),
            arrays: problem.kept(),
            pieces: Vec::new(),
            time: ClockState::default(),
            when: String::new(),
            sums: Sums::default(),
            observers: Vec::new(),
            sewers: None,
            published: Vec::new(),
            earlier: Vec::new(),
            spent: WallParts::default(),
            resumed_at_steps: Vec::new(),
        })
    }

    /// Returns the header for the present time of the run.
    pub fn at(&self, clock: &Clock, backend: &dyn Backend) -> Result<Header> {
        let rates = &backend.timeline().rates;
        Ok(Header {
            time: ClockState::of(clock),
            when: clock.show(clock.now()),
            sums: Sums::of(backend)?,
            pieces: rates.iter().map(|series| series.piece_at(clock.now())).collect(),
            ..self.clone()
        })
    }

    /// Writes a file with the header and the arrays of a backend. The outer error is the disk's,
    /// the inner one the backend's.
    pub fn write(&self, file: &File, backend: &dyn Backend) -> io::Result<Result<()>> {
        let mut writer = Writer::new(file, CHECKPOINT, self)?;
        for &field in &self.arrays {
            let (width, lines) = field.shape(backend.shape());
            let mut bits = vec![0; width];
            for line in 0..lines {
                if let Err(error) = backend.read(field, line, &mut bits) {
                    return Ok(Err(error));
                }
                writer.add(&bits)?;
            }
        }
        writer.finish().map(Ok)
    }

    /// Returns the header of the final state of a run, from which other runs can start, but which
    /// cannot be resumed. The history of the run is left out, so that a resumed run leaves the same
    /// state.
    pub fn at_the_end(self, problem: &Problem) -> Header {
        Header {
            arrays: problem.state(),
            observers: Vec::new(),
            published: Vec::new(),
            earlier: Vec::new(),
            spent: WallParts::default(),
            resumed_at_steps: Vec::new(),
            ..self
        }
    }

    /// Returns the header for a run that is resumed from here.
    pub fn goes_on(&self) -> Header {
        let mut header = self.clone();
        header.resumed_at_steps.push(self.time.done);
        header
    }
}
