//! Steps of the solvers with physical time: they end at events, grow slowly, respect the maximum,
//! and do not depend on how the work is divided.

use crate::common;

use common::cover::few_or_all;
use common::{Case, Variant, every_timed, sampling};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::cadence::{Cadence, Leg};
use inundate_engine::clock::TimeStepping;
use inundate_engine::simulation::{Observer, Simulation};
use inundate_engine::time_step::{FIRST, GROWTH};

fn flood(variant: Variant) -> Case {
    Case::new(33, 21, variant)
        .hills(40.0, 31)
        .holes(0.04, 32)
        .ponds(0.3, 33)
        .source(&[(16, 10)], &[(0.0, 0.001), (33.3, 0.05), (61.7, 0.0)])
        .rain(1e-6)
}

/// Returns start, length and end of each step up to a time.
fn steps(simulation: &mut Simulation, until: f64) -> Vec<(f64, f64)> {
    let mut steps = Vec::new();
    while simulation.clock.now() < until {
        let start = simulation.clock.now();
        simulation.advance(1).expect("shallow water");
        steps.push((start, simulation.clock.now()));
    }
    steps
}

#[test]
fn steps_land_on_the_times_at_which_a_series_changes() {
    for variant in every_timed() {
        let case = flood(variant);
        let steps = steps(&mut case.start(CpuOptions::default()), 80.0);
        for time in [33.3, 61.7] {
            let on = steps.iter().filter(|(_, end)| *end == time).count();
            assert_eq!(on, 1, "{}: no step ends at {time} s", case.name());
        }
    }
}

#[test]
fn steps_land_on_the_requested_times() {
    for variant in every_timed() {
        let case = flood(variant);
        let mut simulation = case.start(CpuOptions::default());
        for time in [0.01, 7.0, 7.001, 33.3, 50.123_456_789, 120.0] {
            simulation.advance_to(time).expect("shallow water");
            assert_eq!(simulation.clock.now(), time, "{}", case.name());
        }
    }
}

#[test]
fn a_stop_causes_no_sliver_step_and_leaves_no_trace() {
    for variant in every_timed() {
        // On level water, only growth and the maximum limit the steps.
        let case = Case::new(9, 9, variant).lake(0.0);
        let mut simulation = case.start(CpuOptions::default());
        simulation.advance_to(200.0).expect("shallow water");
        assert_eq!(simulation.clock.now(), 200.0);
        let lasts = |simulation: &mut Simulation| {
            let start = simulation.clock.now();
            simulation.advance(1).expect("shallow water");
            simulation.clock.now() - start
        };
        assert_eq!(lasts(&mut simulation), 10.0, "{}: on with full steps", case.name());
        simulation.advance_to(223.0).expect("shallow water");
        // The remaining time is divided evenly, not into steps of 10 s and a remainder.
        let TimeStepping::Adaptive { control, .. } = simulation.clock.time_stepping else {
            panic!("adaptive steps")
        };
        assert!(control.free == 10.0 && control.time == 223.0, "{}", case.name());
        let shortest = simulation.clock.step_range().expect("seconds").0;
        assert_eq!(shortest, f64::from(FIRST), "{}: no sliver", case.name());
    }
}

#[test]
fn steps_grow_by_at_most_a_fifth() {
    for variant in every_timed() {
        let case = flood(variant);
        let steps = steps(&mut case.start(CpuOptions::default()), 80.0);
        for pair in steps.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|(start, end)| end - start);
            // A step grows from the step that would have been taken without the coming stop, which
            // is longer by at most an nth if n equal steps remain.
            let stop =
                [33.3, 61.7, 80.0].into_iter().find(|stop| pair[0].1 <= *stop).expect("it stops");
            let left =
                steps.iter().filter(|(start, end)| *start >= pair[0].0 && *end <= stop).count();
            let stopped = left == 1;
            let limit = before * f64::from(GROWTH) * (1.0 + 1.0 / (left as f64 - 1.0));
            assert!(after <= limit || stopped, "{}: {before} s, {after} s", case.name());
        }
    }
}

#[test]
fn a_step_lands_on_the_onset_of_rain_and_gentle_rain_does_not_limit_it() {
    for variant in every_timed() {
        let mut case = Case::new(9, 9, variant).lake(1.0).rain(1.0);
        let pieces = vec![(0.0, 0.0), (100.0, 1e-5)];
        case.forcing.rates[0].series = inundate_engine::forcing::series::Series::new(pieces);
        let mut simulation = case.start(CpuOptions::default());
        let mut lasts = 0.0;
        while simulation.clock.now() < 100.0 {
            let before = simulation.clock.now();
            simulation.advance(1).expect("shallow water");
            lasts = simulation.clock.now() - before;
        }
        assert_eq!((simulation.clock.now(), simulation.backend.ledger().rain), (100.0, 0));
        simulation.advance(1).expect("shallow water");
        let next = simulation.clock.now() - 100.0;
        assert!(lasts > 0.5 && next >= lasts, "{}: {lasts} s, {next} s", case.name());
        assert!(simulation.backend.ledger().rain > 0, "{}", case.name());
    }
}

