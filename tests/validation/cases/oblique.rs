//! Case v: straight channels across the grid.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::channel::{CentreLine, Channel, FlowState, Normal};
use crate::metrics::largest;
use crate::plot::Plot;

pub const CASE: Case = Case {
    key: "v",
    title: "Straight channels across the grid",
    about: "Rectangular channels on a plane at 0°, 14°, 26.6°, 45° and 60° to the grid, 3, 4, 6, 10 and 20 cells of \
        5 m wide, with stepped banks; three subcritical flows and a supercritical one. The inflow is the discharge \
        at normal depth (Manning, for a wide channel) through the open width, which is that of the open faces of a \
        section, and the foot is held at that depth. The figure is the mean depth, once steady, of a reach so far \
        from both ends that they do not affect it, relative to that normal depth. It is also given relative to \
        normal depth for the channel's own width, the area of its cells over its length, which stepped banks cannot \
        use entirely. Each figure is the worst of the angles; the remarks list the ratios for all angles. The \
        discharge through a section of the reach is sampled forty times at the end, and the speed (of a cell, from \
        the greater discharge of each axis over its depth) at the last sample. `inertial`, which cannot be \
        supercritical, has no limit for that flow; `aqua-manning`, which takes many steps, runs a few channels of 6 \
        cells.",
    solvers: &[(SHALLOW, 120.0), (SECOND, 210.0), (INERTIAL, 75.0), (MANNING, 210.0)],
    plots: &[
        Plot {
            file: "v_angles_4",
            title: "v. Channel of 4 cells, Fr 0.45: mean depth relative to normal depth for the open width",
            x: "angle to the grid [°]",
            y: "depth / normal",
        },
        Plot {
            file: "v_angles_10",
            title: "v. Channel of 10 cells, Fr 0.45: mean depth relative to normal depth for the open width",
            x: "angle to the grid [°]",
            y: "depth / normal",
        },
    ],
    quick: true,
    run,
};

const DX: f64 = 5.0;
const FLOWS: [Normal; 4] = [
    Normal { name: "Fr 0.2", depth: 1.0, slope: 0.001187, n: 0.055 },
    PLOTTED,
    Normal { name: "Fr 0.6", depth: 1.5, slope: 0.00278, n: 0.03 },
    FAST,
];
const PLOTTED: Normal = Normal { name: "Fr 0.45", depth: 2.0, slope: 0.00394, n: 0.05 };
const FAST: Normal = Normal { name: "Fr 2.4", depth: 1.0, slope: 0.05, n: 0.03 };
const WIDTHS: [usize; 5] = [3, 4, 6, 10, 20];
/// Name, and slope of the centre line: distance to the south per distance to the east.
const ANGLES: [(&str, f64); 5] =
    [("0°", 0.0), ("14°", 0.25), ("26.6°", 0.5), ("45°", 1.0), ("60°", 1.732_050_807_568_877_2)];
/// Length of the evaluated reach [m], and of the entrance where the flow develops.
const REACH: f64 = 160.0;
const ENTRANCE: f64 = 100.0;
/// Distance between the held level and the reach, in backwater lengths.
const BACKWATERS: f64 = 4.0;
/// Maximum duration, in travel times from end to end; and the relative change of the reach's depth
/// per travel time below which the flow is steady [-].
const PASSAGES: u32 = 8;
const UNCHANGED: f64 = 1e-3;
/// Number of samples of the discharge, and steps between them.
const SAMPLES: usize = 40;
const STEPS: u64 = 7;
/// Maximum deviation of the discharge of steady flow [%].
const STEADY: f64 = 2.0;

/// Results of a channel.
struct Figures {
    angle: &'static str,
    /// Depth relative to normal depth for the width of open edges, and for the channel's own width.
    open: f64,
    own: f64,
    /// Maximum speed in the reach relative to normal speed.
    speed: f64,
    /// Maximum deviation of the discharge from the inflow [-].
    swing: f64,
}

fn run(bench: &mut Bench) {
    let manning = bench.solver == MANNING;
    for flow in FLOWS {
        let (mut speeds, mut swings) = (Vec::new(), Vec::new());
        for width in WIDTHS {
            if !is_run(bench, flow, width) {
                continue;
            }
            let mut all = Vec::new();
            for angle in ANGLES {
                // In slow deep water, `aqua-manning` takes thirty times as many steps.
                let two = !bench.full || manning && flow.froude() < 1.0;
                if !two || ["26.6°", "45°"].contains(&angle.0) {
                    all.push(channel(bench, flow, width, angle));
                }
            }
            report(bench, flow, width, &all);
            speeds.extend(all.iter().map(|one| one.speed));
            swings.extend(all.iter().map(|one| one.swing));
        }
        if !speeds.is_empty() {
            bench.note(
                format!("{}: maximum speed relative to that at normal depth", flow.name),
                largest(speeds),
            );
            let swing = 100.0 * largest(swings);
            let name =
                format!("{}: discharge at the end, deviation from the inflow [%]", flow.name);
            let slow = (flow.froude() < 1.0).then_some(STEADY);
            bench.judge(name, swing, bench.of([Some(STEADY), Some(STEADY), slow, Some(STEADY)]));
        }
    }
}

