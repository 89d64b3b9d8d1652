//! Strips of a grid on separate devices do not affect results: for any number of strips, any
//! distribution of rows, and any number of steps between exchanges, the state equals the CPU's bit
//! for bit.

use crate::common;
use crate::streaming::{batches, busy, expected, sudden};

use common::cover::alternating;
use common::host_worker::spread;
use common::strips::cpu_strips;
use common::{Case, State, every_case, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::simulation::Simulation;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// Starts a case on host workers, and on CPUs, which divide their strips into tiles.
fn start(case: &Case, firsts: &[usize], steps: usize) -> [Simulation; 2] {
    let plan = SubdomainPlan::spread(case.columns, case.rows, firsts, steps, case.reach());
    let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
    let cpus = cpu_strips(case.problem(), small, plan.clone());
    [case.start_on(spread(case, plan)), case.start_on(cpus)]
}

fn assert_same(case: &Case, firsts: &[usize], steps: usize, expected: &[State]) {
    for simulation in start(case, firsts, steps) {
        assert_is(simulation, case, &format!("strips from {firsts:?}, {steps} steps"), expected);
    }
}

fn assert_is(mut simulation: Simulation, case: &Case, strips: &str, expected: &[State]) {
    for ((end, handed), expected) in batches(case).iter().zip(expected) {
        for &steps in *handed {
            simulation.advance(steps).expect("a run that stays shallow");
        }
        let name = || format!("{}, {strips}, step {end}", case.name());
        case.state(&simulation).assert_is(expected, name);
    }
    simulation.backend.conclude(1e6).expect("the final state");
    for field in case.problem().kept() {
        // Reading several lines at once must give the same values as reading each alone.
        let all = simulation.bits(field).expect("the state");
        let (width, lines) = field.shape((case.columns, case.rows));
        let mut one = vec![0; width];
        for line in 0..lines {
            simulation.backend.read(field, line, &mut one).expect("a line");
            assert_eq!(
                all[line * width..][..width],
                one,
                "{}, {field:?}, line {line}",
                case.name()
            );
        }
    }
}

#[test]
fn one_two_three_five_and_seven_strips() {
    let rows = 31;
    for variant in every_case() {
        for edges in [("all", true), ("south", false)] {
            // Without a collar, a timed case has links between arbitrary strips.
            let case = busy(23, rows, edges, variant);
            let expected = expected(&case);
            for (firsts, steps) in [
                (vec![0], 16),
                (vec![0, 15], 16),
                (vec![0, 4, 27], 3),
                (vec![0, 1, 2, 20, 30], 8),
                (vec![0, 5, 9, 13, 18, 22, 26], 2),
            ] {
                assert_same(&case, &firsts, steps, &expected);
            }
        }
    }
}

#[test]
fn a_single_column_and_a_single_row() {
    for variant in every_case() {
        let case = busy(1, 40, ("north,east", false), variant);
        assert_same(&case, &[0, 7, 33], 5, &expected(&case));
        let case = busy(40, 1, ("all", false), variant);
        assert_same(&case, &[0], 16, &expected(&case));
    }
}

#[test]
fn epochs_with_steps_that_were_too_long_are_repeated() {
    let mut again = 0;
    let plans = [(&[0, 30][..], 16), (&[0, 11, 50], 16), (&[0, 40], 7)];
    for (variant, (firsts, steps)) in alternating(every_timed(), &plans) {
        let case = sudden(40, 60, variant);
        let ours = case.after(140, &mut case.start(CpuOptions::default()));
        let both = start(&case, firsts, steps).map(|mut simulation| {
            simulation.advance(140).expect("a run that stays shallow");
            let name = || format!("{}, strips from {firsts:?}, {steps} steps", case.name());
            case.state(&simulation).assert_is(&ours, name);
            simulation.backend.epochs_redone()
        });
        assert_eq!(both[0], both[1], "the same epochs are taken anew");
        again += both[0];
    }
    assert!((4..200).contains(&again), "{again} epochs taken anew");
}

#[test]
fn a_flood_reaches_dry_strips_from_beyond_their_halos() {
    for variant in every_timed() {
        let case = Case::new(25, 64, variant)
            .bed(|_, row| 60.0 - 0.3 * row as f64)
            .water(|_, row| if row < 12 { 1.5 } else { 0.0 });
        let mut ours = case.start(CpuOptions::default());
        while case.state(&ours).water[24 * 25] == 0 {
            ours.advance(10).expect("a run that stays shallow");
            assert!(ours.clock.done < 1000, "{}: the flood comes that far", case.name());
        }
        let (ours, taken) = (case.state(&ours), ours.clock.done);
        for (firsts, steps) in [(vec![0, 20, 40], 2), (vec![0, 22], 4)] {
            for mut simulation in start(&case, &firsts, steps) {
                simulation.advance(taken).expect("a run that stays shallow");
                let name = || format!("{}, strips from {firsts:?}, {steps} steps", case.name());
                case.state(&simulation).assert_is(&ours, name);
            }
        }
    }
}

#[test]
fn water_that_gets_too_deep_stops_all_strips_in_the_same_step() {
    let mut late = 0;
    for variant in every_case() {
        for rate in [1e6, 5e5, 2e5] {
            let case = Case::new(9, 24, variant)
                .source(&[(4, 20)], &[(0.0, 1.0), (29.0, 1.0), (30.0, rate)]);
            let stop = |mut simulation: Simulation| -> u64 {
                simulation.advance(4000).expect_err("it gets too deep");
                simulation.clock.done
            };
            let expected = stop(case.start(CpuOptions::default()));
            for ours in start(&case, &[0, 9, 17], 16).map(stop) {
                assert_eq!(ours, expected, "{}, {rate} m3/s", case.name());
            }
            late += u32::from(expected % 16 > 2 && expected > 20);
        }
    }
    assert!(late > 3, "{late} stop within an epoch");
}
