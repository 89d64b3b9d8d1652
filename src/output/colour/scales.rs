//! Ranges of the colour scales of a run: they cover the values of all its maps, the series together
//! with its maxima.

use super::scale::{BEYOND, Choice, Scale, ScaleKind};
use super::{Ramp, Spread};
use crate::output::colour::NODATA;
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Counts the values of a scale.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// Scale of the values.
    pub scale: &'static Scale,
    /// Level from which levels are counted (m).
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
        // Dry cells do not count for amounts; times may be 0.
        let counts = |value: &f32| {
            matches!(scale.kind, ScaleKind::Time { .. } | ScaleKind::Level(_)) || *value > 0.0
        };
        let values = values.iter().filter(|value| **value != NODATA).copied().map(counted);
        spread.add(values.filter(counts));
    }

    /// Counts many values in parallel.
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

/// Value distributions of every scale, over all maps written.
#[derive(Clone, Debug, Default)]
pub struct Scales {
    choice: Choice,
    /// Level from which levels are counted (m).
    ground: f64,
    /// Length of the run in the unit of its time maps.
    length: f64,
    spreads: BTreeMap<&'static str, Spread>,
}

impl Scales {
    /// Creates the scales of a run with a lowest ground level (m) and a length in the unit of its
    /// time maps.
    pub fn new(choice: Choice, ground: f64, length: f64) -> Scales {
        Scales { choice, ground, length, spreads: BTreeMap::new() }
    }

    /// Counts values of a scale.
    pub fn add(&mut self, scale: &'static Scale, values: &[f32]) {
        let mut counted = Spread::default();
        self.counter(scale).add(values, &mut counted);
        self.take(scale, counted);
    }

    /// Returns a separate counter for the values of a scale.
    pub fn counter(&self, scale: &'static Scale) -> Counter {
        Counter { scale, ground: self.ground as f32 }
    }

    /// Adds the values that a counter has counted.
    pub fn take(&mut self, scale: &Scale, counted: Spread) {
        if !matches!(scale.kind, ScaleKind::Classes(..)) {
            self.spreads.entry(scale.name).or_default().merge(counted);
        }
    }

    /// Returns the colours of a scale, with labels in a unit.
    pub fn ramp(&self, scale: &Scale, unit: &str) -> Ramp {
        let below = |value: f64| {
            let spread = self.spreads.get(scale.name);
            spread.map_or(0.0, |spread| spread.share_below(value, scale.counts_above()))
        };
        let all = self.spreads.get(scale.name).and_then(|spread| spread.between(0.0, -1.0));
        scale.ramp_of(self.range(scale), all.map_or(0.0, |(_, most)| most), &below, unit)
    }

    /// Returns the range of a scale; `None` for fixed scales.
    fn range(&self, scale: &Scale) -> Option<(f64, f64)> {
        let spread = self.spreads.get(scale.name);
        let data = || {
            let spread = spread?;
            let above = scale.counts_above();
            spread.between(BEYOND, above).or_else(|| spread.between(BEYOND, -1.0))
        };
        match (self.choice, scale.kind) {
            (Choice::Fixed, ScaleKind::Time { .. }) => Some((0.0, self.length)),
            (
                Choice::Fixed,
                ScaleKind::Amount { .. } | ScaleKind::Signed { .. } | ScaleKind::Ratings(..),
            ) => None,
            (_, ScaleKind::Level(_)) => {
                data().map(|(low, high)| (low + self.ground, high + self.ground))
            }
            _ => data().filter(|(_, high)| *high > 0.0),
        }
    }

    /// Saves the counts for a checkpoint.
    pub fn save(&self) -> Value {
        let spreads = self.spreads.iter();
        let saved: Map<String, Value> =
            spreads.map(|(name, spread)| ((*name).to_string(), spread.save())).collect();
        saved.into()
    }

    /// Restores the counts saved by [`Scales::save`], for the `known` scales; `None` if they do not
    /// fit.
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
