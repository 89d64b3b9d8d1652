//! Greatest depth, velocity and hazard of a run, with places and times.
//!
//! Values and places take every step into account, because the backend keeps each cell's maximum.
//! Times come from evaluations of these maxima, a hundredth of the run apart on small maps and less
//! frequent on large ones, unless the run records the time of each cell's greatest depth. The
//! interval between evaluations is reported.

use crate::engine::backend::Backend;
use crate::engine::cell_diagnostics::CellDiagnostic;
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::grid::{CellLocation, Grid};
use crate::engine::simulation::{Observer, no_observer};
use crate::engine::solver;
use crate::error::{Error, Result};
use crate::observer::quality::cfl_rates::CflRates;
use crate::observer::time_step_limiter::{LimiterRecords, StepLimits};
use crate::output::layers::{
    Layer, MAX_DEPTH, MAX_HAZARD, MAX_VELOCITY, Maps, NODATA, Now, TIME_OF_MAX,
};
use crate::scenario::Facts;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Evaluations per run, at most.
const EVALUATIONS: f64 = 100.0;

/// Cells read by all evaluations of a run together, at most. Each one reads every cell, possibly
/// from the GPU, and together they should take no more than some tenths of a second.
const READS: f64 = 2e7;

/// Number of evaluations per evaluation of the step limiters, which reads four times as much.
const LIMITERS_EVERY: u64 = 4;

/// Cells per chunk, about, and minimum number of rows: a small buffer is quickly allocated.
const CHUNK_CELLS: usize = 1 << 19;
const CHUNK_ROWS: usize = 64;

/// Greatest value of a quantity in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Greatest {
    /// Key of the layer.
    pub layer: &'static str,
    /// Greatest value of the run.
    pub value: f64,
    /// Unit; empty for ratings.
    pub unit: &'static str,
    /// Centre of the cell.
    #[serde(flatten)]
    pub at: CellLocation,
    /// Latest time at which it was reached (s, or steps).
    pub time: f64,
    /// Uncertainty: how much earlier it may have been reached (s, or steps); 0 if the time is exact
    /// to the step.
    pub within: f64,
    /// Set if the value is an upper bound, from the greatest depth and the greatest speed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
}

/// Greatest value so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Maximum {
    value: f32,
    cell: usize,
    time: f64,
    within: f64,
}

/// Records maxima in evaluations that do not affect the steps.
pub struct GreatestValues {
    maps: Arc<Maps>,
    grid: Grid,
    layers: Vec<&'static Layer>,
    /// Interval between evaluations (s, or steps).
    every: f64,
    /// Number of the next evaluation.
    next: u64,
    /// Time of the last evaluation (s, or steps).
    last: f64,
    /// Set if the step length is adaptive.
    between_steps: bool,
    /// Set if the current step passes the time of the next evaluation.
    due: bool,
    maxima: Vec<Maximum>,
    /// CFL rates, for solvers with adaptive steps, and the limiters recorded so far.
    cfl_rates: Option<CflRates>,
    limiters: LimiterRecords,
}

impl GreatestValues {
    /// Starts recording for a run: always the depth, and velocity and hazard if their maps are
    /// written.
    pub fn new(facts: &Facts, maps: Arc<Maps>, clock: &Clock) -> GreatestValues {
        let has =
            |layer: &Layer| facts.layers.layers.iter().any(|requested| requested.key == layer.key);
        let more = [&MAX_VELOCITY, &MAX_HAZARD].into_iter().filter(|layer| has(layer));
        let layers: Vec<&'static Layer> = [&MAX_DEPTH].into_iter().chain(more).collect();
        // Evaluate together with the gauges, so that no further steps need separate treatment.
        let every = facts.watched.every;
        let evaluations = (READS / facts.grid.cells() as f64).floor().min(EVALUATIONS);
        // On the largest maps, evaluate only at the end.
        let every = match evaluations >= 1.0 {
            true => every * (clock.end() / evaluations / every).ceil().max(1.0),
            false => f64::INFINITY,
        };
        let between_steps = matches!(clock.time_stepping, TimeStepping::Adaptive { .. });
        let maxima = vec![Maximum::default(); layers.len()];
        let grid = facts.grid.clone();
        let solver = solver::find_order(facts.flow.solver, facts.flow.order);
        let cfl_rates =
            solver.and_then(|solver| CflRates::new(maps.clone(), solver, facts.flow.roughness));
        GreatestValues {
            maps,
            grid,
            layers,
            every,
            next: 1,
            last: 0.0,
            between_steps,
            due: false,
            maxima,
            cfl_rates,
            limiters: LimiterRecords::default(),
        }
    }

    fn next_due(&self) -> f64 {
        self.next as f64 * self.every
    }

