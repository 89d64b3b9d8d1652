//! Case c: the tilted V-catchment.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::data;
use crate::engine::Run;
use crate::metrics::{at, inefficiency, rmse};
use crate::plot::Plot;
use crate::setup::{Roughness, Setup};

pub const CASE: Case = Case {
    key: "c",
    title: "V-catchment with a channel",
    about: "Di Giammarco et al. (1996): two planes of 800 × 1000 m (slope 0.05, n = 0.015) and between them a \
        channel of 20 × 1000 m (slope 0.02, n = 0.15), cut so deep (1 m and more) that its water does not reach the \
        planes; rain of 10.8 mm/h for 90 min. The discharge at the channel's foot is compared with a kinematic \
        solution; 4.86 m³/s is the rate of rainfall on the catchment. NSE is the efficiency of Nash and Sutcliffe.",
    solvers: &[(SHALLOW, 45.0), (SECOND, 60.0), (INERTIAL, 30.0), (MANNING, 40.0)],
    plots: &[Plot {
        file: "c_v_catchment",
        title: "c. V-catchment: outflow, 20 m cells",
        x: "time [min]",
        y: "discharge [m³/s]",
    }],
    quick: true,
    run,
};

const PLANE: f64 = 800.0;
const LENGTH: f64 = 1000.0;
const CHANNEL: f64 = 20.0;
const CUT: f64 = 1.0;
const RAIN: f64 = 10.8e-3 / 3600.0;
const RAIN_ENDS: f64 = 5400.0;
const EVERY: f64 = 60.0;

fn run(bench: &mut Bench) {
    let reference = data::curve(&data::reference("v_catchment_hydrograph.csv"), 0, 1);
    let ten = bench.of([0.04, 0.04, 0.05, 0.05]);
    let cells = [(20.0, 0.09), (10.0, ten), (5.0, 0.03)];
    let cells = if bench.full { &cells[..] } else { &cells[..1] };
    let mut errors = Vec::new();
    for &(dx, limit) in cells {
        let hydrograph = hydrograph(bench, dx);
        // Discharges are means over an interval: compared in its middle.
        let pairs: Vec<(f64, f64)> =
            hydrograph.iter().map(|&(t, q)| (q, at(&reference, t))).collect();
        let error = rmse(pairs.iter().copied());
        let plateau = at(&hydrograph, RAIN_ENDS - 0.5 * EVERY);
        bench.check(
            format!("discharge at 90 min: deviation from 4.86 m³/s, {dx} m cells [m³/s]"),
            (plateau - 4.86).abs(),
            0.01,
        );
        bench.check(format!("RMSE of discharge, {dx} m cells [m³/s]"), error, limit);
        let inefficiency = inefficiency(&pairs);
        if dx == 20.0 {
            bench.check("1 − NSE, 20 m cells", inefficiency, 0.002);
            let minutes =
                |curve: &[(f64, f64)]| curve.iter().map(|&(t, q)| (t / 60.0, q)).collect();
            bench.curve(
                "c_v_catchment",
                bench.solver,
                Pen::Solver(bench.solver),
                minutes(&hydrograph),
            );
            bench.curve("c_v_catchment", "kinematic", Pen::Reference, minutes(&reference));
        } else {
            bench.note(format!("1 − NSE, {dx} m cells"), inefficiency);
        }
        errors.push((dx, error));
    }
    for pair in errors.windows(2) {
        let ((coarse, before), (fine, after)) = (pair[0], pair[1]);
        bench.check_as(
            "k",
            format!("case c: ratio of errors, {fine} m to {coarse} m cells"),
            after / before,
            0.75,
        );
    }
}

/// Returns the mean outflow [m³/s] of every minute, at its middle [s].
fn hydrograph(bench: &mut Bench, dx: f64) -> Vec<(f64, f64)> {
    let across = |width: f64| (width / dx).round() as usize;
    let (plane, channel, rows) = (across(PLANE), across(CHANNEL), across(LENGTH));
    let columns = 2 * plane + channel;
    let in_channel = |column: usize| (plane..plane + channel).contains(&column);
    // As in the kinematic solution, the planes fall towards the channel only. The channel's upper
    // end is CUT below them; it continues for two cells beyond their foot, without rain, and has an
    // open end.
    let setup = Setup::new(columns, rows + 2, dx, 0.0).with_bed(|column, row| {
        let along = 0.02 * dx * (rows as f64 - row as f64 - 0.5);
        let from_channel =
            if column < plane { plane - column } else { column - plane - channel + 1 };
        match in_channel(column) {
            true => along,
            false if row < rows => 0.02 * LENGTH + CUT + 0.05 * dx * (from_channel as f64 - 0.5),
            false => f64::NAN,
        }
    });
    let n = (0..setup.bed.len()).map(|cell| if in_channel(cell % columns) { 0.15 } else { 0.015 });
    let setup = Setup {
        roughness: Roughness::Cells(n.collect()),
        open: [false, false, true, false],
        ..setup
    };
    let wet = (0..columns * rows).collect();
    let setup = setup.with_rain(Some(wet), vec![(0.0, RAIN), (RAIN_ENDS, 0.0)]);
    let mut run = bench.start(&setup);
    // Outflow of the cells with rain: rain minus storage.
    let fallen = |t: f64| RAIN * t.min(RAIN_ENDS) * (2.0 * PLANE + CHANNEL) * LENGTH;
    let kept = |run: &Run| run.depths()[..columns * rows].iter().sum::<f64>() * dx * dx;
    let (mut curve, mut before) = (vec![(0.0, 0.0)], 0.0);
    for minute in 1..=180 {
        let t = f64::from(minute) * EVERY;
        run.to(t);
        let gone = fallen(t) - kept(&run);
        curve.push((t - 0.5 * EVERY, (gone - before) / EVERY));
        before = gone;
    }
    bench.note(format!("steps, {dx} m cells"), run.steps() as f64);
    bench.finish(&format!("{dx} m cells"), run);
    curve
}
