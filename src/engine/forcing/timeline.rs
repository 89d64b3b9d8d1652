//! Amounts that the forcing brings in each step.

use super::bounds::{self, Law};
use super::series::Series;
use super::table::Table;
use super::{Account, Footprint, Forcing, Increment, RateLayer};
use crate::forcing::step::Step;
use crate::grains::Grain;
use crate::grid::Bed;
use crate::time_step::{Bound, Stride, Until};
use crate::units::Second;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Least number of steps between two changes of a gate's opening: the water follows it with a step's
/// delay.
const PARTS: u32 = 8;

/// Series of a run's forcing, from which the parameters of each step are computed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Timeline {
    /// Rate of each rate layer (m per second, or m per step).
    pub rates: Vec<Series>,
    /// Stage of each stage boundary (m above the bed's datum).
    pub levels: Vec<Series>,
    /// Set for rate layers that feed single cells.
    pub pours: Vec<bool>,
    /// Time span outside which a rate layer is 0.
    pub spans: Vec<(f64, f64)>,
    /// Times at which a rate, a stage or the opening of a gate changes slope or jumps, ascending.
    /// Adaptive steps end on them.
    pub breaks: Vec<f64>,
    /// Step limits of a solver with physical time, from the forcing.
    pub bounds: Vec<Bound>,
    /// Grain of the water.
    pub grain: Grain,
    /// See [`Forcing::elapsed`].
    pub elapsed: Second,
}

impl Timeline {
    /// Creates the timeline of a forcing over a bed
    /// ([`Problem::timeline`](crate::problem::Problem::timeline)).
    pub fn of(forcing: &Forcing, grain: Grain, bed: &Bed, law: Law) -> Timeline {
        let datum = f64::from(bed.datum()) / Bed::PER_METRE;
        let pours = |layer: &RateLayer| {
            layer.account == Account::Inflow || matches!(layer.footprint, Footprint::Cells(_))
        };
        let pours: Vec<bool> = forcing.rates.iter().map(pours).collect();
        let span = |layer: &RateLayer| match layer.account {
            // Losses read the potential evaporation in every step, even where it is 0.
            Account::Evaporation => (f64::NEG_INFINITY, f64::INFINITY),
            _ => layer.series.span(),
        };
        let spans: Vec<(f64, f64)> = forcing.rates.iter().map(span).collect();
        let levels: Vec<Series> =
            forcing.stage_boundaries.iter().map(|held| held.level.lowered(datum)).collect();
        let series = forcing.rates.iter().map(|layer| &layer.series).chain(&levels);
        let pieces = series.flat_map(Series::pieces).map(|piece| piece.time);
        // The edges of a gate share its table.
        let gates = forcing.structures.iter().filter_map(|it| it.openings(&forcing.tables));
        let gates: BTreeMap<usize, Table> = gates.map(|table| (table.at, table)).collect();
        let moves = gates.values().flat_map(|openings| openings.pairs().0.windows(2));
        let moves = moves.flat_map(|ends| {
            let [from, to] = [ends[0], ends[1]].map(f64::from);
            let part = move |part| from + (to - from) * f64::from(part) / f64::from(PARTS);
            (0..=PARTS).map(part).map(|time| time - forcing.elapsed)
        });
        let mut breaks: Vec<f64> = pieces.chain(moves).collect();
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        Timeline {
            bounds: bounds::of(forcing, bed, law),
            rates: forcing.rates.iter().map(|layer| layer.series.clone()).collect(),
            levels,
            pours,
            spans,
            breaks,
            grain,
            elapsed: forcing.elapsed,
        }
    }

    /// Returns the parameters of a step.
    pub fn step(&self, stride: Stride) -> Step {
        Step {
            number: stride.number,
            dt: stride.dt,
            start: stride.start as f32,
            end: stride.end as f32,
            elapsed: [stride.start, stride.end].map(|time| (self.elapsed + time) as f32),
            increments: self.increments(stride.start, stride.end),
            levels: self.levels(stride.end),
        }
    }

    /// Returns the running totals of the rate layers at `start` and `end`.
    fn increments(&self, start: f64, end: f64) -> Vec<Increment> {
        let increment = |(series, span): (&Series, &(f64, f64))| {
            if span.0 >= end || span.1 <= start {
                // Of the hundreds of frames of a radar series, only one or two are active.
                return Increment { before: 0, after: 0 };
            }
            let before = series.grains(start, self.grain);
            // With a rate that falls to 0, rounding may lower the total.
            Increment { before, after: series.grains(end, self.grain).max(before) }
        };
        self.rates.iter().zip(&self.spans).map(increment).collect()
    }

    /// Returns the rate layers that may be nonzero between two times, and all that feed single
    /// cells.
    pub fn active(&self, from: f64, to: f64) -> Vec<usize> {
        let is = |layer: &usize| {
            let (start, end) = self.spans[*layer];
            self.pours[*layer] || (start < to && end > from)
        };
        (0..self.rates.len()).filter(is).collect()
    }

    /// Returns the stopping conditions of steps from a time (s): they stop at `due` or at an
    /// earlier break, end before `before` (s), and end at step `number` from the start.
    pub fn until(&self, from: f64, number: u64, due: f64, before: f64) -> Until<'_> {
        let past = self.breaks.partition_point(|time| *time <= from);
        let time = self.breaks.get(past).map_or(due, |next| next.min(due));
        Until { time, number, before, bounds: &self.bounds }
    }

    /// Returns the stages at a time (grains above the bed's datum).
    fn levels(&self, time: f64) -> Vec<i64> {
        let per_metre = f64::from(self.grain.per_metre());
        self.levels.iter().map(|series| (series.at(time) * per_metre).floor() as i64).collect()
    }
}
