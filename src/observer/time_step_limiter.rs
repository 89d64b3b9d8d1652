//! Records the processes and places that limit the time step. Sampled at evaluations that happen
//! anyway, so it costs no step.

use crate::engine::backend::Backend;
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::grid::{CellLocation, Grid};
use crate::error::Result;
use crate::observer::quality::cfl_rates::{By, CflRate, CflRates};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Side of a block (cells); places within a block count as one.
const BLOCK: usize = 32;

/// Number of places reported, at most.
const MOST: usize = 5;

/// Summary of the time-step limiters of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepLimits {
    /// Number of samples, evenly distributed over the run; the last one is at its end.
    #[serde(rename = "looks")]
    pub samples: u64,
    /// Number of samples at which only `dt_max` limited the step.
    pub by_dt_max: u64,
    /// Places that limited the step most often.
    pub places: Vec<LimitingCell>,
}

/// A place that limited steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitingCell {
    /// Centre of the cell that required the shortest step.
    #[serde(flatten)]
    pub at: CellLocation,
    /// Number of samples at which a cell of this block limited the step.
    #[serde(rename = "looks")]
    pub samples: u64,
    /// Share of all samples.
    pub share: f64,
    /// Most frequent limiter here.
    pub by: By,
    /// Shortest step required here (s).
    pub step_s: f64,
    /// Time at which the shortest step was required (s).
    pub time_s: f64,
    /// Flow depth at that time (m).
    pub depth_m: f64,
    /// Speed at that time (m/s).
    pub speed_m_s: f64,
}

/// Record of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct BlockRecord {
    /// Samples at which the block limited the step, by limiter in the order of [`By::ALL`].
    #[serde(rename = "looks")]
    samples: [u64; 4],
    /// Cell that required the shortest step, the rate 1 / Δt (s⁻¹), and the flow at that time.
    cell: usize,
    rate: f32,
    depth: f32,
    speed: f32,
    time: f64,
}

/// Records so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimiterRecords {
    #[serde(rename = "looks")]
    samples: u64,
    free: u64,
    /// Records by block number.
    places: BTreeMap<usize, BlockRecord>,
}

impl LimiterRecords {
    /// Returns `true` if the records are consistent with a run on this grid.
    pub fn fits(&self, grid: &Grid) -> bool {
        let counted: u64 = self.places.values().flat_map(|place| place.samples).sum();
        counted + self.free == self.samples
            && self.places.values().all(|place| place.cell < grid.cells() && place.rate > 0.0)
    }

    /// Samples the limiters of a state.
    pub fn record(
        &mut self,
        cfl_rates: &CflRates,
        grid: &Grid,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<()> {
        let TimeStepping::Adaptive { limits, .. } = clock.time_stepping else { return Ok(()) };
        let of_row = |row: usize, rates: &[f32]| {
            let fastest = rates.iter().fold(0.0, |a: f32, &b| if b > a { b } else { a });
            // Of equal rates, take the first.
            let column = rates.iter().position(|&rate| rate == fastest).unwrap_or_default();
            (fastest, (column, row))
        };
        let rows = cfl_rates.of_rows(backend, of_row)?;
        let (rate, (column, row)) = rows
            .into_iter()
            .reduce(|found, next| if next.0 > found.0 { next } else { found })
            .unwrap_or_default();
        self.samples += 1;
        if rate * limits.longest <= limits.safety {
            self.free += 1;
            return Ok(());
        }
        let cell = row * grid.columns + column;
        let cfl_rate = cfl_rates.of_cell(backend, (column, row))?;
        let block = row / BLOCK * grid.columns.div_ceil(BLOCK) + column / BLOCK;
        let place = self.places.entry(block).or_default();
        place.samples[cfl_rate.by as usize] += 1;
        if cfl_rate.rate > place.rate {
            let CflRate { rate, depth, speed, .. } = cfl_rate;
            *place = BlockRecord { cell, rate, depth, speed, time: clock.now(), ..*place };
        }
        Ok(())
    }

    /// Summarizes the limiters of the run; `None` if nothing was sampled.
    pub fn summary(&self, grid: &Grid, clock: &Clock) -> Option<StepLimits> {
        let TimeStepping::Adaptive { limits, .. } = clock.time_stepping else { return None };
        let limiting_cell = |place: &BlockRecord| {
            let samples = place.samples.iter().sum();
            // Of equally frequent limiters, take the first.
            let most = (0..4).rev().max_by_key(|&by| place.samples[by]).unwrap_or_default();
            LimitingCell {
                at: grid.spot(place.cell),
                samples,
                share: samples as f64 / self.samples as f64,
                by: By::ALL[most],
                step_s: f64::from(limits.safety / place.rate),
                time_s: place.time,
                depth_m: f64::from(place.depth),
                speed_m_s: f64::from(place.speed),
            }
        };
        let mut places: Vec<LimitingCell> = self.places.values().map(limiting_cell).collect();
        // The sort is stable: equally frequent places stay in block order.
        places.sort_by_key(|place| std::cmp::Reverse(place.samples));
        places.truncate(MOST);
        (self.samples > 0).then_some(StepLimits {
            samples: self.samples,
            by_dt_max: self.free,
            places,
        })
    }
}
