//! Steps anticipate the forcing: inflow after dry hours, levels that jump, rain on dry ground and
//! hydrographs that jump cause neither excessive levels nor excessive speeds, and runs that were
//! stopped earlier continue with the same steps.

use crate::common;

use common::host_worker::{host_backend, host_backend_from, spread};
use common::tier::few_or_all;
use common::{Case, Variant, every_timed};
use inundate_engine::backend::Backend;
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::backend::saved::Resumed;
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::series::Series;
use inundate_engine::simulation::Simulation;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// Number of cells of the plane along a side; they are 10 m long.
const SIZE: usize = 31;

/// Start of the forcing (s).
const BEGINS: f64 = 600.0;

/// Returns a flat, open plane in steps of up to a minute.
fn plane(variant: Variant) -> Case {
    let mut case = Case::new(SIZE, SIZE, variant).open(OpenSides::ALL);
    case.longest = 60.0;
    case
}

/// Returns a plane with a discharge (m³/s) into a cell in the middle, linear between times.
fn inflow(variant: Variant, points: &[(f64, f64)]) -> Case {
    let mut case = plane(variant).source(&[(SIZE / 2, SIZE / 2)], &[]);
    let rates = points.iter().map(|&(time, flow)| (time, flow / 100.0)).collect();
    case.forcing.rates[0].series = Series::linear(rates);
    case
}

/// Returns a plane whose western side has a level (m) that jumps from the bed.
fn tide(variant: Variant, level: f64) -> Case {
    let west: Vec<_> = (0..SIZE).map(|row| (0, row)).collect();
    let mut case = plane(variant).stage(&west, &[(0.0, 0.0)]);
    case.forcing.stage_boundaries[0].level = Series::new(vec![(0.0, -1.0), (BEGINS, level)]);
    case.open = OpenSides { east: true, ..OpenSides::CLOSED };
    case
}

/// Raises the bed and the levels of a case by `base` (m).
fn raised(case: Case, base: f64) -> Case {
    let mut case = case.bed(|_, _| base);
    for held in &mut case.forcing.stage_boundaries {
        held.level = held.level.lowered(-base);
    }
    case
}

/// Returns a plane with uniform rain (m/s).
fn shower(variant: Variant, rate: f64) -> Case {
    let mut case = plane(variant).rain(rate);
    case.forcing.rates[0].series = Series::new(vec![(0.0, 0.0), (BEGINS, rate)]);
    case
}

/// Results of a run: steps, maximum speed (m/s), Froude number and rise in a step (m), and depth
/// (m).
struct Outcome {
    steps: u64,
    speed: f64,
    froude: f64,
    rise: f64,
    depth: f64,
}

fn outcome(case: &Case, until: f64) -> Outcome {
    let mut simulation = case.start(CpuOptions::default());
    simulation.advance_to(until).expect("shallow water");
    let state = case.state(&simulation);
    assert_eq!(state.ledger.error(), 0);
    let maxima = simulation.backend.extremes().maxima;
    let metres = f64::from(case.grain.metres());
    Outcome {
        steps: simulation.clock.done,
        speed: f64::from(maxima.speed.value()),
        froude: f64::from(maxima.froude.value()),
        rise: f64::from(maxima.rise.bits()) * metres,
        depth: f64::from(*state.most.iter().max().expect("cells")) * metres,
    }
}

/// Sets the maximum step (s).
fn with_longest(mut case: Case, longest: f32) -> Case {
    case.longest = longest;
    case
}

/// Returns the steps from a time on: start and length.
fn steps_from(simulation: &mut Simulation, from: f64, until: f64) -> Vec<(f64, f64)> {
    simulation.advance_to(from).expect("shallow water");
    let mut steps = Vec::new();
    while simulation.clock.now() < until {
        let start = simulation.clock.now();
        simulation.advance(1).expect("shallow water");
        steps.push((start, simulation.clock.now() - start));
    }
    steps
}

#[test]
fn an_inflow_after_a_dry_spell_flows_as_with_short_steps() {
    for variant in every_timed() {
        let case = inflow(variant, &[(0.0, 0.0), (BEGINS, 0.0), (BEGINS + 60.0, 200.0)]);
        let found = outcome(&case, BEGINS + 120.0);
        let short = outcome(&with_longest(case.clone(), 0.5), BEGINS + 120.0);
        let name = case.name();
        assert!(found.steps < short.steps, "{name}");
        assert!(found.depth < 1.3 * short.depth, "{name}: {} m, {}", found.depth, short.depth);
        assert!(found.speed < 1.2 * short.speed, "{name}: {} m/s, {}", found.speed, short.speed);
        assert!(found.froude < 1.2 * short.froude && found.rise < 0.3, "{name}: {}", found.rise);
    }
}

