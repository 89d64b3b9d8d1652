//! Annual statistics of runs with return periods: the trapezoidal rule over the annual exceedance
//! probability (1 / return period) of the events.
//!
//! Ward et al. (2011), *How are flood risk estimates affected by the choice of return-periods?*,
//! Natural Hazards and Earth System Sciences 11, 3181–3195, use the same rule for damage, and
//! discuss the choice of events.

use super::StudyRun;

/// Part of a run in the annual statistics of its variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Return period (years).
    pub return_period: f64,
    /// Share of the run among the runs of the same event, by weight.
    pub share: f64,
    /// Factor of the run's value in the integral over the annual exceedance probability.
    pub annual: f64,
}

/// Returns the part of each run in the integral of a value over the annual exceedance probability,
/// by the trapezoidal rule. Runs with the same return period share their event by weight. Events
/// rarer than the rarest one have the same value as it; events more frequent than the most frequent
/// one have none.
///
/// # Panics
/// If a run has no return period.
pub fn events(runs: &[&StudyRun]) -> Vec<Event> {
    let years = |run: &StudyRun| run.return_period.expect("a return period");
    let mut periods: Vec<f64> = runs.iter().map(|run| years(run)).collect();
    periods.sort_by(f64::total_cmp);
    periods.dedup();
    let probability = |at: usize| 1.0 / periods[at];
    let of_event = |at: usize| {
        let half = |other: usize| (probability(at) - probability(other)).abs() / 2.0;
        let rarer = if at + 1 < periods.len() { half(at + 1) } else { probability(at) };
        rarer + if at > 0 { half(at - 1) } else { 0.0 }
    };
    let event = |run: &&StudyRun| {
        let return_period = years(run);
        let at = periods.iter().position(|known| *known == return_period).expect("it is there");
        let same = runs.iter().filter(|run| years(run) == return_period);
        let share = run.weight / same.map(|run| run.weight).sum::<f64>();
        Event { return_period, share, annual: of_event(at) * share }
    };
    runs.iter().map(event).collect()
}

/// Returns the return period and weighted mean value of each event, the most frequent first, from
/// the values of its runs. Ignores runs without a return period.
pub fn means<'a>(values: impl IntoIterator<Item = (&'a StudyRun, f64)>) -> Vec<(f64, f64)> {
    let value = |(run, value): (&StudyRun, f64)| Some((run.return_period?, run.weight, value));
    let mut all: Vec<(f64, f64, f64)> = values.into_iter().filter_map(value).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = |same: &[(f64, f64, f64)]| {
        let weights: f64 = same.iter().map(|(_, weight, _)| weight).sum();
        let sum: f64 = same.iter().map(|(_, weight, value)| weight * value).sum();
        (same[0].0, sum / weights)
    };
    all.chunk_by(|a, b| a.0 == b.0).map(mean).collect()
}

/// Returns the annual probability of a flood with these events: the integral of 1 in the runs that
/// flood and 0 in the others.
pub fn probability(events: &[Event], floods: impl Fn(usize) -> bool) -> f64 {
    let flooding = events.iter().enumerate().filter(|(at, _)| floods(*at));
    flooding.fold(0.0, |sum, (_, event)| sum + event.annual)
}

/// Returns the return period of the most frequent event that floods, in runs with at least half of
/// its weight; `None` if no event does. The events are in ascending order of their return periods.
pub fn first(events: &[Event], floods: impl Fn(usize) -> bool) -> Option<f64> {
    let mut from = 0;
    events.chunk_by(|a, b| a.return_period == b.return_period).find_map(|same| {
        let flooding = same.iter().enumerate().filter(|(at, _)| floods(from + at));
        let share: f64 = flooding.map(|(_, event)| event.share).sum();
        from += same.len();
        // Shares of a half that are not exact still count.
        (share > 0.5 - 1e-9).then_some(same[0].return_period)
    })
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
        let events = events(&all.iter().collect::<Vec<_>>());
        events.iter().zip(runs).map(|(event, (.., damage))| event.annual * damage).sum()
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

    #[test]
    fn a_cell_floods_between_the_first_event_that_floods_it_and_the_one_before() {
        let all = [run(2.0, 1.0), run(20.0, 1.0), run(100.0, 1.0)];
        let events = events(&all.iter().collect::<Vec<_>>());
        let annual = |from: usize| probability(&events, |at| at >= from);
        // p = 0.5, 0.05, 0.01: the middle between 0.01 and 0.05, and between 0.05 and 0.5.
        for (from, expected) in [(0, 0.5), (1, 0.275), (2, 0.03), (3, 0.0)] {
            assert!((annual(from) - expected).abs() < 1e-12, "{from}: {}", annual(from));
        }
        let period = |from: usize| first(&events, |at| at >= from);
        assert_eq!([0, 1, 2, 3].map(period), [Some(2.0), Some(20.0), Some(100.0), None]);
    }

    #[test]
    fn runs_of_an_event_count_by_their_weight() {
        // The levee holds in nine of ten floods.
        let all = [run(10.0, 9.0), run(10.0, 1.0), run(50.0, 2.0), run(50.0, 2.0)];
        let events = events(&all.iter().collect::<Vec<_>>());
        // Only the breach floods: 0.1 of (0.1 − 0.02) / 2, then half of (0.08 / 2 + 0.02).
        assert!((probability(&events, |at| at == 1) - 0.004).abs() < 1e-12);
        assert_eq!(first(&events, |at| at == 1), None);
        assert!((probability(&events, |at| at % 2 == 1) - 0.034).abs() < 1e-12);
        assert_eq!(first(&events, |at| at % 2 == 1), Some(50.0), "half of the weight");
    }
}
