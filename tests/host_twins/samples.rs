//! Checks that the states that kernels record between steps by themselves equal those of the CPU,
//! where steps stop for recording.

use super::clock;
use super::common::cover::few_or_all;
use super::common::{Case, Variant, every_timed, sampling};
use super::kernels::KernelWorker;
use super::sheet::{argument, twins};
use super::steps::{each_at_once, start};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::backend::cuda::clock::clock_params::{Clock, Ticking};
use inundate_engine::backend::cuda::gauges::Gauging;
use inundate_engine::backend::cuda::params::{Params, StepConstants, Totals};
use inundate_engine::backend::cuda::sites::Sites;
use inundate_engine::boundary::OpenSides;
use inundate_engine::tiling::subdomain::SubdomainPlan;
use inundate_engine::time_step::{Limits, StepControl, Until};

/// A pond that floods dry hills, with inflow and outflow over held levels and open sides.
fn case(variant: Variant) -> Case {
    let mut case = Case::new(130, 70, variant)
        .hills(400.0, 27)
        .holes(0.02, 28)
        .cell(20.0, 15.0)
        .water(|i, j| if (50..90).contains(&i) && (30..50).contains(&j) { 3.0 } else { 0.0 })
        .sink(95, 60)
        .source(&[(20, 40)], &[(0.0, 0.0), (2.1, 5e-2)])
        .stage(&[(110, 10), (111, 10)], &[(0.0, 410.0), (9.0, 413.0)])
        .open(OpenSides::ALL);
    case.keeps_discharge = !variant.0.has_momentum();
    case
}

fn assert_same(variant: Variant, listed: bool, (end, every): (f64, f64)) {
    let case = case(variant);
    let mut ours = case.start(CpuOptions::default());
    let expected = sampling::run(&case, &mut ours, (end, every), true).expect("shallow water");
    assert_eq!(expected.from_device, 0, "it stops for each sample");
    let flow = &KernelWorker::compile(&case.problem(), listed);
    let whole = SubdomainPlan::whole(case.columns, case.rows);
    let mut theirs = start(&case, listed, flow, whole);
    let found = sampling::run(&case, &mut theirs, (end, every), true).expect("shallow water");
    let name = || format!("{}, listed: {listed}, a sample every {every} s", case.name());
    case.state(&theirs).assert_is(&case.state(&ours), name);
    assert_eq!(found.seen.len(), expected.seen.len(), "{}", name());
    for (found, expected) in found.seen.iter().zip(&expected.seen) {
        assert_eq!(found, expected, "{}", name());
    }
    assert_eq!(expected.seen.last().map(|sample| sample.0), Some(end), "{}", name());
    // At two other times it stops, with all records of the steps until then.
    assert!(
        2 * found.from_device >= expected.seen.len(),
        "{}: {} from the device",
        name(),
        found.from_device
    );
}

#[test]
fn samples_match_the_state_between_steps() {
    each_at_once(every_timed().enumerate(), |(number, variant)| {
        // Several per step, one for about as many steps as there is room for, and hardly any.
        let all = [0.03125, 0.3125, 1.25];
        let end = 2.5;
        for (at, every) in all.into_iter().enumerate() {
            if few_or_all(at == number % 3, true) {
                assert_same(variant, true, (end, every));
                assert_same(variant, false, (end, every));
            }
        }
    });
}

