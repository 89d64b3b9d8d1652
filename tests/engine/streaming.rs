//! Tiles that are streamed through a worker's memory must not affect results: for all tiles and
//! steps per load, a grid that streams through small frames gives the CPU's results, bit for bit.

use crate::common;

use common::cover::{all, alternating, combinations, each_once};
use common::host_worker::{HostWorker, host_backend};
use common::{Case, State, Variant, every_automaton, every_case, every_timed};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::backend::worker::{Frames, Worker};
use inundate_engine::boundary::OpenSides;
use inundate_engine::field::{Field, bits_mut};
use inundate_engine::forcing::link::{LinkDriver, Rating};
use inundate_engine::forcing::step::Step;
use inundate_engine::tiling::subdomain::{MOST_REACH, SubdomainPlan};
use std::collections::BTreeMap;

/// Numbers of steps after which states are compared, and the batches in which these steps are
/// requested.
const BATCHES: [(u64, &[u64]); 5] =
    [(0, &[]), (1, &[1]), (17, &[5, 11]), (29, &[1, 8, 3]), (60, &[31])];

/// Returns the batches of a case: the host worker is slow, above all with solvers that have
/// physical time.
pub fn batches(case: &Case) -> &'static [(u64, &'static [u64])] {
    match (all(), case.solver.is_timed()) {
        (true, _) => &BATCHES,
        (_, false) => &BATCHES[..4],
        (_, true) => &BATCHES[..3],
    }
}

/// Open sides, and whether the grid has a collar of NoData.
const EDGES: [(&str, bool); 5] =
    [("all", false), ("south", false), ("none", false), ("all", true), ("north,east", true)];

/// Hills with holes and ponds, and every kind of forcing.
pub fn busy(columns: usize, rows: usize, (open, collar): (&str, bool), variant: Variant) -> Case {
    let at = |across: f64, down: f64| {
        ((across * (columns - 1) as f64) as usize, (down * (rows - 1) as f64) as usize)
    };
    let mut case = Case::new(columns, rows, variant)
        .hills(812.0, 51)
        .holes(0.06, 52)
        .ponds(0.3, 53)
        .rain(1e-8)
        .uneven_rain(3e-6, 54)
        .zoned_rain(2e-6, &[0.5, 3.25, 7.0, 20.0, 31.0], (5, 4), 58)
        .zoned_rain(1e-6, &[0.0, 40.0], (3, 7), 59)
        // Two layers overlap in one cell.
        .source(&[at(0.3, 0.3), at(0.31, 0.3), at(0.9, 0.6)], &[(2.0, 4e-3), (30.0, 0.0)])
        .source(&[at(0.3, 0.3), at(0.5, 0.95)], &[(0.0, 1e-3), (9.5, 2e-3)])
        .open(OpenSides::parse(open).expect("sides"));
    for (across, down, depth) in [(0.0, 0.1, 0.2), (0.55, 0.5, 0.4), (1.0, 1.0, 0.1)] {
        let (column, row) = at(across, down);
        case = case.top_up(column, row, depth);
    }
    for (across, down) in [(0.0, 0.0), (0.45, 0.55), (0.95, 0.3)] {
        let (column, row) = at(across, down);
        case = case.sink(column, row);
    }
    if case.solver.is_timed() {
        let ends = [at(0.55, 0.5), at(0.1, 0.05), at(0.9, 0.9), at(0.3, 0.3), at(0.97, 0.4)];
        // With links across the map, tiles take one step per round; without links, an epoch.
        if !collar {
            case = case.linked(ends);
        }
        let wide = [at(0.1, 0.9), at(0.15, 0.9)];
        case = case.cell(10.0, 7.0).uneven_roughness(0.01, 0.2, 55);
        case = case.runs_out(&[at(0.4, 0.6), at(0.62, 0.5), at(1.0, 0.9)], 0.01);
        case = case.stage(&wide, &[(0.0, 812.5), (1.0, 813.5), (4.0, 812.2)]);
    }
    case = case.lossy(2e-6, 56).with_diagnostics();
    if collar {
        for cell in 0..case.bed.len() {
            let (i, j) = (cell % columns, cell / columns);
            let ragged = 1 + (i * 5 + j * 3) % 3;
            let near = |at: usize, count: usize| at.min(count - 1 - at) < ragged;
            if near(i, columns) || near(j, rows) {
                case.bed[cell] = f64::NAN;
            }
        }
    }
    case
}

