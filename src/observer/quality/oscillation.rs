//! Finds discharges and depths that swing from one sample to the next, under any forcing.

/// Number of samples of a window. Within it, the course is compared with a straight line.
const WINDOW: usize = 12;

/// Number of crossings of that line, of 11 possible, that make an oscillation. A course with a
/// period of 5 samples or more, such as a tide or a flood wave, has fewer.
const CROSSINGS: usize = 6;

/// Number of windows that must oscillate: a passing disturbance does not count.
const WINDOWS: usize = 3;

/// Part of the largest value below which a window does not count (a film, or water that arrives).
const LOW: f64 = 0.1;

/// Swing about a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// Mean of the window with the largest swing.
    pub mean: f64,
    /// Difference between the high and low values there: that of a sine wave with the same standard
    /// deviation.
    pub range: f64,
    /// Time at the middle of the window (s).
    pub time: f64,
}

/// Returns the largest swing of an oscillating course of values at `times` (s), if at least
/// [`WINDOWS`] windows oscillate by more than `limit` allows for their mean.
pub fn largest(times: &[f64], values: &[f64], limit: impl Fn(f64) -> f64) -> Option<Swing> {
    let most = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let windows = times.chunks_exact(WINDOW).zip(values.chunks_exact(WINDOW));
    let swings = windows.filter_map(|(times, values)| swing(times, values));
    let counted = swings.filter(|it| it.mean.abs() >= LOW * most && it.range > limit(it.mean));
    let counted: Vec<Swing> = counted.collect();
    let largest = counted.iter().copied().max_by(|a, b| a.range.total_cmp(&b.range));
    largest.filter(|_| counted.len() >= WINDOWS)
}

/// Returns the swing of a window about its regression line, if it oscillates.
fn swing(times: &[f64], values: &[f64]) -> Option<Swing> {
    let count = values.len() as f64;
    let [time, mean] = [times, values].map(|all| all.iter().sum::<f64>() / count);
    let moments = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        times.iter().zip(values).map(|(t, value)| of(t - time, value - mean)).sum()
    };
    let slope = moments(&|t, value| t * value) / moments(&|t, _| t * t);
    let rest = |(t, value): (&f64, &f64)| value - mean - slope * (t - time);
    let rests: Vec<f64> = times.iter().zip(values).map(rest).collect();
    let crossings = rests.windows(2).filter(|two| (two[0] > 0.0) != (two[1] > 0.0)).count();
    let variance = rests.iter().map(|rest| rest * rest).sum::<f64>() / count;
    (crossings >= CROSSINGS).then_some(Swing { mean, range: (8.0 * variance).sqrt(), time })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(course: impl Fn(f64) -> f64) -> Option<Swing> {
        let times: Vec<f64> = (0..=90).map(f64::from).collect();
        let values: Vec<f64> = times.iter().map(|&time| course(time)).collect();
        largest(&times, &values, |mean| 0.05 * mean.abs())
    }

    #[test]
    fn an_oscillation_on_a_flood_wave_is_told_from_the_wave() {
        let wave = |time: f64| 100.0 + 1000.0 * (-((time - 45.0) / 15.0).powi(2)).exp();
        assert_eq!(of(wave), None);
        let swing = of(|time| wave(time) * (1.0 + 0.1 * (2.4 * time).sin())).expect("it swings");
        let share = swing.range / swing.mean;
        assert!((share - 0.2).abs() < 0.05, "{swing:?}");
        assert_eq!(of(|time| wave(time) * (1.0 + 0.01 * (2.4 * time).sin())), None);
    }

    #[test]
    fn tides_jumps_and_passing_disturbances_do_not_count() {
        assert_eq!(of(|time| (time * std::f64::consts::TAU / 6.0).sin()), None);
        assert_eq!(of(|time| f64::from((time as u32 / 10) % 2)), None);
        assert_eq!(of(|time| if time < 15.0 { 5.0 + (2.4 * time).sin() } else { 5.0 }), None);
        assert_eq!(of(|_| 0.0), None);
    }
}
