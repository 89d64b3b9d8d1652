//! Links are stepped by the subdomains whose frames contain them, as many steps per round as the
//! subdomains take, and the bits do not change: water, mass balance and states of links equal those
//! in a single frame.

use crate::common;
use crate::ranks::with_ranks;
use crate::streaming::{batches, expected, sudden};

use common::cover::alternating;
use common::host_worker::{host_backend, host_backend_from, spread};
use common::links::{cornered, pumped};
use common::strips::cpu_strips;
use common::{Case, every_case, every_timed};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::backend::linked::{SharedLinks, keeping};
use inundate_engine::backend::ranks::open;
use inundate_engine::backend::strips::strips;
use inundate_engine::forcing::link::{LinkDriver, Links, Rating};
use inundate_engine::simulation::Simulation;
use inundate_engine::tiling::subdomain::SubdomainPlan;

const COLUMNS: usize = 80;
const ROWS: usize = 60;

/// Returns `true` if the subdomains of a plan step all links of a case themselves.
fn is_local(case: &Case, plan: &SubdomainPlan) -> bool {
    let problem = case.problem();
    let links = Links::new(&case.forcing.links, &problem.grid, &problem.bed, problem.grain);
    SharedLinks::new(links, plan).between.is_empty()
}

/// Returns tiles and strips of [`cornered`]; borders go through the culvert in the middle, and
/// through chains.
fn plans(case: &Case) -> Vec<SubdomainPlan> {
    let reach = case.reach();
    let tiled = |tile, steps| SubdomainPlan::tiled(COLUMNS, ROWS, tile, steps, reach);
    let strips =
        |firsts: &[usize], steps| SubdomainPlan::spread(COLUMNS, ROWS, firsts, steps, reach);
    vec![
        tiled((80, 60), 5),
        tiled((40, 30), 3),
        tiled((40, 60), 5),
        tiled((12, 60), 3),
        tiled((27, 20), 1),
        strips(&[0], 16),
        strips(&[0, 30], 3),
        strips(&[0, 10, 25, 47], 2),
        strips(&[0, 30], 6),
    ]
}

/// Starts a case on host workers and on CPUs.
fn start(case: &Case, plan: &SubdomainPlan) -> [Simulation; 2] {
    let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
    let (problem, as_said) = (case.problem(), plan.clone());
    if plan.spread {
        let cpus = cpu_strips(problem, small, as_said);
        [case.start_on(spread(case, plan.clone())), case.start_on(cpus)]
    } else {
        let cpus = cpu::open_as(problem, small, as_said, None).expect("memory");
        [case.start_on(host_backend(case, plan.clone()).0), case.start_on(cpus)]
    }
}

#[test]
fn tiles_and_strips_match_a_single_frame() {
    let mut between = 0;
    for (number, variant) in every_case().enumerate() {
        let case = cornered(COLUMNS, ROWS, variant);
        let expected = expected(&case);
        let last = &expected[expected.len() - 1];
        let moved = last.links.iter().filter(|link| link.0 > 0 || link.1 > 0).count();
        assert!(2 * moved > last.links.len(), "{}: {moved} links carry water", case.name());
        let kept = plans(&case).into_iter().flat_map(|plan| {
            let kept = keeping(&case.forcing.links, &[], plan.clone());
            assert!(is_local(&case, &kept), "{kept:?}");
            [plan, kept]
        });
        for plan in kept.skip(number % 3).step_by(3) {
            between += usize::from(!is_local(&case, &plan));
            let name = format!("{}, {:?}, {:?} steps", case.name(), plan.tile, plan.steps);
            for mut simulation in start(&case, &plan) {
                for ((end, handed), expected) in batches(&case).iter().zip(&expected) {
                    for &steps in *handed {
                        simulation.advance(steps).expect("a run that stays shallow");
                    }
                    case.state(&simulation).assert_is(expected, || format!("{name}, step {end}"));
                }
            }
        }
    }
    assert!(between > 5, "{between} times links are looked after between turns");
}

