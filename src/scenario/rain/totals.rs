//! Running totals of a series of rasters, and the increment of each raster.

use super::field::{Placement, Values};
use super::increments::{self, GreatestFall, is_reset, take_off};
use super::placement::{Since, is_near};
use crate::engine::forcing::Footprint;
use crate::units::Second;

/// Totals of the previous raster, and statistics of the series.
#[derive(Default)]
pub(super) struct Totals {
    before: Option<Before>,
    /// Greatest increment of a raster, as a sum over the cells of the domain.
    pub most_added: f64,
    /// Number of rasters with a total that falls without a reset.
    pub falls: usize,
    /// Greatest fall (m) and its place.
    pub worst: Option<(f64, String)>,
    /// First raster, until the start of its totals is clear.
    pub first: Option<First>,
}

struct Before {
    since: Since,
    values: Values,
    sum: f64,
}

/// First raster of totals since an unknown time.
pub(super) struct First {
    pub footprint: Footprint,
    /// Greatest rate (m/s).
    pub peak: f64,
    /// Sum of the totals over the cells of the domain.
    pub sum: f64,
    pub start: Second,
    pub end: Second,
}

/// Precision of the totals of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct TotalsPrecision {
    /// Step of scaled integer values; 0 if the values are not scaled.
    pub step: f64,
    /// Relative error of the greatest value.
    pub rounding: f64,
}

impl Totals {
    /// Returns true if the first raster exceeds every later increment so far.
    pub fn is_first_open(&self) -> bool {
        self.first.as_ref().is_some_and(|first| first.sum > self.most_added)
    }

    /// Turns the totals of a raster into increments over the previous totals, and records where
    /// they fall.
    pub fn take_off(
        &mut self,
        values: &mut Values,
        since: Since,
        exactness: TotalsPrecision,
        placement: &Placement,
    ) -> Option<GreatestFall> {
        let sum = placement.sum(values);
        let goes_on = |before: &Before| match (before.since, since) {
            (Since::Time(before), Since::Time(now)) => is_near(before, now),
            _ => !is_reset(before.sum, sum),
        };
        let is_first = self.before.is_none();
        let before = self.before.take().filter(goes_on);
        // A missing total since a known time means that its rain has fallen since that time.
        let adds = matches!(since, Since::Time(_));
        let (kept, fall) = match (before.map(|before| before.values), &mut *values) {
            (Some(Values::Zones(mut before)), Values::Zones(now)) => {
                let tolerance = tolerance(now, exactness);
                let fall = take_off((now, &mut before), |value| value, tolerance, adds);
                (Values::Zones(before), fall)
            }
            (Some(Values::Cells(mut before)), Values::Cells(now)) => {
                let tolerance = tolerance(now, exactness);
                let fall = take_off((now, &mut before), |value| value as f32, tolerance, adds);
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

/// Returns the largest fall that rounding and scaling can cause.
fn tolerance<T: Copy + Into<f64>>(values: &[T], exactness: TotalsPrecision) -> f64 {
    let greatest = increments::greatest(values);
    (greatest * exactness.rounding).max(exactness.step * 1.01)
}
