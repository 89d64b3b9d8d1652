//! A run that is stopped and resumed gives the same bits as an uninterrupted one, for any backend
//! and tiling after the resumption. tests/program/checkpoints.rs tests the same for the program and
//! its files.

use crate::common;

use common::host_worker::{host_backend, host_backend_from};
use common::tier::few_or_all;
use common::{Case, Random, State, every_case};
use inundate_engine::backend::Backend;
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::boundary::OpenSides;
use inundate_engine::device::Device;
use inundate_engine::field::Field;
use inundate_engine::simulation::Simulation;
use inundate_engine::snapshot::Snapshot;
use inundate_engine::solver::edge::EdgeField;
use inundate_engine::tiling::subdomain::SubdomainPlan;

const COLUMNS: usize = 37;
const ROWS: usize = 23;

/// Backend of a case.
#[derive(Clone, Debug)]
enum On {
    Cpu((usize, usize)),
    Worker(SubdomainPlan),
    /// The CPU, in frames.
    Frames(SubdomainPlan),
}

impl On {
    fn all(reach: usize) -> Vec<On> {
        let tiled =
            |tile, steps| On::Worker(SubdomainPlan::tiled(COLUMNS, ROWS, tile, steps, reach));
        vec![
            On::Cpu((512, 256)),
            On::Cpu((8, 5)),
            On::Worker(SubdomainPlan::whole(COLUMNS, ROWS)),
            tiled((11, 9), 1),
            tiled((20, 23), 3),
            On::Frames(SubdomainPlan::tiled(COLUMNS, ROWS, (13, 8), 4, reach)),
        ]
    }

    fn start(&self, case: &Case) -> Simulation {
        match self {
            On::Cpu(tile) => case.start(CpuOptions { tile: *tile, ..CpuOptions::default() }),
            On::Worker(plan) => case.start_on(host_backend(case, plan.clone()).0),
            On::Frames(plan) => {
                let options = CpuOptions::default();
                let frames = cpu::open_as(case.problem(), options, plan.clone(), None);
                case.start_on(frames.expect("memory"))
            }
        }
    }

    fn resume(&self, case: &Case, kept: &Snapshot) -> Simulation {
        kept.with(|saved| {
            let backend: Box<dyn Backend> = match self {
                On::Cpu(tile) => {
                    let options = CpuOptions { tile: *tile, ..CpuOptions::default() };
                    Box::new(cpu::open_from(case.problem(), options, Some(saved)).expect("lines"))
                }
                On::Worker(plan) => Box::new(host_backend_from(case, plan.clone(), Some(saved)).0),
                On::Frames(plan) => {
                    let (problem, options) = (case.problem(), CpuOptions::default());
                    let frames = cpu::open_as(problem, options, plan.clone(), Some(saved));
                    Box::new(frames.expect("lines"))
                }
            };
            Simulation { backend, clock: kept.clock.clone(), ..case.start(CpuOptions::default()) }
        })
    }
}

/// Hills with holes, ponds, open sides, all inflows and outflows, losses and diagnostics.
fn busy(solver: common::Variant, open: &str) -> Case {
    let mut case = Case::new(COLUMNS, ROWS, solver)
        .hills(812.0, 51)
        .holes(0.05, 52)
        .ponds(0.3, 53)
        .rain(1e-8)
        .uneven_rain(3e-6, 54)
        .source(&[(4, 4), (30, 15)], &[(2.0, 4e-3), (30.0, 0.0)])
        .top_up(20, 11, 0.3)
        .sink(17, 12)
        .open(OpenSides::parse(open).expect("sides"));
    if case.solver.is_timed() {
        let tide = [(0.0, 812.5), (2.0, 813.5), (9.0, 812.2)];
        case = case.cell(10.0, 7.0).uneven_roughness(0.01, 0.2, 55);
        case = case.stage(&[(1, 20), (2, 20)], &tide);
    }
    let links = [(6, 6), (25, 12), (12, 18), (33, 3), (19, 9)];
    case.linked(links).runs_out_if_timed(&[(36, 8), (36, 9)]).lossy(2e-6, 56).with_diagnostics()
}