/// Returns the plan for the most memory that still needs at least `tiles` tiles.
fn within(columns: usize, rows: usize, tiles: usize, reach: usize) -> SubdomainPlan {
    let (width, height) = SubdomainPlan::whole(columns, rows).padded_grid;
    let mut budgets = (1..width * height).rev();
    let plan = |cells| {
        SubdomainPlan::within(columns, rows, cells, |fits| fits.min(64), reach)
            .filter(|plan| plan.subdomains.len() >= tiles)
    };
    budgets.find_map(plan).expect("memory for small tiles")
}

/// Returns the CPU's states at the ends of [`BATCHES`].
pub fn expected(case: &Case) -> Vec<State> {
    let mut simulation = case.start(CpuOptions::default());
    let mut state =
        |&(end, _): &(u64, &[u64])| case.after(end - simulation.clock.done, &mut simulation);
    batches(case).iter().map(&mut state).collect()
}

fn assert_same(case: &Case, plans: &[SubdomainPlan]) {
    let expected = expected(case);
    let ledger = expected[expected.len() - 1].ledger;
    assert_eq!(ledger.error(), 0);
    for plan in plans {
        let name = || {
            let Case { columns, rows, open, .. } = case;
            let (tiles, steps) = (plan.subdomains.len(), plan.steps);
            let open = open.names();
            format!("{}, {columns} x {rows}, {tiles} tiles, {steps:?} steps, {open:?}", case.name())
        };
        // Frames that are streamed on the CPU are divided into their own tiles.
        let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
        let frames = cpu::open_as(case.problem(), small, plan.clone(), None).expect("memory");
        for mut simulation in
            [case.start_on(host_backend(case, plan.clone()).0), case.start_on(frames)]
        {
            for ((end, batches), expected) in batches(case).iter().zip(&expected) {
                for &steps in *batches {
                    simulation.advance(steps).expect("a run that stays shallow");
                }
                assert_eq!(simulation.clock.done, *end);
                case.state(&simulation).assert_is(expected, || format!("{}, step {end}", name()));
            }
        }
    }
}

