//! What the forcing brings from one time to another.

use super::bounds::{self, Law};
use super::series::Series;
use super::{Account, Footprint, Forcing, Increment, RateLayer};
use crate::forcing::step::Step;
use crate::grains::Grain;
use crate::grid::Bed;
use crate::time_step::{Bound, Stride, Until};
use crate::units::Second;
use serde::{Deserialize, Serialize};

/// The series of a run's forcing, from which the numbers of each step are worked out.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Timeline {
    /// The rate of every rate layer (m per second, or m per step), in their order.
    pub rates: Vec<Series>,
    /// The level of every group of cells whose level is held (m above the bed's datum).
    pub levels: Vec<Series>,
    /// Which rate layers pour into single cells.
    pub pours: Vec<bool>,
    /// From when to when each rate layer brings anything.
    pub spans: Vec<(f64, f64)>,
    /// The times at which a rate or a level takes another course, in order: steps that find their own length land on them.
    pub breaks: Vec<f64>,
    /// How long steps of a solver with physical time may be for the forcing.
    pub bounds: Vec<Bound>,
    /// Grain of the water.
    pub grain: Grain,
    /// See [`Forcing::elapsed`].
    pub elapsed: Second,
}

impl Timeline {
    /// The timeline of a forcing over a bed ([`Problem::timeline`](crate::problem::Problem::timeline)).
    pub fn of(forcing: &Forcing, grain: Grain, bed: &Bed, law: Law) -> Timeline {
        let datum = f64::from(bed.datum()) / Bed::PER_METRE;
        let pours = |layer: &RateLayer| {
            layer.account == Account::Inflow || matches!(layer.footprint, Footprint::Cells(_))
        };
        let pours: Vec<bool> = forcing.rates.iter().map(pours).collect();
        let span = |layer: &RateLayer| match layer.account {
            // What it takes is asked for in every step, and must be known to be nothing then.
            Account::Evaporation => (f64::NEG_INFINITY, f64::INFINITY),
            _ => layer.series.span(),
        };
        let spans: Vec<(f64, f64)> = forcing.rates.iter().map(span).collect();
        let levels: Vec<Series> =
            forcing.held.iter().map(|held| held.level.lowered(datum)).collect();
        let series = forcing.rates.iter().map(|layer| &layer.series).chain(&levels);
        let mut breaks: Vec<f64> =
            series.flat_map(Series::pieces).map(|piece| piece.time).collect();
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

    /// What happens in a step.
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

    /// Running totals of the rate layers from `start` to `end`.
    fn increments(&self, start: f64, end: f64) -> Vec<Increment> {
        let increment = |(series, span): (&Series, &(f64, f64))| {
            if span.0 >= end || span.1 <= start {
                // Of the hundreds of frames of a radar's series one or two are on.
                return Increment { before: 0, after: 0 };
            }
            let before = series.grains(start, self.grain);
            // A rate that falls to 0 may lose a last digit.
            Increment { before, after: series.grains(end, self.grain).max(before) }
        };
        self.rates.iter().zip(&self.spans).map(increment).collect()
    }

    /// The rate layers that may bring something between two times, and all that pour into single cells.
    pub fn active(&self, from: f64, to: f64) -> Vec<usize> {
        let is = |layer: &usize| {
            let (start, end) = self.spans[*layer];
            self.pours[*layer] || (start < to && end > from)
        };
        (0..self.rates.len()).filter(is).collect()
    }

    /// Where steps from a time on (s) stop that are to stop at `due` and are not to go over `look` (s), nor be more than `number`
    /// from the start.
    pub fn until(&self, from: f64, number: u64, due: f64, look: f64) -> Until<'_> {
        let past = self.breaks.partition_point(|time| *time <= from);
        let time = self.breaks.get(past).map_or(due, |next| next.min(due));
        Until { time, number, look, bounds: &self.bounds }
    }

    /// The held levels at a time (grains above the bed's datum).
    fn levels(&self, time: f64) -> Vec<i64> {
        let per_metre = f64::from(self.grain.per_metre());
        self.levels.iter().map(|series| (series.at(time) * per_metre).floor() as i64).collect()
    }
}
