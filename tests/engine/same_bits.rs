//! The division of work does not affect results: tiles of any size, any number of threads, every
//! instruction set, and skipping dry ground or not give the same bits.

use crate::common;

use common::cover::{alternating, combinations};
use common::{Case, State, Variant, every_case, every_timed};
use inundate_engine::backend::cpu::{CpuOptions, DEFAULT_TILE};
use inundate_engine::boundary::OpenSides;
use inundate_engine::grains::SHALLOW_WATER;
use inundate_engine::lanes::InstructionSet;

/// Narrow, low, single cells, not dividing, dividing, and whole.
const TILES: [(usize, usize); 8] =
    [(1, 64), (64, 1), (1, 1), (2, 3), (17, 40), (16, 8), (33, 71), DEFAULT_TILE];
const THREADS: [usize; 3] = [1, 2, 5];

/// The simplest way to run: one vector element, one thread, one tile, nothing skipped.
const PLAIN: CpuOptions = CpuOptions {
    tile: (usize::MAX >> 8, usize::MAX >> 8),
    instructions: InstructionSet::Scalar,
    activity: false,
};

fn run(case: &Case, steps: u64, options: CpuOptions, threads: usize) -> State {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(|| case.run(steps, options))
}

/// Compares cases, one for each solver and neighbourhood, with every tile size, instruction set,
/// skipping of dry cells, and number of threads. Other seeds give other combinations.
fn assert_same(cases: &[Case], steps: u64, tiles: &[(usize, usize)], seed: u64) {
    let expected: Vec<State> = cases.iter().map(|case| run(case, steps, PLAIN, 1)).collect();
    assert!(!cases.is_empty() && expected.iter().all(|state| state.ledger.error() == 0));
    let sets = InstructionSet::available();
    for choice in combinations(&[cases.len(), tiles.len(), sets.len(), 2, THREADS.len()], seed) {
        let (tile, instructions) = (tiles[choice[1]], sets[choice[2]]);
        let options = CpuOptions { tile, instructions, activity: choice[3] == 0 };
        let (case, threads) = (&cases[choice[0]], THREADS[choice[4]]);
        let name = || format!("{}, {options:?}, {threads} threads", case.name());
        run(case, steps, options, threads).assert_is(&expected[choice[0]], name);
    }
}

/// Dry hills with two wet corners, holes, all kinds of forcing and open edges. No rain, which would
/// leave nothing to skip.
fn wet_and_dry(columns: usize, rows: usize, variant: Variant) -> Case {
    let wet = move |i: usize, j: usize| i + j < 20 || i + 12 > columns + rows - j;
    Case::new(columns, rows, variant)
        .hills(812.0, 21)
        .holes(0.06, 22)
        .water(|i, j| if wet(i, j) { 0.05 + 0.001 * (i * j % 7) as f64 } else { 0.0 })
        .source(&[(columns / 2, rows / 2)], &[(3.0, 0.02), (40.0, 0.0)])
        .top_up(columns - 1, 3, 0.25)
        .linked([(3, 4), (columns / 2 + 3, 5), (columns / 2, rows / 2), (columns - 3, 8), (7, 5)])
        .runs_out_if_timed(&[(5, 3), (columns - 1, rows - 1)])
        .sink(4, 5)
        .sink(columns / 2 + 2, rows / 2 + 1)
        .open(OpenSides::ALL)
        .lossy(1e-4, 23)
        .with_diagnostics()
}

#[test]
fn tiles_threads_lanes_and_skipping_do_not_change_a_bit() {
    // The second has more rows than a thread takes at a time.
    for (seed, (columns, rows)) in [(1, (65, 33)), (2, (37, 71))] {
        let cases: Vec<_> = every_case().map(|v| wet_and_dry(columns, rows, v)).collect();
        assert_same(&cases, 60, &TILES, seed);
    }
}

#[test]
fn tiling_does_not_change_a_bit_under_rain() {
    let rained = |variant| wet_and_dry(33, 40, variant).rain(1e-8).uneven_rain(2e-7, 5);
    assert_same(&every_case().map(rained).collect::<Vec<_>>(), 120, &TILES, 3);
}

#[test]
fn tiling_does_not_change_a_bit_under_rain_on_zones() {
    // The last frame's zones are smaller than a tile, those of the first ones are not; frames start
    // within steps.
    let rained = |variant| {
        wet_and_dry(33, 40, variant)
            .zoned_rain(1e-6, &[0.0, 2.5, 10.0, 20.0, 31.7, 1e9], (9, 11), 7)
            .zoned_rain(1e-6, &[5.0, 50.0], (1, 1), 8)
    };
    assert_same(&every_case().map(rained).collect::<Vec<_>>(), 120, &TILES, 4);
}

#[test]
fn tiling_does_not_change_a_bit_with_uneven_roughness_oblong_cells_and_stage_boundaries() {
    let west: Vec<_> = (0..40).map(|row| (0, row)).collect();
    let uneven = |variant| {
        wet_and_dry(33, 40, variant)
            .cell(7.0, 19.0)
            .uneven_roughness(0.01, 0.2, 6)
            .stage(&west, &[(0.0, 811.0), (10.0, 813.5), (25.0, 812.0)])
            .rain(1e-6)
    };
    let tiles = [(1, 64), (2, 3), (16, 8), DEFAULT_TILE];
    assert_same(&every_timed().map(uneven).collect::<Vec<_>>(), 120, &tiles, 5);
}

#[test]
fn overflow_checks_in_deep_water_do_not_change_a_bit() {
    let deep = |variant| {
        let case = Case::new(37, 41, variant)
            .hills(100.0, 31)
            .holes(0.05, 32)
            .water(|i, j| if i < 20 { 12.0 + 0.1 * (j % 3) as f64 } else { 0.0 })
            .source(&[(30, 30)], &[(0.0, 0.5)])
            .open(OpenSides::ALL);
        let deepest = case.initial.iter().max();
        assert!(deepest > Some(&SHALLOW_WATER), "deep enough to be checked");
        case
    };
    let tiles = [(1, 64), (5, 5), (16, 8), DEFAULT_TILE];
    assert_same(&every_case().map(deep).collect::<Vec<_>>(), 40, &tiles, 6);
}

#[test]
fn dry_ground_is_unchanged_after_a_long_run() {
    // A flood that crosses many tiles and dries up behind itself, so that tiles become active and
    // inactive.
    for (variant, tile) in alternating(every_case(), &[(7, 7), (10, 4), DEFAULT_TILE]) {
        let case = Case::new(10, 90, variant)
            .bed(|i, j| 50.0 - 0.2 * j as f64 + 0.01 * ((i * 7 + j * 3) % 5) as f64)
            .water(|_, j| if j < 3 { 0.2 } else { 0.0 })
            .open(OpenSides::parse("south").expect("a side"));
        let expected = run(&case, 3000, PLAIN, 1);
        assert!(expected.ledger.outflow > 0, "{}: it reaches the end", case.name());
        let options = CpuOptions { tile, ..CpuOptions::default() };
        let state = run(&case, 3000, options, 2);
        state.assert_is(&expected, || format!("{}, {tile:?}", case.name()));
    }
}