/// Returns `true` if a bench runs a flow in channels of a width.
fn is_run(bench: &Bench, flow: Normal, width: usize) -> bool {
    let few = [PLOTTED.name, FAST.name].contains(&flow.name);
    match (bench.solver, bench.full) {
        (MANNING, full) => full && few && width == 6,
        (_, full) => full || flow.name == PLOTTED.name && [4, 10].contains(&width),
    }
}

fn report(bench: &mut Bench, flow: Normal, width: usize, all: &[Figures]) {
    let name = format!("{}, {width} cells", flow.name);
    let list = |of: fn(&Figures) -> f64| -> String {
        let each: Vec<String> =
            all.iter().map(|one| format!("{} {:.3}", one.angle, of(one))).collect();
        each.join(", ")
    };
    let limit = match width {
        3 => None,
        4 => Some(10.0),
        _ => Some(5.0),
    };
    let slow = limit.filter(|_| flow.froude() < 1.0);
    let limit = bench.of([limit, limit, slow, limit]);
    let off = largest(all.iter().map(|one| 100.0 * (one.open - 1.0).abs()));
    bench
        .judge(
            format!("{name}: depth, deviation from normal depth for the open width [%]"),
            off,
            limit,
        )
        .peers(list(|one| one.open));
    let own = largest(all.iter().map(|one| one.own));
    bench
        .note(format!("{name}: depth relative to normal depth for its own width"), own)
        .peers(list(|one| one.own));
    let plot = match (flow.name == PLOTTED.name, width) {
        (true, 4) => "v_angles_4",
        (true, 10) => "v_angles_10",
        _ => return,
    };
    let angle = |name: &str| name.trim_end_matches('°').parse().expect("a number");
    let curve = all.iter().map(|one| (angle(one.angle), one.open)).collect();
    bench.curve(plot, bench.solver, Pen::Solver(bench.solver), curve);
}

/// Runs a channel with a width in cells whose centre line goes `fall` cells to the south for each
/// cell to the east.
fn channel(
    bench: &mut Bench,
    flow: Normal,
    cells: usize,
    (name, fall): (&'static str, f64),
) -> Figures {
    let (angle, width) = (fall.atan(), cells as f64 * DX);
    // The downstream level matters for subcritical flow, the inflow for supercritical flow.
    let settles = BACKWATERS * flow.backwater();
    let (before, after) = match flow.froude() < 1.0 {
        true => (ENTRANCE, settles),
        false => (ENTRANCE + settles, 4.0 * DX),
    };
    let length = before + REACH + after;
    // At least half a width from both sides of the grid; whole cells if the channel follows a row.
    let aside = |across: f64| DX * (1.0 + (0.5 * cells as f64 * across).ceil());
    let shift = if cells % 2 == 1 { 0.5 * DX } else { 0.0 };
    let from = (aside(angle.sin()), aside(angle.cos()) - shift);
    let line = CentreLine::straight(from, angle, length);
    let dry = Channel::new(line, width, flow.slope, flow.n, DX);
    // Cuts across the grid, by columns or rows, whichever the channel crosses faster.
    let (axis, forward, start) = match fall <= 1.0 {
        true => (0, angle.cos(), from.0),
        false => (1, angle.sin(), from.1),
    };
    let cut_at = |along: f64| ((start + along * forward) / DX).round() as usize;
    let cuts: Vec<_> =
        (cut_at(before)..cut_at(before + REACH)).map(|at| dry.cut(axis, at)).collect();
    let edges: usize = cuts.iter().map(Vec::len).sum();
    let open = edges as f64 / cuts.len() as f64 * DX * forward;
    let reach = dry.cells(before..before + REACH);
    let own = reach.len() as f64 * DX * DX / REACH;
    let discharge = flow.depth * flow.speed() * open;
    let mut channel = dry.with_flow(flow.depth, discharge);
    channel.setup.keeps_discharge = bench.solver == MANNING;
    let mut run = bench.start(&channel.setup);
    let mut last = f64::NAN;
    for passage in 2..=PASSAGES {
        run.to(f64::from(passage) * length / flow.speed());
        let now = FlowState::of(&run).depth(&reach);
        if (now / last - 1.0).abs() < UNCHANGED {
            break;
        }
        last = now;
    }
    let section = &cuts[cuts.len() / 2];
    let mut swing = 0.0f64;
    let mut depths = Vec::new();
    for _ in 0..SAMPLES {
        run.more_steps(STEPS);
        let state = FlowState::of(&run);
        swing = swing.max((state.through(&channel, axis, section) / discharge - 1.0).abs());
        depths.push(state.depth(&reach));
    }
    let state = FlowState::of(&run);
    let columns = channel.setup.columns;
    let speed = largest(reach.iter().map(|&cell| state.speed(columns, cell))) / flow.speed();
    let depth = crate::metrics::mean(depths) / flow.depth;
    if cells == 6 && name == "26.6°" {
        bench.finish(&format!("{}, 6 cells, 26.6°", flow.name), run);
    } else {
        bench.tally(&run);
    }
    // Normal depth is proportional to the width to the power of −⅗.
    Figures { angle: name, open: depth, own: depth * (own / open).powf(0.6), speed, swing }
}
