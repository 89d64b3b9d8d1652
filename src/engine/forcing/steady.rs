//! From when on all that comes is steady.

use super::series::Series;
use super::{Account, Forcing};

/// The part of a run, at its end, over which all that comes must have been the same.
pub const PART: f64 = 1.0 / 3.0;

/// The time (s) from which on nothing that brings water changes until the `end` (s), if that is at least the last
/// `PART` of the run. Links come and go with levels, so a run with any has no such time.
pub fn since(forcing: &Forcing, end: f64) -> Option<f64> {
    let rates = forcing.rates.iter().filter(|rate| rate.account != Account::Evaporation);
    let rates = rates.map(|rate| &rate.series);
    let all = rates.chain(forcing.held.iter().map(|held| &held.level));
    let since = all.map(|series| constant_since(series, end)).fold(0.0, f64::max);
    let whole = !forcing.rates.is_empty() || !forcing.held.is_empty() || !forcing.top_up.is_empty();
    (whole && forcing.links.is_empty() && since <= end * (1.0 - PART)).then_some(since)
}

/// The time (s) from which on a series does not change until `end` (s).
fn constant_since(series: &Series, end: f64) -> f64 {
    let begun: Vec<_> = series.pieces().iter().filter(|piece| piece.time < end).collect();
    let Some(last) = begun.last() else { return 0.0 };
    if last.half_slope != 0.0 {
        return end;
    }
    let same =
        begun.iter().rev().take_while(|piece| piece.half_slope == 0.0 && piece.value == last.value);
    let first = same.last().map_or(last.time, |piece| piece.time);
    // Before the first piece nothing comes.
    if last.value == 0.0 && first == begun[0].time { 0.0 } else { first.max(0.0) }
}
