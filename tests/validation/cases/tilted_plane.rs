//! Case b: rain on a tilted plane.

use super::Case;
use crate::analytic::plane::Plane;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::engine::Run;
use crate::metrics::{at, rises_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "b",
    title: "Rain on a tilted plane",
    about: "Rain of 50 mm/h falls for 30 min on a plane of 200 m with a slope of 0.02, n = 0.03 and 5 m cells; the \
        reference is the kinematic solution. The discharge over the plane's foot follows from the volume balance of \
        its cells; the slope continues for two cells without rain. t50 and t90 are the times at which the discharge \
        reaches 50 and 90 % of equilibrium.",
    solvers: &[(SHALLOW, 0.5), (SECOND, 0.5), (INERTIAL, 0.5), (MANNING, 0.5)],
    plots: &[Plot {
        file: "b_plane",
        title: "b. Rain on a tilted plane: discharge at the foot",
        x: "time [min]",
        y: "discharge / equilibrium",
    }],
    quick: true,
    run,
};

const PLANE: Plane =
    Plane { length: 200.0, slope: 0.02, n: 0.03, rain: 50e-3 / 3600.0, duration: 1800.0 };
const DX: f64 = 5.0;
/// Interval of the discharge [s], and end.
const EVERY: f64 = 10.0;
const END: f64 = 3600.0;

fn run(bench: &mut Bench) {
    let columns = (PLANE.length / DX) as usize;
    let setup = Setup::new(columns + 2, 1, DX, PLANE.n)
        .with_bed(|column, _| PLANE.slope * DX * (columns + 2 - column) as f64)
        .with_rain(Some((0..columns).collect()), vec![(0.0, PLANE.rain), (PLANE.duration, 0.0)]);
    let mut run = bench.start(&Setup { open: [false, true, false, false], ..setup });
    // Unit discharge in the middle of each interval: rain minus the storage of the plane.
    let fallen = |t: f64| PLANE.equilibrium() * t.min(PLANE.duration);
    let stored = |run: &Run| run.depths()[..columns].iter().sum::<f64>() * DX;
    let mut hydrograph = vec![(0.0, 0.0)];
    let mut before = 0.0;
    for i in 1..=(END / EVERY) as usize {
        let t = i as f64 * EVERY;
        run.to(t);
        let gone = fallen(t) - stored(&run);
        hydrograph.push((t - 0.5 * EVERY, (gone - before) / EVERY / PLANE.equilibrium()));
        before = gone;
    }
    let solution = |t: f64| PLANE.discharge(t) / PLANE.equilibrium();
    let error = rmse(hydrograph.iter().map(|&(t, q)| (q, solution(t))));
    let limit = bench.of([0.010, 0.010, 0.015, 0.015]);
    bench.check("RMSE of discharge, relative to equilibrium [-]", error, limit);
    let fine: Vec<(f64, f64)> =
        (0..=3600).map(|t| (f64::from(t), solution(f64::from(t)))).collect();
    for (share, limit) in [(0.5, 10.0), (0.9, 30.0)] {
        let late = rises_to(&hydrograph, share) - rises_to(&fine, share);
        let percent = share * 100.0;
        bench.check(format!("t{percent}: absolute error [s]"), late.abs(), limit);
        bench.note(format!("t{percent}: delay relative to the solution [s]"), late);
    }
    let plateau = at(&hydrograph, PLANE.duration - EVERY);
    bench.check("equilibrium discharge: relative error [-]", (plateau - 1.0).abs(), 2e-3);
    bench.note("steps", run.steps() as f64);
    bench.finish("5 m cells", run);
    let minutes = |curve: &[(f64, f64)]| curve.iter().map(|&(t, q)| (t / 60.0, q)).collect();
    bench.curve("b_plane", bench.solver, Pen::Solver(bench.solver), minutes(&hydrograph));
    bench.curve("b_plane", "kinematic solution", Pen::Reference, minutes(&fine));
}
