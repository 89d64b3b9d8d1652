//! Estimates the remaining wall-clock time of a run from its recent speed.

use std::collections::VecDeque;

/// Fraction of the elapsed time that counts as recent.
const OF_LATE: f64 = 0.3;

/// Shortest measuring window, and earliest time of an estimate (s).
const SHORTEST: f64 = 2.0;

/// Share of a step's cost that is proportional to the wet cells: partly wet rows and tiles are
/// computed as a whole.
const BY_WATER: f64 = 0.5;

/// Number of samples kept, at most.
const MOST: usize = 512;

/// Progress of a run at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressSample {
    /// Wall-clock time since stepping began (s).
    pub wall: f64,
    /// Time of the run (s, or steps).
    pub time: f64,
    /// Number of wet cells.
    pub wet: f64,
}

/// Estimates the remaining time.
#[derive(Clone, Debug)]
pub struct TimeLeft {
    /// End of the run (s, or steps).
    end: f64,
    /// Number of cells in the domain.
    cells: f64,
    /// Set if steps become shorter and costlier as the water spreads.
    spreads: bool,
    samples: VecDeque<ProgressSample>,
    /// First sample of the run.
    first: Option<ProgressSample>,
}

impl TimeLeft {
    /// Creates an estimator for a run of `cells` cells that ends at `end` (s, or steps). `timed` is
    /// set for solvers with adaptive steps.
    pub fn new(end: f64, cells: f64, timed: bool) -> TimeLeft {
        TimeLeft { end, cells, spreads: timed, samples: VecDeque::new(), first: None }
    }

    /// Adds a sample; samples must come in order.
    pub fn record(&mut self, sample: ProgressSample) {
        self.first.get_or_insert(sample);
        self.samples.push_back(sample);
        // Drop samples before the window, except the one at its beginning.
        let late = sample.wall - self.stretch(sample.wall);
        while self.samples.len() > 2 && self.samples[1].wall <= late {
            self.samples.pop_front();
        }
        if self.samples.len() > MOST {
            let mut keep = false;
            self.samples.retain(|kept| {
                keep = !keep;
                keep || *kept == sample
            });
        }
    }

    /// Returns the length of the window that ends at a wall-clock time (s).
    fn stretch(&self, wall: f64) -> f64 {
        let gone = wall - self.first.map_or(0.0, |first| first.wall);
        (OF_LATE * gone).max(SHORTEST)
    }

    /// Returns the estimated remaining wall-clock time (s); `None` while there is too little data.
    /// At the start of a run, steps grow from tiny to seconds, and their cost is not
    /// representative.
    pub fn left(&self) -> Option<f64> {
        let (first, now) = (self.first?, *self.samples.back()?);
        if now.wall - first.wall < SHORTEST {
            return None;
        }
        let from = *self.samples.front()?;
        let middle = *self.samples.iter().min_by(|a, b| {
            let half = 0.5 * (from.wall + now.wall);
            (a.wall - half).abs().total_cmp(&(b.wall - half).abs())
        })?;
        let pace = |a: ProgressSample, b: ProgressSample| (b.wall - a.wall) / (b.time - a.time);
        let (earlier, later, all) = (pace(from, middle), pace(middle, now), pace(from, now));
        if !all.is_finite() {
            return None;
        }
        let starting = earlier.is_finite() && earlier > 2.0 * later;
        if starting && now.wall - first.wall < 5.0 * SHORTEST {
            return None;
        }
        let rest = (self.end - now.time).max(0.0);
        let known = if later.is_finite() && starting { later } else { all };
        Some(known * rest * if self.spreads { self.growth(first, from, now, rest) } else { 1.0 })
    }

