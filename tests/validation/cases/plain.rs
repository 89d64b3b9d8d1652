//! Case g: a flood that spreads over a flat plain, the Environment Agency's test 4.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::data;
use crate::metrics::{at, largest, mean, rises_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "g",
    title: "Flood over a flat plain (Environment Agency, test 4)",
    about: "A plain of 1000 × 2000 m with n = 0.05, dry; the inflow over 20 m of the west edge peaks at 20 m³/s. The \
        depths at six points are compared with the second-order shallow-water solver of LISFLOOD-FP 8.0 (DG2, 5 m). \
        Arrival is at a depth of 2 cm. Depths are compared until 11 000 s, when the open edges of the reference \
        begin to affect them.",
    solvers: &[(SHALLOW, 60.0), (SECOND, 90.0), (INERTIAL, 40.0), (MANNING, 150.0)],
    plots: &[Plot {
        file: "g_plain",
        title: "g. Environment Agency, test 4: depth at points 1 to 6, 5 m cells",
        x: "time [min]",
        y: "depth [m]",
    }],
    quick: false,
    run,
};

const WIDTH: f64 = 1000.0;
const LENGTH: f64 = 2000.0;
const DX: f64 = 5.0;
const ARRIVED: f64 = 0.02;
/// End of the depth curves [s].
const UNTIL: f64 = 11_000.0;
const EVERY: f64 = 20.0;

fn run(bench: &mut Bench) {
    match inputs() {
        Ok(inputs) => compare(bench, inputs),
        Err(why) => bench.not_run(why),
    }
}

/// Inflow [s, m³/s], points [m], and the reference: time and depth at each point.
struct Inputs {
    inflow: Vec<(f64, f64)>,
    points: Vec<(f64, f64)>,
    reference: Vec<Vec<f64>>,
}

fn inputs() -> Result<Inputs, String> {
    let table = |name: &str| data::table(&data::file(&format!("ea_test4/{name}"))?);
    let inflow = data::curve(&table("Test4BC.csv")?, 0, 1);
    Ok(Inputs {
        inflow: inflow.into_iter().map(|(minutes, q)| (60.0 * minutes, q)).collect(),
        points: data::curve(&table("Test4output.csv")?, 1, 2),
        reference: table("reference_lisflood80_dg2_5m_subset.csv")?,
    })
}

fn compare(bench: &mut Bench, inputs: Inputs) {
    let dx = DX;
    let (columns, rows) = ((WIDTH / dx) as usize, (LENGTH / dx) as usize);
    let middle = rows / 2;
    let half = (10.0 / dx) as usize;
    let setup = Setup::new(columns, rows, dx, 0.05);
    let cells = (middle - half..middle + half).map(|row| setup.cell(0, row)).collect();
    let mut run = bench.start(&setup.with_inflow(cells, inputs.inflow));
    let mut curves = vec![vec![(0.0, 0.0)]; inputs.points.len()];
    let end = bench.of([18_000.0, 18_000.0, 18_000.0, UNTIL]);
    for i in 1..=(end / EVERY) as usize {
        run.to(i as f64 * EVERY);
        let depths = run.depths();
        for (curve, &(x, y)) in curves.iter_mut().zip(&inputs.points) {
            // The points are on corners of cells; LISFLOOD-FP reports the cell to the north-east.
            let (column, row) = ((x / dx) as usize, ((LENGTH - y) / dx) as usize - 1);
            curve.push((run.now(), depths[row * columns + column]));
        }
    }
    let theirs: Vec<_> = (1..=curves.len()).map(|p| data::curve(&inputs.reference, 0, p)).collect();
    // The reference's arrival is its first output time with that depth, which is how the limit was
    // set; interpolation would be earlier.
    let first = |curve: &[(f64, f64)]| {
        curve.iter().find(|point| point.1 >= ARRIVED).map_or(f64::NAN, |point| point.0)
    };
    let pairs = || theirs.iter().zip(&curves);
    let early: Vec<f64> = pairs().map(|(t, o)| first(t) - rises_to(o, ARRIVED)).collect();
    // The sixth point's reference has an output interval of about 300 s.
    let (near, far) = (&early[..5], &early[5..]);
    let limits = bench.of([[55.0, 130.0], [55.0, 130.0], [80.0; 2], [80.0; 2]]);
    for (name, points, limit) in [("points 1 to 5", near, limits[0]), ("point 6", far, limits[1])] {
        let metric = format!("arrival at {name}, {dx} m cells: maximum error [s]");
        bench
            .check(metric, largest(points.iter().map(|s| s.abs())), limit)
            .peers("published models differ by about 300 s");
    }
    for (point, early) in early.iter().enumerate() {
        bench.note(
            format!("arrival at point {}: earlier than the reference by [s]", point + 1),
            *early,
        );
    }
    let between = pairs().map(|(t, o)| (rises_to(t, ARRIVED) - rises_to(o, ARRIVED)).abs());
    bench.note(
        "arrival: maximum error with the reference interpolated between its output times [s]",
        largest(between),
    );
    let mut pairs = Vec::new();
    for (theirs, ours) in theirs.iter().zip(&curves) {
        let until = theirs.iter().filter(|point| point.0 <= UNTIL);
        pairs.extend(until.map(|&(t, depth)| (at(ours, t), depth)));
    }
    bench.check(format!("depths, {dx} m cells: RMSE [m]"), rmse(pairs.iter().copied()), 8e-3);
    let difference = mean(pairs.iter().map(|(ours, theirs)| ours - theirs));
    bench.check(format!("depths, {dx} m cells: mean difference [m]"), difference.abs(), 2e-3);
    bench.note(format!("steps to {end} s, {dx} m cells"), run.steps() as f64);
    bench.note(format!("wall time to {end} s, {dx} m cells, one core [s]"), run.wall());
    bench.finish(&format!("{dx} m cells"), run);
    let minutes = |curve: &[(f64, f64)]| curve.iter().map(|&(t, h)| (t / 60.0, h)).collect();
    for (theirs, ours) in theirs.iter().zip(&curves) {
        bench.curve("g_plain", bench.solver, Pen::Solver(bench.solver), minutes(ours));
        bench.curve("g_plain", "LISFLOOD-FP DG2", Pen::ReferenceDots, minutes(theirs));
    }
}
