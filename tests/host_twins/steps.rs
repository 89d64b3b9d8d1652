//! Whole steps: the kernels of a solver march over a grid in this machine's memory, warp by warp,
//! and must give the CPU's results.

use super::common::all_features::cases;
use super::common::cover::{alternating, few_or_all};
use super::common::finer::{brook, tidal};
use super::common::{Case, State, Variant, every_automaton, every_timed};
use super::compile::Twins;
use super::kernels::{self, KernelWorker};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::backend::cuda::compile::source::Edges;
use inundate_engine::backend::linked::SharedLinks;
use inundate_engine::backend::multi_device::MultiDeviceWorker;
use inundate_engine::backend::padded_grid::PaddedGrid;
use inundate_engine::backend::sites::SubdomainForcing;
use inundate_engine::backend::tiled::TiledBackend;
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::link::Links;
use inundate_engine::simulation::Simulation;
use inundate_engine::tiling::subdomain::SubdomainPlan;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Number of steps of a run.
const STEPS: u64 = 16;

/// Wet and dry hills with holes, sinks and open sides; wider than a chunk, so that warps meet.
fn hills(variant: Variant) -> Case {
    Case::new(67, 29, variant)
        .hills(812.0, 21)
        .holes(0.04, 22)
        .water(|i, j| match (i + j) % 5 {
            _ if (i + 2 * j) % 90 > 60 => 0.0,
            0 => 0.4,
            odd => 0.002 * odd as f64,
        })
        .sink(4, 5)
        .sink(55, 20)
        .source(&[(12, 11), (61, 3)], &[(0.0, 2e-3)])
        .source(&[(12, 11)], &[(0.0, 1e-3)])
        .top_up(33, 14, 0.3)
        .stage(&[(20, 20), (21, 20)], &[(0.0, 815.0), (9.0, 813.0)])
        .runs_out_if_timed(&[(40, 9), (12, 11)])
        .sewer_inlets(&[(44, 9), (15, 3), (62, 25), (12, 13), (45, 9)])
        .open(OpenSides::ALL)
}

/// Creates a run before its first step, for kernels to step.
pub fn start(case: &Case, listed: bool, flow: &Arc<Twins>, plan: SubdomainPlan) -> Simulation {
    let mut problem = case.problem();
    let padded_grid = PaddedGrid::new(&mut problem);
    let forcing = SubdomainForcing::of(&problem, &plan.subdomains, |cell| case.is_inside(cell));
    let links =
        Links::new(&problem.forcing.links, &problem.grid, &case.stored_bed(), problem.grain)
            .on(problem.subgrid.as_deref())
            .drawn(!problem.solver.has_momentum());
    let links = SharedLinks::new(links, &plan);
    assert!(links.between.is_empty(), "kernels step links");
    let timeline = case.problem().timeline();
    let members = if plan.spread { plan.subdomains.len() } else { 1 };
    let worker = |_| {
        let subdomains = plan.subdomains.clone();
        let ports = (padded_grid.columns, padded_grid.ports.as_slice());
        let worker = KernelWorker::new(
            case.problem(),
            flow.clone(),
            subdomains,
            (forcing.clone(), links.local.clone()),
            ports,
        );
        if listed { worker.by_list() } else { worker }
    };
    let worker = MultiDeviceWorker::new((0..members).map(worker).collect(), &[]);
    let framed = TiledBackend::new(
        worker,
        plan,
        padded_grid,
        &forcing,
        false,
        timeline,
        case.solver.is_timed(),
    );
    case.start_on(framed.expect("memory").linked(links))
}

/// Returns the state after steps taken by kernels, and the number of epochs that were repeated.
fn run_for(
    steps: u64,
    case: &Case,
    listed: bool,
    flow: &Arc<Twins>,
    plan: SubdomainPlan,
) -> (State, u64) {
    let mut simulation = start(case, listed, flow, plan);
    (case.after(steps, &mut simulation), simulation.backend.epochs_redone())
}

fn run(case: &Case, flow: &Arc<Twins>, plan: SubdomainPlan) -> State {
    run_for(STEPS, case, false, flow, plan).0
}

