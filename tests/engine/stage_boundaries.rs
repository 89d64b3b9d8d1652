//! Cells with a held level: their gains and losses are in the mass balance to the grain, the level
//! follows its series, and ground above it stays dry.

use crate::common;

use common::{Case, Variant, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::roughness::Roughness;
use std::f64::consts::TAU;

/// Returns a channel that slopes down to the east, with a held level at its western end.
fn channel(variant: Variant, points: &[(f64, f64)]) -> Case {
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

/// Roughness of a river [s/m^(1/3)], and its normal depth [m].
const ROUGHNESS: f64 = 0.03;
const DEPTH: f64 = 1.5;

/// Returns a river with a slope, normal depth and its level held at both ends; it flows to the east,
/// west, south or north. With `pixels`, its cells have tables of 2 × 2 pixels. `deep` cells at the upper end
/// have a level.
fn river(variant: Variant, slope: f64, way: usize, pixels: bool, deep: usize) -> Case {
    let (length, width) = (40, 3);
    let (columns, rows) = if way < 2 { (length, width) } else { (width, length) };
    let along = |i: usize, j: usize, length: usize| {
        let at = if way < 2 { i } else { j };
        if way.is_multiple_of(2) { at } else { length - 1 - at }
    };
    let level = |at: f64| 50.0 - slope * 10.0 * at;
    let mut case = Case::new(columns, rows, variant);
    case.roughness = Roughness::Uniform(ROUGHNESS as f32);
    case = case.bed(|i, j| level(along(i, j, length) as f64)).water(|_, _| DEPTH);
    if pixels {
        case = case.cell(5.0, 5.0);
        case = case.finer(2, |i, j| level(along(i / 2, j / 2, length) as f64)).cell(10.0, 10.0);
    }
    for ends in [0..deep, length - 1..length] {
        let cells: Vec<_> = (0..columns * rows)
            .map(|cell| (cell % columns, cell / columns))
            .filter(|&(i, j)| ends.contains(&along(i, j, length)))
            .collect();
        case = case.stage(&cells, &[(0.0, level(ends.end as f64 - 1.0) + DEPTH)]);
    }
    case
}

/// Returns the steady inflow of a case [m³/s].
fn steady_inflow(case: &Case) -> f64 {
    let mut simulation = case.start(CpuOptions::default());
    simulation.advance_to(600.0).expect("shallow water");
    let before = case.state(&simulation).ledger.inflow;
    simulation.advance_to(700.0).expect("shallow water");
    let state = case.state(&simulation);
    assert_eq!(state.ledger.error(), 0);
    let metres = f64::from(case.grain.metres());
    (state.ledger.inflow - before) as f64 * metres * case.cell.0 * case.cell.1 / 100.0
}

#[test]
fn a_river_with_its_normal_depth_has_its_normal_discharge() {
    for variant in every_timed().filter(|(solver, _)| solver.has_momentum()) {
        for slope in [0.001_f64, 0.0035] {
            let normal = 30.0 * DEPTH.powf(5.0 / 3.0) * slope.sqrt() / ROUGHNESS;
            let plain = (0..4).map(|way| (way, false, 1 + way % 3));
            let tables = [(0, true, 1), (3, true, 2)];
            let tables = tables.into_iter().filter(|_| variant.0.order == 1);
            for (way, pixels, deep) in plain.chain(tables) {
                let case = river(variant, slope, way, pixels, deep);
                let found = steady_inflow(&case) / normal;
                // On tables the water surface falls from the cell to the edge: 1 % at the step of
                // the bed there.
                let limit = if pixels { 0.02 } else { 0.001 };
                assert!((found - 1.0).abs() < limit, "{}, way {way}: {found}", case.name());
            }
        }
    }
}

#[test]
fn where_the_flow_becomes_critical_water_enters_as_from_a_lake() {
    for variant in every_timed().filter(|(solver, _)| solver.has_momentum()) {
        for slope in [0.02, 0.05] {
            let mut case = river(variant, slope, 0, false, 1);
            case.forcing.stage_boundaries.pop();
            case = case.open(OpenSides::parse("east").expect("a side"));
            // The normal discharge would be three to five times that of a broad crest.
            let crest = 30.0 * 1.705 * DEPTH.powf(1.5);
            let found = steady_inflow(&case) / crest;
            assert!((1.2..1.8).contains(&found), "{}, {slope}: {found}", case.name());
        }
    }
}

#[test]
fn water_that_leaves_and_enters_again_beside_a_level_gains_no_energy() {
    for variant in every_timed().filter(|(solver, _)| solver.has_momentum()) {
        // A tide of a metre in a bay, through a row of levels that ends in open water.
        let west: Vec<_> = (25..35).map(|row| (0, row)).collect();
        let period = 44_640.0;
        let tide = (0..=20).map(|at| 0.05 * f64::from(at));
        let tide: Vec<_> = tide.map(|at| (period * at, (TAU * at).sin())).collect();
        let mut case = Case::new(60, 60, variant).bed(|_, _| -8.0).stage(&west, &tide);
        case.roughness = Roughness::Uniform(0.025);
        let case = case.cell(50.0, 50.0).water(|_, _| 8.0);
        let mut simulation = case.start(CpuOptions::default());
        simulation.advance_to(period).expect("shallow water");
        let greatest = simulation.backend.extremes().maxima.speed.value();
        assert!(greatest < 1.0, "{}: {greatest} m/s", case.name());
    }
}