/// Compares plans for a grid, including tiles of each of these sizes; `choose` selects the
/// combinations of solvers, sides and plans.
fn assert_same_with(
    columns: usize,
    rows: usize,
    tiles: &[((usize, usize), &[usize])],
    choose: impl Fn(&[usize]) -> Vec<Vec<usize>>,
) {
    let tiled = tiles.iter().flat_map(|&(tile, steps)| steps.iter().map(move |&s| (tile, s)));
    let tiled: Vec<_> = tiled.collect();
    // A timed solver computes every edge a dozen times on the host.
    let automata: Vec<_> = every_automaton().collect();
    let timed: Vec<_> = every_timed().collect();
    for (variants, edges) in [(automata, &EDGES[..]), (timed, &EDGES[2..4])] {
        let mut plans = BTreeMap::<_, Vec<usize>>::new();
        for choice in choose(&[variants.len(), edges.len(), tiled.len() + 2]) {
            plans.entry((choice[0], choice[1])).or_default().push(choice[2]);
        }
        for ((variant, edge), numbers) in plans {
            let case = busy(columns, rows, edges[edge], variants[variant]);
            let reach = case.reach();
            let plan = |number| match tiled.get(number) {
                Some(&(tile, steps)) => SubdomainPlan::tiled(columns, rows, tile, steps, reach),
                None if number == tiled.len() => within(columns, rows, 9, reach),
                None => SubdomainPlan::whole(columns, rows),
            };
            assert_same(&case, &numbers.into_iter().map(plan).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_grid_in_small_and_large_tiles() {
    let tiles: [(_, &[usize]); 5] = [
        ((7, 5), &[1, 3]),
        ((16, 8), &[3, 8]),
        ((64, 11), &[8]),
        ((2, 33), &[1]),
        ((65, 33), &[1, 3, 8]),
    ];
    assert_same_with(65, 33, &tiles, |sizes| combinations(sizes, 1));
}

#[test]
fn a_larger_grid_that_no_tile_size_divides() {
    let tiles: [(_, &[usize]); 3] = [((23, 19), &[1, 3]), ((41, 30), &[8]), ((99, 76), &[3])];
    assert_same_with(100, 77, &tiles, each_once);
}

#[test]
fn a_single_column_and_a_single_row() {
    let tiles: [(_, &[usize]); 4] =
        [((1, 1), &[1, 3, 8]), ((3, 3), &[1, 3, 8]), ((13, 13), &[3, 8]), ((39, 39), &[8])];
    assert_same_with(1, 40, &tiles, |sizes| combinations(sizes, 1));
    assert_same_with(40, 1, &tiles, |sizes| combinations(sizes, 2));
}

#[test]
fn plans_for_little_memory_take_several_steps_per_load() {
    for variant in every_case() {
        let case = busy(170, 180, EDGES[3], variant);
        let plan = within(170, 180, 9, case.reach());
        // A solver with physical time reaches so far that one step is enough here.
        let several = case.solver.is_timed() || plan.steps >= Some(2);
        assert!(several && plan.subdomains.len() >= 9, "{:?}", plan.steps);
        assert_same(&case, std::slice::from_ref(&plan));
    }
}

#[test]
fn rows_are_read_in_any_order_and_never_from_before_a_step() {
    let variant = every_case().next().expect("a solver");
    // More rows than are fetched at a time.
    let case = busy(3, 600, EDGES[1], variant);
    for plan in
        [SubdomainPlan::whole(3, 600), SubdomainPlan::tiled(3, 600, (3, 100), 3, case.reach())]
    {
        let mut simulation = case.start_on(host_backend(&case, plan).0);
        for steps in 1..4 {
            simulation.advance(1).expect("a step");
            let expected = case.run(steps, CpuOptions::default()).water;
            let mut row_water = [0; 3];
            for row in [0, 599, 300, 255, 256, 257, 0] {
                let backend = &simulation.backend;
                backend.read(Field::Water, row, bits_mut(&mut row_water)).expect("water");
                assert_eq!(row_water, expected[3 * row..3 * row + 3], "row {row}, step {steps}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "lies outside")]
fn a_halo_that_is_too_shallow_is_detected() {
    let case = busy(65, 33, EDGES[0], every_automaton().next().expect("a solver"));
    let mut plan = SubdomainPlan::tiled(65, 33, (16, 8), 3, case.reach());
    plan.steps = Some(4);
    assert_same(&case, &[plan]);
}

#[test]
fn a_reach_that_is_too_short_is_detected() {
    for variant in every_timed().filter(|(solver, _)| solver.has_momentum()) {
        let case = busy(65, 33, EDGES[0], variant);
        let short = SubdomainPlan::tiled(65, 33, (16, 8), 1, case.reach() - 1);
        let tried = std::panic::catch_unwind(|| assert_same(&case, &[short]));
        let why = tried.expect_err("it looks beyond its halo");
        let why = why.downcast_ref::<String>().expect("words");
        assert!(why.contains("lies outside"), "{}: {why}", case.name());
    }
}

#[test]
#[should_panic(expected = "is needed, but it is not right")]
fn a_step_that_computes_too_little_is_detected() {
    let case = Case::new(65, 33, every_case().next().expect("a solver"));
    let plan = SubdomainPlan::tiled(65, 33, (16, 8), 3, case.reach());
    let (mut worker, padded_grid) = HostWorker::new(&case, &plan);
    let mut frame = worker.allocate(0, 100, 100).expect("memory");
    worker.load(&mut frame, &padded_grid, 6).expect("a load");
    for number in 0..2 {
        let step = Step {
            number,
            dt: 1.0,
            start: 0.0,
            end: 1.0,
            elapsed: [0.0, 1.0],
            increments: Vec::new(),
            levels: Vec::new(),
        };
        worker
            .advance(&mut frame, 6, &[plan.subdomains[6].own], std::slice::from_ref(&step))
            .expect("a step");
    }
}

/// A dam break onto dry ground, with rain and a source that start later, and hollows that fill.
pub fn sudden(columns: usize, rows: usize, variant: Variant) -> Case {
    let at = |across: f64, down: f64| {
        ((across * (columns - 1) as f64) as usize, (down * (rows - 1) as f64) as usize)
    };
    Case::new(columns, rows, variant)
        .hills(300.0, 3)
        .cell(20.0, 20.0)
        .water(|i, j| if 7 * i < 2 * columns && 5 * j > rows { 6.0 } else { 0.0 })
        .rain(2e-5)
        .source(&[at(0.86, 0.8)], &[(0.0, 5.0), (50.0, 80.0), (80.0, 1.0)])
        .stage(&[at(1.0, 0.1)], &[(0.0, 290.0), (30.0, 312.0)])
        .runs_out(&[at(0.0, 1.0), at(0.5, 0.5)], 0.02)
        .lossy(1e-6, 8)
        .with_diagnostics()
        .open(OpenSides::ALL)
}

#[test]
fn epochs_with_steps_that_were_too_long_are_repeated() {
    let (columns, rows) = (70, 50);
    let mut again = 0;
    let plans = [((35, 50), 16), ((70, 50), 16), ((33, 17), 5)];
    for (variant, (tile, steps)) in alternating(every_timed(), &plans) {
        let case = sudden(columns, rows, variant);
        let ours = case.after(140, &mut case.start(CpuOptions::default()));
        let plan = SubdomainPlan::tiled(columns, rows, tile, steps, case.reach());
        let mut simulation = case.start_on(host_backend(&case, plan).0);
        simulation.advance(140).expect("a run that stays shallow");
        let name = || format!("{}, {tile:?}, {steps} steps", case.name());
        case.state(&simulation).assert_is(&ours, name);
        again += simulation.backend.epochs_redone();
    }
    assert!((4..200).contains(&again), "{again} epochs taken anew");
}

#[test]
fn links_of_an_automaton_act_before_every_step() {
    let plans = [
        SubdomainPlan::tiled(41, 29, (11, 9), 8, 3),
        SubdomainPlan::tiled(41, 29, (64, 64), 3, 3),
        SubdomainPlan::whole(41, 29),
    ];
    for variant in every_automaton() {
        let case = busy(41, 29, EDGES[1], variant);
        assert_same(&case.linked([(20, 14), (3, 2), (37, 26), (12, 9), (38, 11)]), &plans);
    }
}

#[test]
fn links_reach_dry_tiles() {
    // A lake in one corner is pumped to the other; nothing in between is ever wet.
    let plan = SubdomainPlan::tiled(60, 40, (12, 10), 1, MOST_REACH);
    for variant in every_case() {
        let pump = LinkDriver::Pump { start: 0.1, stop: 0.0 };
        let case = Case::new(60, 40, variant)
            .bed(|i, j| if i < 8 && j < 8 { 0.0 } else { 5.0 })
            .water(|i, j| if i < 8 && j < 8 { 1.0 } else { 0.0 })
            .link((3, 3), (55, 35), pump, Rating::constant(0.5));
        assert_same(&case, std::slice::from_ref(&plan));
        let state = case.run(60, CpuOptions::default());
        assert!(state.water[35 * 60 + 55] > 0 && state.links[0].0 > 0);
    }
}
