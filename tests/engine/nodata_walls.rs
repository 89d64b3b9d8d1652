//! NoData is a wall: no water flows into it, through it or out of it. Closed edges are walls too;
//! open edges let water out and count it; a sink removes all water that reaches it.

use crate::common;

use common::{Case, State, Variant, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::solver::edge::DRY;

const STEPS: u64 = 600;

/// Returns deep water on one side of a line of NoData two cells thick, so that not even corners
/// touch. `side` is negative on the wet side, 0 and 1 on the line, and larger on the dry side.
fn divided(variant: Variant, side: impl Fn(isize, isize) -> isize) -> (Case, Vec<bool>) {
    let side = |i: usize, j: usize| side(i as isize, j as isize);
    let case = Case::new(65, 33, variant)
        .bed(|i, j| match side(i, j) {
            0 | 1 => f64::NAN,
            side => 100.0 - 0.5 * side as f64,
        })
        .water(|i, j| if side(i, j) < 0 { 4.0 } else { 0.0 });
    let dry = (0..case.bed.len()).map(|c| side(c % 65, c / 65) > 1);
    let dry = dry.collect();
    (case, dry)
}

fn assert_dry(case: &Case, dry: &[bool], message: &str) {
    for tile in [(512, 256), (7, 5)] {
        let options = CpuOptions { tile, ..CpuOptions::default() };
        let state = case.run(STEPS, options);
        for (cell, &dry) in dry.iter().enumerate() {
            if dry || !case.is_inside(cell) {
                let (water, most) = (state.water[cell], state.most[cell]);
                assert_eq!((water, most), (0, 0), "{}, {message}: cell {cell}", case.name());
            }
        }
        assert!(state.water != case.initial, "{message}: the water moves");
        assert_eq!(state.stored(), state.ledger.initial, "{message}");
    }
}

#[test]
fn water_does_not_cross_a_line_of_nodata() {
    for variant in every_case() {
        let (case, dry) = divided(variant, |i, _| i - 30);
        assert_dry(&case, &dry, "a line from north to south");
        let (case, dry) = divided(variant, |_, j| j - 16);
        assert_dry(&case, &dry, "a line from west to east");
        let (case, dry) = divided(variant, |i, j| i + j - 45);
        assert_dry(&case, &dry, "a diagonal line");
        let (case, dry) = divided(variant, |i, j| i - j - 20);
        assert_dry(&case, &dry, "the other diagonal");
    }
}

#[test]
fn a_one_cell_diagonal_of_nodata_blocks_only_without_corner_neighbours() {
    for variant in every_case() {
        let (mut case, dry) = divided(variant, |i, j| i + j - 45);
        for cell in 0..case.bed.len() {
            if cell % 65 + cell / 65 == 46 {
                case.bed[cell] = 99.0;
            }
        }
        let state = case.run(STEPS, CpuOptions::default());
        let leaked = (0..dry.len()).any(|c| dry[c] && state.water[c] > 0);
        assert_eq!(leaked, case.neighbourhood.neighbours() == 8, "{}", case.name());
    }
}

#[test]
fn holes_stay_dry_whatever_is_poured_on_them() {
    for variant in every_case() {
        let case = Case::new(33, 21, variant).hills(200.0, 71).holes(0.3, 72);
        let holes: Vec<_> = (0..case.bed.len()).filter(|&c| !case.is_inside(c)).collect();
        let place = |cell: usize| (cell % 33, cell / 33);
        let [source, topped, sink] = [holes[3], holes[40], holes[90]].map(place);
        let case = case
            .water(|_, _| 1.0)
            .rain(1e-5)
            .uneven_rain(1e-5, 73)
            .source(&[source], &[(0.0, 0.1)])
            .top_up(topped.0, topped.1, 2.0)
            .sink(sink.0, sink.1);
        let state = case.run(STEPS, CpuOptions::default());
        for cell in holes {
            assert_eq!(state.water[cell], 0, "{}: water", case.name());
            assert_eq!(state.most[cell], 0, "{}: maximum", case.name());
            assert_eq!(f32::from_bits(state.arrival[cell]), -1.0, "{}", case.name());
        }
        let ledger = state.ledger;
        assert_eq!((ledger.inflow, ledger.losses), (0, 0), "{}", case.name());
        assert_eq!(ledger.error(), 0);
    }
}

#[test]
fn closed_edges_lose_nothing_and_open_edges_count_outflow() {
    for variant in every_case() {
        let tray = Case::new(30, 20, variant).hills(10.0, 81).water(|_, _| 3.0);
        let closed = tray.run(STEPS, CpuOptions::default());
        assert_eq!(closed.ledger.outflow, 0, "{}", tray.name());
        assert_eq!(closed.stored(), closed.ledger.initial, "{}", tray.name());
        let mut gone = Vec::new();
        for side in ["north", "east", "south", "west", "all"] {
            let open = OpenSides::parse(side).expect("a side");
            let state = tray.clone().open(open).run(STEPS, CpuOptions::default());
            let left = state.ledger.initial - state.stored();
            assert!(left > 0, "{}: nothing left over {side}", tray.name());
            assert_eq!(state.ledger.outflow, left, "{}, {side}", tray.name());
            gone.push(left);
        }
        let all = gone.pop().expect("five runs");
        assert!(gone.iter().all(|&one| one < all), "{}", tray.name());
    }
}

/// Asserts that only water held back by rounding is left: fewer than 2·K grains per cell. This is
/// the calm difference before an open edge, and also covers the last grains on a slope, which stay
/// because they cannot be divided fairly among equally low neighbours. Under solvers with physical
/// time, films thinner than [`DRY`] do not flow.
fn assert_film(case: &Case, state: &State) {
    let most = match case.solver.is_timed() {
        true => (DRY * case.grain.per_metre()).ceil() as i32 + 1,
        false => 2 * case.neighbourhood.neighbours() as i32,
    };
    let thickest = state.water.iter().max().copied().unwrap_or(0);
    assert!(thickest < most, "{}: {thickest} grains stay", case.name());
}

#[test]
fn a_plain_sloping_to_an_open_edge_drains() {
    for variant in every_case() {
        let mut case = Case::new(12, 30, variant)
            .bed(|_, j| 5.0 - 0.1 * j as f64)
            .water(|_, _| 0.2)
            .open(OpenSides::parse("south").expect("a side"));
        // With friction, the last tenth of a millimetre takes weeks.
        case.longest = 600.0;
        let state = case.run(20_000, CpuOptions::default());
        let stored = state.stored();
        println!("{}: {stored} grains stay", case.name());
        assert_film(&case, &state);
        assert_eq!(state.ledger.outflow, state.ledger.initial - stored);
    }
}

#[test]
fn a_sink_at_the_bottom_of_a_funnel_empties_it() {
    for variant in every_case() {
        let mut case = Case::new(21, 21, variant)
            .bed(|i, j| 0.1 * (i.abs_diff(10) + j.abs_diff(10)) as f64)
            .water(|_, _| 1.0)
            .sink(10, 10);
        case.longest = 600.0;
        let mut simulation = case.start(CpuOptions::default());
        for _ in 0..100 {
            let sink = case.after(1, &mut simulation).water[10 * 21 + 10];
            assert_eq!(sink, 0, "{}: the sink is empty after each step", case.name());
        }
        let state = case.after(20_000, &mut simulation);
        let ledger = state.ledger;
        println!("{}: {} grains stay", case.name(), ledger.stored);
        assert_film(&case, &state);
        assert_eq!(ledger.losses, ledger.initial - ledger.stored, "{}", case.name());
    }
}
