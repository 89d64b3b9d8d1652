//! Case u: solvers compared with each other where all of them are valid.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::metrics::{at, largest, rises_to};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "u",
    title: "A slow river",
    about: "A river of 10 km with a slope of 1:1000, 100 m wide, n = 0.06, 100 m cells. The inflow rises from 100 to \
        300 m³/s and falls back in eight hours; the last cell is held at the level of normal flow. Froude numbers \
        stay below 0.3, so all solvers must agree: the levels at five places from the first to the twelfth hour, and \
        the times at which they have risen by half a metre (arrivals), are compared with those of `shallow-water`.",
    solvers: &[(SHALLOW, 20.0)],
    plots: &[Plot {
        file: "u_river",
        title: "u. Slow river: depth at five places",
        x: "time [h]",
        y: "depth [m]",
    }],
    quick: false,
    run,
};

const COLUMNS: usize = 100;
const DX: f64 = 100.0;
const FALL: f64 = 1e-3;
/// Depth of 1 m²/s at normal flow [m].
const LOW: f64 = 1.47;
const HOUR: f64 = 3600.0;
const END: f64 = 12.0 * HOUR;
const EVERY: f64 = 120.0;
/// Columns in which levels are reported.
const PLACES: [usize; 5] = [10, 30, 50, 70, 90];

fn run(bench: &mut Bench) {
    let mut yardstick: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut outcomes = Vec::new();
    let mut drawn = Vec::new();
    for solver in [SHALLOW, SECOND, INERTIAL, MANNING] {
        let mut bench = Bench::new(bench.full, CASE.key, solver);
        let courses = courses(&mut bench);
        if yardstick.is_empty() {
            yardstick = courses.clone();
        } else {
            compare(&mut bench, &yardstick, &courses);
        }
        for course in courses {
            let hours = course.into_iter().map(|(t, h)| (t / HOUR, h)).collect();
            bench.curve("u_river", solver, Pen::Solver(solver), hours);
        }
        bench.close();
        outcomes.extend(bench.outcomes);
        drawn.extend(bench.curves);
    }
    (bench.outcomes, bench.curves) = (outcomes, drawn);
}

fn compare(bench: &mut Bench, yardstick: &[Vec<(f64, f64)>], courses: &[Vec<(f64, f64)>]) {
    let off = yardstick.iter().zip(courses).map(|(theirs, ours)| {
        largest(running(theirs).map(|&(t, depth)| (at(ours, t) - depth).abs()))
    });
    bench.check("levels: maximum difference from `shallow-water` [m]", largest(off), 0.02);
    let arrival = |course: &[(f64, f64)]| rises_to(course, course[0].1 + 0.5);
    let late = yardstick.iter().zip(courses);
    let late = late.map(|(theirs, ours)| 100.0 * (arrival(ours) / arrival(theirs) - 1.0).abs());
    bench.check("arrivals: maximum difference from `shallow-water` [%]", largest(late), 1.0);
}

/// Returns a curve from the time at which the river flows: at the start its water is still.
fn running(course: &[(f64, f64)]) -> impl Iterator<Item = &(f64, f64)> {
    course.iter().filter(|(t, _)| *t >= HOUR)
}

/// Returns the depths over time at the places.
fn courses(bench: &mut Bench) -> Vec<Vec<(f64, f64)>> {
    let setup = Setup::new(COLUMNS, 1, DX, 0.06)
        .with_bed(|column, _| FALL * DX * (COLUMNS - 1 - column) as f64);
    let flood = [(0.0, 100.0), (1.0, 100.0), (5.0, 300.0), (9.0, 100.0)];
    let flood = flood.map(|(hour, q)| (hour * HOUR, q)).to_vec();
    // About the depth of normal flow there, (q·n/√S)^⅗, an hour and a half later.
    let stage = [(0.0, LOW), (2.5, LOW), (6.4, 2.8), (10.5, LOW)];
    let stage = stage.map(|(hour, level)| (hour * HOUR, level)).to_vec();
    let mut setup = setup.with_inflow(vec![0], flood).with_held(vec![COLUMNS - 1], stage);
    setup.depth = vec![LOW; COLUMNS];
    let mut run = bench.start(&setup);
    let mut courses = vec![Vec::new(); PLACES.len()];
    for i in 0..=(END / EVERY) as usize {
        run.to(i as f64 * EVERY);
        let depths = run.depths();
        for (course, column) in courses.iter_mut().zip(PLACES) {
            course.push((run.now(), depths[column]));
        }
    }
    let limit = bench.of([Some(0.3), Some(0.3), None, None]);
    bench.judge("maximum Froude number in water deeper than 0.1 m", run.greatest_froude(), limit);
    bench.note("steps", run.steps() as f64);
    bench.finish("12 h", run);
    courses
}
