//! What a checkpoint says before its arrays.

use crate::engine::backend::{Crossed, Problem};
use crate::engine::clock::{Beat, Clock};
use crate::engine::extremes::Extremes;
use crate::engine::field::Field;
use crate::engine::forcing::link::LinkState;
use crate::engine::forcing::ports::Booked;
use crate::engine::gauged::GaugeState;
use crate::engine::grid::{Bed, Grid};
use crate::engine::ledger::Ledger;
use crate::engine::time_step::StepControl;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::output::wall::WallParts;
use crate::scenario::Facts;
use crate::scenario::options::Options;
use crate::words::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

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
    /// [`terrain`].
    pub terrain: String,
    /// Names of the arrays that follow.
    pub arrays: Vec<String>,
    /// The clock.
    pub time: ClockState,
    /// The time, for people.
    pub when: String,
    /// The ledger (grains).
    #[serde(with = "crate::engine::sums")]
    pub ledger: Ledger,
    /// What crossed edges, and how it flowed.
    pub crossed: Crossed,
    /// The greatest speed and the like.
    pub watch: Extremes,
    /// Where each link stands.
    pub links: Vec<LinkState>,
    /// What of the ledger's inflow and outflow went through which port.
    pub booked: Booked,
    /// What is known of each gauge.
    pub gauges: Vec<GaugeState>,
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

/// The moving parts of a clock.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ClockState {
    pub(super) done: u64,
    /// Bits of time, and of free, rate, held, shortest and longest, and the steps of the epoch, where steps find their own
    /// length.
    #[serde(rename = "pace")]
    pub(super) control: Option<(u64, [u32; 5], u32)>,
}

impl ClockState {
    /// Those of a clock.
    pub fn of(clock: &Clock) -> ClockState {
        let control = match clock.beat {
            Beat::Equal { .. } => None,
            Beat::Adaptive { control, .. } => {
                let StepControl { time, number: _, free, rate, held, taken, shortest, longest } =
                    control;
                let bits = [free, rate, held, shortest, longest].map(f32::to_bits);
                Some((time.to_bits(), bits, taken))
            }
        };
        ClockState { done: clock.done, control }
    }

    /// Sets a clock to them.
    pub fn set(self, clock: &mut Clock) {
        clock.done = self.done;
        if let (Beat::Adaptive { control, .. }, Some((time, bits, taken))) =
            (&mut clock.beat, self.control)
        {
            let [free, rate, held, shortest, longest] = bits.map(f32::from_bits);
            let (time, number) = (f64::from_bits(time), self.done);
            *control = StepControl { time, number, free, rate, held, taken, shortest, longest };
        }
    }
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
                "checkpoint_every: a path of this run is not UTF-8, so no checkpoint can name it",
            )
            .hint("rename it, or leave checkpoint_every out")
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
            terrain: terrain(&problem.grid, &problem.bed),
            arrays: names(&problem.kept()),
            time: ClockState::default(),
            when: String::new(),
            ledger: Ledger::default(),
            crossed: Crossed::default(),
            watch: Extremes::default(),
            links: Vec::new(),
            booked: Booked::default(),
            gauges: Vec::new(),
            observers: Vec::new(),
            published: Vec::new(),
            earlier: Vec::new(),
            spent: WallParts::default(),
            resumed_at_steps: Vec::new(),
        })
    }

    /// That of the run as it goes on from here.
    pub fn goes_on(&self) -> Header {
        let mut header = self.clone();
        header.resumed_at_steps.push(self.time.done);
        header
    }
}

/// A fingerprint of the terrain: of what was made of the DEM, whichever files that took.
pub fn terrain(grid: &Grid, bed: &Bed) -> String {
    let mut hasher = Sha256::new();
    hasher.update(format!("{} x {}, {:?}", grid.columns, grid.rows, grid.transform));
    for levels in bed.levels.chunks(1 << 16) {
        let bytes: Vec<u8> = levels.iter().flat_map(|level| level.to_le_bytes()).collect();
        hasher.update(&bytes);
    }
    hexadecimal(&hasher.finalize())
}

/// Names of fields, by which a checkpoint knows them.
pub fn names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_come_back_to_the_bit() {
        let mut clock = Clock::adaptive(100.0, 10.0, 1.0);
        clock.done = 7;
        if let Beat::Adaptive { control, .. } = &mut clock.beat {
            let held = 3e-7;
            let (time, number, taken) = (0.1 + 0.2, 7, 5);
            *control = StepControl {
                time,
                number,
                rate: 1e-30,
                held,
                taken,
                longest: 3.3,
                ..StepControl::START
            };
        }
        let text = serde_json::to_string(&ClockState::of(&clock)).unwrap();
        let mut again = Clock::adaptive(100.0, 10.0, 1.0);
        serde_json::from_str::<ClockState>(&text).unwrap().set(&mut again);
        assert_eq!((again.beat, again.done), (clock.beat, clock.done));
    }
}
