//! Distribution of values: a histogram fine enough for percentiles that will be rounded.

use crate::output::colour::NODATA;
use serde_json::{Value, json};

/// Low bits of a float that are dropped; the rest resolves values to a thousandth.
const COARSE: u32 = 13;
/// Bins per page. Neighbouring bins are allocated together once one of them has a value: most maps
/// have a narrow range of values, and scanning all bins would take longer than writing a small map.
const PAGE: usize = 1 << 10;
/// Number of pages for all non-negative floats.
const PAGES: usize = (1 << (31 - COARSE)) / PAGE;

/// Histogram of the values of a scale.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    /// Counts in [`PAGES`] pages by the leading bits of the floats; a page without counts is empty,
    /// and the list is empty if nothing has been counted.
    pages: Vec<Vec<u64>>,
}

fn bin(value: f32) -> usize {
    (value.to_bits() >> COARSE) as usize
}

/// Returns the first bin above a limit.
fn first_above(limit: f64) -> usize {
    if limit < 0.0 { 0 } else { bin(limit as f32) + 1 }
}

impl Spread {
    /// Counts non-negative values; skips [`NODATA`] and non-finite ones.
    pub fn add(&mut self, values: impl IntoIterator<Item = f32>) {
        for value in values {
            if value >= 0.0 && value.is_finite() && value != NODATA {
                // Normalize negative zero.
                *self.count_mut(bin(value + 0.0)) += 1;
            }
        }
    }

    fn count_mut(&mut self, bin: usize) -> &mut u64 {
        if self.pages.is_empty() {
            self.pages = vec![Vec::new(); PAGES];
        }
        let page = &mut self.pages[bin / PAGE];
        if page.is_empty() {
            *page = vec![0; PAGE];
        }
        &mut page[bin % PAGE]
    }

    /// Returns the bins from `first` on that may have values, in order, with their counts.
    fn from(&self, first: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let pages = self.pages.iter().enumerate().skip(first / PAGE);
        pages.flat_map(move |(page, counts)| {
            let bins = counts.iter().enumerate().map(move |(at, count)| (page * PAGE + at, *count));
            bins.skip(first.saturating_sub(page * PAGE))
        })
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: Spread) {
        if self.pages.is_empty() {
            self.pages = other.pages;
            return;
        }
        for (page, more) in self.pages.iter_mut().zip(other.pages) {
            if page.is_empty() {
                *page = more;
            } else {
                page.iter_mut().zip(more).for_each(|(count, more)| *count += more);
            }
        }
    }

    /// Returns the range of the values above a limit, without the `share` at either end; accurate
    /// to a thousandth. `None` if no values are above the limit.
    pub fn between(&self, share: f64, above: f64) -> Option<(f64, f64)> {
        let first = first_above(above);
        let all: u64 = self.from(first).map(|(_, count)| count).sum();
        let place = |share: f64| {
            let wanted = ((all as f64 * share).ceil() as u64).clamp(1, all);
            let mut sum = 0;
            let found = self.from(first).find(|(_, count)| {
                sum += count;
                sum >= wanted
            });
            found.map(|(bin, _)| f64::from(f32::from_bits((bin as u32) << COARSE)))
        };
        (all > 0).then(|| Some((place(share)?, place(1.0 - share)?))).flatten()
    }

    /// Returns the share of the values above a limit that do not exceed a value, accurate to a
    /// thousandth.
    pub fn share_below(&self, value: f64, above: f64) -> f64 {
        let last = bin(value as f32);
        let (mut below, mut all) = (0, 0);
        for (bin, count) in self.from(first_above(above)) {
            all += count;
            below += if bin <= last { count } else { 0 };
        }
        below as f64 / (all as f64).max(1.0)
    }

    /// Saves the histogram for a checkpoint.
    pub fn save(&self) -> Value {
        let some = self.from(0).filter(|(_, count)| *count > 0);
        some.map(|(bin, count)| json!([bin, count])).collect()
    }

    /// Restores a histogram saved by [`Spread::save`]; `None` if it is invalid.
    pub fn restore(saved: &Value) -> Option<Spread> {
        let mut spread = Spread::default();
        for pair in saved.as_array()? {
            let (bin, count) = (pair.get(0)?.as_u64()? as usize, pair.get(1)?.as_u64()?);
            if bin >= PAGES * PAGE {
                return None;
            }
            *spread.count_mut(bin) = count;
        }
        Some(spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_a_thousandth() {
        let mut spread = Spread::default();
        assert_eq!(spread.between(0.02, 0.01), None);
        spread.add((0..10_000).map(|n| n as f32 * 1e-3));
        spread.add([NODATA, f32::NAN, f32::INFINITY, -3.0, -0.0]);
        let (low, high) = spread.between(0.02, -1.0).unwrap();
        assert!((low - 0.2).abs() < 2e-3 && (high - 9.8).abs() < 0.02, "{low} {high}");
        let (low, _) = spread.between(0.02, 5.0).unwrap();
        assert!((low - 5.1).abs() < 0.01, "{low}");
        assert_eq!(spread.between(0.02, 10.0), None);
        assert!((spread.share_below(2.5, -1.0) - 0.25).abs() < 2e-3);
        assert!((spread.share_below(7.5, 5.0) - 0.5).abs() < 2e-3);
        assert_eq!(
            (spread.share_below(1.0, 5.0), Spread::default().share_below(1.0, -1.0)),
            (0.0, 0.0)
        );
        let again = Spread::restore(&spread.save()).unwrap();
        assert_eq!(again.between(0.02, 0.5), spread.between(0.02, 0.5));
        assert!(Spread::restore(&json!([[1_000_000, 1]])).is_none());
        assert!(Spread::restore(&json!(7)).is_none());
    }

    #[test]
    fn what_is_counted_in_parts_is_what_is_counted_at_once() {
        let values: Vec<f32> = (0..3000).map(|n| (n as f32 * 0.01).exp() - 1.0).collect();
        let counted = |values: &[f32]| {
            let mut spread = Spread::default();
            spread.add(values.iter().copied());
            spread
        };
        let whole = counted(&values);
        // One page apart, and with many values in the pages of both.
        for parts in [[0, 1500], [0, 1], [2900, 3000], [3000, 3000]] {
            let mut sum = counted(&values[..parts[0]]);
            sum.merge(counted(&values[parts[0]..parts[1]]));
            sum.merge(counted(&values[parts[1]..]));
            assert_eq!(sum.save(), whole.save(), "{parts:?}");
        }
        assert_eq!(
            whole
                .save()
                .as_array()
                .unwrap()
                .iter()
                .map(|bin| bin[1].as_u64().unwrap())
                .sum::<u64>(),
            3000
        );
    }
}
