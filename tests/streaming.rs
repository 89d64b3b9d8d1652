//! Tiles that take turns in a worker's memory leave no trace: whatever the tiles and the steps per
//! visit, a grid that streams through small frames comes out as on the CPU, to the bit.

mod common;

use common::host_worker::{HostWorker, framed};
use common::{Case, State, Variant, every_case};
use inundate::backend::Step;
use inundate::backend::cpu::CpuOptions;
use inundate::backend::worker::Worker;
use inundate::boundary::OpenEdges;
use inundate::forcing::series::Series;
use inundate::tiling::visit::VisitPlan;

/// Steps after which states are compared, and how the steps up to there are handed over.
const BATCHES: [(u64, &[u64]); 4] = [(0, &[]), (1, &[1]), (17, &[5, 11]), (60, &[1, 31, 8, 3])];

/// Open sides, and whether the grid lies in a collar of NoData.
const EDGES: [(&str, bool); 5] =
    [("all", false), ("south", false), ("none", false), ("all", true), ("north,east", true)];

/// Hills with holes and ponds, and every kind of forcing.
fn busy(columns: usize, rows: usize, (open, collar): (&str, bool), variant: Variant) -> Case {
    let at = |across: f64, down: f64| {
        ((across * (columns - 1) as f64) as usize, (down * (rows - 1) as f64) as usize)
    };
    let mut case = Case::new(columns, rows, variant)
        .hills(812.0, 51)
        .holes(0.06, 52)
        .ponds(0.3, 53)
        .rain(1e-8)
        .uneven_rain(3e-6, 54)
        // Two layers meet in a cell.
        .source(&[at(0.3, 0.3), at(0.31, 0.3), at(0.9, 0.6)], &[(2.0, 4e-3), (30.0, 0.0)])
        .source(&[at(0.3, 0.3), at(0.5, 0.95)], &[(0.0, 1e-3), (9.5, 2e-3)])
        .open(OpenEdges::parse(open).expect("sides"));
    for (across, down, depth) in [(0.0, 0.1, 0.2), (0.55, 0.5, 0.4), (1.0, 1.0, 0.1)] {
        let (column, row) = at(across, down);
        case = case.top_up(column, row, depth);
    }
    for (across, down) in [(0.0, 0.0), (0.45, 0.55), (0.95, 0.3)] {
        let (column, row) = at(across, down);
        case = case.sink(column, row);
    }
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

/// The plan for the most memory with which there are at least `tiles` tiles.
fn within(columns: usize, rows: usize, tiles: usize) -> VisitPlan {
    let (width, height) = VisitPlan::whole(columns, rows).canvas;
    let mut budgets = (1..width * height).rev();
    let plan =
        |cells| VisitPlan::within(columns, rows, cells).filter(|plan| plan.visits.len() >= tiles);
    budgets.find_map(plan).expect("memory for small tiles")
}

/// The CPU's states at the ends of [`BATCHES`].
fn expected(case: &Case) -> Vec<State> {
    let mut simulation = case.start(CpuOptions::default());
    let mut state = |&(end, _): &(u64, &[u64])| {
        simulation.advance(end - simulation.clock.done).expect("a run that stays shallow");
        case.state(&simulation)
    };
    BATCHES.iter().map(&mut state).collect()
}

fn assert_same(case: &Case, plans: &[VisitPlan]) {
    let expected = expected(case);
    let ledger = expected[expected.len() - 1].ledger;
    assert_eq!(ledger.error(), 0);
    for plan in plans {
        let name = || {
            let Case { columns, rows, open, .. } = case;
            let (tiles, steps) = (plan.visits.len(), plan.steps);
            let open = open.names();
            format!("{}, {columns} x {rows}, {tiles} tiles, {steps:?} steps, {open:?}", case.name())
        };
        let mut simulation = case.start_on(framed(case, plan.clone()).0);
        for ((end, batches), expected) in BATCHES.iter().zip(&expected) {
            for &steps in *batches {
                simulation.advance(steps).expect("a run that stays shallow");
            }
            assert_eq!(simulation.clock.done, *end);
            case.state(&simulation).assert_is(expected, || format!("{}, step {end}", name()));
        }
    }
}

/// Compares plans for a grid, with tiles of every one of these sizes among them.
fn assert_same_with(columns: usize, rows: usize, tiles: &[((usize, usize), &[usize])]) {
    let tiled = tiles.iter().flat_map(|&(tile, steps)| {
        steps.iter().map(move |&steps| VisitPlan::tiled(columns, rows, tile, steps))
    });
    let mut plans: Vec<VisitPlan> = tiled.collect();
    plans.push(within(columns, rows, 9));
    plans.push(VisitPlan::whole(columns, rows));
    for variant in every_case() {
        for edges in EDGES {
            assert_same(&busy(columns, rows, edges, variant), &plans);
        }
    }
}

#[test]
fn a_grid_in_small_tiles_and_large_ones() {
    let tiles: [(_, &[usize]); 5] = [
        ((7, 5), &[1, 3]),
        ((16, 8), &[3, 8]),
        ((64, 11), &[8]),
        ((2, 33), &[1]),
        ((65, 33), &[1, 3, 8]),
    ];
    assert_same_with(65, 33, &tiles);
}

#[test]
fn a_larger_grid_that_no_tile_divides() {
    let tiles: [(_, &[usize]); 3] = [((23, 19), &[1, 3]), ((41, 30), &[8]), ((99, 76), &[3])];
    assert_same_with(100, 77, &tiles);
}

#[test]
fn a_single_column_and_a_single_row() {
    let tiles: [(_, &[usize]); 4] =
        [((1, 1), &[1, 3, 8]), ((3, 3), &[1, 3, 8]), ((13, 13), &[3, 8]), ((39, 39), &[8])];
    assert_same_with(1, 40, &tiles);
    assert_same_with(40, 1, &tiles);
}

#[test]
fn plans_for_little_memory_take_several_steps_per_visit() {
    let plan = within(200, 210, 9);
    assert!(plan.steps >= Some(2) && plan.visits.len() >= 9, "{:?}", plan.steps);
    for variant in every_case() {
        assert_same(&busy(200, 210, EDGES[3], variant), std::slice::from_ref(&plan));
    }
}

/// Two channels down a slope to a sink, flooded now and then at the top; the first ends half-way.
fn channels(variant: Variant) -> Case {
    let channel = |i: usize| i == 3 || i == 14;
    Case::new(48, 90, variant)
        .bed(|i, j| 50.0 - 0.3 * j as f64 + if channel(i) { 0.0 } else { 10.0 })
        .source(&[(3, 0)], &[(0.0, 0.05), (10.0, 0.0), (900.0, 0.07), (905.0, 0.0)])
        .source(&[(14, 0)], &[(100.0, 0.05), (104.0, 0.0), (1300.0, 0.05), (1303.0, 0.0)])
        .sink(3, 44)
        .sink(14, 89)
}

#[test]
fn dry_tiles_are_skipped_and_may_get_wet_dry_and_wet_again() {
    let mut seen = 0;
    for variant in every_case() {
        let case = channels(variant);
        for (tile, steps) in [((8, 10), 1), ((8, 10), 8), ((5, 31), 3)] {
            let name = || format!("{}, {tile:?}, {steps} steps", case.name());
            let plan = VisitPlan::tiled(case.columns, case.rows, tile, steps);
            let (backend, loads) = framed(&case, plan.clone());
            let mut simulation = case.start_on(backend);
            let mut expected = case.start(CpuOptions::default());
            let mut dry = 0;
            for _ in 0..120 {
                simulation.advance(14).expect("a run that stays shallow");
                expected.advance(14).expect("a run that stays shallow");
                let expected = case.state(&expected);
                case.state(&simulation).assert_is(&expected, name);
                dry += usize::from(expected.wet_cells == 0);
            }
            if dry < 2 {
                // A rule so slow that the next flood comes first has nothing more to show.
                continue;
            }
            seen += 1;
            // Per tile: whether it was loaded, sweep by sweep.
            let loads = loads.borrow();
            let history = |visit| loads.iter().map(move |sweep| sweep.contains(&visit));
            let woke = |visit: &usize| {
                let loaded: Vec<bool> = history(*visit).collect();
                loaded.windows(2).filter(|pair| !pair[0] && pair[1]).count()
            };
            let visits = || 0..plan.visits.len();
            assert!(visits().filter(|v| woke(v) >= 2).count() >= 3, "{}", name());
            let never = visits().filter(|&visit| !history(visit).any(|loaded| loaded)).count();
            assert!(never >= plan.visits.len() / 5, "{}: only {never} stay dry", name());
        }
    }
    assert!(seen >= 12, "the papers' rules dry up between floods");
}

#[test]
fn rain_wakes_tiles_that_were_dry() {
    for variant in every_case() {
        for uneven in [false, true] {
            let case = Case::new(40, 30, variant).hills(12.0, 61);
            let mut case = if uneven { case.uneven_rain(1.0, 62) } else { case.rain(1.0) };
            case.forcing.rates[0].series = Series::new(vec![(10.5, 0.01), (12.0, 0.0)]);
            for steps in [1, 3, 8] {
                let plan = VisitPlan::tiled(case.columns, case.rows, (10, 10), steps);
                let (backend, loads) = framed(&case, plan);
                let mut simulation = case.start_on(backend);
                let mut expected = case.start(CpuOptions::default());
                for batch in 0..6 {
                    simulation.advance(5).expect("a run that stays shallow");
                    expected.advance(5).expect("a run that stays shallow");
                    let name = || format!("{}, {steps} steps, batch {batch}", case.name());
                    case.state(&simulation).assert_is(&case.state(&expected), name);
                    let idle = loads.borrow().iter().all(Vec::is_empty);
                    assert_eq!(idle, batch < 2, "{}", name());
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "lies outside")]
fn a_halo_that_is_too_shallow_is_noticed() {
    let case = busy(65, 33, EDGES[0], every_case().next().expect("a rule"));
    let mut plan = VisitPlan::tiled(65, 33, (16, 8), 3);
    plan.steps = Some(4);
    assert_same(&case, &[plan]);
}

#[test]
#[should_panic(expected = "is needed, but it is not right")]
fn a_step_that_computes_too_little_is_noticed() {
    let case = Case::new(65, 33, every_case().next().expect("a rule"));
    let plan = VisitPlan::tiled(65, 33, (16, 8), 3);
    let (mut worker, canvas) = HostWorker::new(&case, &plan);
    let mut frame = worker.frame(100, 100).expect("memory");
    worker.load(&mut frame, &canvas, 6).expect("a load");
    for number in 0..2 {
        let step = Step { number, end: 1.0, increments: Vec::new() };
        worker.step(&mut frame, 6, plan.visits[6].own, &step).expect("a step");
    }
}
