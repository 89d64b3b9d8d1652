//! Case x: dam breaks in tanks across the grid.

use super::Case;
use crate::analytic::G;
use crate::analytic::godunov::Line;
use crate::bench::{Bench, INERTIAL, Pen, SECOND, SHALLOW};
use crate::channel::{CentreLine, Channel};
use crate::engine::Run;
use crate::metrics::{at, mean, total};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "x",
    title: "Tanks across the grid",
    about: "A closed tank of 200 m, 10 cells of 1 m wide, flat and without friction, at 0°, 26.6° and 45° to the \
        grid with stepped walls: 2 m of water in one half is released onto 0.5 m in the other, or onto dry ground. \
        At one end the pool drains away from the wall; at the other a bore (or the front) hits the wall and is \
        reflected. After 40 s the result is compared with a second-order Godunov scheme along the tank with 0.25 m \
        cells: the mean depth of the 15 m at each wall, and the L1 error of the depth (the mean of each metre) over \
        the water above that in front. Energy is that of levels and velocities above still water, over its initial \
        value; it must not rise. `inertial` does not advect momentum and has no limits.",
    solvers: &[(SHALLOW, 4.0), (SECOND, 5.0), (INERTIAL, 3.0)],
    plots: &[Plot {
        file: "x_tank",
        title: "x. Tank at 45°: depth after 40 s (light: the tank at 0°)",
        x: "distance along the tank [m]",
        y: "depth [m]",
    }],
    quick: true,
    run,
};

const LENGTH: f64 = 200.0;
const CELLS: f64 = 10.0;
const HIGH: f64 = 2.0;
const END: f64 = 40.0;
/// Cells of the reference [m].
const FINE: f64 = 0.25;
/// Interval of energy samples [s].
const EVERY: f64 = 0.5;
/// Maximum rise of energy between samples [%]: its parts are not exactly simultaneous, least of all
/// in films on dry ground.
const MAX_RISE: f64 = 0.2;
/// Depth below which energy is ignored [m]: the state of films does not reflect the flow.
const FILM: f64 = 0.01;
/// Length evaluated beside each wall [m].
const NEAR: f64 = 15.0;

fn run(bench: &mut Bench) {
    for (kind, low) in [("wet", 0.5), ("dry", 0.0)] {
        if !bench.full && low == 0.0 {
            continue;
        }
        let start = |x: f64| if x < 0.5 * LENGTH { HIGH } else { low };
        let mut exact = Line::new(0.0, LENGTH, FINE, start);
        exact.advance(END);
        let exact = exact.profile();
        for (angle, fall) in [("0°", 0.0f64), ("26.6°", 0.5), ("45°", 1.0)] {
            if !bench.full && angle == "26.6°" {
                continue;
            }
            let name = format!("{kind}, {angle}");
            let tank = tank(fall.atan());
            let profile = release(bench, &name, &tank, start);
            let straight = fall == 0.0;
            compare(bench, &name, &profile, &exact, low, straight);
            if low > 0.0 && angle != "26.6°" {
                let pen = if straight { Pen::SolverThin } else { Pen::Solver };
                bench.curve("x_tank", bench.solver, pen(bench.solver), profile);
            }
        }
        if low > 0.0 {
            bench.curve("x_tank", "along the tank, 0.25 m", Pen::Reference, exact);
        }
    }
}

fn tank(angle: f64) -> Channel {
    let aside = |across: f64| 1.0 + (0.5 * CELLS * across).ceil();
    let from = (aside(angle.sin()), aside(angle.cos()));
    Channel::new(CentreLine::straight(from, angle, LENGTH), CELLS, 0.0, 0.0, 1.0)
}

/// Runs a tank from the depths that `start` gives along it, and evaluates its energy; returns
/// positions [m] and final depths [m].
fn release(
    bench: &mut Bench,
    name: &str,
    tank: &Channel,
    start: impl Fn(f64) -> f64,
) -> Vec<(f64, f64)> {
    let mut setup = tank.setup.clone();
    let cells = tank.cells(0.0..LENGTH);
    for &cell in &cells {
        setup.depth[cell] = start(tank.along[cell]);
    }
    let still = mean(cells.iter().map(|&cell| setup.depth[cell]));
    let still = 0.5 * G * still * still * cells.len() as f64;
    let mut run = bench.start(&setup);
    let first = energy(&run, &setup) - still;
    let (mut before, mut rose) = (first, 0.0f64);
    for i in 1..=(END / EVERY) as usize {
        run.to(i as f64 * EVERY);
        let now = energy(&run, &setup) - still;
        rose = rose.max(now - before);
        before = now;
    }
    let limit = bench.of([Some(MAX_RISE), Some(MAX_RISE), None, None]);
    let rise = 100.0 * rose / first;
    bench.judge(format!("{name}: maximum rise of energy in {EVERY} s [%]"), rise, limit);
    bench.note(format!("{name}: energy remaining [%]"), 100.0 * before / first);
    let depths = run.depths();
    bench.finish(name, run);
    let metres = (0..LENGTH as usize).map(|metre| {
        let cells = tank.cells(metre as f64..(metre + 1) as f64);
        (metre as f64 + 0.5, mean(cells.iter().map(|&cell| depths[cell])))
    });
    metres.filter(|point| point.1.is_finite()).collect()
}

fn compare(
    bench: &mut Bench,
    name: &str,
    profile: &[(f64, f64)],
    exact: &[(f64, f64)],
    low: f64,
    straight: bool,
) {
    let (wall, whole) = if straight { (2.0, 2.0) } else { (5.0, 10.0) };
    let [wall, whole] = [wall, whole].map(|most| bench.of([Some(most), Some(most), None, None]));
    let near = |from: f64| {
        let ours = profile.iter().filter(|p| (from..from + NEAR).contains(&p.0));
        let (sum, there) = ours.fold((0.0, 0.0), |(a, b), p| (a + p.1, b + at(exact, p.0)));
        100.0 * (sum / there - 1.0)
    };
    for (what, from) in
        [("from which the pool drains", 0.0), ("that the water hits", LENGTH - NEAR)]
    {
        let off = near(from);
        bench
            .judge(format!("{name}: depth at the wall {what}, absolute error [%]"), off.abs(), wall)
            .peers(format!("{off:+.1}"));
    }
    let errors = total(profile.iter().map(|p| (p.1 - at(exact, p.0)).abs()));
    let all = total(profile.iter().map(|p| at(exact, p.0) - low));
    bench.judge(format!("{name}: L1 error of depth [%]"), 100.0 * errors / all, whole);
}

/// Returns energy over density and a cell's area [m³/s²]: of levels, and of the velocity over each
/// edge in the halves of its two cells.
fn energy(run: &Run, setup: &Setup) -> f64 {
    let depths = run.depths();
    let mut all = total(depths.iter().map(|h| 0.5 * G * h * h));
    for (axis, back) in [(0, 1), (1, setup.columns)] {
        let flows = run.discharges(axis);
        for cell in 0..depths.len() {
            let (column, row) = (cell % setup.columns, cell / setup.columns);
            let (flow, first) = match axis {
                0 => (flows[cell + row], column == 0),
                _ => (flows[cell], row == 0),
            };
            if first || flow == 0.0 {
                continue;
            }
            let (behind, ahead) = (depths[cell - back], depths[cell]);
            let donor = if flow > 0.0 { behind } else { ahead };
            if donor > FILM {
                all += 0.25 * (behind + ahead) * (flow / donor).powi(2);
            }
        }
    }
    all
}
