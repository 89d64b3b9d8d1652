//! Water deeper than the grain can represent ends the run with an error; it never wraps around.

use crate::common;

use common::cover::alternating;
use common::host_worker::host_backend;
use common::{Case, Variant, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::error::Failure;
use inundate_engine::grains::MAX_WATER;
use inundate_engine::lanes::InstructionSet;
use inundate_engine::neighbourhood::offset;
use inundate_engine::simulation::Simulation;
use inundate_engine::tiling::subdomain::SubdomainPlan;
use inundate_engine::time_step::FIRST;

/// Returns a high plain with a pit at (18, 9).
fn pit(variant: Variant) -> Case {
    Case::new(37, 19, variant).bed(|i, j| if (i, j) == (18, 9) { 0.0 } else { 3000.0 })
}

/// Returns a rate [m per step, or per second] that adds a depth [m] in the first step.
fn at_first(variant: Variant, depth: f64) -> f64 {
    if variant.0.is_timed() { depth / f64::from(FIRST) } else { depth }
}

/// Every cell except the pit.
fn around(depth: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| if (i, j) == (18, 9) { 0.0 } else { depth }
}

/// Runs until the failure, and checks every state before it.
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
    assert_eq!(error.kind, Failure::Always);
    let limit = format!("deeper than {:.0} m", case.grain.deepest());
    assert!(error.what.contains(&limit), "{error:?}");
    assert!(error.hint.is_some(), "{error:?}");
}

fn every_option() -> impl Iterator<Item = CpuOptions> {
    alternating(InstructionSet::available(), &[(7, 5), (512, 256)])
        .into_iter()
        .map(|(instructions, tile)| CpuOptions { tile, instructions, ..CpuOptions::default() })
}

