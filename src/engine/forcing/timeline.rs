//! What the forcing brings from one time to another.

use super::series::Series;
use super::{Account, Footprint, Forcing, Increment, RateLayer};
use crate::forcing::step::Step;
use crate::grains::Grain;
use crate::grid::Bed;
use crate::pace::Stride;
use serde::{Deserialize, Serialize};

/// Part of a source's peak by which it must jump to be a surge: a hydrograph in small stairs is none.
const SURGE_OF_PEAK: f64 = 0.1;

/// By how much a held level must jump to be a surge (m).
const SURGE_OF_LEVEL: f64 = 0.01;

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
    /// The times at which the spans of those that do not pour start or end, in order.
    pub turns: Vec<f64>,
    /// Grain of the water.
    pub grain: Grain,
}

impl Timeline {
    /// The timeline of a forcing over a bed.
    pub fn of(forcing: &Forcing, grain: Grain, bed: &Bed) -> Timeline {
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
        let rains = spans.iter().zip(&pours).filter(|(_, pours)| !**pours);
        let mut turns: Vec<f64> = rains.flat_map(|(&(start, end), _)| [start, end]).collect();
        turns.retain(|turn| turn.is_finite());
        turns.sort_by(f64::total_cmp);
        turns.dedup();
        Timeline {
            rates: forcing.rates.iter().map(|layer| layer.series.clone()).collect(),
            levels: forcing.held.iter().map(|held| held.level.lowered(datum)).collect(),
            pours,
            spans,
            turns,
            grain,
        }
    }

    /// What happens in a step.
    pub fn step(&self, stride: Stride) -> Step {
        Step {
            number: stride.number,
            dt: stride.dt,
            start: stride.start as f32,
            end: stride.end as f32,
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

    /// The first time after `time` at which rain over the map begins or ends in one of its layers. Steps need
    /// not land on it.
    pub(crate) fn next_turn(&self, time: f64) -> f64 {
        let past = self.turns.partition_point(|turn| *turn <= time);
        self.turns.get(past).copied().unwrap_or(f64::INFINITY)
    }

    /// The held levels at a time (grains above the bed's datum).
    fn levels(&self, time: f64) -> Vec<i64> {
        let per_metre = f64::from(self.grain.per_metre());
        self.levels.iter().map(|series| (series.at(time) * per_metre).floor() as i64).collect()
    }

    /// The rates that pour into single cells.
    fn poured(&self) -> impl Iterator<Item = &Series> {
        self.rates.iter().zip(&self.pours).filter(|(_, pours)| **pours).map(|(series, _)| series)
    }

    /// The first time after `time` at which a source or a level takes another course. Rain over the map
    /// brings the same whether steps land on its changes or not.
    pub(crate) fn next_break(&self, time: f64) -> Option<f64> {
        let all = self.poured().chain(&self.levels);
        all.filter_map(|series| series.next_break(time)).min_by(f64::total_cmp)
    }

    /// Whether a source or a level rises suddenly at a time: what follows must be taken in short steps.
    pub fn surges(&self, time: f64) -> bool {
        self.poured().any(|series| series.jump(time) > SURGE_OF_PEAK * series.peak())
            || self.levels.iter().any(|series| series.jump(time) > SURGE_OF_LEVEL)
    }
}
