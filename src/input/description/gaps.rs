//! Gaps in series over time.

use crate::units::Second;
use crate::words::counted;

/// Minimum share of intervals that equal the usual one in a regular series; only regular series can
/// have gaps.
const REGULAR: f64 = 0.75;
/// Relative tolerance within which an interval equals the usual one.
const LIKE: f64 = 0.01;
/// Minimum length of a gap, in usual intervals.
pub const GAP: f64 = 1.5;
/// Minimum length of a gap in a table, in usual intervals: tables often have lines only where a value
/// changes.
pub const GAP_IN_TABLE: f64 = 2.5;
/// Minimum number of intervals of a regular series.
const FEWEST: usize = 3;

/// Gaps of a regular series.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaps {
    /// Usual interval.
    pub usual: f64,
    /// Start and length of the longest gap.
    pub longest: (f64, f64),
    /// Number of gaps.
    pub count: usize,
}

/// Finds the usual interval between ascending times: the median, if most intervals are close to it.
pub fn usual_step(times: &[f64]) -> Option<f64> {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let &usual = steps.get(steps.len() / 2)?;
    let like = steps.iter().filter(|&&step| (step - usual).abs() <= LIKE * usual).count();
    (like as f64 >= REGULAR * steps.len() as f64).then_some(usual)
}

impl Gaps {
    /// Finds the gaps between ascending times, longer than some usual intervals; `None` if there are
    /// none, or if the times have no usual interval.
    pub fn beyond(times: &[f64], times_usual: f64) -> Option<Gaps> {
        let intervals: Vec<(f64, f64)> =
            times.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect();
        let usual = usual_step(times).filter(|_| intervals.len() >= FEWEST)?;
        let gaps = intervals.iter().filter(|(_, length)| *length > times_usual * usual);
        let longest = gaps.clone().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        Some(Gaps { usual, longest, count: gaps.count() })
    }

    /// Describes the gaps: `comes every 15 min, but has a gap of 6 h from 2 h`. `show` formats a
    /// time, `length` a duration.
    pub fn describe(
        &self,
        show: impl Fn(f64) -> String,
        length: impl Fn(Second) -> String,
    ) -> String {
        let (from, long) = (show(self.longest.0), length(self.longest.1));
        let usual = length(self.usual);
        match self.count {
            1 => format!("comes every {usual}, but has a gap of {long} from {from}"),
            count => format!(
                "comes every {usual}, but has {}, the longest of {long} from {from}",
                counted(count, "gap", "gaps")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::show_duration;

    #[test]
    fn only_a_regular_series_has_gaps() {
        let gaps = |times: &[f64]| Gaps::beyond(times, GAP);
        assert_eq!(gaps(&[0.0, 1.0, 2.0, 3.0, 4.0]), None);
        assert_eq!(gaps(&[0.0, 1.0, 2.0, 3.0, 4.4, 5.4]), None, "1.4 times the usual interval");
        assert_eq!(gaps(&[0.0, 1.0, 6.0, 24.0, 25.0]), None, "no usual interval");
        assert_eq!(gaps(&[0.0, 1.0, 9.0]), None, "too short to tell");
        assert_eq!(gaps(&[0.0]), None);
        assert_eq!(gaps(&[]), None);
        let two = gaps(&[0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 14.0, 15.0]);
        let expected = Gaps { usual: 1.0, longest: (9.0, 5.0), count: 2 };
        assert_eq!(two, Some(expected));
        let one = gaps(&[0.0, 900.0, 1800.0, 2700.0, 9000.0]).unwrap();
        assert_eq!(
            one.describe(show_duration, show_duration),
            "comes every 15 min, but has a gap of 1 h 45 min from 45 min"
        );
    }
}
