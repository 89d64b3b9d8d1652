//! Case i: dam breaks in a channel.

use super::Case;
use crate::analytic::dam_break::DamBreak;
use crate::analytic::godunov::Line;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::metrics::{at, falls_to, total};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "i",
    title: "Dam breaks",
    about: "5 m of water is released at once onto dry ground (Ritter) and onto 0.5 and 0.05 m of water (Stoker) \
        without friction, and onto dry ground with n = 0.01, where the reference is a second-order Godunov scheme \
        with 0.25 m cells. Cells are 1 m (`aqua-manning`, which has no solution without friction: 5 m, and n = 0.01 \
        throughout). The L1 error is the integral of the absolute depth error over h₀·√(g·h₀)·t. The front is where \
        the depth is 1 cm (dry) or halfway up the bore; the depth of the plateau is taken in its middle. `inertial` \
        and `aqua-manning` do not advect momentum: their errors are given without limits.",
    solvers: &[(SHALLOW, 3.0), (SECOND, 4.0), (INERTIAL, 3.0), (MANNING, 60.0)],
    plots: &[
        Plot {
            file: "i_dry",
            title: "i. Dam break onto dry ground after 10 s",
            x: "distance from the dam [m]",
            y: "depth [m]",
        },
        Plot {
            file: "i_wet",
            title: "i. Dam break onto 0.5 m of water after 10 s",
            x: "distance from the dam [m]",
            y: "depth [m]",
        },
    ],
    quick: true,
    run,
};

const HIGH: f64 = 5.0;
const TIMES: [f64; 3] = [5.0, 10.0, 20.0];
/// Time of the drawn profiles, and of the errors with limits at first order [s].
const DRAWN: f64 = 10.0;
/// End without friction [s], and with friction.
const END: f64 = 20.0;
const ROUGH_END: f64 = 40.0;
const ROUGHNESS: f64 = 0.01;
const SHALLOW_FRONT: f64 = 0.01;

fn run(bench: &mut Bench) {
    if bench.solver == MANNING && !bench.full {
        return;
    }
    dam_break(bench, "dry", "i_dry", 0.0);
    dam_break(bench, "onto 0.5 m", "i_wet", 0.5);
    dam_break(bench, "onto 0.05 m", "", 0.05);
    if bench.full && bench.solver != MANNING {
        with_friction(bench);
    }
}

/// Returns a channel of cells of `dx`, long enough that no wave reaches its ends by `end` [s], and
/// the positions of the cells.
fn channel(dx: f64, low: f64, n: f64, end: f64) -> (Setup, Vec<f64>) {
    let half = (1.1 * 2.0 * (9.81 * HIGH).sqrt() * end / dx).ceil();
    let columns = 2 * half as usize;
    let places: Vec<f64> = (0..columns).map(|i| (i as f64 + 0.5 - half) * dx).collect();
    let mut setup = Setup::new(columns, 1, dx, n);
    setup.depth = places.iter().map(|&x| if x < 0.0 { HIGH } else { low }).collect();
    (setup, places)
}

/// Returns the sum of the depths' errors relative to the released volume [%].
fn l1(profile: &[(f64, f64)], solution: &[(f64, f64)], dx: f64, t: f64) -> f64 {
    let errors = profile.iter().zip(solution).map(|(p, s)| (p.1 - s.1).abs() * dx);
    100.0 * total(errors) / (HIGH * (9.81 * HIGH).sqrt() * t)
}

