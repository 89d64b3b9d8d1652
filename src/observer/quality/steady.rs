//! Checks whether a discharge or depth is as steady as the inflow.

use crate::engine::forcing::steady::PART;

/// Minimum number of samples for a ripple.
const FEWEST: usize = 8;

/// Number of mean crossings that make a ripple; a value that approaches its steady state from one
/// side crosses once.
const CROSSINGS: usize = 4;

/// Largest difference between the means of both halves, relative to the range; more is a trend.
const TREND: f64 = 0.25;

/// Ripple below which the value counts as steady, whatever the trend.
const STILL: f64 = 1e-3;

/// Returns the ripple of values at `times` (s), starting at `since` (s): over the last `PART` of the
/// run, or half of that if the flow settled late. `None` if there are too few samples, the mean is
/// 0, or the flow has not settled.
pub fn ripple(times: &[f64], values: &[f64], since: f64, end: f64) -> Option<Ripple> {
    [PART, 0.5 * PART].into_iter().find_map(|part| {
        let from = since.max(end * (1.0 - part));
        let seen = times.iter().zip(values).filter(|(time, _)| **time >= from);
        Ripple::of(&seen.map(|(_, value)| *value).collect::<Vec<f64>>())
    })
}

/// Range of a fluctuating value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ripple {
    /// Lowest of the samples.
    pub low: f64,
    /// Highest of the samples.
    pub high: f64,
    /// Range divided by the absolute mean.
    pub share: f64,
}

impl Ripple {
    fn of(seen: &[f64]) -> Option<Ripple> {
        if seen.len() < FEWEST {
            return None;
        }
        let mean = average(seen);
        let (low, high) = seen.iter().fold((f64::MAX, f64::MIN), |(l, h), &q| (l.min(q), h.max(q)));
        if mean == 0.0 {
            return None;
        }
        let share = (high - low) / mean.abs();
        let (before, after) = seen.split_at(seen.len() / 2);
        let trend = (average(after) - average(before)).abs() > TREND * (high - low);
        let crossings = seen.windows(2).filter(|two| (two[0] > mean) != (two[1] > mean)).count();
        let is_ripple = share <= STILL || (!trend && crossings >= CROSSINGS);
        is_ripple.then_some(Ripple { low, high, share })
    }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ripple_is_told_from_a_trend() {
        let times: Vec<f64> = (0..=90).map(f64::from).collect();
        let of = |course: fn(f64) -> f64| {
            let discharges: Vec<f64> = times.iter().map(|&time| course(time)).collect();
            ripple(&times, &discharges, 0.0, 90.0).map(|ripple| ripple.share)
        };
        let waves = of(|time| 100.0 + 20.0 * (time * 1.3).sin()).unwrap();
        assert!((waves - 0.4).abs() < 0.02, "{waves}");
        assert_eq!(of(|time| 100.0 + time), None);
        assert_eq!(of(|time| 100.0 * (1.0 - (-time / 30.0).exp())), None);
        assert_eq!(of(|_| 100.0), Some(0.0));
        assert_eq!(of(|_| 0.0), None);
        assert_eq!(ripple(&times[..9], &[1.0; 9], 0.0, 90.0), None);
        // A flow that settles late is judged by its settled part.
        let late = of(|time| if time < 65.0 { time } else { 80.0 });
        assert_eq!(late, Some(0.0));
    }
}
