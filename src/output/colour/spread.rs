//! How values are spread: a histogram fine enough for percentiles that are then rounded.

use crate::output::colour::NODATA;
use serde_json::{Value, json};

/// Bits of a float that are left out: what remains tells values to a thousandth.
const COARSE: u32 = 13;
/// Bins of all floats from 0 on.
const BINS: usize = 1 << (31 - COARSE);

/// How many values there are of every size.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    /// By the first bits of their floats; empty while there are none.
    counts: Vec<u64>,
}

fn bin(value: f32) -> usize {
    (value.to_bits() >> COARSE) as usize
}

impl Spread {
    /// Counts values from 0 on, but [`NODATA`] and those that are not finite.
    pub fn add(&mut self, values: impl IntoIterator<Item = f32>) {
        for value in values {
            if value >= 0.0 && value.is_finite() && value != NODATA {
                if self.counts.is_empty() {
                    self.counts = vec![0; BINS];
                }
                // Zero may have a sign.
                self.counts[bin(value + 0.0)] += 1;
            }
        }
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: Spread) {
        if self.counts.is_empty() {
            self.counts = other.counts;
        } else {
            self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        }
    }

    /// The values between which all but two shares of those above a limit lie, of which `share` is each: to a thousandth.
    /// None if none is above.
    pub fn between(&self, share: f64, above: f64) -> Option<(f64, f64)> {
        let first = if above < 0.0 { 0 } else { bin(above as f32) + 1 };
        let counts = self.counts.get(first..)?;
        let all: u64 = counts.iter().sum();
        let place = |share: f64| {
            let wanted = ((all as f64 * share).ceil() as u64).clamp(1, all);
            let mut sum = 0;
            let found = counts.iter().position(|count| {
                sum += count;
                sum >= wanted
            });
            found.map(|at| f64::from(f32::from_bits(((first + at) as u32) << COARSE)))
        };
        (all > 0).then(|| Some((place(share)?, place(1.0 - share)?))).flatten()
    }

    /// The share of the values above a limit that are no greater than a value, to a thousandth.
    pub fn share_below(&self, value: f64, above: f64) -> f64 {
        let first = if above < 0.0 { 0 } else { bin(above as f32) + 1 };
        let counts = self.counts.get(first..).unwrap_or_default();
        let upto = (bin(value as f32) + 1).saturating_sub(first).min(counts.len());
        let sum = |counts: &[u64]| counts.iter().sum::<u64>() as f64;
        sum(&counts[..upto]) / sum(counts).max(1.0)
    }

    /// All of it, for a checkpoint.
    pub fn save(&self) -> Value {
        let some = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        some.map(|(bin, count)| json!([bin, count])).collect()
    }

    /// What [`Spread::save`] gave; none if it is something else.
    pub fn restore(saved: &Value) -> Option<Spread> {
        let mut spread = Spread::default();
        for pair in saved.as_array()? {
            let (bin, count) = (pair.get(0)?.as_u64()? as usize, pair.get(1)?.as_u64()?);
            if spread.counts.is_empty() {
                spread.counts = vec![0; BINS];
            }
            *spread.counts.get_mut(bin)? = count;
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
}
