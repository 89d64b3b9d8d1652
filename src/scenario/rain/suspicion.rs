//! Detects series that look like running totals without being declared as such.

use crate::input::description::gaps::usual_step;
use crate::units::Second;

/// Minimum number of rasters, and of rises of their sum.
const FEWEST: usize = 5;
const RISES: usize = 3;
/// Fraction of the previous sum below which the next one is a reset.
const RESET: f64 = 0.5;
/// Largest fall of a sum without a reset, as a fraction of it.
const ROUNDING: f64 = 1e-3;

/// Mean value over the domain of each raster of a series, with its time.
#[derive(Default)]
pub(super) struct RasterMeans(Vec<(Second, f64)>);

impl RasterMeans {
    pub fn add(&mut self, start: Second, mean: f64) {
        self.0.push((start, mean));
    }

    /// Returns true if the means fall only at regular resets, after which they rise again.
    pub fn look_like_totals(&self) -> bool {
        let pairs = || self.0.windows(2).map(|pair| (pair[0], pair[1]));
        let rises = pairs().filter(|(a, b)| b.1 > a.1 * (1.0 + ROUNDING)).count();
        let falls: Vec<_> = pairs().filter(|(a, b)| b.1 < a.1 * (1.0 - ROUNDING)).collect();
        if self.0.len() < FEWEST || rises < RISES {
            return false;
        }
        if !falls.iter().all(|(a, b)| b.1 < a.1 * RESET) {
            return false;
        }
        let times: Vec<f64> = falls.iter().map(|(_, b)| b.0).collect();
        match times[..] {
            [] => true,
            // A single fall is a reset if the means rise more than once both before and after it.
            [at] => [true, false].into_iter().all(|before| {
                let part: Vec<_> = self.0.iter().filter(|one| (one.0 < at) == before).collect();
                part.windows(2).filter(|pair| pair[1].1 > pair[0].1 * (1.0 + ROUNDING)).count() > 1
            }),
            _ => usual_step(&times).is_some() && times.len() * 3 <= self.0.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(means: &[f64]) -> bool {
        let mut all = RasterMeans::default();
        means.iter().enumerate().for_each(|(at, &mean)| all.add(at as f64 * 600.0, mean));
        all.look_like_totals()
    }

    #[test]
    fn what_never_falls_but_at_resets_looks_like_totals() {
        assert!(look(&[0.0, 1.0, 1.0, 2.0, 4.0]));
        assert!(look(&[1.0, 2.0, 3.0, 0.5, 1.0, 3.0]));
        assert!(look(&[1.0, 2.0, 3.0, 0.0, 1.0, 3.0, 1.0, 2.0, 4.0, 0.0, 1.0]));
    }

    #[test]
    fn storms_do_not_look_like_totals() {
        assert!(!look(&[1.0, 2.0, 3.0]));
        assert!(!look(&[5.0, 5.0, 5.0, 5.0, 5.0, 5.0]));
        assert!(!look(&[0.0, 1.0, 3.0, 9.0, 6.0, 2.0, 0.0]));
        assert!(!look(&[0.0, 1.0, 3.0, 9.0, 0.0, 0.0, 0.0]));
        assert!(!look(&[1.0, 4.0, 1.0, 3.0, 0.5, 6.0, 2.0, 9.0]));
    }
}
