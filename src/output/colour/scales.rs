//! What the scales of a run follow: the values of all its maps, those of a series and of their maximum together.

use super::scale::{BEYOND, Choice, Scale, ScaleKind};
use super::{Ramp, Spread};
use crate::output::colour::NODATA;
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Counts values of a scale.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// The scale.
    pub scale: &'static Scale,
    /// The level that levels are counted from (m).
    ground: f32,
}

impl Counter {
    fn add(self, values: &[f32], spread: &mut Spread) {
        let Counter { scale, ground } = self;
        if matches!(scale.kind, ScaleKind::Classes(..)) {
            return;
        }
        let counted = |value: f32| match scale.kind {
            ScaleKind::Level(_) => (value - ground).max(0.0),
            ScaleKind::Signed { .. } => value.abs(),
            _ => value,
        };
        // Dry cells tell nothing of amounts; times may be 0.
        let counts = |value: &f32| {
            matches!(scale.kind, ScaleKind::Time { .. } | ScaleKind::Level(_)) || *value > 0.0
        };
        let values = values.iter().filter(|value| **value != NODATA).copied().map(counted);
        spread.add(values.filter(counts));
    }

    /// Counts many values, by all threads.
    pub fn count(self, values: &[f32]) -> Spread {
        let part = values.len().div_ceil(rayon::current_num_threads()).max(1);
        let of = |values: &[f32]| {
            let mut spread = Spread::default();
            self.add(values, &mut spread);
            spread
        };
        let both = |mut one: Spread, other: Spread| {
            one.merge(other);
            one
        };
        values.par_chunks(part).map(of).reduce(Spread::default, both)
    }
}

/// The values of every scale, over all maps that were written.
#[derive(Clone, Debug, Default)]
pub struct Scales {
    choice: Choice,
    /// The level that levels are counted from (m).
    ground: f64,
    /// The length of the run in the unit of its maps of time.
    length: f64,
    spreads: BTreeMap<&'static str, Spread>,
}

impl Scales {
    /// Of maps over ground no lower than this (m), in a run of such a length in the unit of its maps of time.
    pub fn new(choice: Choice, ground: f64, length: f64) -> Scales {
        Scales { choice, ground, length, spreads: BTreeMap::new() }
    }

    /// Counts values of a scale.
    pub fn add(&mut self, scale: &'static Scale, values: &[f32]) {
        let mut counted = Spread::default();
        self.counter(scale).add(values, &mut counted);
        self.take(scale, counted);
    }

    /// What counts the values of a scale apart from these.
    pub fn counter(&self, scale: &'static Scale) -> Counter {
        Counter { scale, ground: self.ground as f32 }
    }

    /// Takes what a counter has counted.
    pub fn take(&mut self, scale: &Scale, counted: Spread) {
        if !matches!(scale.kind, ScaleKind::Classes(..)) {
            self.spreads.entry(scale.name).or_default().merge(counted);
        }
    }

    /// The colours of a scale, with labels in a unit.
    pub fn ramp(&self, scale: &Scale, unit: &str) -> Ramp {
        let below = |value: f64| {
            let spread = self.spreads.get(scale.name);
            spread.map_or(0.0, |spread| spread.share_below(value, scale.counts_above()))
        };
        scale.ramp_of(self.range(scale), &below, unit)
    }

    /// The range that a scale follows; none for the fixed one.
    fn range(&self, scale: &Scale) -> Option<(f64, f64)> {
        let spread = self.spreads.get(scale.name);
        let data = || {
            let spread = spread?;
            let above = scale.counts_above();
            spread.between(BEYOND, above).or_else(|| spread.between(BEYOND, -1.0))
        };
        match (self.choice, scale.kind) {
            (Choice::Fixed, ScaleKind::Time { .. }) => Some((0.0, self.length)),
            (Choice::Fixed, ScaleKind::Amount { .. } | ScaleKind::Signed { .. }) => None,
            (_, ScaleKind::Level(_)) => {
                data().map(|(low, high)| (low + self.ground, high + self.ground))
            }
            _ => data().filter(|(_, high)| *high > 0.0),
        }
    }

    /// All that was counted, for a checkpoint.
    pub fn save(&self) -> Value {
        let spreads = self.spreads.iter();
        let saved: Map<String, Value> =
            spreads.map(|(name, spread)| ((*name).to_string(), spread.save())).collect();
        saved.into()
    }

    /// Goes on from what [`Scales::save`] gave, for these scales; none if it is something else.
    pub fn restore<'a>(
        &mut self,
        saved: &Value,
        known: impl Iterator<Item = &'a Scale>,
    ) -> Option<()> {
        let saved = saved.as_object()?;
        self.spreads.clear();
        for scale in known {
            if let Some(spread) = saved.get(scale.name) {
                self.spreads.insert(scale.name, Spread::restore(spread)?);
            }
        }
        Some(())
    }
}