#[test]
fn a_jump_in_a_hydrograph_does_not_jolt_running_water() {
    for variant in every_timed() {
        let jump = [(0.0, 2.0), (BEGINS, 2.0), (BEGINS + 0.01, 200.0)];
        let case = inflow(variant, &jump);
        let found = outcome(&case, BEGINS + 60.0);
        let short = outcome(&with_longest(case.clone(), 0.2), BEGINS + 60.0);
        let name = case.name();
        assert!(found.depth < 1.3 * short.depth, "{name}: {} m, {}", found.depth, short.depth);
        assert!(found.speed < 1.2 * short.speed, "{name}: {} m/s, {}", found.speed, short.speed);
        assert!(found.rise < 0.7, "{name}: {} m in a step", found.rise);
    }
}

#[test]
fn a_level_jump_waits_for_a_step_its_waves_allow() {
    for variant in every_timed() {
        for base in [0.0, 100.0, -100.0] {
            let case = raised(tide(variant, 3.0), base);
            let steps = steps_from(&mut case.start(CpuOptions::default()), 500.0, BEGINS + 1.0);
            let name = format!("{}, ground at {base} m", case.name());
            let (start, dt) =
                *steps.iter().find(|(start, dt)| start + dt >= BEGINS).expect("a step");
            assert_eq!(start + dt, BEGINS, "{name}: it lands there");
            // Half a cell at √(9.81·3) m/s; water flows farther with Manning's equation.
            assert!(dt < 0.93, "{name}: {dt} s");
            assert!(steps[0].1 > 5.0, "{name}: {} s before", steps[0].1);
        }
    }
}

#[test]
fn rain_or_inflow_within_a_step_limits_its_length() {
    for variant in every_timed() {
        let ramp = [(0.0, 0.0), (BEGINS, 0.0), (BEGINS + 100.0, 50.0)];
        for case in [shower(variant, 1e-3), inflow(variant, &ramp)] {
            let mut simulation = case.start(CpuOptions::default());
            let series = case.forcing.rates[0].series.clone();
            let steps = steps_from(&mut simulation, 400.0, BEGINS + 120.0);
            for &(start, dt) in &steps {
                let gain = series.total(start + dt) - series.total(start);
                // Half a cell per step for waves, for solvers that have them.
                let cfl_rate = case.problem().solver.cfl_rate_of_depth(
                    gain as f32,
                    10.0,
                    case.roughness.of(0),
                );
                let part = dt * f64::from(cfl_rate);
                assert!(part < 1.0001, "{}: {dt} s from {start} s, {part}", case.name());
            }
            assert!(steps[0].1 > 20.0, "{}: long steps before", case.name());
        }
    }
}

#[test]
fn running_rivers_and_ordinary_rain_do_not_shorten_steps() {
    for variant in every_timed() {
        let slope = |column: usize, _| 5.0 - 0.02 * column as f64;
        let across: Vec<_> = (0..6).map(|row| (0, row)).collect();
        // 1 m³/s for each metre of the river's width, and 50 mm/h.
        let river = Case::new(40, 6, variant).bed(slope).source(&across, &[(0.0, 0.1)]);
        let rain = Case::new(40, 6, variant).bed(slope).rain(50e-3 / 3600.0);
        for (case, until) in [(river, 200.0), (rain, 1200.0)] {
            let mut case = case.open(OpenSides { east: true, ..OpenSides::CLOSED });
            case.longest = 30.0;
            let mut bound = case.start(CpuOptions::default());
            let mut free = case.start(CpuOptions::default());
            std::sync::Arc::make_mut(&mut free.timeline).bounds.clear();
            assert!(!bound.timeline.bounds.is_empty());
            bound.advance_to(until).expect("shallow water");
            free.advance_to(until).expect("shallow water");
            let free = case.state(&free);
            case.state(&bound).assert_is(&free, || format!("{}, {until} s", case.name()));
        }
    }
}