fn assert_same(case: &Case) {
    let ours = case.after(STEPS, &mut case.start(CpuOptions::default()));
    let flow = &KernelWorker::compile(&case.problem(), false);
    let whole = SubdomainPlan::whole(case.columns, case.rows);
    run(case, flow, whole).assert_is(&ours, || format!("{}, whole", case.name()));
    // With links, tiles and strips must step the links themselves.
    let (tile, firsts, steps) = match case.forcing.links.is_empty() {
        true => ((37, 17), &[0, 9, 20][..], 5),
        false => ((45, 30), &[0, case.rows / 2][..], 3),
    };
    let tiled = SubdomainPlan::tiled(case.columns, case.rows, tile, steps, case.reach());
    run(case, flow, tiled).assert_is(&ours, || format!("{}, in tiles", case.name()));
    let strips = SubdomainPlan::spread(case.columns, case.rows, firsts, steps, case.reach());
    run(case, flow, strips).assert_is(&ours, || format!("{}, in strips", case.name()));
}

/// Runs a closure for each item on its own thread, so that slow items run in parallel.
pub fn each_at_once<T: Send>(all: impl IntoIterator<Item = T>, what: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for one in all {
            let what = &what;
            scope.spawn(move || what(one));
        }
    });
}

#[test]
fn strips_roll_back_where_an_epoch_ends_early() {
    let mut again = 0;
    for (variant, firsts) in alternating(every_timed(), &[&[0, 75][..], &[0, 40, 70]]) {
        // A pond floods dry hills, so that chunks along the strips' boundaries become wet, dry and
        // wet again.
        let case = Case::new(61, 150, variant)
            .hills(812.0, 23)
            .cell(20.0, 20.0)
            .water(|i, j| if (i / 9 + j / 11) % 5 == 0 { 4.0 } else { 0.0 })
            .linked([(3, 148), (40, 143), (58, 149), (21, 147), (4, 149)])
            .open(OpenSides::ALL);
        let ours = case.after(90, &mut case.start(CpuOptions::default()));
        let flow = &KernelWorker::compile(&case.problem(), false);
        let plan = SubdomainPlan::spread(case.columns, case.rows, firsts, 16, case.reach());
        let (state, redone) = run_for(90, &case, false, flow, plan);
        state.assert_is(&ours, || format!("{}, strips from {firsts:?}", case.name()));
        again += redone;
    }
    assert!(again > 0, "no epoch was taken anew");
}

#[test]
fn a_flood_reaches_dry_strips_from_beyond_their_halos() {
    for variant in every_timed() {
        let case = Case::new(61, 64, variant)
            .bed(|_, row| 60.0 - 0.3 * row as f64)
            .water(|_, row| if row < 12 { 1.5 } else { 0.0 });
        let mut ours = case.start(CpuOptions::default());
        while case.state(&ours).water[24 * 61] == 0 {
            ours.advance(10).expect("a run that stays shallow");
            assert!(ours.clock.done < 1000, "{}: the flood comes that far", case.name());
        }
        let (ours, taken) = (case.state(&ours), ours.clock.done);
        let flow = &KernelWorker::compile(&case.problem(), false);
        let plan = SubdomainPlan::spread(case.columns, case.rows, &[0, 20, 40], 2, case.reach());
        let (state, _) = run_for(taken, &case, false, flow, plan);
        state.assert_is(&ours, || format!("{}, in strips", case.name()));
    }
}

fn assert_same_by_a_list(case: &Case, steps: u64) {
    let ours = case.after(steps, &mut case.start(CpuOptions::default()));
    let flow = &KernelWorker::compile(&case.problem(), true);
    let whole = SubdomainPlan::whole(case.columns, case.rows);
    let (state, _) = run_for(steps, case, true, flow, whole);
    state.assert_is(&ours, || format!("{}, by a list", case.name()));
}

#[test]
fn timed_solvers_over_chunk_lists_step_as_on_the_cpu() {
    each_at_once(every_timed(), |variant| {
        let all = Edges::all(variant.0);
        let keeps = all.iter().any(|edges| edges.keeps);
        // A pond that floods dry hills, and a pond that drains over the domain boundary.
        let mut case = Case::new(330, 190, variant)
            .hills(400.0, 27)
            .holes(0.02, 28)
            .cell(20.0, 15.0)
            .water(|i, j| match (i, j) {
                (50..90, 60..80) => 3.0,
                (300.., 170..) => 1.0,
                _ => 0.0,
            })
            .sink(95, 70)
            .structures(0.02, 31)
            .rated(&[(55, 61), (89, 79), (200, 100)])
            .source(&[(250, 40)], &[(0.0, 5e-2)])
            .linked([(70, 70), (200, 20), (310, 180), (20, 150), (71, 71)])
            .open(OpenSides::ALL)
            .uneven_roughness(0.01, 0.2, 6);
        case.keeps_discharge = keeps;
        // In a run that starts from another's state.
        case.forcing.elapsed = 1.7;
        assert_same_by_a_list(&case, few_or_all(40, 70));
        // Cells whose outflow exceeds their water, also at the boundaries of chunks.
        let case = Case::new(190, 70, variant).hills(3000.0, 29).cell(9.0, 7.0).water(|i, j| {
            if (i * 7 + j * 5) % 11 < 6 { 0.05 * (1 + (i + j) % 4) as f64 } else { 0.0 }
        });
        assert_same_by_a_list(&case, few_or_all(15, 40));
    });
    let [listed, left_out] =
        [&kernels::LISTED, &kernels::LEFT_OUT].map(|count| count.load(Ordering::Relaxed));
    assert!(listed > 0 && left_out > 0, "{listed} chunks listed, {left_out} not");
}

