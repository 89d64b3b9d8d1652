//! Backends: where the state lives and the arithmetic is done.
//!
//! A backend knows tiles, memory and numbers, never a file. What it is asked to do in a step is the
//! same for every backend, and so are the bits that come out.

pub mod canvas;
pub mod cpu;
pub mod cuda;
pub mod framed;
mod ground;
pub mod linked;
pub mod open;
mod probe;
pub mod ranks;
pub mod rasters;
pub mod sample;
pub mod saved;
pub mod setup;
pub mod sites;
pub mod strips;
pub mod team;
pub mod totals;
pub mod worker;

use crate::error::{Error, Result as Outcome};
use crate::extremes::Extremes;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::GaugeState;
use crate::ledger::Ledger;
pub use crate::problem::Problem;
use crate::time_step::{Limits, StepControl, Until};
pub use probe::EdgeAt;
pub use sample::{Sample, Wanted};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What cells gave over their edges under a timed rule, and how it flowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
pub struct Crossed {
    /// What did (grains).
    pub crossed: u64,
    /// What would have, had there been enough water in the giver and had the step been shorter (grains). A
    /// giver without any water does not count.
    pub cut: u64,
    /// Edges deeper than [`crate::extremes::DEEP`], step by step: those of the grid's cells to the east and south.
    pub deep: u64,
    /// Those of them with a Froude number above [`crate::extremes::FAST`].
    pub fast: u64,
    /// Those of them whose discharge was held to the critical one.
    pub held: u64,
}

impl Crossed {
    /// The share of the flow that was cut, 0 to 1.
    pub fn share_cut(&self) -> f64 {
        let all = self.crossed as f64 + self.cut as f64;
        if all > 0.0 { self.cut as f64 / all } else { 0.0 }
    }

    /// The share of the deep edges, over all steps, whose flow was fast, 0 to 1.
    pub fn share_fast(&self) -> f64 {
        if self.deep > 0 { self.fast as f64 / self.deep as f64 } else { 0.0 }
    }

    /// The share of the deep edges, over all steps, whose flow was held to the critical one, 0 to 1.
    pub fn share_held(&self) -> f64 {
        if self.deep > 0 { self.held as f64 / self.deep as f64 } else { 0.0 }
    }
}

add_assign! { Crossed: crossed cut deep fast held }

/// Why a backend stopped.
#[derive(Debug)]
pub enum Stop {
    /// Water got deeper than the grain allows.
    TooDeep {
        /// In which step.
        step: u64,
    },
    /// The device failed.
    Failed(Error),
}

/// The state of a run, and the means to step it.
pub trait Backend: Send {
    /// Takes some steps. In each, rain and sources are added, inflow cells are topped up, water flows,
    /// sink cells are emptied, maxima and arrivals are recorded.
    fn advance(&mut self, steps: &[Step]) -> Result<(), Stop>;

    /// What its forcing brings when.
    fn timeline(&self) -> Arc<Timeline>;

    /// From now on its forcing brings something else to the same cells: as many series as before.
    fn force(&mut self, timeline: Arc<Timeline>) -> Outcome<()>;

    /// Takes steps of a timed rule, whose lengths it finds, until it is time to stop.
    fn advance_adaptive(
        &mut self,
        control: &mut StepControl,
        limits: Limits,
        until: Until,
    ) -> Result<(), Stop>;

    /// What is seen of the state now, after so many steps, at a time (s, or steps).
    fn sample(&self, wanted: &Wanted, number: u64, time: f64) -> Outcome<Sample> {
        wanted.see(self, number, time)
    }

    /// Told what is wanted at times that [`Backend::sample_at`] will name; says whether it samples that by itself.
    fn samples(&mut self, wanted: &Wanted) -> Outcome<bool>;

    /// Names the times (s, in rising order) between which steps are to be sampled before and after the one that goes over them
    /// when next it [takes steps](Backend::advance_adaptive), of a backend that samples by itself. They change no step.
    fn sample_at(&mut self, times: &[f64]);

    /// Samples before and after steps that went over such times, in the order of steps: those of the steps that it last took.
    fn sampled(&mut self) -> Vec<[Sample; 2]>;

    /// What crossed the edges so far; nothing is counted for automata.
    fn crossed(&self) -> Crossed;

    /// The greatest speed and the like so far, with places and times; nothing is recorded for automata.
    fn extremes(&self) -> Extremes;

    /// Whether it is faster if given many steps at a time; if so, of how many their number had best be
    /// a multiple.
    fn steps_at_once(&self) -> Option<u64>;

    /// How many epochs had to be taken anew since it was set up, because a step within turned out too long where parts had
    /// gone on: it cost time, and changed nothing.
    fn epochs_redone(&self) -> u64;

    /// The share of its time in which parts on several devices took their halos from each other; none where there are none.
    fn exchange_share(&self) -> Option<f64>;

    /// Where each link stands, in the order of the forcing's.
    fn links(&self) -> Outcome<Vec<LinkState>>;

    /// What of the ledger's inflow and outflow went through which port.
    fn booked(&self) -> Outcome<Booked>;

    /// What is known of each of the problem's gauges, in their order. The last state is part of it once the run
    /// [concludes](Backend::conclude).
    fn gauges(&self) -> Outcome<Vec<GaugeState>>;

    /// Columns and rows of the grid.
    fn shape(&self) -> (usize, usize);

    /// The ledger now.
    fn ledger(&self) -> Ledger;

    /// Number of cells that hold water.
    fn wet_cells(&self) -> usize;

    /// A line of a field (bits): as many numbers as [`Field::shape`] says. What it holds outside the domain means nothing,
    /// but water and its maximum are 0 there, and arrival times −1.
    ///
    /// # Panics
    /// If the problem has no such field.
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Outcome<()>;

    /// Lines of a field from `first` on, one after the other, each as [`Backend::read`] gives it: as many as `to` holds.
    ///
    /// # Panics
    /// If the problem has no such field.
    fn read_lines(&self, field: Field, first: usize, to: &mut [u32]) -> Outcome<()>;

    /// Some numbers of a field (bits) by (place in the line, line); cheapest in the order of their lines.
    ///
    /// # Panics
    /// If the problem has no such field.
    fn read_places(&self, field: Field, places: &[(usize, usize)], to: &mut [u32]) -> Outcome<()>;

    /// Looks at the state at the end of a run, at a time (s, or steps), for the [tracks](Problem::tracks) and
    /// [gauges](Problem::gauges).
    fn conclude(&mut self, time: f64) -> Outcome<()>;

    /// Columns and rows of a tile.
    fn tile(&self) -> (usize, usize);

    /// What it runs on, for people: `CPU, 2 threads, AVX-512`.
    fn describe(&self) -> String;
}
