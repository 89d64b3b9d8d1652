//! Water deeper than the grain holds ends the run with an error; it never wraps round to nothing.

mod common;

use common::{Case, Variant, every_case};
use inundate::backend::cpu::CpuOptions;
use inundate::error::Kind;
use inundate::lanes::InstructionSet;

/// A pit at (18, 9) of a high plain.
fn pit(variant: Variant) -> Case {
    Case::new(37, 19, variant).bed(|i, j| if (i, j) == (18, 9) { 0.0 } else { 3000.0 })
}

/// Every cell but the pit.
fn around(depth: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| if (i, j) == (18, 9) { 0.0 } else { depth }
}

/// Steps until the run fails, and looks at every state before that.
fn run_to_failure(case: &Case, steps: u64, options: CpuOptions) {
    let mut simulation = case.start(options);
    let error = (0..steps).find_map(|_| {
        let result = simulation.advance(1);
        if result.is_ok() {
            let state = case.state(&simulation);
            assert!(state.water.iter().all(|&w| w >= 0), "{}: wrapped", case.name());
            assert_eq!(state.ledger.error(), 0, "{}", case.name());
        }
        result.err()
    });
    let error = error.unwrap_or_else(|| panic!("{}, {options:?}: no error", case.name()));
    assert_eq!(error.kind, Kind::Run);
    let limit = format!("deeper than {:.0} m", case.grain.deepest());
    assert!(error.what.contains(&limit), "{error:?}");
    assert!(error.hint.is_some(), "{error:?}");
}

fn every_option() -> impl Iterator<Item = CpuOptions> {
    InstructionSet::available().into_iter().flat_map(|instructions| {
        [(512, 256), (7, 5)].map(|tile| CpuOptions { tile, instructions, ..CpuOptions::default() })
    })
}

#[test]
fn neighbours_that_pour_too_much_into_a_pit_at_once_are_reported() {
    // Four or eight times 60 m and more in one step: past i32, and with 120 m twice round it.
    for variant in every_case() {
        for depth in [60.0, 90.0, 120.0] {
            for options in every_option() {
                let case = pit(variant).alpha(1.0).water(around(depth));
                run_to_failure(&case, 20, options);
            }
        }
    }
}

#[test]
fn many_sources_around_a_pit_are_reported_when_it_is_full() {
    for variant in every_case() {
        let sources: Vec<_> = (10..26).flat_map(|i| [(i, 8), (i, 10)]).collect();
        for options in every_option() {
            let case = pit(variant).source(&sources, &[(0.0, 1.0)]);
            run_to_failure(&case, 2000, options);
        }
    }
}

#[test]
fn a_source_that_is_too_strong_by_itself_is_reported() {
    for variant in every_case() {
        for rate in [130.0, 300.0, 1e6] {
            let case = pit(variant).source(&[(18, 9)], &[(0.0, rate)]);
            run_to_failure(&case, 2, CpuOptions::default());
        }
    }
}

#[test]
fn the_coarse_grain_holds_what_the_fine_one_cannot() {
    for variant in every_case() {
        for options in every_option() {
            let case = pit(variant).coarse().alpha(1.0).water(around(120.0));
            let state = case.run(2, options);
            assert_eq!(state.ledger.error(), 0, "{}", case.name());
            let deepest = state.most.iter().max().copied().unwrap_or(0);
            assert!(case.grain.depth(deepest) > 128.0, "{}", case.name());
            run_to_failure(&case.water(around(1000.0)), 20, options);
        }
    }
}

#[test]
fn water_a_hand_below_the_limit_is_no_cause_for_alarm() {
    // Rows that do not fill the lanes: what the last lanes hold beyond the row must not count.
    for variant in every_case() {
        for options in every_option() {
            for columns in [1, 15, 37] {
                let case = Case::new(columns, 19, variant).water(|_, _| 127.9);
                let state = case.run(10, options);
                assert!(state.water == case.initial, "{}", case.name());
            }
        }
    }
}