#[test]
fn neighbours_that_overfill_a_pit_at_once_are_reported() {
    // Four or eight times 60 m and more in one step: beyond i32, and with 120 m twice around it.
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
fn the_message_names_the_pit_even_when_its_water_exceeds_i32() {
    for (solver, neighbourhood) in pouring().filter(|(_, near)| near.neighbours() == 4) {
        let case = pit((solver, neighbourhood)).alpha(1.0).water(around(60.0));
        for options in every_option() {
            let error = case.start(options).advance(1).expect_err("too deep");
            assert!(error.what.contains("deepest: 240.0 m in column 18, row 9"), "{error}");
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
fn a_single_source_that_is_too_strong_is_reported() {
    for variant in every_case() {
        for rate in [130.0, 300.0, 1e6] {
            let case = pit(variant).source(&[(18, 9)], &[(0.0, at_first(variant, rate))]);
            // Other kinds that act later in the same tile do not change that.
            let among_others = case.clone().top_up(20, 9, 0.5);
            // Steps of timed solvers are shorter than a first step could be, because the source
            // limits them.
            run_to_failure(&case, 20, CpuOptions::default());
            run_to_failure(&among_others, 20, CpuOptions::default());
        }
    }
}

#[test]
fn a_site_may_fill_a_cell_up_to_the_limit() {
    for variant in every_case() {
        let case = pit(variant);
        let deepest = case.grain.deepest();
        let state = case.top_up(18, 9, deepest).run(2, CpuOptions::default());
        assert_eq!(state.water[9 * 37 + 18], MAX_WATER, "{}", variant.0.name);
    }
}

#[test]
fn the_coarse_grain_holds_water_that_overflows_the_fine_one() {
    for variant in every_case() {
        for options in every_option() {
            let case = pit(variant).coarse().alpha(1.0).water(around(120.0));
            let state = case.run(2, options);
            assert_eq!(state.ledger.error(), 0, "{}", case.name());
            let deepest = state.most.iter().max().copied().unwrap_or(0);
            assert!(case.grain.depth(deepest) > 128.0, "{}", case.name());
            run_to_failure(&case.water(around(16_000.0)), 20, options);
        }
    }
}

#[test]
fn water_just_below_the_limit_raises_no_error() {
    // Rows that do not fill the vectors: the vector elements beyond the row must not count.
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

/// Returns the step in which a run stops because water is too deep; `None` if it takes all steps.
fn stop(mut simulation: Simulation, steps: u64, at_once: u64) -> Option<u64> {
    while simulation.clock.done < steps {
        let next = at_once.min(steps - simulation.clock.done);
        if simulation.advance(next).is_err() {
            return Some(simulation.clock.done);
        }
    }
    None
}

/// Asserts that the CPU and a worker with frames stop at the same step, and returns that step.
fn assert_same_stop(case: &Case, steps: u64) -> Option<u64> {
    let expected = stop(case.start(CpuOptions::default()), steps, 1);
    for options in every_option() {
        assert_eq!(stop(case.start(options), steps, 1), expected, "{}, {options:?}", case.name());
    }
    let (columns, rows) = (case.columns, case.rows);
    // The length of a step depends on the flow in all tiles.
    let most = if case.solver.is_timed() { 1 } else { usize::MAX };
    let reach = case.reach();
    let tiled =
        |tile, steps: usize| SubdomainPlan::tiled(columns, rows, tile, steps.min(most), reach);
    let plans = [tiled((9, 5), 3), SubdomainPlan::whole(columns, rows), tiled((18, 9), 8)];
    for (plan, at_once) in alternating(&plans, &[11, 1]) {
        let simulation = case.start_on(host_backend(case, plan.clone()).0);
        let stopped = stop(simulation, steps, at_once);
        let (name, tiles) = (case.name(), plan.subdomains.len());
        assert_eq!(stopped, expected, "{name}, {tiles} tiles, {at_once} steps at once");
    }
    expected
}

#[test]
fn alternating_frames_stop_at_the_same_step() {
    for (variant, depth) in alternating(every_case(), &[60.0, 90.0, 120.0]) {
        let case = pit(variant).alpha(1.0).water(around(depth));
        assert!(assert_same_stop(&case, 22).is_some(), "{}", case.name());
    }
    for variant in every_case() {
        let slow: Vec<_> = (10..26).flat_map(|i| [(i, 8), (i, 10)]).collect();
        let case = pit(variant).source(&slow, &[(0.0, 1.0)]);
        assert!(assert_same_stop(&case, 2000) > Some(10), "{}", case.name());
        // The source in the pit is too deep at once, or becomes too deep later.
        let case = pit(variant).source(&[(18, 9)], &[(2.0, at_first(variant, 1e5))]);
        let mut until = case.start(CpuOptions::default());
        until.advance_to(2.0).expect("nothing comes before that");
        assert_eq!(assert_same_stop(&case, 22), Some(until.clock.done), "{}", case.name());
        let case = pit(variant).rain(50.0);
        assert!(assert_same_stop(&case, 2000).is_some(), "{}", case.name());
    }
}

/// Returns a case whose pit contains `water` grains, and each neighbour `each`.
fn pit_between(variant: Variant, water: i32, each: i32) -> Case {
    let mut case = pit(variant).alpha(1.0);
    for k in 0..variant.1.neighbours() {
        let (di, dj) = offset(k);
        case.initial[((9 + dj) * 37 + 18 + di) as usize] = each;
    }
    case.initial[9 * 37 + 18] = water;
    case
}

/// A solver that pours all of a film on a steep slope into the pit.
fn pouring() -> impl Iterator<Item = Variant> {
    every_case().filter(|(solver, _)| solver.name == "level-minimization")
}

#[test]
fn the_limit_itself_is_accepted_and_one_grain_more_is_not() {
    for variant in pouring() {
        let neighbours = variant.1.neighbours() as i64;
        // A number of grains that f32 represents exactly.
        let each = 200_000 << 10;
        let rest = (i64::from(MAX_WATER) - neighbours * i64::from(each)) as i32;
        for less in [0, 1, 2, 1000] {
            let case = pit_between(variant, rest - less, each);
            assert_eq!(assert_same_stop(&case, 1), None, "{less} less");
            let water = case.run(1, CpuOptions::default()).water;
            assert_eq!(water[9 * 37 + 18], MAX_WATER - less);
        }
        for more in [1, 2, 127, 1 << 16, (1 << 16) + 1, 1 << 20] {
            let case = pit_between(variant, rest + more, each);
            assert_eq!(assert_same_stop(&case, 1), Some(0), "{more} more");
        }
        // Once and twice around i32, to a harmless number.
        for total in [1i64 << 32, 1 << 33] {
            let Ok(each) = i32::try_from(total / neighbours) else { continue };
            if each < MAX_WATER {
                let case = pit_between(variant, 1000, each);
                assert_eq!(assert_same_stop(&case, 1), Some(0), "{total}");
            }
        }
    }
}

#[test]
fn every_backend_applies_the_limit_at_the_same_grain() {
    // With momentum, nothing flows in the first step.
    for variant in every_case().filter(|(solver, _)| !solver.has_momentum()) {
        // Content of the pit when it just gets too full.
        let each = 3_333_333 * 60;
        let whole = SubdomainPlan::whole(37, 19);
        let stops = |water: i32| {
            let case = pit_between(variant, water, each);
            stop(case.start_on(host_backend(&case, whole.clone()).0), 1, 1).is_some()
        };
        let (mut low, mut high) = (0, MAX_WATER);
        assert!(!stops(low) && stops(high), "{}, {}", variant.0.name, variant.1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if stops(middle) { high = middle } else { low = middle }
        }
        for water in (high - 20..high + 20).chain([high - 200, high - 100, high + 100, high + 200])
        {
            assert_same_stop(&pit_between(variant, water, each), 1);
        }
    }
}

#[test]
fn outflow_over_an_open_edge_is_limited_per_step() {
    for variant in every_case() {
        let mut stopped = 0;
        for (side, pit, beside) in [
            ("north", (18, 0), [(17, 0), (19, 0)]),
            ("south", (18, 18), [(17, 18), (19, 18)]),
            ("west", (0, 9), [(0, 8), (0, 10)]),
            ("east", (36, 9), [(36, 8), (36, 10)]),
        ] {
            let case = Case::new(37, 19, variant)
                .bed(|i, j| if (i, j) == pit { 0.0 } else { 3000.0 })
                .water(|i, j| if (i, j) == pit || beside.contains(&(i, j)) { 120.0 } else { 0.0 })
                .alpha(1.0)
                .open(OpenSides::parse(side).expect("a side"));
            stopped += usize::from(assert_same_stop(&case, 1) == Some(0));
        }
        // A ghost beyond the pit receives the water of three cells, and the pit itself nothing.
        let all = variant.0.name == "level-minimization" && variant.1.neighbours() == 8;
        assert!(!all || stopped == 4, "{stopped} of 4");
    }
}
