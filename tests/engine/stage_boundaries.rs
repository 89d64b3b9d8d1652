//! Cells with a held level: their gains and losses are in the mass balance to the grain, the level
//! follows its series, and ground above it stays dry.

use crate::common;

use common::{Case, every_timed};
use inundate_engine::backend::cpu::CpuOptions;

/// Returns a channel that slopes down to the east, with a held level at its western end.
fn channel(variant: common::Variant, points: &[(f64, f64)]) -> Case {
    let west: Vec<_> = (0..5).map(|row| (0, row)).collect();
    Case::new(30, 5, variant).bed(|i, _| 20.0 - 0.05 * i as f64).stage(&west, points)
}

/// Returns the depth of a cell [m].
fn depth(case: &Case, water: &[i32], column: usize, row: usize) -> f64 {
    f64::from(water[row * case.columns + column]) * f64::from(case.grain.metres())
}

#[test]
fn the_mass_balance_counts_inflow_and_outflow() {
    for variant in every_timed() {
        let case = channel(variant, &[(0.0, 21.0), (200.0, 21.5), (400.0, 20.0)]);
        let mut simulation = case.start(CpuOptions::default());
        simulation.advance_to(150.0).expect("shallow water");
        let rising = case.state(&simulation);
        assert_eq!(rising.ledger.error(), 0);
        assert_eq!(rising.ledger.outflow, 0, "{}: it only comes", case.name());
        assert_eq!(rising.ledger.inflow, rising.stored(), "{}", case.name());
        simulation.advance_to(900.0).expect("shallow water");
        let fallen = case.state(&simulation);
        assert_eq!(fallen.ledger.error(), 0);
        assert!(fallen.ledger.outflow > 0, "{}: some goes back", case.name());
        assert_eq!(fallen.ledger.inflow - fallen.ledger.outflow, fallen.stored());
    }
}

#[test]
fn each_step_books_the_deficit_or_surplus_of_stage_cells() {
    for variant in every_timed() {
        // A single held cell between walls has no neighbour to exchange with.
        let case = Case::new(3, 3, variant)
            .bed(|i, j| if (i, j) == (1, 1) { 7.0 } else { f64::NAN })
            .stage(&[(1, 1)], &[(0.0, 7.5), (10.0, 9.5), (30.0, 7.25)]);
        let mut simulation = case.start(CpuOptions::default());
        let mut before = 0i128;
        let (mut inflow, mut outflow) = (0, 0);
        for _ in 0..60 {
            let state = case.after(1, &mut simulation);
            let gain = state.stored() - before;
            inflow += gain.max(0);
            outflow += (-gain).max(0);
            assert_eq!((state.ledger.inflow, state.ledger.outflow), (inflow, outflow));
            before = state.stored();
        }
        assert_eq!(before, i128::from(1 << 22), "{}: a quarter of a metre in the end", case.name());
    }
}

#[test]
fn the_level_is_interpolated_linearly_between_points() {
    for variant in every_timed() {
        let case = Case::new(3, 3, variant)
            .bed(|i, j| if (i, j) == (1, 1) { 7.0 } else { f64::NAN })
            .stage(&[(1, 1)], &[(0.0, 7.5), (10.0, 9.5), (30.0, 7.25)]);
        let mut simulation = case.start(CpuOptions::default());
        let points =
            [(2.5, 1.0), (5.0, 1.5), (10.0, 2.5), (12.0, 2.275), (30.0, 0.25), (99.0, 0.25)];
        for (time, expected) in points {
            simulation.advance_to(time).expect("shallow water");
            let depth = depth(&case, &case.state(&simulation).water, 1, 1);
            assert!((depth - expected).abs() < 1e-7, "{}: {depth} m at {time} s", case.name());
        }
    }
}

#[test]
fn ground_above_the_level_stays_dry_and_is_drained() {
    for variant in every_timed() {
        let mut case = channel(variant, &[(0.0, 19.9)]).rain(1e-6);
        case.initial[2 * 30] = 1 << 20;
        let mut simulation = case.start(CpuOptions::default());
        for _ in 0..200 {
            simulation.advance(1).expect("shallow water");
        }
        let state = case.state(&simulation);
        assert!(state.ledger.inflow == 0 && state.ledger.outflow > 1 << 20, "{}", case.name());
        // Rain there is removed at the start of the next step, and nothing rises from below.
        for row in 0..5 {
            assert_eq!(state.water[row * 30], 0, "{}", case.name());
        }
    }
}