/// If the clock stops, the chunk that the step was to clear, because it has dried, must still be
/// cleared.
#[test]
fn pending_clears_run_in_the_next_step_that_happens() {
    let (across, down) = (3, 3);
    let chunks = across * down;
    let limits = Limits { safety: 1.0, longest: 10.0 };
    for way in [0, 1] {
        // Two counts, 0 now and 1 next, followed by the current list and the next list: the chunk
        // in the middle, in column 1 and row 1. Every thread requests a chunk before it knows how
        // many there are.
        let mut list = vec![0u64; 1 + 2 * chunks + 1024];
        (list[0], list[1 + chunks]) = (1 << 32, 1 << 32 | 1);
        let (mut now, mut next) = (vec![0i32; chunks], vec![0i32; chunks]);
        next[4] = 7;
        let fed = vec![0u8; chunks];
        let mut flags = vec![0u8; chunks];
        let arrays = if way == 0 { [&mut now, &mut next] } else { [&mut next, &mut now] };
        let [deepest, deepest_next] = arrays.map(|array| array.as_mut_ptr() as u64);
        let params = Params {
            active: list.as_mut_ptr() as u64,
            deepest,
            deepest_next,
            special: flags.as_mut_ptr() as u64,
            chunks_across: across as i32,
            chunks_down: down as i32,
            ..Params::default()
        };
        let mut totals = Totals { halted_at: u64::MAX, ..Totals::default() };
        for (end, wiped) in [(0.0, None), (0.0, None), (9.0, Some((1 << 32 | 1) | 1 << 31))] {
            let never = f64::INFINITY;
            let until = Until { time: end, number: 5, before: never, bounds: &[] };
            let mut clock = Clock { way, ..clock::device(&StepControl::START, until) };
            let mut step_constants = StepConstants::default();
            let to = Ticking {
                clock: &raw mut clock as u64,
                step_constants: &raw mut step_constants as u64,
                totals: &raw mut totals as u64,
                limits,
                ..Ticking::default()
            };
            let (fed, gauging, sites) = (fed.as_ptr() as u64, Gauging::default(), Sites::default());
            let arguments = [
                argument(&params),
                argument(&to),
                argument(&fed),
                argument(&gauging),
                argument(&sites),
            ];
            // SAFETY: the arguments match the kernel.
            unsafe { twins().launch("prepare", [1, 1], [1024, 1], &arguments) };
            // SAFETY: the kernel is done with them.
            let (stale, entry) = unsafe {
                let stale = if way == 0 { deepest_next } else { deepest } as *const i32;
                (*stale.add(4), *list.as_ptr().add(1))
            };
            assert_eq!(stale != 0, wiped.is_none(), "way {way}, to {end} s");
            assert_eq!(wiped.unwrap_or(entry), entry, "way {way}, to {end} s");
        }
    }
}

/// Kernels that follow the clock know which of the double arrays is current; kernels before them do
/// not. Both arrays must therefore mark a chunk as possibly wet near all of its boundaries, or
/// water would flow into a chunk that is not computed.
#[test]
fn chunks_that_replace_wider_ones_may_be_wet_near_all_edges() {
    const ALL_RIMS: i32 = 15;
    // A chunk of 56 columns and 16 rows, of which the second sub-chunk of 28 and 8 inherits; the
    // lowest bits no longer describe its boundaries.
    let (mut now, mut next, mut special) = (vec![16 * 5 + 1; 1], vec![16 * 9 + 2; 1], vec![0u8; 1]);
    let mut small_arrays = [vec![0i32; 4], vec![0i32; 4]];
    let mut small_special = vec![0u8; 4];
    let wide = Params {
        deepest: now.as_mut_ptr() as u64,
        deepest_next: next.as_mut_ptr() as u64,
        special: special.as_mut_ptr() as u64,
        chunks_across: 1,
        chunks_down: 1,
        chunk_columns: 56,
        chunk_rows: 16,
        ..Params::default()
    };
    let [deepest, deepest_next] = small_arrays.each_mut().map(|array| array.as_mut_ptr() as u64);
    let small = Params {
        deepest,
        deepest_next,
        special: small_special.as_mut_ptr() as u64,
        chunks_across: 2,
        chunks_down: 2,
        chunk_columns: 28,
        chunk_rows: 8,
        ..Params::default()
    };
    // SAFETY: the arguments match the kernel.
    unsafe { twins().launch("take_over", [1, 1], [256, 1], &[argument(&small), argument(&wide)]) };
    for (array, least) in small_arrays.iter().zip([16 * 5, 16 * 9]) {
        for known in array {
            assert!(known & ALL_RIMS == ALL_RIMS && *known >= least, "{known}");
        }
    }
}