#[test]
fn turns_take_several_steps_where_links_are_local() {
    for variant in every_case() {
        let case = cornered(COLUMNS, ROWS, variant);
        let plan = SubdomainPlan::tiled(COLUMNS, ROWS, (40, 30), 3, case.reach());
        let plan = keeping(&case.forcing.links, &[], plan);
        // Number of rounds of the tiles, with local links and with a link across the map.
        let across = case.clone().link(
            (1, 1),
            (78, 58),
            LinkDriver::Pump { start: 0.0, stop: 0.0 },
            Rating::constant(0.1),
        );
        for (case, turns) in [(&case, 4), (&across, 12)] {
            let (backend, loads) = host_backend(case, plan.clone());
            case.start_on(backend).advance(12).expect("a run that stays shallow");
            let taken =
                loads.lock().expect("no one panics").iter().filter(|turn| !turn.is_empty()).count();
            // Repeated epochs, and the last epoch, need some more.
            assert!((turns..2 * turns).contains(&taken), "{}: {taken} turns", case.name());
        }
    }
}

#[test]
fn links_limit_the_steps_strips_take_per_turn() {
    for variant in every_case() {
        let plan_of = |rows: &[[usize; 2]]| {
            let pump = LinkDriver::Pump { start: 0.0, stop: 0.0 };
            let case = rows.iter().fold(Case::new(9, 900, variant), |case, rows| {
                case.link((3, rows[0]), (4, rows[1]), pump, Rating::constant(0.1))
            });
            let plan = strips(&case.problem(), 2);
            let rows: Vec<usize> = plan.subdomains.iter().map(|strip| strip.extent.rows).collect();
            (plan.steps.expect("several strips"), rows, is_local(&case, &plan))
        };
        let (steps, rows, _) = plan_of(&[]);
        assert!(steps >= 4);
        // In one strip, and across the border: both frames are slightly larger.
        assert_eq!(plan_of(&[[2, 300]]), (steps, rows.clone(), true));
        let (across, larger, local) = plan_of(&[[2, 300], [440, 460], [890, 895]]);
        assert!(
            across == steps && local && larger[0] > rows[0] && larger[1] > rows[1],
            "{larger:?}"
        );
        // A chain that needs the whole map to be valid.
        let (single, _, local) = plan_of(&[[440, 460], [3, 880]]);
        assert!(single == 1 && !local);
    }
}

#[test]
fn ranks_match_a_single_frame_and_resume_from_it() {
    for variant in every_case() {
        let (columns, rows) = (20, 280);
        let case = cornered(columns, rows, variant);
        let plan = strips(&case.problem(), 2);
        assert!(is_local(&case, &plan) && plan.steps > Some(1), "{}", case.name());
        let mut ours = case.start(CpuOptions::default());
        ours.advance(25).expect("a run that stays shallow");
        let kept = with_ranks(2, |wire, here| {
            let backend = open(case.problem(), wire, &here, None, None).expect("memory");
            let mut simulation = Simulation { backend, ..case.start(CpuOptions::default()) };
            simulation.advance(11).expect("a run that stays shallow");
            case.snapshot(&simulation)
        });
        let expected = case.state(&ours);
        let end = |mut simulation: Simulation, on: &str| {
            case.after(14, &mut simulation)
                .assert_is(&expected, || format!("{}, {on}", case.name()));
        };
        let going_on = |backend| Simulation {
            backend,
            clock: kept.clock.clone(),
            ..case.start(CpuOptions::default())
        };
        with_ranks(2, |wire, here| {
            let backend = kept
                .with(|saved| open(case.problem(), wire, &here, None, Some(saved)).expect("lines"));
            end(going_on(backend), "ranks");
        });
        let tiled = SubdomainPlan::tiled(columns, rows, (20, 140), 3, case.reach());
        let tiled = keeping(&case.forcing.links, &[], tiled);
        let host = kept.with(|saved| host_backend_from(&case, tiled.clone(), Some(saved)).0);
        end(going_on(Box::new(host)), "hosts");
        let frames = kept.with(|saved| {
            cpu::open_as(case.problem(), CpuOptions::default(), tiled, Some(saved)).expect("lines")
        });
        end(going_on(Box::new(frames)), "frames");
    }
}

