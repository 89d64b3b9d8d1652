//! Determines when all forcing becomes steady.

use super::link::LinkDriver;
use super::series::Series;
use super::structures::Structure;
use super::{Account, Forcing};

/// Fraction of a run, at its end, during which all forcing must be constant.
pub const PART: f64 = 1.0 / 3.0;

/// Returns the time (s) from which no forcing changes until the `end` (s), if that is at least the
/// last `PART` of the run. Pumps start and stop with the level, and a breach grows from a time that
/// is not known beforehand, so a run with either has no such time.
pub fn since(forcing: &Forcing, end: f64) -> Option<f64> {
    let rates = forcing.rates.iter().filter(|rate| rate.account != Account::Evaporation);
    let rates = rates.map(|rate| &rate.series);
    let all = rates.chain(forcing.stage_boundaries.iter().map(|stage| &stage.level));
    let series = all.map(|series| constant_since(series, end));
    let structures = forcing.structures.iter().map(|it| at_rest_since(it, &forcing.tables));
    let since = series.chain(structures).fold(0.0, f64::max);
    let whole = !forcing.rates.is_empty()
        || !forcing.stage_boundaries.is_empty()
        || !forcing.top_up.is_empty();
    let pumps = forcing.links.iter().any(|link| matches!(link.drive, LinkDriver::Pump { .. }));
    (whole && !pumps && since <= end * (1.0 - PART)).then_some(since)
}

/// Returns the time (s) from which neither the opening nor the shape of a structure changes.
fn at_rest_since(structure: &Structure, tables: &[f32]) -> f64 {
    match structure.openings(tables) {
        Some(openings) => openings.constant_since().into(),
        None if structure.kind.info().waits => f64::INFINITY,
        None => 0.0,
    }
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
    use crate::forcing::structures::StructureKind;
    use crate::forcing::structures::gate::{ENDLESS, FREE, Gate};
    use crate::forcing::{Footprint, RateLayer};

    fn source(series: Series) -> Forcing {
        let layer =
            RateLayer { account: Account::Inflow, footprint: Footprint::Everywhere, series };
        Forcing { rates: vec![layer], ..Forcing::default() }
    }

    #[test]
    fn a_gate_is_steady_after_its_last_move_and_a_breach_never() {
        let mut forcing = source(Series::constant(2.0));
        let structure = |kind, numbers, forcing: &mut Forcing| {
            forcing.structures = vec![Structure {
                cell: 0,
                axis: 0,
                kind,
                crest: 1.0,
                numbers,
                detour: 1.0,
                waits: None,
            }];
        };
        structure(StructureKind::Weir, [1.0, 1.7, 0.67], &mut forcing);
        assert_eq!(since(&forcing, 90.0), Some(0.0));
        let openings = [(0.0, 1.0), (20.0, 1.0), (40.0, 2.0), (80.0, 2.0)];
        let at = Gate::table(&mut forcing.tables, FREE, &openings);
        structure(StructureKind::Gate, [1.0, at, ENDLESS], &mut forcing);
        assert_eq!(since(&forcing, 90.0), Some(40.0));
        assert_eq!(since(&forcing, 50.0), None);
        structure(StructureKind::Breach, [0.0, 1.0, 0.0], &mut forcing);
        assert_eq!(since(&forcing, 90.0), None);
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