#[test]
fn the_maximum_step_is_respected() {
    for variant in every_timed() {
        for longest in [0.01, 0.2, 2.0] {
            let mut case = flood(variant);
            case.longest = longest;
            let mut simulation = case.start(CpuOptions::default());
            simulation.advance(100).expect("shallow water");
            let (_, most) = simulation.clock.step_range().expect("seconds");
            assert!(most <= f64::from(longest), "{}: {most} s", case.name());
            assert!(longest > 0.1 || most == f64::from(longest), "{}", case.name());
        }
    }
}

#[test]
fn splitting_a_run_into_pieces_does_not_change_its_steps() {
    for variant in every_timed() {
        let case = flood(variant);
        let expected = case.run(260, CpuOptions::default());
        for tile in [(512, 256), (5, 7)] {
            for piece in [1, 7, 130] {
                let mut simulation = case.start(CpuOptions { tile, ..CpuOptions::default() });
                while simulation.clock.done < 260 {
                    let left = 260 - simulation.clock.done;
                    simulation.advance(piece.min(left)).expect("shallow water");
                }
                let name = || format!("{}, {tile:?}, {piece} steps at once", case.name());
                case.state(&simulation).assert_is(&expected, name);
            }
        }
    }
}

#[test]
fn steps_do_not_depend_on_tiles_or_threads() {
    for variant in every_timed() {
        let case = flood(variant);
        let all = |tile: (usize, usize), threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                steps(&mut case.start(CpuOptions { tile, ..CpuOptions::default() }), 60.0)
            })
        };
        let expected = all((512, 256), 1);
        for (tile, threads) in [((5, 7), 1), ((1, 40), 3), ((16, 8), 2), ((512, 256), 4)] {
            assert!(all(tile, threads) == expected, "{}: {tile:?}, {threads}", case.name());
        }
    }
}

#[test]
fn a_smaller_courant_number_makes_shorter_steps() {
    for variant in every_timed() {
        let mut case = Case::new(33, 21, variant).hills(40.0, 31).water(|_, _| 0.3);
        case.longest = 60.0;
        let number = |share: f32| {
            let mut simulation = case.start(CpuOptions::default());
            if let TimeStepping::Adaptive { limits, .. } = &mut simulation.clock.time_stepping {
                limits.safety *= share;
            }
            simulation.advance_to(few_or_all(250.0, 1000.0)).expect("shallow water");
            simulation.clock.done
        };
        let (whole, half) = (number(1.0), number(0.5));
        assert!(half as f64 > 1.7 * whole as f64, "{}: {whole}, {half}", case.name());
    }
}

/// Taking steps one by one, or a few at a time, gives the same steps and observations as the whole
/// run.
#[test]
fn a_run_in_legs_equals_the_whole_run() {
    let times = |recorder: &sampling::SampleRecorder| {
        let seen = recorder.seen.iter();
        seen.map(|(time, before, after)| (*time, before.ledger, after.ledger)).collect::<Vec<_>>()
    };
    for variant in every_timed() {
        let case = flood(variant);
        let mut whole = case.start(CpuOptions::default());
        let expected = sampling::run(&case, &mut whole, (60.0, 7.0), false).expect("shallow water");
        for leg in [Leg::steps(1), Leg::steps(5)] {
            let mut run = case.start(CpuOptions::default());
            if let TimeStepping::Adaptive { end, .. } = &mut run.clock.time_stepping {
                *end = 60.0;
            }
            let mut found = sampling::SampleRecorder::new(&case.problem(), 7.0, false);
            while !run.clock.is_over() {
                let before = run.clock.done;
                let mut observers: [&mut dyn Observer; 1] = [&mut found];
                run.run_by(leg, &mut Cadence::default(), &mut observers, |_, _, _, _| Ok(()))
                    .expect("shallow water");
                let taken = run.clock.done - before;
                assert!(taken == leg.steps || run.clock.is_over(), "{taken} steps");
            }
            assert_eq!(case.state(&run), case.state(&whole), "{}", case.name());
            assert_eq!(times(&found), times(&expected), "{}", case.name());
        }
    }
}