#[test]
fn neighbours_learn_of_links_beyond_their_halo() {
    for (variant, on) in alternating(every_case(), &["strips", "ranks", "frames"]) {
        let case = pumped(20, 450, variant);
        let mut expected = case.start(CpuOptions::default());
        let mut states = Vec::new();
        for _ in 0..200 {
            states.push(case.after(1, &mut expected));
        }
        let turns = states.windows(2).filter(|pair| pair[0].links[0].3 != pair[1].links[0].3);
        let turns = turns.count();
        assert!(turns > 3, "{}: the pump starts and stops {turns} times", case.name());
        let assert_end = |mut simulation: Simulation| {
            case.after(200, &mut simulation)
                .assert_is(&states[199], || format!("{}, {on}", case.name()));
        };
        let plan = strips(&case.problem(), 2);
        assert!(plan.steps >= Some(4) && is_local(&case, &plan));
        let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
        let tiled = SubdomainPlan::tiled(20, 900, (20, 450), 5, case.reach());
        let (strips, frames) = (
            || cpu_strips(case.problem(), small, plan),
            || cpu::open_as(case.problem(), small, tiled, None).expect("memory"),
        );
        match on {
            "strips" => assert_end(case.start_on(strips())),
            "frames" => assert_end(case.start_on(frames())),
            _ => {
                with_ranks(2, |wire, here| {
                    let backend = open(case.problem(), wire, &here, None, None).expect("memory");
                    assert_end(Simulation { backend, ..case.start(CpuOptions::default()) });
                });
            }
        }
    }
}

/// Pumps, and the carried fractions of flows, change where no cell is wet any more.
#[test]
fn links_of_tiles_that_dried_out_keep_their_state() {
    for variant in every_case() {
        let pit = (5, 5);
        let case = Case::new(COLUMNS, ROWS, variant)
            .bed(|i, j| if (i, j) == pit { 0.0 } else { 5.0 - 0.01 * i as f64 })
            .water(|i, j| if (i, j) == pit { 1.0 } else { 0.0 })
            .sink(pit.0, pit.1)
            .sink(12, 8)
            .link(pit, (12, 8), LinkDriver::Pump { start: 0.1, stop: 0.01 }, Rating::constant(1e-9))
            // The crest is below both beds.
            .link(
                (70, 50),
                (75, 55),
                LinkDriver::Fall { crest: Some(1.0), one_way: false },
                Rating::constant(1e-7),
            );
        let mut expected = case.start(CpuOptions::default());
        let plan = SubdomainPlan::tiled(COLUMNS, ROWS, (40, 30), 3, case.reach());
        assert!(is_local(&case, &plan));
        let mut both = start(&case, &plan);
        let mut ran = false;
        for steps in [1, 1, 5, 3] {
            let expected = case.after(steps, &mut expected);
            for simulation in &mut both {
                simulation.advance(steps).expect("a run that stays shallow");
                case.state(simulation).assert_is(&expected, || case.name());
            }
            ran |= expected.wet_cells == 0 && expected.links[0].3;
        }
        let end = case.state(&expected);
        assert!(ran && !end.links[0].3 && end.links[1].2 != 0, "{}: {:?}", case.name(), end.links);
    }
}

#[test]
fn links_are_rolled_back_with_their_epoch() {
    let mut again = 0;
    let plans = [
        SubdomainPlan::tiled(70, 50, (70, 34), 4, 4),
        SubdomainPlan::spread(70, 50, &[0, 30], 4, 4),
    ];
    for (variant, plan) in alternating(every_timed(), &[0, 1]) {
        let case = sudden(70, 50, variant).linked([(5, 11), (20, 33), (9, 1), (40, 30), (61, 2)]);
        let plan = keeping(&case.forcing.links, &[], plans[plan].clone());
        assert!(is_local(&case, &plan));
        let ours = case.after(140, &mut case.start(CpuOptions::default()));
        for mut simulation in start(&case, &plan) {
            case.after(140, &mut simulation)
                .assert_is(&ours, || format!("{}, {:?}", case.name(), plan.tile));
            again += simulation.backend.epochs_redone();
        }
    }
    assert!((4..400).contains(&again), "{again} epochs taken anew");
}
