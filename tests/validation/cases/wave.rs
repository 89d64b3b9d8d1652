//! Case a: a wave over a horizontal plane.

use super::Case;
use crate::analytic::wave::Wave;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::metrics::{falls_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "a",
    title: "Wave over a horizontal plane",
    about: "Hunter et al. (2005): a wave advances over a horizontal plane for one hour, with n = 0.03 and a velocity \
        of 1 m/s. The depth of the analytic solution is prescribed half a cell outside the plane. The RMSE covers \
        all cells that are wet in the model or in the solution. The velocity is the same everywhere, so that the \
        solution of the diffusive wave is also one of the full equations, and the errors of `shallow-water` must fall \
        with the cells. While water entered from rest, errors of both signs cancelled on 50 m cells, where its limits \
        were 0.06 m and 60 m, and the RMSE rose on 25 m cells, from 0.057 to 0.064 m (second order: 0.065 to 0.078 m).",
    solvers: &[(SHALLOW, 1.0), (SECOND, 1.0), (INERTIAL, 1.0), (MANNING, 20.0)],
    plots: &[Plot {
        file: "a_wave",
        title: "a. Wave over a horizontal plane after 3600 s, 50 m cells",
        x: "distance [m]",
        y: "depth [m]",
    }],
    quick: true,
    run,
};

const WAVE: Wave = Wave { n: 0.03, u: 1.0 };
const END: f64 = 3600.0;
const LENGTH: f64 = 4500.0;
/// Depth that defines the front [m].
const FRONT: f64 = 0.2;
/// Share of the step at which the flow limiter of `aqua-manning` hardly acts here.
const SHORT: f64 = 0.35;

fn run(bench: &mut Bench) {
    let limit = bench.of([Some(0.07), Some(0.045), Some(0.06), Some(0.10)]);
    let (coarse, profile) = error(bench, 50.0, 1.0);
    bench.judge("RMSE of depth, 50 m cells [m]", coarse, limit);
    let front = falls_to(&profile, FRONT) - WAVE.place(FRONT, END);
    bench.check(
        "position of the front (depth 0.2 m): absolute error, 50 m cells [m]",
        front.abs(),
        bench.of([120.0, 60.0, 60.0, 60.0]),
    );
    bench.note("position of the front (depth 0.2 m): error, 50 m cells [m]", front);
    let solution = |x: f64| (x, WAVE.depth(x, END));
    bench.curve("a_wave", bench.solver, Pen::Solver(bench.solver), profile);
    let places = (0..=450).map(|i| 10.0 * f64::from(i));
    bench.curve("a_wave", "solution", Pen::Reference, places.map(solution).collect());
    if !bench.full {
        return;
    }
    let (fine, profile) = error(bench, 25.0, 1.0);
    let limit = bench.of([Some(0.05), Some(0.03), Some(0.09), None]);
    bench.judge("RMSE of depth, 25 m cells [m]", fine, limit);
    if bench.solver == MANNING {
        // Here, on slopes below 1e-3, the limiter of `aqua-manning` reduces flow unless steps are
        // shorter.
        let errors = [50.0, 25.0, 12.5].map(|dx| error(bench, dx, SHORT).0);
        for (error, dx) in errors.iter().zip(["50", "25", "12.5"]) {
            bench.note(
                format!("RMSE of depth, {dx} m cells, {SHORT} of the allowed step [m]"),
                *error,
            );
        }
        let ratios = [errors[1] / errors[0], errors[2] / errors[1]];
        bench.check_as(
            "k",
            format!("case a, {SHORT} of the allowed step: ratio of errors, 25 m to 50 m cells"),
            ratios[0],
            0.75,
        );
        bench.check_as(
            "k",
            format!("case a, {SHORT} of the allowed step: ratio of errors, 12.5 m to 25 m cells"),
            ratios[1],
            0.75,
        );
    }
    let front = falls_to(&profile, FRONT) - WAVE.place(FRONT, END);
    bench.check(
        "position of the front (depth 0.2 m): absolute error, 25 m cells [m]",
        front.abs(),
        65.0,
    );
    bench.note("position of the front (depth 0.2 m): error, 25 m cells [m]", front);
}

/// Returns the RMSE with cells of `dx` and a share of the allowed step, and the profile.
fn error(bench: &mut Bench, dx: f64, step_share: f64) -> (f64, Vec<(f64, f64)>) {
    let columns = (LENGTH / dx) as usize + 1;
    // The centre of column 0 is at −dx/2; its level is the solution's there.
    let centre = |column: usize| (column as f64 - 0.5) * dx;
    // Linear between times, which are dense where the depth rises fast.
    let times = (0..=120).map(|i| END * (f64::from(i) / 120.0).powi(2));
    let given = times.map(|t| (t, WAVE.depth(centre(0), t))).collect();
    let setup = Setup::new(columns, 1, dx, WAVE.n).with_held(vec![0], given);
    let setup = Setup { step_share, ..setup };
    let mut run = bench.start(&setup);
    run.to(END);
    let depths = run.depths();
    let profile: Vec<(f64, f64)> =
        (1..columns).map(|column| (centre(column), depths[column])).collect();
    let pairs = profile.iter().map(|&(x, h)| (h, WAVE.depth(x, END)));
    let wet = pairs.filter(|&(h, solution)| h > 0.0 || solution > 0.0);
    let error = rmse(wet);
    let share = if step_share == 1.0 {
        String::new()
    } else {
        format!(", {step_share} of the allowed step")
    };
    bench.note(format!("steps, {dx} m cells{share}"), run.steps() as f64);
    bench.note(
        format!("share of the flow cut by limiters or lack of water, {dx} m cells{share}"),
        run.cut_share(),
    );
    bench.finish(&format!("{dx} m cells{share}"), run);
    (error, profile)
}
