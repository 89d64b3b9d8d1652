//! Determines when all forcing becomes steady.

use super::series::Series;
use super::{Account, Forcing};

/// Fraction of a run, at its end, during which all forcing must be constant.
pub const PART: f64 = 1.0 / 3.0;

/// Returns the time (s) from which no forcing changes until the `end` (s), if that is at least the
/// last `PART` of the run. The flow of links depends on levels, gates move and breaches grow, so a
/// run with links or structures has no such time.
pub fn since(forcing: &Forcing, end: f64) -> Option<f64> {
    let rates = forcing.rates.iter().filter(|rate| rate.account != Account::Evaporation);
    let rates = rates.map(|rate| &rate.series);
    let all = rates.chain(forcing.held.iter().map(|held| &held.level));
    let since = all.map(|series| constant_since(series, end)).fold(0.0, f64::max);
    let whole = !forcing.rates.is_empty() || !forcing.held.is_empty() || !forcing.top_up.is_empty();
    let alone = forcing.links.is_empty() && forcing.structures.is_empty();
    (whole && alone && since <= end * (1.0 - PART)).then_some(since)
}

/// Returns the time (s) from which a series does not change until `end` (s).
fn constant_since(series: &Series, end: f64) -> f64 {
    let begun: Vec<_> = series.pieces().iter().filter(|piece| piece.time < end).collect();
    let Some(last) = begun.last() else { return 0.0 };
    if last.half_slope != 0.0 {
        return end;
    }
    let same =
        begun.iter().rev().take_while(|piece| piece.half_slope == 0.0 && piece.value == last.value);
    let first = same.last().map_or(last.time, |piece| piece.time);
    // Before the first piece there is no forcing.
    if last.value == 0.0 && first == begun[0].time { 0.0 } else { first.max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::{Footprint, RateLayer};

    fn source(series: Series) -> Forcing {
        let layer =
            RateLayer { account: Account::Inflow, footprint: Footprint::Everywhere, series };
        Forcing { rates: vec![layer], ..Forcing::default() }
    }

    #[test]
    fn a_source_is_steady_if_it_was_constant_over_the_last_third() {
        assert_eq!(since(&source(Series::constant(2.0)), 90.0), Some(0.0));
        let steps = Series::new(vec![(0.0, 1.0), (50.0, 3.0)]);
        assert_eq!(since(&source(steps.clone()), 90.0), Some(50.0));
        assert_eq!(since(&source(steps), 60.0), None);
        let rising = Series::linear(vec![(0.0, 0.0), (20.0, 4.0)]);
        assert_eq!(since(&source(rising.clone()), 90.0), Some(20.0));
        assert_eq!(since(&source(rising), 15.0), None);
        assert_eq!(since(&Forcing::default(), 90.0), None);
    }
}