#[test]
fn steps_do_not_depend_on_the_backend_or_on_an_earlier_stop() {
    for (number, variant) in every_timed().enumerate() {
        let ramp = [(0.0, 0.0), (BEGINS, 0.0), (BEGINS + 20.0, 40.0)];
        let cases = [inflow(variant, &ramp), tide(variant, 0.5), shower(variant, 1e-3)];
        for (_, case) in
            cases.into_iter().enumerate().filter(|(at, _)| few_or_all(*at == number % 3, true))
        {
            let steps = steps_before(&case, BEGINS);
            let whole = |mut simulation: Simulation| {
                case.after(steps + 20 - simulation.clock.done, &mut simulation)
            };
            let expected = whole(case.start(CpuOptions::default()));
            let reach = case.reach();
            let tiled = SubdomainPlan::tiled(SIZE, SIZE, (11, 9), 16, reach);
            let strips = SubdomainPlan::spread(SIZE, SIZE, &[0, 14], 16, reach);
            let options = CpuOptions::default();
            let tiles = CpuOptions { tile: (5, 7), ..options };
            let name = |on: &str| format!("{}, {on}", case.name());
            whole(case.start(tiles)).assert_is(&expected, || name("small tiles"));
            let turns = case.start_on(host_backend(&case, tiled.clone()).0);
            whole(turns).assert_is(&expected, || name("tiles in turns"));
            whole(case.start_on(spread(&case, strips))).assert_is(&expected, || name("strips"));
            // Stopped between two steps, in the middle of an epoch.
            for (stop, in_tiles) in [(steps - 3, true), (steps, false), (steps + 2, true)] {
                let mut stopped = case.start(CpuOptions::default());
                stopped.advance(stop).expect("shallow water");
                let kept = case.snapshot(&stopped);
                let on_cpu = |saved: Resumed| {
                    cpu::open_from(case.problem(), options, Some(saved)).expect("lines")
                };
                let backend = kept.with(|saved| -> Box<dyn Backend> {
                    match in_tiles {
                        true => Box::new(host_backend_from(&case, tiled.clone(), Some(saved)).0),
                        false => Box::new(on_cpu(saved)),
                    }
                });
                let clock = kept.clock.clone();
                let goes_on = Simulation { backend, clock, ..case.start(CpuOptions::default()) };
                let on = || format!("{}, from step {stop} of {steps}", case.name());
                whole(goes_on).assert_is(&expected, on);
            }
        }
    }
}

/// Returns the number of steps that start before a time.
fn steps_before(case: &Case, time: f64) -> u64 {
    let mut simulation = case.start(CpuOptions::default());
    while simulation.clock.now() < time {
        simulation.advance(1).expect("shallow water");
    }
    simulation.clock.done
}

#[test]
fn forcing_replaced_during_a_run_acts_as_if_given_at_the_start() {
    for variant in every_timed() {
        let case = |rain: f64, level: f64| {
            let mut case = Case::new(40, 26, variant).hills(100.0, 51).ponds(0.3, 52);
            case = case.source(&[(20, 13)], &[(0.0, 1e-4), (40.0, rain)]);
            case.stage(&[(3, 3), (4, 3)], &[(0.0, 101.0), (40.0, 101.0), (90.0, level)])
        };
        let (first, then) = (case(1e-4, 101.0), case(3e-4, 101.2));
        let mut uncut = then.start(CpuOptions::default());
        let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
        let tiles = SubdomainPlan::tiled(40, 26, (11, 8), 2, first.reach());
        let tiles = cpu::open_as(first.problem(), small, tiles, None).expect("memory");
        let strips = SubdomainPlan::spread(40, 26, &[0, 9], 4, first.reach());
        let runs = [
            first.start(CpuOptions::default()),
            first.start_on(tiles),
            first.start_on(spread(&first, strips)),
        ];
        uncut.advance_to(40.0).expect("shallow water");
        uncut.advance_to(120.0).expect("shallow water");
        let expected = then.state(&uncut);
        for (number, mut run) in runs.into_iter().enumerate() {
            run.advance_to(40.0).expect("shallow water");
            run.force(then.problem().timeline()).expect("as many series");
            run.advance_to(120.0).expect("shallow water");
            then.state(&run).assert_is(&expected, || format!("{}, {number}", then.name()));
            let other = first.clone().rain(1e-5).problem().timeline();
            assert!(run.force(other).is_err_and(|error| error.what.contains("more or fewer")));
        }
    }
}