    /// Evaluates the maxima of all cells.
    fn evaluate(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        let now = clock.now();
        let within = now - self.last;
        let columns = self.grid.columns;
        let maps = Now { maps: &self.maps, backend, clock, above: 0 };
        let step = (CHUNK_CELLS / columns).max(CHUNK_ROWS).min(self.grid.rows);
        let mut values = vec![0.0; step * columns];
        for first in (0..self.grid.rows).step_by(step) {
            let values = &mut values[..step.min(self.grid.rows - first) * columns];
            for (layer, maximum) in self.layers.iter().zip(&mut self.maxima) {
                match self.maps.fine {
                    Some(_) => maps.read_lowest(layer, first, values)?,
                    None => maps.read(layer, first, values)?,
                }
                let of_rows: Vec<(f32, usize)> = values.par_chunks(columns).map(greatest).collect();
                for (row, (value, column)) in of_rows.into_iter().enumerate() {
                    if value > maximum.value && value != NODATA {
                        let cell = (first + row) * columns + column;
                        *maximum = Maximum { value, cell, time: now, within };
                    }
                }
            }
        }
        self.last = now;
        Ok(())
    }

    /// Records the place that limits the step.
    fn record_limiter(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        let Some(cfl_rates) = &self.cfl_rates else { return Ok(()) };
        self.limiters.record(cfl_rates, &self.grid, clock, backend)
    }

    /// Returns the greatest values of the whole run, omitting quantities that never exceeded 0, and
    /// the step limiters.
    ///
    /// # Errors
    /// Backend errors while reading.
    pub fn conclude(
        &mut self,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<(Vec<Greatest>, Option<StepLimits>)> {
        self.evaluate(clock, backend)?;
        self.record_limiter(clock, backend)?;
        let mut all = Vec::new();
        for (layer, maximum) in
            self.layers.iter().zip(&self.maxima).filter(|(_, maximum)| maximum.value > 0.0)
        {
            let at = self.grid.spot(maximum.cell);
            let exact = match layer.key == MAX_DEPTH.key {
                true => self.time_of_max(clock, backend, at)?,
                false => None,
            };
            let upper_bound = layer.key == MAX_HAZARD.key && self.maps.fine.is_some();
            let (time, within) = match exact {
                Some(time) => (time, 0.0),
                // A bound that grows with either factor has no time.
                None if upper_bound => (clock.now(), clock.now()),
                None => (maximum.time, maximum.within),
            };
            all.push(Greatest {
                layer: layer.key,
                value: f64::from(maximum.value),
                unit: (layer.unit)(clock),
                at,
                time,
                within,
                upper_bound,
            });
        }
        Ok((all, self.limiters.summary(&self.grid, clock)))
    }

    /// Returns the time of a cell's greatest depth (s, or steps), if the run records it.
    fn time_of_max(
        &self,
        clock: &Clock,
        backend: &dyn Backend,
        at: CellLocation,
    ) -> Result<Option<f64>> {
        if !self.maps.cell_diagnostics.contains(&CellDiagnostic::PeakTime) {
            return Ok(None);
        }
        let mut times = vec![0.0; self.grid.columns];
        let now = Now { maps: &self.maps, backend, clock, above: 0 };
        now.read(&TIME_OF_MAX, at.row, &mut times)?;
        let unit = if (TIME_OF_MAX.unit)(clock) == "h" { 3600.0 } else { 1.0 };
        // The layer holds 32-bit hours, so the time may come out slightly past the end.
        let time = (f64::from(times[at.column]) * unit).min(clock.now());
        Ok(Some(time).filter(|time| *time >= 0.0))
    }
}

/// Returns the greatest value of a row (the first of equals) and its column.
fn greatest(values: &[f32]) -> (f32, usize) {
    let mut found = (f32::NEG_INFINITY, 0);
    for (column, &value) in values.iter().enumerate() {
        if value > found.0 {
            found = (value, column);
        }
    }
    found
}

impl Observer for GreatestValues {
    fn next_time(&self) -> Option<f64> {
        Some(self.next_due()).filter(|due| due.is_finite() && !self.between_steps)
    }

    fn next_sample_time(&self) -> Option<f64> {
        Some(self.next_due()).filter(|due| due.is_finite() && self.between_steps)
    }

    fn before_step(&mut self, _: &Clock, _: &dyn Backend) -> Result<()> {
        self.due = true;
        Ok(())
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        // How often this is called depends on the machine; the records must not.
        let requested = std::mem::take(&mut self.due) || !self.between_steps;
        if !requested || !clock.has_reached(self.next_due()) {
            return Ok(());
        }
        self.next = clock.multiples_of(self.every).max(self.next).saturating_add(1);
        self.evaluate(clock, backend)?;
        match (self.next - 1).is_multiple_of(LIMITERS_EVERY) {
            true => self.record_limiter(clock, backend),
            false => Ok(()),
        }
    }

    fn save(&self) -> Result<Value> {
        serde_json::to_value((self.next, self.last, &self.maxima, &self.limiters))
            .map_err(|error| Error::run("cannot save the greatest values").because(error))
    }

    fn restore(&mut self, saved: Value, clock: &Clock) -> Result<()> {
        let (next, last, maxima, limiters): (u64, f64, Vec<Maximum>, LimiterRecords) =
            serde_json::from_value(saved).map_err(|_| no_observer())?;
        let fits = maxima.len() == self.layers.len()
            && clock.is_next(next, self.every)
            && limiters.fits(&self.grid);
        if !fits || maxima.iter().any(|maximum| maximum.cell >= self.grid.cells()) {
            return Err(no_observer());
        }
        (self.next, self.last, self.maxima, self.limiters) = (next, last, maxima, limiters);
        Ok(())
    }
}
