//! What holds the length of a run's steps, and where: recorded at looks that others make anyway, so that it costs no step.

use crate::engine::backend::Backend;
use crate::engine::clock::{Beat, Clock};
use crate::engine::grid::{Grid, Spot};
use crate::error::Result;
use crate::observer::quality::cfl_rates::{By, CflRate, CflRates};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Places within a block of so many cells a side are one.
const BLOCK: usize = 32;

/// The most places that are told.
const MOST: usize = 5;

/// What held the steps of a run, by looks at it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepHeld {
    /// Looks, evenly over the run; the last is at its end.
    pub looks: u64,
    /// Of them, those at which nothing held the step but `dt_max`.
    pub by_dt_max: u64,
    /// The places that held it most often.
    pub places: Vec<HeldAt>,
}

/// A place that held steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldAt {
    /// The middle of the cell that asked for the shortest step.
    #[serde(flatten)]
    pub at: Spot,
    /// At how many looks a cell near it held the step.
    pub looks: u64,
    /// Their share of all.
    pub share: f64,
    /// What held it at most of them.
    pub by: By,
    /// The shortest step that it asked for (s), and when (s).
    pub step_s: f64,
    /// See `step_s`.
    pub time_s: f64,
    /// Depth of flow there then (m).
    pub depth_m: f64,
    /// Speed there then (m/s).
    pub speed_m_s: f64,
}

/// What is known of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct BlockRecord {
    /// Looks at which it held the step, by what did, in the order of [`By::ALL`].
    looks: [u64; 4],
    /// The cell that asked for the shortest step, 1 / that (s⁻¹), and what was there then.
    cell: usize,
    rate: f32,
    depth: f32,
    speed: f32,
    time: f64,
}

/// What is recorded so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    looks: u64,
    free: u64,
    /// By the number of the block.
    places: BTreeMap<usize, BlockRecord>,
}

impl Recorded {
    /// Whether a run on a grid can have recorded it.
    pub fn fits(&self, grid: &Grid) -> bool {
        let held: u64 = self.places.values().flat_map(|place| place.looks).sum();
        held + self.free == self.looks
            && self.places.values().all(|place| place.cell < grid.cells() && place.rate > 0.0)
    }

    /// Looks at a state.
    pub fn look(
        &mut self,
        cfl_rates: &CflRates,
        grid: &Grid,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<()> {
        let Beat::Adaptive { limits, .. } = clock.beat else { return Ok(()) };
        let of_row = |row: usize, rates: &[f32]| {
            let fastest = rates.iter().fold(0.0, |a: f32, &b| if b > a { b } else { a });
            // Of equals the first.
            let column = rates.iter().position(|&rate| rate == fastest).unwrap_or_default();
            (fastest, (column, row))
        };
        let rows = cfl_rates.of_rows(backend, of_row)?;
        let (rate, (column, row)) = rows
            .into_iter()
            .reduce(|found, next| if next.0 > found.0 { next } else { found })
            .unwrap_or_default();
        self.looks += 1;
        if rate * limits.longest <= limits.safety {
            self.free += 1;
            return Ok(());
        }
        let cell = row * grid.columns + column;
        let cfl_rate = cfl_rates.of_cell(backend, (column, row))?;
        let block = row / BLOCK * grid.columns.div_ceil(BLOCK) + column / BLOCK;
        let place = self.places.entry(block).or_default();
        place.looks[cfl_rate.by as usize] += 1;
        if cfl_rate.rate > place.rate {
            let CflRate { rate, depth, speed, .. } = cfl_rate;
            *place = BlockRecord { cell, rate, depth, speed, time: clock.now(), ..*place };
        }
        Ok(())
    }

    /// What held the steps in all; none where nothing was looked at.
    pub fn summary(&self, grid: &Grid, clock: &Clock) -> Option<StepHeld> {
        let Beat::Adaptive { limits, .. } = clock.beat else { return None };
        let held_at = |place: &BlockRecord| {
            let looks = place.looks.iter().sum();
            // Of equals the first.
            let most = (0..4).rev().max_by_key(|&by| place.looks[by]).unwrap_or_default();
            HeldAt {
                at: grid.spot(place.cell),
                looks,
                share: looks as f64 / self.looks as f64,
                by: By::ALL[most],
                step_s: f64::from(limits.safety / place.rate),
                time_s: place.time,
                depth_m: f64::from(place.depth),
                speed_m_s: f64::from(place.speed),
            }
        };
        let mut places: Vec<HeldAt> = self.places.values().map(held_at).collect();
        // What is as frequent stays in the order of blocks.
        places.sort_by_key(|place| std::cmp::Reverse(place.looks));
        places.truncate(MOST);
        (self.looks > 0).then_some(StepHeld { looks: self.looks, by_dt_max: self.free, places })
    }
}