#[test]
fn links_of_tiles_and_strips_step_as_on_the_cpu() {
    for variant in [every_automaton().next(), every_timed().next()].into_iter().flatten() {
        // Chains of links in two corners, and water that reaches them during an epoch.
        let case = Case::new(90, 60, variant)
            .hills(812.0, 25)
            .water(|i, j| if (i / 9 + j / 11) % 3 == 0 { 1.0 } else { 0.0 })
            .linked([(3, 5), (30, 2), (18, 14), (21, 1), (4, 6)])
            .linked([(70, 55), (88, 58), (61, 50), (75, 44), (80, 59)]);
        assert_same(&case);
    }
}

#[test]
fn cells_with_tables_step_as_on_the_cpu() {
    for variant in every_timed().filter(|(solver, _)| solver.knows_tables()) {
        let case = brook(variant).sewer_inlets(&[(14, 11), (48, 13), (30, 5), (52, 13)]);
        assert_same(&case);
        assert_same_by_a_list(&case, few_or_all(60, 200));
        assert_same(&tidal(variant).uneven_roughness(0.01, 0.2, 6));
    }
}

#[test]
fn automata_step_as_on_the_cpu() {
    for variant in every_automaton() {
        assert_same(&hills(variant));
    }
}

/// Water across all edges of most rows of a warp, which solvers with momentum compute in a simpler
/// way, and banks beside it, where they do not.
#[test]
fn open_water_steps_as_on_the_cpu() {
    each_at_once(every_timed(), |variant| {
        let lake = Case::new(134, 58, variant)
            .bed(|i, j| match (i, j) {
                (30..34, 20..23) => 9.0,
                _ => 0.02 * j as f64 + 0.3 * (i as f64 / 9.0).sin() * (j as f64 / 7.0).cos(),
            })
            .water(|i, j| 2.0 + 0.1 * ((i * 31 + j * 17) % 13) as f64)
            .open(OpenSides::ALL);
        let inlets: Vec<(usize, usize)> =
            (0..60).map(|at| (2 + at * 37 % 126, 1 + at * 53 % 88)).collect();
        let ponds = Case::new(130, 90, variant).hills(100.0, 91).ponds(2.0, 92);
        for case in [lake, ponds.sewer_inlets(&inlets)] {
            let ours = case.after(90, &mut case.start(CpuOptions::default()));
            let flow = &KernelWorker::compile(&case.problem(), false);
            let whole = SubdomainPlan::whole(case.columns, case.rows);
            let (state, _) = run_for(90, &case, false, flow, whole);
            state.assert_is(&ours, || format!("{}, open water", case.name()));
        }
    });
}

#[test]
fn timed_solvers_step_as_on_the_cpu() {
    for variant in every_timed() {
        let (info, _) = variant;
        // The first variant has no optional input, the last has all of them.
        let all = Edges::all(info);
        for edges in [all[0], all[all.len() - 1]] {
            let mut case = hills(variant).cell(7.0, 19.0).structures(0.01, 33);
            case.keeps_discharge = edges.keeps;
            if edges.rough {
                case = case.uneven_roughness(0.01, 0.2, 6);
            }
            assert_same(&case);
        }
    }
}

#[test]
fn water_enters_at_a_stage_boundary_as_on_the_cpu() {
    for variant in every_timed() {
        let cases = cases(true, variant, 5);
        let tide = cases.iter().find(|(name, _)| name.contains("tide"));
        let (_, tide) = tide.expect("a case with a tide");
        assert_same(tide);
        assert_same_by_a_list(tide, few_or_all(40, 120));
    }
}
