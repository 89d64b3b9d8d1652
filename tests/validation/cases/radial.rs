//! Case f: water that spreads from a point over a flat plane.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::data;
use crate::metrics::{at, falls_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "f",
    title: "Radial spread",
    about: "20 m³/s flow into one cell in the middle of a flat dry plane with n = 0.05. After one hour, the radii at \
        which the depth is 1 cm and 10 cm, along an axis and along a diagonal, are compared with a radially \
        symmetric solution of the diffusive wave; both directions must give the same radius.",
    solvers: &[(SHALLOW, 16.0), (SECOND, 20.0), (INERTIAL, 12.0), (MANNING, 60.0)],
    plots: &[Plot {
        file: "f_radial",
        title: "f. Radial spread after 3600 s, 10 m cells (heavy: axis, light: diagonal)",
        x: "radius [m]",
        y: "depth [m]",
    }],
    quick: true,
    run,
};

const END: f64 = 3600.0;
/// Half the width of the plane [m].
const HALF: f64 = 600.0;

/// Radii [m] along the axes and diagonals at which the depth is 1 cm and 10 cm, and the profiles.
pub struct Spread {
    pub thin: [f64; 2],
    pub thick: [f64; 2],
    profiles: [Vec<(f64, f64)>; 2],
}

fn run(bench: &mut Bench) {
    let reference = data::curve(&data::reference("radial_spread_profiles.csv"), 0, 3);
    let exact = [falls_to(&reference, 0.01), falls_to(&reference, 0.1)];
    // Coarse cells for `make test`, with the limits for 10 m.
    let dx = if bench.full { 10.0 } else { 20.0 };
    let spread = spread(bench, dx, 1.0);
    let [axis, diagonal] = spread.thin;
    let limit = bench.of([Some(0.01), None, Some(0.01), Some(0.015)]);
    bench.judge(
        format!("radius at 1 cm: ratio of axis to diagonal, deviation from 1, {dx} m cells"),
        (axis / diagonal - 1.0).abs(),
        limit,
    );
    bench.note(format!("radius at 1 cm along the axis, {dx} m cells [m]"), axis);
    bench.note("radius at 1 cm in the solution [m]", exact[0]);
    for (way, radius) in ["axis", "diagonal"].into_iter().zip(spread.thick) {
        bench.check(
            format!("radius at 10 cm along the {way}: deviation from 332 m, {dx} m cells [m]"),
            (radius - 332.0).abs(),
            if dx == 10.0 { 6.0 } else { 12.0 },
        );
    }
    let error = |spread: &Spread| {
        rmse(spread.profiles[0].iter().map(|&(r, h)| (h, at(&reference, r))).skip(2))
    };
    bench.note(
        format!("RMSE of depth along the axis beyond the second cell, {dx} m cells [m]"),
        error(&spread),
    );
    if !bench.full {
        return;
    }
    let [along_axis, along_diagonal] = spread.profiles.clone();
    bench.curve("f_radial", bench.solver, Pen::Solver(bench.solver), along_axis);
    bench.curve("f_radial", bench.solver, Pen::SolverThin(bench.solver), along_diagonal);
    let shown = reference.iter().copied().filter(|point| point.0 <= HALF).collect();
    bench.curve("f_radial", "solution", Pen::Reference, shown);

    let (coarse, fine) = (self::spread(bench, 20.0, 1.0), self::spread(bench, 5.0, 1.0));
    bench.check(
        "radius at 1 cm along the axis: deviation from 471 m, 5 m cells [m]",
        (fine.thin[0] - 471.0).abs(),
        6.0,
    );
    bench.check(
        "radius at 10 cm along the axis: deviation from 332 m, 5 m cells [m]",
        (fine.thick[0] - 332.0).abs(),
        3.0,
    );
    let off = |spread: &Spread| (spread.thin[0] - exact[0]).abs();
    for (name, ratio) in [
        (
            "case f, radius at 1 cm: ratio of errors, 10 m to 20 m cells",
            off(&spread) / off(&coarse),
        ),
        ("case f, radius at 1 cm: ratio of errors, 5 m to 10 m cells", off(&fine) / off(&spread)),
    ] {
        bench.check_as("k", name, ratio, 0.75);
    }
}

/// Runs the case with cells of `dx` and a share of the allowed step.
pub fn spread(bench: &mut Bench, dx: f64, step_share: f64) -> Spread {
    let half = (HALF / dx) as usize;
    let across = 2 * half + 1;
    let setup = Setup::new(across, across, dx, 0.05);
    let middle = setup.cell(half, half);
    let setup = Setup { step_share, ..setup }.with_inflow(vec![middle], vec![(0.0, 20.0)]);
    let mut run = bench.start(&setup);
    run.to(END);
    let depths = run.depths();
    let along = |down: usize, length: f64| -> Vec<(f64, f64)> {
        (0..=half).map(|i| (i as f64 * length, depths[middle + i * (1 + down * across)])).collect()
    };
    let profiles = [along(0, dx), along(1, dx * 2f64.sqrt())];
    let radius = |depth: f64| [0, 1].map(|way: usize| falls_to(&profiles[way], depth));
    let share = if step_share == 1.0 {
        String::new()
    } else {
        format!(", {step_share} of the allowed step")
    };
    bench.note(format!("steps, {dx} m cells{share}"), run.steps() as f64);
    bench.finish(&format!("{dx} m cells{share}"), run);
    Spread { thin: radius(0.01), thick: radius(0.1), profiles }
}
