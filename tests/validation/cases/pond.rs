//! Case ap: a pond behind a ridge, the Environment Agency's test 1.

use super::Case;
use crate::bench::{Bench, INERTIAL, Pen, SECOND, SHALLOW};
use crate::metrics::{largest, rises_to};
use crate::plot::Plot;
use crate::setup::Setup;
use std::f64::consts::PI;

pub const CASE: Case = Case {
    key: "ap",
    title: "Flooding a disconnected water body (Environment Agency, test 1)",
    about: "A domain of 700 × 100 m with 10 m cells and n = 0.03, initially with water at 9.7 m. The level at the \
        west edge rises to 10.35 m within an hour, fills the pond behind a ridge, and falls again from 11 to 12 h; \
        the run takes 20 h. Points 1 and 2 are in the pond, which must retain its water up to the ridge at 10.25 m. \
        The bed profile is fitted to a plot of the test's DEM (GeoFlood's repository) to 4 mm, and reproduces the \
        volumes of another model's run on that DEM to 1.5 %.",
    solvers: &[(SHALLOW, 2.0), (SECOND, 3.0), (INERTIAL, 1.0)],
    plots: &[Plot {
        file: "ap_pond",
        title: "ap. Environment Agency, test 1: level at points 1 and 2",
        x: "time [h]",
        y: "level [m]",
    }],
    quick: true,
    run,
};

const COLUMNS: usize = 70;
/// Rows, and rows of the quick run: the test is a prism.
const ROWS: usize = 10;
const QUICK_ROWS: usize = 1;
const DX: f64 = 10.0;
const END: f64 = 20.0 * 3600.0;
const EVERY: f64 = 120.0;
/// Level at the west edge: minutes and metres.
const BOUNDARY: [(f64, f64); 6] =
    [(0.0, 9.7), (5.0, 9.7), (60.0, 10.35), (660.0, 10.35), (720.0, 9.7), (1200.0, 9.7)];
const START: f64 = 9.7;
/// Highest level at the west edge, and the ridge [m].
const HIGH: f64 = 10.35;
const RIDGE: f64 = 10.25;
/// Columns of points 1 and 2, at x = 400 and 600 m.
const POINTS: [usize; 2] = [40, 60];

fn run(bench: &mut Bench) {
    let rows = if bench.full { ROWS } else { QUICK_ROWS };
    let setup =
        Setup::new(COLUMNS, rows, DX, 0.03).with_bed(|column, _| bed((column as f64 + 0.5) * DX));
    let edge = (0..rows).map(|row| setup.cell(0, row)).collect();
    let mut setup =
        setup.with_held(edge, BOUNDARY.map(|(minutes, level)| (60.0 * minutes, level)).to_vec());
    for (depth, bed) in setup.depth.iter_mut().zip(&setup.bed) {
        *depth = (START - bed).max(0.0);
    }
    let points = POINTS.map(|column| setup.cell(column, rows / 2));
    let mut run = bench.start(&setup);
    let mut curves = [const { Vec::new() }; 2];
    while run.now() < END {
        run.to(run.now() + EVERY);
        let levels = run.levels();
        for (curve, &cell) in curves.iter_mut().zip(&points) {
            curve.push((run.now() / 3600.0, levels[cell]));
        }
    }
    let highest = curves.each_ref().map(|curve| largest(curve.iter().map(|point| point.1)));
    let last = points.map(|cell| run.levels()[cell]);
    let off = |levels: [f64; 2], level: f64| largest(levels.map(|other| (other - level).abs()));
    bench
        .check(
            "maximum levels at points 1 and 2: largest deviation from 10.35 m [m]",
            off(highest, HIGH),
            5e-3,
        )
        .peers("expected in the report: 10.35 m");
    bench
        .check(
            "levels at points 1 and 2 after 20 h: largest deviation from 10.25 m [m]",
            off(last, RIDGE),
            1e-2,
        )
        .peers("expected in the report: 10.25 m");
    bench.check(
        "levels at points 1 and 2 after 20 h: difference [m]",
        (last[0] - last[1]).abs(),
        1e-3,
    );
    bench
        .note("time at which point 2 reaches 10.30 m [h]", rises_to(&curves[1], 10.3))
        .peers("GeoFlood, read off a plot: 3.5");
    for curve in curves {
        bench.curve("ap_pond", bench.solver, Pen::Solver(bench.solver), curve);
    }
    let edge = BOUNDARY.map(|(minutes, level)| (minutes / 60.0, level)).to_vec();
    bench.curve("ap_pond", "west edge", Pen::Reference, edge);
    bench.finish("20 h", run);
}

/// Returns the level of the ground [m]: a line that becomes a cosine towards the ridge at 300 m,
/// through the pond's lowest point at 500 m, and a line again from 600 m on.
fn bed(x: f64) -> f64 {
    const SLOPE: f64 = 0.00214;
    let steepest = 0.25 * PI / 200.0;
    let angle = (SLOPE / steepest).asin();
    let tangent = 300.0 - 200.0 / PI * angle;
    if x < tangent {
        10.0 + 0.25 * angle.cos() - SLOPE * (tangent - x)
    } else if x < 600.0 {
        10.0 + 0.25 * (PI * (x - 300.0) / 200.0).cos()
    } else {
        10.0 + steepest * (x - 600.0)
    }
}