fn dam_break(bench: &mut Bench, name: &str, plot: &'static str, low: f64) {
    let dam = DamBreak { high: HIGH, low };
    let (dx, n) = bench.of([(1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (5.0, ROUGHNESS)]);
    let (setup, places) = channel(dx, low, n, END);
    let mut run = bench.start(&setup);
    for t in TIMES {
        run.to(t);
        let profile: Vec<(f64, f64)> = places.iter().copied().zip(run.depths()).collect();
        let solution: Vec<(f64, f64)> = places.iter().map(|&x| (x, dam.depth(x, t))).collect();
        let wave: Vec<(f64, f64)> = profile.iter().copied().filter(|point| point.0 > 0.0).collect();
        let (depth, front) = match low {
            // Position where the fan has that depth: (2c − 3√(g·h))·t.
            0.0 => {
                let (c, thin) = ((9.81 * HIGH).sqrt(), (9.81 * SHALLOW_FRONT).sqrt());
                (SHALLOW_FRONT, (2.0 * c - 3.0 * thin) * t)
            }
            _ => (0.5 * (dam.plateau() + low), dam.front(t)),
        };
        let late = 100.0 * (falls_to(&wave, depth) / front - 1.0);
        let error = l1(&profile, &solution, dx, t);
        let limit = |first: f64, then: f64| {
            // The second order's figures are those at 20 s.
            let none = (f64::INFINITY, f64::INFINITY);
            let (time, most) = bench.of([(DRAWN, first), (END, then), none, none]);
            (t == time).then_some(most)
        };
        let (most, furthest) = match low {
            0.0 => (limit(2.5, 0.264), limit(f64::INFINITY, 5.2)),
            0.5 => (limit(f64::INFINITY, 0.286), limit(1.5, 1.5)),
            _ => (limit(f64::INFINITY, 0.264), None),
        };
        let finite = |limit: Option<f64>| limit.filter(|limit| limit.is_finite());
        let (most, furthest) = (finite(most), finite(furthest));
        bench.judge(format!("{name}, {t} s: L1 error of depth [%]"), error, most);
        bench.judge(
            format!("{name}, {t} s: position of the front, absolute error [%]"),
            late.abs(),
            furthest,
        );
        bench.note(format!("{name}, {t} s: position of the front, error [%]"), late);
        if low > 0.0 {
            let middle = 0.5 * (dam.foot_of_the_fan(t) + dam.front(t));
            let plateau = 100.0 * (at(&profile, middle) / dam.plateau() - 1.0);
            let limited = low == 0.5 && t == DRAWN;
            let most = bench.of([limited.then_some(0.3), limited.then_some(0.3), None, None]);
            bench.judge(
                format!("{name}, {t} s: depth of the plateau, absolute error [%]"),
                plateau.abs(),
                most,
            );
        }
        if t == DRAWN && !plot.is_empty() {
            let shown = |curve: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
                curve.into_iter().filter(|point| point.0.abs() < 1.1 * dam.front(t)).collect()
            };
            bench.curve(plot, bench.solver, Pen::Solver(bench.solver), shown(profile));
            bench.curve(plot, "solution", Pen::Reference, shown(solution));
        }
    }
    bench.note(format!("{name}: steps"), run.steps() as f64);
    bench.finish(name, run);
}

fn with_friction(bench: &mut Bench) {
    let (setup, places) = channel(1.0, 0.0, ROUGHNESS, ROUGH_END);
    let fine = 0.25;
    // To the east, the front stays behind the frictionless one.
    let reach = 1.1 * (9.81 * HIGH).sqrt() * ROUGH_END;
    let depth = |x: f64| if x < 0.0 { HIGH } else { 0.0 };
    let mut line = Line { n: ROUGHNESS, ..Line::new(-reach, 2.0 * reach, fine, depth) };
    let mut run = bench.start(&setup);
    let mut now = 0.0;
    for t in [5.0, 10.0, 20.0, 40.0] {
        run.to(t);
        line.advance(t - now);
        now = t;
        let reference = line.profile();
        let profile: Vec<(f64, f64)> = places.iter().copied().zip(run.depths()).collect();
        let solution: Vec<(f64, f64)> = places.iter().map(|&x| (x, at(&reference, x))).collect();
        let front = |curve: &[(f64, f64)]| falls_to(curve, SHALLOW_FRONT);
        let late = 100.0 * (front(&profile) / front(&reference) - 1.0);
        let limited = t >= 20.0;
        let most = bench.of([limited.then_some(1.0), limited.then_some(1.0), None, None]);
        bench.judge(
            format!("dry, n = 0.01, {t} s: position of the front, absolute error [%]"),
            late.abs(),
            most,
        );
        let error = l1(&profile, &solution, 1.0, t);
        bench.note(format!("dry, n = 0.01, {t} s: L1 error of depth [%]"), error);
    }
    bench.finish("dry, n = 0.01", run);
}