fn end(case: &Case, mut simulation: Simulation, steps: u64) -> State {
    simulation.advance(steps - simulation.clock.done).expect("a run that stays shallow");
    simulation.backend.conclude(simulation.clock.now()).expect("the final state");
    case.state(&simulation)
}

#[test]
fn every_backend_resumes_any_other_bit_for_bit() {
    const STEPS: u64 = 40;
    let mut random = Random::new(5);
    for variant in every_case() {
        for open in ["none", "all", "north,west"] {
            let case = busy(variant, open);
            let expected = end(&case, On::Cpu((512, 256)).start(&case), STEPS);
            assert_eq!(expected.ledger.error(), 0);
            let places = On::all(case.reach());
            for (number, from) in places.iter().enumerate() {
                // The host worker is slow: over the cases, each backend resumes from every other.
                let to = &places[(number + random.bits() as usize) % places.len()];
                let stop = 1 + random.bits() % (STEPS - 1);
                let mut before = from.start(&case);
                before.advance(stop).expect("a run that stays shallow");
                let kept = case.snapshot(&before);
                let resumed = to.resume(&case, &kept);
                let name = || format!("{}, {open}, step {stop}, {from:?} to {to:?}", case.name());
                case.state(&resumed)
                    .assert_is(&case.state(&before), || format!("{}, restored", name()));
                end(&case, resumed, STEPS).assert_is(&expected, name);
            }
        }
    }
}

/// A pulse that dries up behind itself: flow is stored where there is no water any more.
#[test]
fn sleeping_tiles_keep_their_state() {
    for (number, variant) in every_case().enumerate() {
        let slope = |column, row| 5.0 - 0.1 * column as f64 + 0.02 * (row % 3) as f64;
        let case = Case::new(COLUMNS, ROWS, variant)
            .bed(slope)
            .water(|column, row| if column < 3 && row > 15 { 0.4 } else { 0.0 })
            .source(&[(2, 2)], &[(0.0, 0.02), (5.0, 0.0)])
            .open(OpenSides::ALL)
            .with_diagnostics();
        for (nth, stop) in [1, 7, 30, 77].into_iter().enumerate() {
            // Each place with each solver, and with each of the steps.
            let (first, each) = few_or_all(((number + nth) % 4, 4), (0, 1));
            let mut before = On::Cpu((6, 6)).start(&case);
            before.advance(stop).expect("a run that stays shallow");
            let kept = case.snapshot(&before);
            let expected = end(&case, before, 120);
            for to in On::all(case.reach()).into_iter().skip(first).step_by(each) {
                let name = || format!("{}, step {stop}, {to:?}", case.name());
                end(&case, to.resume(&case, &kept), 120).assert_is(&expected, name);
            }
        }
    }
}

/// A cell that drains into a sink: the discharge is stored for one more step, although
/// everything is dry.
#[test]
fn flow_is_restored_where_no_water_is_left() {
    for variant in every_case().filter(|(solver, _)| solver.is_timed()) {
        let (high, low) = ((18, 11), (19, 11));
        let case = Case::new(COLUMNS, ROWS, variant)
            .bed(|column, row| match (column, row) {
                at if at == high => 50.0,
                at if at == low => 0.0,
                _ => 100.0,
            })
            .water(|column, row| if (column, row) == high { 0.001 } else { 0.0 })
            .sink(low.0, low.1)
            .cell(0.1, 0.1);
        // A velocity is 0 where everything is dry; a discharge is not.
        let remembers = Case::problem(&case).solver.remembers() == Some(EdgeField::Discharge);
        let mut before = On::Cpu((6, 6)).start(&case);
        let mut moving = 0;
        for stop in 1..40 {
            before.advance(1).expect("a run that stays shallow");
            let kept = case.snapshot(&before);
            let state = case.state(&before);
            let still = state.stored() == 0 && state.diagnostics.iter().all(|q| q << 1 == 0);
            moving += usize::from(state.stored() == 0 && !still);
            let expected = end(&case, On::Cpu((6, 6)).resume(&case, &kept), stop + 2);
            for to in On::all(case.reach()) {
                let name = || format!("{}, step {stop}, {to:?}", case.name());
                end(&case, to.resume(&case, &kept), stop + 2).assert_is(&expected, name);
            }
            case.after(stop + 2, &mut On::Cpu((512, 256)).start(&case))
                .assert_is(&expected, || format!("{}, step {stop}", case.name()));
        }
        assert!(!remembers || moving > 0, "{}: it never ran dry", case.name());
    }
}

