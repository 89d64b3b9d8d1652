//! Expected annual damage of runs with return periods.

use super::StudyRun;

/// Returns the factor of each run's damage in the expected annual damage of a variant: the integral
/// of damage over the annual exceedance probability (1 / return period), by the trapezoidal rule.
/// Runs with the same return period share their event by weight. Events rarer than the rarest one
/// cause the same damage as it; events more frequent than the most frequent one cause none.
///
/// # Panics
/// If a run has no return period.
pub fn shares(runs: &[&StudyRun]) -> Vec<f64> {
    let probability = |run: &StudyRun| 1.0 / run.return_period.expect("a return period");
    let mut events: Vec<f64> = runs.iter().map(|run| probability(run)).collect();
    events.sort_by(f64::total_cmp);
    events.dedup();
    let of_event = |at: usize| {
        let half = |other: usize| (events[at] - events[other]).abs() / 2.0;
        let rarer = if at > 0 { half(at - 1) } else { events[0] };
        rarer + if at + 1 < events.len() { half(at + 1) } else { 0.0 }
    };
    let weights = |wanted: f64| {
        let same = runs.iter().filter(|run| probability(run) == wanted);
        same.map(|run| run.weight).sum::<f64>()
    };
    let share = |run: &&StudyRun| {
        let at = events.iter().position(|known| *known == probability(run)).expect("it is there");
        of_event(at) * run.weight / weights(events[at])
    };
    runs.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::options::Options;

    fn run(return_period: f64, weight: f64) -> StudyRun {
        StudyRun {
            index: 1,
            name: String::new(),
            weight,
            return_period: Some(return_period),
            variant: String::new(),
            varied: toml::Table::new(),
            options: Options::default(),
        }
    }

    fn expected(runs: &[(f64, f64, f64)]) -> f64 {
        let all: Vec<StudyRun> =
            runs.iter().map(|(period, weight, _)| run(*period, *weight)).collect();
        let shares = shares(&all.iter().collect::<Vec<_>>());
        shares.iter().zip(runs).map(|(share, (.., damage))| share * damage).sum()
    }

    #[test]
    fn the_integral_is_that_worked_by_hand() {
        // p = 0.1, 0.02, 0.01: (1 + 3)/2 · 0.08 + (3 + 5)/2 · 0.01 + 5 · 0.01.
        let events = [(10.0, 1.0, 1.0), (50.0, 1.0, 3.0), (100.0, 1.0, 5.0)];
        assert!((expected(&events) - 0.25).abs() < 1e-12);
        let [a, b, c] = events;
        assert!((expected(&[c, a, b]) - 0.25).abs() < 1e-12, "in any order");
        // One event: its damage, for it and for all rarer events.
        assert!((expected(&[(20.0, 3.0, 8.0)]) - 0.4).abs() < 1e-12);
        // Two runs with the same return period: 3/4 of one and 1/4 of the other.
        let twice = [(10.0, 3.0, 0.0), (10.0, 1.0, 4.0), (50.0, 1.0, 3.0), (100.0, 9.0, 5.0)];
        assert!((expected(&twice) - 0.25).abs() < 1e-12);
    }
}
