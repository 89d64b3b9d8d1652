//! Case ar: levels prescribed at the ends of rivers, and a tide.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::metrics::{largest, rmse};
use crate::plot::Plot;
use crate::setup::Setup;
use inundate::engine::solver::G;
use std::f64::consts::TAU;

pub const CASE: Case = Case {
    key: "ar",
    title: "Rivers and a tide given by levels",
    about: "A river of 1 km, normal depth 1.5 m, n = 0.03, 10 m cells, with the level of normal flow held at both ends: the \
        discharge is compared with Manning's formula at Froude numbers of 0.36, 0.50 and 0.67. Then a tide of 0.1 m \
        at the mouth of a closed basin of 40 km, 10 m deep, without friction and with 250 m cells: the standing wave \
        η = a·cos k(L − x)/cos kL·cos ωt, with kL = 1.2 and amplitude 0.276 m at the head, is also the initial state. \
        The solution is linear; amplitude is that of the component with the period of the tide, over the third period.",
    solvers: &[(SHALLOW, 1.0), (SECOND, 1.0), (INERTIAL, 1.0), (MANNING, 1.0)],
    plots: &[Plot {
        file: "ar_tide",
        title: "ar. Tide in a basin: level at its head in the third period",
        x: "time [h]",
        y: "level [m]",
    }],
    quick: true,
    run,
};

/// Normal depth of the river [m] and its roughness [s/m^⅓].
const DEPTH: f64 = 1.5;
const N: f64 = 0.03;
const RIVER: usize = 100;
/// Length and depth of the basin [m], number of its cells, amplitude of the tide [m], and the length in
/// units of 1/k.
const LENGTH: f64 = 40e3;
const DEEP: f64 = 10.0;
const CELLS: usize = 160;
const TIDE: f64 = 0.1;
const PHASE: f64 = 1.2;

fn run(bench: &mut Bench) {
    let errors = [0.36, 0.5, 0.67].map(|froude| river(bench, froude));
    bench.check("rivers: maximum error of the discharge [%]", largest(errors), 0.1);
    // The tide is a wave, which `aqua-manning` does not compute.
    if bench.solver != MANNING {
        tide(bench);
    }
}

/// Returns the error of the discharge of a river with a Froude number (%).
fn river(bench: &mut Bench, froude: f64) -> f64 {
    let speed = froude * (f64::from(G) * DEPTH).sqrt();
    let slope = (speed * N / DEPTH.powf(2.0 / 3.0)).powi(2);
    let setup = Setup::new(RIVER, 1, 10.0, N)
        .with_bed(|column, _| slope * 10.0 * (RIVER - 1 - column) as f64);
    let ends = [0, RIVER - 1];
    let held = ends.map(|end| (end, setup.bed[end] + DEPTH));
    let mut setup = held
        .into_iter()
        .fold(setup, |setup, (cell, level)| setup.with_held(vec![cell], vec![(0.0, level)]));
    setup.depth = vec![DEPTH; RIVER];
    setup.keeps_discharge = true;
    let mut run = bench.start(&setup);
    run.to(3600.0);
    let found = run.discharges(0)[RIVER / 2];
    let error = 100.0 * (found / (speed * DEPTH) - 1.0);
    bench.note(format!("river, Froude number {froude}: error of the discharge [%]"), error);
    bench.finish(&format!("river, Froude number {froude}"), run);
    error.abs()
}

/// The tide in the basin.
fn tide(bench: &mut Bench) {
    let dx = LENGTH / (CELLS as f64 - 0.5);
    let celerity = (f64::from(G) * DEEP).sqrt();
    let wavenumber = PHASE / LENGTH;
    let period = TAU / (wavenumber * celerity);
    // The mouth is the centre of the first cell.
    let wave = |column: usize, time: f64| {
        let from_head = LENGTH - column as f64 * dx;
        TIDE * (wavenumber * from_head).cos() / PHASE.cos() * (TAU * time / period).cos()
    };
    let times = (0..=300).map(|i| 0.01 * f64::from(i) * period);
    let given = times.map(|t| (t, DEEP + wave(0, t))).collect();
    let mut setup = Setup::new(CELLS, 1, dx, 0.0).with_held(vec![0], given);
    setup.depth = (0..CELLS).map(|column| DEEP + wave(column, 0.0)).collect();
    let mut run = bench.start(&setup);
    let mut head = Vec::new();
    for i in 200..=300 {
        run.to(0.01 * f64::from(i) * period);
        head.push((run.now(), run.levels()[CELLS - 1] - DEEP));
    }
    let solution = |time: f64| wave(CELLS - 1, time);
    let components = [f64::cos, f64::sin].map(|of| {
        let sum: f64 = head[1..].iter().map(|(t, level)| level * of(TAU * t / period)).sum();
        2.0 * sum / 100.0
    });
    let amplitude = components[0].hypot(components[1]);
    let lag = components[1].atan2(components[0]) / TAU * 360.0;
    let error = 100.0 * (amplitude / (TIDE / PHASE.cos()) - 1.0);
    bench.note("tide: error of the amplitude at the head [%]", error);
    bench.check("tide: absolute error of the amplitude at the head [%]", error.abs(), 1.0);
    bench.note("tide: lag of the head [°]", lag);
    let pairs = head.iter().map(|&(time, level)| (level, solution(time)));
    bench.note("tide: RMSE of the level at the head, third period [m]", rmse(pairs));
    let hours = |curve: Vec<(f64, f64)>| curve.into_iter().map(|(t, y)| (t / 3600.0, y)).collect();
    let exact = head.iter().map(|&(time, _)| (time, solution(time))).collect();
    bench.curve("ar_tide", "linear solution", Pen::Reference, hours(exact));
    bench.curve("ar_tide", bench.solver, Pen::Solver(bench.solver), hours(head));
    bench.finish("tide", run);
}
