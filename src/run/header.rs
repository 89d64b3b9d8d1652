//! What a checkpoint says before its arrays.

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
use crate::output::wall::WallParts;
use crate::scenario::Facts;
use crate::scenario::options::Options;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

/// Everything about a run but its arrays. Floats of the clock are kept as bits, sums as text.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Header {
    /// Version of the program that wrote it.
    pub version: String,
    /// The command line of the run.
    pub command: Vec<String>,
    /// The working folder in which it was started.
    pub folder: String,
    /// The scenario file, if there was one.
    pub scenario_file: Option<String>,
    /// The options as a scenario file (TOML), paths as they were.
    pub options: String,
    /// The input files with their checksums.
    pub inputs: Vec<InputFile>,
    /// What it is a state of.
    pub about: AboutRun,
    /// The arrays that follow.
    pub arrays: Vec<Field>,
    /// What each rate layer brings now; none of those that have not begun.
    pub pieces: Vec<Option<Piece>>,
    /// The clock.
    pub time: ClockState,
    /// The time, for people.
    pub when: String,
    /// What is known of the run beside its cells.
    #[serde(flatten)]
    pub sums: Sums,
    /// What observers remember, in their order.
    pub observers: Vec<serde_json::Value>,
    /// Files of the run that are in place.
    pub published: Vec<String>,
    /// Files of an earlier run that are to give way.
    pub earlier: Vec<String>,
    /// Wall-clock time so far (s).
    pub spent: WallParts,
    /// The steps after which the run went on from a checkpoint.
    pub resumed_at_steps: Vec<u64>,
}

impl Header {
    /// What is the same in all checkpoints of a run that starts.
    pub fn new(
        options: &Options,
        command: &[String],
        facts: &Facts,
        problem: &Problem,
    ) -> Result<Header> {
        let no_text = || {
            Error::input(
                "a path of this run is not UTF-8, so no checkpoint and no state can name it",
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
            published: Vec::new(),
            earlier: Vec::new(),
            spent: WallParts::default(),
            resumed_at_steps: Vec::new(),
        })
    }

    /// The same of a run at a time of its clock.
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

    /// Writes a file of it with its arrays as a backend has them. An error of the backend's, or of the disk.
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

    /// Makes the header of the state at the end of the run of a problem: other runs start from it, and none goes on. How the run came to
    /// it is left out: a run that was stopped and resumed leaves the same state.
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

    /// That of the run as it goes on from here.
    pub fn goes_on(&self) -> Header {
        let mut header = self.clone();
        header.resumed_at_steps.push(self.time.done);
        header
    }
}
