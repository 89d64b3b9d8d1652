//! Running totals of a series of rasters, and what each raster adds to them.

use super::field::{Placement, Values};
use super::increments::{self, Fall, Number, is_reset, take_off};
use super::placement::{Since, is_near};
use crate::engine::forcing::Footprint;
use crate::units::Second;

/// The totals of the raster before, with what was seen on the way.
#[derive(Default)]
pub(super) struct Totals {
    before: Option<Before>,
    /// The greatest sum over the domain's cells that a raster adds.
    pub most_added: f64,
    /// How many rasters have a total that falls without a reset.
    pub falls: usize,
    /// The greatest fall (m), and its place.
    pub worst: Option<(f64, String)>,
    /// The first raster, until it is known what its totals count.
    pub first: Option<First>,
}

struct Before {
    since: Since,
    values: Values,
    sum: f64,
}

/// The first raster of totals since an unknown time.
pub(super) struct First {
    pub footprint: Footprint,
    /// Its greatest rate (m/s).
    pub peak: f64,
    /// The sum of its totals over the domain's cells.
    pub sum: f64,
    pub start: Second,
    pub end: Second,
}

/// How exact the totals of a file are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exactness {
    /// The step of packed values; 0 if they are not packed.
    pub step: f64,
    /// The error as a share of the greatest.
    pub rounding: f64,
}

impl Totals {
    /// Whether the first raster holds more than any other one adds so far.
    pub fn is_first_open(&self) -> bool {
        self.first.as_ref().is_some_and(|first| first.sum > self.most_added)
    }

    /// Turns the totals of a raster into what they add to those before; reports where they fall.
    pub fn take_off(
        &mut self,
        values: &mut Values,
        since: Since,
        exactness: Exactness,
        placement: &Placement,
    ) -> Option<Fall> {
        let sum = placement.sum(values);
        let goes_on = |before: &Before| match (before.since, since) {
            (Since::Time(before), Since::Time(now)) => is_near(before, now),
            _ => !is_reset(before.sum, sum),
        };
        let is_first = self.before.is_none();
        let before = self.before.take().filter(goes_on);
        // What is missing since a time that is known has fallen since.
        let adds = matches!(since, Since::Time(_));
        let (kept, fall) = match (before.map(|before| before.values), &mut *values) {
            (Some(Values::Zones(mut before)), Values::Zones(now)) => {
                let tolerance = tolerance(now, exactness);
                let fall = take_off(now, &mut before, tolerance, adds);
                (Values::Zones(before), fall)
            }
            (Some(Values::Cells(mut before)), Values::Cells(now)) => {
                let tolerance = tolerance(now, exactness);
                let fall = take_off(now, &mut before, tolerance, adds);
                (Values::Cells(before), fall)
            }
            (_, now) => (now.clone(), None),
        };
        self.before = Some(Before { since, sum: placement.sum(&kept), values: kept });
        if !is_first {
            self.most_added = self.most_added.max(placement.sum(values));
        }
        fall
    }
}

/// The greatest fall that rounding and packing can make.
fn tolerance<T: Number>(values: &[T], exactness: Exactness) -> f64 {
    let greatest = increments::greatest(values);
    (greatest * exactness.rounding).max(exactness.step * 1.01)
}
