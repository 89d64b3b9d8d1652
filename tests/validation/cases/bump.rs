//! Case n: steady flow over a bump.

use super::Case;
use crate::analytic::bump::{Bump, Flow, LENGTH, bed};
use crate::bench::{Bench, INERTIAL, Pen, SECOND, SHALLOW};
use crate::metrics::{largest, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "n",
    title: "Flow over a bump",
    about: "Goutal & Maurel (1997), as in SWASHES (Delestre et al. 2013): a channel of 25 m with a bump of 0.2 m, \
        without friction. The inflow into the first cell is 4.42 m²/s (subcritical), 1.53 m²/s (transcritical) and \
        0.18 m²/s (with a jump); the last cell is held at 2 m, at the solution's depth and at 0.33 m. Errors of the \
        level exclude the first half metre, where the inflow, which enters without momentum, is accelerated, and \
        half a metre on either side of the jump. The discharge is that over each face, once steady.",
    solvers: &[(SHALLOW, 30.0), (SECOND, 50.0), (INERTIAL, 10.0)],
    plots: &[
        Plot {
            file: "n_transcritical",
            title: "n. Transcritical flow, 0.125 m cells",
            x: "distance [m]",
            y: "level [m]",
        },
        Plot {
            file: "n_jump",
            title: "n. Flow with a jump, 0.125 m cells",
            x: "distance [m]",
            y: "level [m]",
        },
    ],
    quick: true,
    run,
};

const CASES: [(&str, &str, Bump); 3] = [
    ("subcritical", "", Bump { q: 4.42, flow: Flow::Subcritical(2.0) }),
    ("transcritical", "n_transcritical", Bump { q: 1.53, flow: Flow::Transcritical }),
    ("with a jump", "n_jump", Bump { q: 0.18, flow: Flow::Jump(0.33) }),
];
/// Time of steady flow [s].
const END: f64 = 600.0;
/// Steps of the length allowed by the flow, after a step that was shortened to end at a given time
/// [-].
const STEPS: u64 = 4000;
/// Distance left out at the first cell and around the jump [m].
const LEFT_OUT: f64 = 0.5;

fn run(bench: &mut Bench) {
    let limits = [[5.0, 0.539], [14.0, 0.297], [5.0, 0.143]];
    for ((name, plot, bump), limits) in CASES.into_iter().zip(limits) {
        // `make test` runs the case that has everything, and needs the fewest steps.
        if bench.full {
            over(bench, name, "", bump, 0.25, None);
        }
        if bench.full || bump.jump().is_some() {
            over(bench, name, plot, bump, 0.125, Some(limits));
        }
    }
}

fn over(
    bench: &mut Bench,
    name: &str,
    plot: &'static str,
    bump: Bump,
    dx: f64,
    limits: Option<[f64; 2]>,
) {
    let columns = (LENGTH / dx) as usize;
    let place = |column: usize| (column as f64 + 0.5) * dx;
    let last = columns - 1;
    let foot = match bump.flow {
        Flow::Subcritical(depth) | Flow::Jump(depth) => depth,
        Flow::Transcritical => bump.depth(place(last)),
    };
    let start = if bump.flow == Flow::Transcritical { 0.66 } else { foot };
    let setup = Setup::new(columns, 1, dx, 0.0)
        .with_bed(|column, _| bed(place(column)))
        .with_lake(start)
        .with_inflow(vec![0], vec![(0.0, bump.q * dx)])
        .with_held(vec![last], vec![(0.0, foot)]);
    let mut run = bench.start(&setup);
    run.to(END);
    run.more_steps(STEPS);
    let levels: Vec<(f64, f64)> = run
        .depths()
        .iter()
        .enumerate()
        .map(|(column, h)| (place(column), setup.bed[column] + h))
        .collect();
    let jump = bump.jump();
    let counts = |x: f64| x > LEFT_OUT && jump.is_none_or(|jump| (x - jump).abs() > LEFT_OUT);
    let solution = |x: f64| bump.depth(x) + bed(x);
    let pairs = || levels.iter().filter(|p| counts(p.0)).map(|&(x, level)| (level, solution(x)));
    let limit =
        limits.and_then(|[first, second]| bench.of([Some(first), Some(second), None, None]));
    let name = format!("{name}, {dx} m cells");
    bench.judge(format!("{name}: RMSE of the level [mm]"), 1e3 * rmse(pairs()), limit);
    bench.note(
        format!("{name}: maximum error of the level [mm]"),
        1e3 * largest(pairs().map(|(a, b)| (a - b).abs())),
    );
    let flows = run.discharges(0);
    let uneven = largest(flows[1..columns].iter().map(|q| (q / bump.q - 1.0).abs()));
    let limit = limits.and_then(|_| bench.of([Some(1e-5), None, None, None]));
    bench.judge(format!("{name}: discharge, maximum deviation from the inflow [-]"), uneven, limit);
    if let Some(exact) = jump {
        let (before, after) = (solution(exact - 1e-6), solution(exact + 1e-6));
        let half = 0.5 * (before + after);
        // The last rise through the level half-way up.
        let rise = levels.windows(2).rev().find(|p| p[0].1 < half && p[1].1 >= half);
        let at = rise.map_or(f64::NAN, |p| p[0].0 + (half - p[0].1) / (p[1].1 - p[0].1) * dx);
        let limit = limits.and_then(|_| bench.of([Some(dx), Some(dx), None, None]));
        bench.judge(
            format!("{name}: position of the jump, absolute error [m]"),
            (at - exact).abs(),
            limit,
        );
    }
    bench.note(format!("{name}: steps"), run.steps() as f64);
    bench.finish(&name, run);
    if !plot.is_empty() {
        bench.curve(
            plot,
            "solution",
            Pen::Reference,
            levels.iter().map(|p| (p.0, solution(p.0))).collect(),
        );
        bench.curve(plot, "bed", Pen::Limit, levels.iter().map(|p| (p.0, bed(p.0))).collect());
        bench.curve(plot, bench.solver, Pen::Solver(bench.solver), levels);
    }
}
