//! Case w: channels that wind.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::channel::{CentreLine, Channel, FlowState, Normal};
use crate::metrics::mean;
use std::f64::consts::{FRAC_PI_2, TAU};

pub const CASE: Case = Case {
    key: "w",
    title: "Winding channels",
    about: "Channels 50 m wide with a uniform slope along their centre lines, n = 0.05, 2 m deep where they are \
        straight (Fr 0.45), on 5 m cells (10 cells across) and, with the same solver, on cells a third as wide: a \
        sine meander (wavelength 400 m, 60 m to each side) and bends of 90° between a reach along the rows and one \
        along the columns, round (centre line with a radius of 75 m) and with a sharp inner corner. Both grids have \
        the same inflow and the same level at the foot, which is four backwater lengths below the evaluated reach: \
        one wavelength of the meander, or a bend and the 120 m above it. The mean depth there is compared with that \
        on the fine grid, and the fine grid's with normal depth for 50 m.",
    solvers: &[(SHALLOW, 40.0), (SECOND, 60.0), (INERTIAL, 25.0)],
    plots: &[],
    quick: false,
    run,
};

const FLOW: Normal = Normal { name: "Fr 0.45", depth: 2.0, slope: 0.00394, n: 0.05 };
const WIDTH: f64 = 50.0;
const DX: f64 = 5.0;
const FINER: f64 = 3.0;
/// Straight channel above a bend, whose first part is not evaluated, and straight channel below it
/// [m].
const ABOVE: f64 = 220.0;
const ENTRANCE: f64 = 100.0;
const BELOW: f64 = 480.0;
const RADIUS: f64 = 75.0;
/// Wavelength and amplitude of the meander [m]; number of waves, and start of the evaluated one.
const WAVE: f64 = 400.0;
const ASIDE: f64 = 60.0;
const WAVES: f64 = 2.5;
const FIRST: f64 = 0.25;
/// Duration in travel times from end to end.
const PASSAGES: f64 = 3.0;
const SAMPLES: usize = 20;
const STEPS: u64 = 7;

fn run(bench: &mut Bench) {
    let limit = bench.of([Some(5.0), Some(5.0), Some(5.0), None]);
    winding(bench, "meander", meander, limit);
    winding(bench, "round bend", || bend(RADIUS), limit);
    winding(bench, "sharp bend", || bend(0.0), limit);
}

/// A centre line, and its evaluated reach [m].
type Winding = (CentreLine, [f64; 2]);

fn meander() -> Winding {
    let place = |i: usize| {
        let x = i as f64 * 4.0;
        (x, 0.5 * WIDTH + ASIDE + DX + ASIDE * (TAU * x / WAVE).sin())
    };
    let last = (WAVES * WAVE / 4.0) as usize;
    let line = CentreLine::new((0..=last).map(place).collect());
    let wave = line.length() / WAVES;
    (line, [FIRST * wave, (FIRST + 1.0) * wave])
}

fn bend(radius: f64) -> Winding {
    let edge = 0.5 * WIDTH + DX;
    let pieces = if radius > 0.0 { 30 } else { 0 };
    let mut points = vec![(0.0, edge)];
    points.extend((0..=pieces).map(|i| {
        let turned = FRAC_PI_2 * f64::from(i) / f64::from(pieces.max(1));
        (ABOVE + radius * turned.sin(), edge + radius * (1.0 - turned.cos()))
    }));
    points.push((ABOVE + radius, edge + radius + BELOW));
    let line = CentreLine::new(points);
    let end = line.length() - BELOW;
    (line, [ENTRANCE, end + WIDTH])
}

fn winding(bench: &mut Bench, name: &str, of: impl Fn() -> Winding, limit: Option<f64>) {
    let depth = |bench: &mut Bench, dx: f64| {
        let (line, [from, to]) = of();
        let discharge = WIDTH * FLOW.depth * FLOW.speed();
        let end = PASSAGES * line.length() / FLOW.speed();
        let channel = Channel::new(line, WIDTH, FLOW.slope, FLOW.n, dx);
        let channel = channel.with_flow(FLOW.depth, discharge);
        let reach = channel.cells(from..to);
        let mut run = bench.start(&channel.setup);
        run.to(0.9 * end);
        let before = FlowState::of(&run).depth(&reach);
        run.to(end);
        let mut depths = Vec::new();
        for _ in 0..SAMPLES {
            run.more_steps(STEPS);
            depths.push(FlowState::of(&run).depth(&reach));
        }
        bench.tally(&run);
        let depth = mean(depths);
        (depth, (depth / before - 1.0).abs())
    };
    let (coarse, change) = depth(bench, DX);
    let (fine, fine_change) = depth(bench, DX / FINER);
    let off = 100.0 * (coarse / fine - 1.0);
    bench
        .judge(format!("{name}: depth, deviation from the fine grid [%]"), off.abs(), limit)
        .peers(format!("{coarse:.3} m, {fine:.3} m"));
    bench.note(
        format!("{name}: depth on the fine grid relative to normal depth"),
        fine / FLOW.depth,
    );
    let most = 100.0 * change.max(fine_change);
    bench.check(format!("{name}: change of depth in the last tenth of the run [%]"), most, 0.5);
}
