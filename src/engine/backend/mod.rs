//! Backends: they hold the state and do the arithmetic.
//!
//! A backend deals with tiles, memory and numbers, never with files. Its tasks in a step are the
//! same for every backend, and so are the resulting bits.

pub mod cpu;
pub mod cuda;
mod ground;
pub mod linked;
pub mod multi_device;
pub mod open;
pub mod padded_grid;
mod probe;
pub mod ranks;
pub mod rasters;
pub mod sample;
pub mod saved;
pub mod setup;
pub mod sites;
pub mod strips;
pub mod tiled;
pub mod totals;
pub mod worker;

use crate::crossed_sides::CrossedSides;
use crate::error::{Error, Result as Outcome};
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::GaugeState;
use crate::ledger::Ledger;
pub use crate::problem::Problem;
use crate::run_diagnostics::Extremes;
use crate::time_step::{Limits, StepControl, Until};
pub use probe::EdgeAt;
pub use sample::{Sample, SampleRequest};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Flux statistics of a timed solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
pub struct FluxStatistics {
    /// Volume that crossed edges (grains).
    pub crossed: u64,
    /// Volume held back because the donor ran out of water or the step was too long (grains).
    /// Donors without any water do not count.
    pub cut: u64,
    /// Number of edges deeper than [`crate::run_diagnostics::DEEP`], summed over steps: the east
    /// and south edges of the grid's cells.
    pub deep: u64,
    /// Number of deep edges with a Froude number above [`crate::run_diagnostics::FAST`].
    pub fast: u64,
    /// Number of deep edges whose discharge was limited to the critical one.
    #[serde(rename = "held")]
    pub critical: u64,
}

impl FluxStatistics {
    /// Returns the share of the flow that was held back, 0 to 1.
    pub fn share_cut(&self) -> f64 {
        let all = self.crossed as f64 + self.cut as f64;
        if all > 0.0 { self.cut as f64 / all } else { 0.0 }
    }

    /// Returns the share of the deep edges, over all steps, with fast flow, 0 to 1.
    pub fn share_fast(&self) -> f64 {
        if self.deep > 0 { self.fast as f64 / self.deep as f64 } else { 0.0 }
    }

    /// Returns the share of the deep edges, over all steps, whose flow was limited to the critical
    /// one, 0 to 1.
    pub fn share_critical(&self) -> f64 {
        if self.deep > 0 { self.critical as f64 / self.deep as f64 } else { 0.0 }
    }
}

add_assign! { FluxStatistics: crossed cut deep fast critical }

/// Reason why a backend stopped.
#[derive(Debug)]
pub enum Stop {
    /// Water exceeded the depth that the grain allows.
    TooDeep {
        /// Number of the step in which it happened.
        step: u64,
    },
    /// The device failed with an error.
    Failed(Error),
}

/// The state of a run, and the means to step it.
pub trait Backend: Send {
    /// Takes some steps. In each step, rain and sources are added, inflow cells are topped up,
    /// water flows, sink cells are emptied, and maxima and arrivals are recorded.
    fn advance(&mut self, steps: &[Step]) -> Result<(), Stop>;

    /// Returns the timeline of its forcing.
    fn timeline(&self) -> Arc<Timeline>;

    /// Replaces the series of the forcing. The cells and the number of series stay the same.
    fn set_forcing(&mut self, timeline: Arc<Timeline>) -> Outcome<()>;

    /// Replaces the [tables](crate::forcing::table) of the laws by others of the same length.
    fn set_tables(&mut self, tables: &[f32]) -> Outcome<()>;

    /// Takes adaptive steps of a timed solver until it is time to stop.
    fn advance_adaptive(
        &mut self,
        control: &mut StepControl,
        limits: Limits,
        until: Until,
    ) -> Result<(), Stop>;

    /// Samples the current state, after `number` steps, at a time (s, or steps).
    fn sample(&self, wanted: &SampleRequest, number: u64, time: f64) -> Outcome<Sample> {
        wanted.see(self, number, time)
    }

    /// Requests values to sample at the times of [`Backend::set_sample_times`]. Returns `true` if
    /// the backend takes the samples itself.
    fn request_samples(&mut self, wanted: &SampleRequest) -> Outcome<bool>;

    /// Sets sample times (s, ascending) for the next call of [`Backend::advance_adaptive`], for a
    /// backend that samples by itself. It samples the states before and after the step that
    /// contains each time. No step is changed.
    fn set_sample_times(&mut self, times: &[f64]);

    /// Returns the pairs of samples taken before and after steps that contain a sample time, in
    /// step order, from the last call.
    fn collect_samples(&mut self) -> Vec<[Sample; 2]>;

    /// Returns the flux statistics so far; zero for automata.
    fn flux_statistics(&self) -> FluxStatistics;

    /// Returns the run diagnostics so far, with places and times; empty for automata.
    fn extremes(&self) -> Extremes;

    /// Returns the preferred multiple of the number of steps per call, if the backend is faster
    /// with many steps at once.
    fn steps_at_once(&self) -> Option<u64>;

    /// Returns the number of epochs that were rolled back and repeated since set-up, because a step
    /// turned out too long after other parts had continued. This costs time, but does not affect
    /// the result.
    fn epochs_redone(&self) -> u64;

    /// Returns the share of time that devices spent on halo exchange; `None` if there is none.
    fn exchange_share(&self) -> Option<f64>;

    /// Returns the state of each link, in the order of the forcing.
    fn link_states(&self) -> Outcome<Vec<LinkState>>;

    /// Returns the ledger's inflow and outflow per port.
    fn boundary_volumes(&self) -> Outcome<BoundaryVolumes>;

    /// Returns the state of each of the problem's gauges, in order. The last state of the run is
    /// included once it [concludes](Backend::conclude).
    fn gauge_states(&self) -> Outcome<Vec<GaugeState>>;

    /// Returns the columns and rows of the grid.
    fn shape(&self) -> (usize, usize);

    /// Returns the cells of a range (row-major) with crossed sides.
    fn crossed_sides(&self, cells: Range<usize>) -> Vec<(usize, CrossedSides)>;

    /// Returns the current ledger.
    fn ledger(&self) -> Ledger;

    /// Returns the number of cells that hold water.
    fn wet_cells(&self) -> usize;

    /// Reads a line of a field (bits), with the length given by [`Field::shape`]. Values outside
    /// the domain are meaningless, except that water and its maximum are 0 and arrival times −1.
    ///
    /// # Panics
    /// If the problem has no such field.
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Outcome<()>;

    /// Reads consecutive lines of a field, starting at `first`, each as in [`Backend::read`]: as
    /// many as fit into `to`.
    ///
    /// # Panics
    /// If the problem has no such field.
    fn read_lines(&self, field: Field, first: usize, to: &mut [u32]) -> Outcome<()>;

    /// Reads single values of a field (bits) by (place in the line, line); fastest if sorted by
    /// line.
    ///
    /// # Panics
    /// If the problem has no such field.
    fn read_places(&self, field: Field, places: &[(usize, usize)], to: &mut [u32]) -> Outcome<()>;

    /// Records the final state of a run, at a time (s, or steps), for the [cell
    /// diagnostics](Problem::cell_diagnostics) and [gauges](Problem::gauges).
    fn conclude(&mut self, time: f64) -> Outcome<()>;

    /// Returns the columns and rows of a tile.
    fn tile(&self) -> (usize, usize);

    /// Describes the device for people: `CPU, 2 threads, AVX-512`.
    fn describe(&self) -> String;
}