    /// Returns the expected cost of the remaining run relative to the window, from the mean number
    /// of wet cells in both. The water is assumed to keep spreading at a decaying rate, with the
    /// elapsed time as the time scale.
    fn growth(
        &self,
        first: ProgressSample,
        from: ProgressSample,
        now: ProgressSample,
        rest: f64,
    ) -> f64 {
        let mean = 0.5 * (from.wet + now.wet);
        let (gone, stretch) = (now.time - first.time, now.time - from.time);
        if mean <= 0.0 || stretch <= 0.0 || rest <= 0.0 || gone <= 0.0 {
            return 1.0;
        }
        let faster = (now.wet - from.wet) / stretch;
        let share = gone / rest;
        // Mean over the remaining time of an exponential decay with e-folding time `gone`.
        let more = faster * gone * (1.0 - share * (1.0 - (-1.0 / share).exp()));
        let ratio = (now.wet + more).clamp(0.0, self.cells.max(now.wet)) / mean;
        (1.0 + BY_WATER * (ratio - 1.0)).max(0.2)
    }
}

/// Formats a remaining time, rounded to its likely accuracy.
pub fn show_left(seconds: f64) -> String {
    let unit = match seconds {
        s if s < 60.0 => 5.0,
        s if s < 600.0 => 30.0,
        s if s < 3600.0 => 60.0,
        s if s < 36_000.0 => 300.0,
        _ => 3600.0,
    };
    crate::units::show_duration(((seconds / unit).round() * unit).max(5.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recorded run: wall-clock time (s), time of the run (s) and wet cells of each sample.
    struct Trace {
        end: f64,
        cells: f64,
        samples: &'static [(f64, f64, f64)],
    }

    /// A river of 2000 m³/s that breaks into a dry valley; 2.3 million cells of 20 m,
    /// `shallow-water`; 69 s.
    const RIVER: Trace = Trace {
        end: 7200.0,
        cells: 2_266_272.0,
        samples: &[
            (0.57, 73.23, 170.0),
            (1.08, 133.21, 244.0),
            (1.65, 205.91, 305.0),
            (2.25, 312.37, 402.0),
            (2.80, 389.82, 467.0),
            (3.41, 447.38, 543.0),
            (3.96, 505.95, 601.0),
            (4.51, 579.01, 664.0),
            (5.07, 642.13, 729.0),
            (5.59, 741.71, 841.0),
            (6.69, 959.73, 1138.0),
            (9.98, 1439.62, 1667.0),
            (13.24, 1859.45, 2475.0),
            (16.49, 2157.52, 3557.0),
            (19.74, 2519.78, 3974.0),
            (22.82, 2837.94, 4084.0),
            (26.06, 3180.11, 4198.0),
            (29.47, 3506.08, 4317.0),
            (32.82, 3840.43, 4540.0),
            (36.02, 4184.27, 4757.0),
            (39.26, 4526.99, 4983.0),
            (42.66, 4869.16, 5182.0),
            (45.99, 5148.25, 5371.0),
            (49.40, 5378.22, 5539.0),
            (52.67, 5639.45, 5764.0),
            (56.01, 5978.82, 6005.0),
            (59.30, 6291.40, 6263.0),
            (62.54, 6619.61, 6598.0),
            (65.86, 6977.40, 6908.0),
            (68.30, 7200.0, 7109.0),
        ],
    };

    /// Rain of 60 mm/h on the same terrain: steps grow from 0.05 s, all cells are wet at once; 10.8
    /// s.
    const RAIN: Trace = Trace {
        end: 720.0,
        cells: 2_266_272.0,
        samples: &[
            (0.60, 1.98, 2_266_272.0),
            (1.12, 23.60, 2_266_272.0),
            (1.65, 151.92, 2_266_272.0),
            (2.17, 233.89, 2_266_272.0),
            (2.69, 281.90, 2_266_272.0),
            (3.78, 377.59, 2_266_272.0),
            (4.84, 440.03, 2_266_272.0),
            (5.91, 502.89, 2_266_272.0),
            (6.99, 550.05, 2_266_272.0),
            (8.08, 599.43, 2_266_272.0),
            (9.28, 657.68, 2_266_272.0),
            (10.48, 707.30, 2_266_272.0),
            (10.80, 720.0, 2_266_272.0),
        ],
    };

    /// First seconds of the rain run on 9 million cells, to 40 min; extrapolating the elapsed time
    /// would predict four hours.
    const START: Trace = Trace {
        end: 2400.0,
        cells: 9_065_088.0,
        samples: &[
            (0.68, 0.11, 9_065_088.0),
            (1.52, 0.50, 9_065_088.0),
            (2.21, 1.04, 9_065_088.0),
            (3.01, 2.42, 9_065_088.0),
            (3.70, 4.37, 9_065_088.0),
            (4.44, 7.74, 9_065_088.0),
            (5.20, 13.55, 9_065_088.0),
            (5.93, 23.60, 9_065_088.0),
            (6.75, 40.96, 9_065_088.0),
            (7.66, 70.96, 9_065_088.0),
            (8.87, 109.42, 9_065_088.0),
            (9.90, 139.42, 9_065_088.0),
            (10.91, 164.15, 9_065_088.0),
        ],
    };

    /// Returns the estimates for the samples of a trace: wall-clock time (s) and remaining time
    /// (s).
    fn estimates(trace: &Trace) -> Vec<(f64, f64)> {
        let mut left = TimeLeft::new(trace.end, trace.cells, true);
        left.record(ProgressSample { wall: 0.0, time: 0.0, wet: 0.0 });
        let mut all = Vec::new();
        for &(wall, time, wet) in trace.samples {
            left.record(ProgressSample { wall, time, wet });
            all.extend(left.left().map(|left| (wall, left)));
        }
        all
    }

    #[test]
    fn recorded_runs_are_estimated_within_a_factor_from_their_first_seconds_on() {
        for (trace, factor) in [(&RIVER, 3.0), (&RAIN, 3.0)] {
            let whole = trace.samples.last().unwrap().0;
            let estimates = estimates(trace);
            assert!(estimates.len() > trace.samples.len() / 2, "{estimates:?}");
            for &(wall, left) in &estimates {
                let truly = whole - wall;
                // In the last seconds, a relative error is meaningless.
                assert!(
                    left < factor * truly + 2.0,
                    "{left:.0} s left at {wall} s, truly {truly:.0}"
                );
                assert!(
                    left > truly / factor - 2.0,
                    "{left:.0} s left at {wall} s, truly {truly:.0}"
                );
            }
            // A naive estimate proportional to the elapsed time.
            let naive = |&(wall, time, _): &(f64, f64, f64)| wall * (trace.end - time) / time;
            assert!(estimates.iter().all(|(_, left)| *left < 3.0 * whole));
            let first = naive(&trace.samples[0]);
            assert!(trace.end > 1000.0 || first > 10.0 * whole, "{first}");
        }
    }

    #[test]
    fn the_growing_steps_of_a_start_are_not_taken_for_the_run() {
        let estimates = estimates(&START);
        // Two minutes at the present speed, never hours, and no estimate while steps still double.
        assert!(estimates.iter().all(|(_, left)| *left < 200.0), "{estimates:?}");
        assert!(estimates.iter().all(|(wall, _)| *wall > 6.0), "{estimates:?}");
        assert!(!estimates.is_empty());
    }

    #[test]
    fn an_even_run_is_estimated_exactly_and_a_pause_is_forgotten() {
        let mut left = TimeLeft::new(1000.0, 50.0, false);
        let sample = |wall: f64, time: f64| ProgressSample { wall, time, wet: 50.0 };
        left.record(sample(0.0, 0.0));
        assert_eq!(left.left(), None);
        (1..=100).for_each(|second| left.record(sample(f64::from(second), f64::from(second))));
        assert!((left.left().unwrap() - 900.0).abs() < 1e-9);
        // The machine slept for an hour; a while later, the gap has left the window.
        (101..=130).for_each(|second| {
            left.record(sample(f64::from(second) + 3600.0, f64::from(second)));
        });
        let now = left.left().unwrap();
        assert!(now < 870.0 * 30.0, "{now}");
        assert!(left.samples.len() < 2 * MOST);
    }

    #[test]
    fn times_left_are_round() {
        let shown = [3.0, 58.0, 76.0, 700.0, 4000.0, 1e5].map(show_left);
        assert_eq!(shown, ["5 s", "1 min", "1 min 30 s", "12 min", "1 h 5 min", "28 h"]);
    }
}