#[test]
fn water_set_from_outside_is_booked_and_flows_on() {
    for variant in every_case() {
        let case = busy(variant, "all");
        let mut run = case.start(CpuOptions::default());
        run.advance(12).expect("a run that stays shallow");
        let (problem, mut state) = (case.problem(), case.snapshot(&run));
        let inside: Vec<usize> = (0..COLUMNS * ROWS).filter(|&cell| case.is_inside(cell)).collect();
        let outside = (0..COLUMNS * ROWS).find(|&cell| !case.is_inside(cell)).expect("a hole");
        for wrong in [(outside, 1), (inside[7], -1), (COLUMNS * ROWS, 1)] {
            assert!(state.set_water(&problem, &[(inside[0], 5), wrong]).is_err());
        }
        assert_eq!(state.bits(Field::Water), case.snapshot(&run).bits(Field::Water));
        let deep = 300_000;
        state
            .set_water(&problem, &[(inside[7], 0), (inside[40], deep)])
            .expect("cells that hold it");
        let set = case.snapshot(&run).bits(Field::Water).map(|water| {
            i128::from(deep) - i128::from(water[inside[40]]) - i128::from(water[inside[7]])
        });
        let flow = case.solver.solver(case.neighbourhood, None).remembers();
        let flow = flow.map_or(Field::VelocityEast, |edge| Field::edge(edge, 0));
        let place = inside[40] + inside[40] / COLUMNS + 1;
        let is_state = case.solver.solver(case.neighbourhood, None).remembers().is_some();
        assert_eq!(state.set_flow(&problem, flow, &[(place, 0.25)]).is_ok(), is_state);
        assert!(state.set_flow(&problem, flow, &[(usize::MAX, 0.0)]).is_err());
        assert!(state.set_flow(&problem, Field::Water, &[(0, 0.0)]).is_err());
        let mut on = state.go_on(case.problem(), Device::Cpu).expect("the state of the case");
        assert_eq!(Some(on.backend.ledger().set), set, "{}", case.name());
        if is_state {
            assert_eq!(on.floats(flow).expect("a field of the run")[place], 0.25);
        }
        assert_eq!(case.state(&on).water[inside[40]], deep);
        on.advance(30).expect("a run that stays shallow");
        assert_eq!(on.backend.ledger().error(), 0, "{}", case.name());
        assert_ne!(case.state(&on).water[inside[40]], deep, "{}: it flows", case.name());
        // Another grid, a grid with as many cells, another grain, more holders of levels.
        let turned = Case::new(ROWS, COLUMNS, variant).problem();
        let larger = Case::new(COLUMNS, ROWS + 1, variant).problem();
        let coarse = busy(variant, "all").coarse().problem();
        let mut held = case.problem();
        held.forcing.stage_boundaries.iter_mut().for_each(|held| held.holders.fill(7));
        let mut others = vec![turned, larger, coarse];
        others.extend(case.solver.is_timed().then_some(held));
        for other in others {
            assert!(state.go_on(other, Device::Cpu).is_err());
        }
    }
}
