//! Case ae: structures in a channel.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::channel::{CentreLine, Channel};
use crate::engine::Run;
use crate::metrics::{largest, mean};
use crate::setup::Setup;
use inundate::engine::forcing::structures::breach::{Part, Trapezoid};
use inundate::engine::forcing::structures::bridge::Bridge;
use inundate::engine::forcing::structures::gate::Gate;
use inundate::engine::forcing::structures::{Structure, StructureKind};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

pub const CASE: Case = Case {
    key: "ae",
    title: "Structures in a channel",
    about: "A level channel of 20 m with 2 m cells and n = 0.02, with a structure across it, a steady discharge and \
        a fixed tailwater level, in ten states of each law: weir, sluice gate, bridge and fully grown breach, free, \
        drowned and overtopped; along the grid, at 45° to it (a staircase of faces), and on subgrid tables of 2 × 2 \
        pixels. After an hour (two with `inertial`, whose waves only friction damps), the formula of the law, \
        implemented here in f64, is evaluated every second of a minute at the levels beside each face, including the \
        approach velocity and the fall of the tailwater; the mean of its sum is compared with the mean discharge through the structure. Ripple is \
        the range of that discharge over the last minute.",
    solvers: &[(SHALLOW, 30.0), (SECOND, 45.0), (INERTIAL, 20.0)],
    plots: &[],
    quick: true,
    run,
};

const G: f64 = 9.81;
const WIDTH: f64 = 20.0;
const LENGTH: f64 = 200.0;
const CELL: f64 = 2.0;
/// Level of the crest of weirs and of the sill of gates [m].
const CREST: f64 = 1.0;
/// Opening of the gate and height of its top over the sill [m].
const OPENING: f64 = 0.5;
const TOP: f64 = 2.0;
/// Height of the bridge's soffit and of its deck over the bed [m].
const SOFFIT: f64 = 2.0;
const DECK: f64 = 2.5;
/// Level of the wall that breaches, and of the bottom of the final breach [m].
const WALL: f64 = 3.0;
const BOTTOM: f64 = 1.0;
const BREACH: Trapezoid =
    Trapezoid { depth: 2.0, width: 8.0, slope: 1.0, formation: 60.0, coefficient: 1.7 };

/// A law, with unit discharges [m²/s] and tailwaters [m] to evaluate it at.
struct Law {
    name: &'static str,
    kind: StructureKind,
    crest: f64,
    states: [(f64, f64); 10],
    /// Unit discharge [m²/s] over a part of the line.
    formula: fn(&Beside) -> f64,
}

/// State beside a part of the line.
struct Beside {
    /// Levels upstream and downstream [m].
    up: f64,
    down: f64,
    /// Velocity head of the approaching flow [m].
    approach: f64,
    /// Distance of its middle from the middle of the structure, and its length [m].
    middle: f64,
    length: f64,
}

const LAWS: [Law; 4] = [
    Law {
        name: "weir",
        kind: StructureKind::Weir,
        crest: CREST,
        states: [
            (0.1, 0.6),
            (0.5, 0.8),
            (1.0, 0.9),
            (2.0, 1.2),
            (3.0, 2.0),
            (0.2, 1.3),
            (0.5, 1.6),
            (1.0, 2.0),
            (2.0, 2.6),
            (3.0, 3.0),
        ],
        formula: |beside| beside.weir(CREST),
    },
    Law {
        name: "gate",
        kind: StructureKind::Gate,
        crest: CREST,
        states: [
            (0.2, 0.6),
            (0.6, 0.8),
            (1.0, 0.9),
            (1.5, 0.9),
            (1.8, 1.0),
            (0.3, 2.0),
            (0.6, 2.2),
            (1.0, 2.5),
            (2.5, 1.2),
            (3.0, 2.8),
        ],
        formula: |beside| {
            let [h1, h2] = [beside.up - CREST, (beside.down - CREST).max(0.0)];
            under_gate(h1, h2).min(beside.weir(CREST)) + beside.weir(CREST + TOP)
        },
    },
    Law {
        name: "bridge",
        kind: StructureKind::Bridge,
        crest: 0.0,
        states: [
            (2.0, 2.2),
            (3.0, 2.2),
            (4.0, 2.2),
            (4.0, 2.4),
            (5.0, 2.3),
            (5.0, 2.5),
            (6.0, 2.4),
            (7.0, 2.4),
            (7.0, 2.8),
            (9.0, 2.6),
        ],
        formula: |beside| {
            let Beside { up, down, .. } = *beside;
            let jet = SOFFIT * (0.62 + 0.38 * (SOFFIT / up).powi(3));
            let free = jet * (2.0 * G * up / (1.0 + jet / up)).sqrt();
            let drowned = (2.0 * G * (up - down)).sqrt() / (1.0 / jet - 1.0 / down);
            let under = if down > jet { free.min(drowned) } else { free };
            under + beside.weir(DECK)
        },
    },
    Law {
        name: "breach",
        kind: StructureKind::Breach,
        crest: WALL - 2.0,
        states: [
            (0.1, 0.6),
            (0.3, 0.8),
            (0.6, 0.9),
            (1.0, 1.0),
            (2.0, 1.5),
            (0.2, 1.6),
            (0.5, 1.9),
            (1.0, 2.3),
            (2.0, 2.8),
            (3.0, 3.2),
        ],
        formula: Beside::breached,
    },
];

/// Returns the unit discharge under the gate for the heads over its sill [m]: free, or with a depth y
/// of water on the jet, from y² − 2ky = h₂² − 2k·h₁.
fn under_gate(h1: f64, h2: f64) -> f64 {
    let jet = 0.6 * OPENING;
    let k = 2.0 * jet * (1.0 - jet / h2);
    let root = k * k - 2.0 * k * h1 + h2 * h2;
    let sudden = h1 * h1 / 64.0;
    let y = if h2 > jet { k + root / root.abs().max(sudden).sqrt() } else { jet };
    jet * (2.0 * G * h1 * (h1 - y.max(jet)) / (h1 - jet)).sqrt()
}

impl Beside {
    /// Returns Fread's factor of the approaching flow for a head over a crest [m].
    fn approached(&self, head: f64) -> f64 {
        1.0 + 1.5 * (self.approach / head).min(0.5)
    }

    /// Returns the unit discharge over a broad crest [m].
    fn weir(&self, crest: f64) -> f64 {
        let [up, down] = [self.up, self.down].map(|level| (level - crest).max(0.0));
        let under = if down > 0.8 * up { (up - down).max(0.0) / 0.2 } else { up };
        if up > 0.0 { 1.7 * self.approached(up) * up * under.sqrt() } else { 0.0 }
    }

    /// Returns the mean unit discharge of a part of the breached wall: the integral of C·h^1.5 over
    /// the trapezoid in small steps, times Fread's factors of the tailwater and of the approaching
    /// flow, and flow over the wall beside it.
    fn breached(&self) -> f64 {
        const STEPS: usize = 400;
        let [width, slope] = [BREACH.width, BREACH.slope].map(f64::from);
        let head = self.up - BOTTOM;
        let ratio = ((self.down - BOTTOM) / head).max(0.0);
        let drowned = if ratio > 0.67 { 1.0 - 27.8 * (ratio - 0.67).powi(3) } else { 1.0 };
        let factor = drowned.max(0.0) * self.approached(head);
        let local = |step: usize| {
            let along = self.length * ((step as f64 + 0.5) / STEPS as f64 - 0.5);
            let from_middle = (self.middle + along).abs();
            let ground = BOTTOM + ((from_middle - 0.5 * width) / slope).max(0.0);
            if ground < WALL {
                1.7 * (self.up - ground).max(0.0).powf(1.5) * factor
            } else {
                self.weir(WALL)
            }
        };
        mean((0..STEPS).map(local))
    }
}

/// An alignment of the channel and the structure.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Straight,
    Stairs,
    Tables,
}

/// An edge between the halves of the channel.
struct Edge {
    /// The cell west or north of it, and the axis across it.
    cell: usize,
    axis: usize,
    /// Set if the flow is to the east or south.
    ahead: bool,
    /// Distance of its middle from the middle of the structure, along the structure's line [m].
    beside: f64,
}

/// Returns the part of the free discharge that passes under a drowned gate with an opening, for heads
/// over its sill [m]: Henry's measurements (1950) in the equation of Swamee (1992, J. Irrig. Drain.
/// Eng. 118(1), 56-60).
fn measured(opening: f64, h1: f64, h2: f64) -> f64 {
    let beyond = 0.81 * h2 * (h2 / opening).powf(0.72) - h1;
    let drop = (h1 - h2).powf(0.7);
    if beyond > 0.0 { drop / (0.32 * beyond.powf(0.7) + drop) } else { 1.0 }
}

/// Compares drowned flow under gates with measurements.
fn compare_gates(bench: &mut Bench) {
    let mut errors = Vec::new();
    for h1 in [5.0, 2.5, 5.0 / 3.0, 1.25, 1.0] {
        for tenths in 4..=9 {
            let h2 = h1 * f64::from(tenths) / 10.0;
            let part = under_gate(h1, h2) / under_gate(h1, 0.0);
            errors.push(part / measured(OPENING, h1, h2) - 1.0);
        }
    }
    let rms = mean(errors.iter().map(|error| error * error)).sqrt();
    bench.check(
        "gate: formula against measured drowned discharges (Henry 1950), RMS error [%]",
        100.0 * rms,
        15.0,
    );
}

fn run(bench: &mut Bench) {
    if bench.solver == SHALLOW {
        compare_gates(bench);
    }
    for law in &LAWS {
        for (way, name) in
            [(Way::Straight, "along the grid"), (Way::Stairs, "at 45°"), (Way::Tables, "on tables")]
        {
            // Second order has no tables.
            let possible = way != Way::Tables || bench.solver != SECOND;
            let chosen = |i: usize| possible && (bench.full || (way == Way::Straight && i == 7));
            let states: Vec<_> = (0..10).filter(|&i| chosen(i)).map(|i| law.states[i]).collect();
            if states.is_empty() {
                continue;
            }
            let name = format!("{}, {name}", law.name);
            let (mut off, mut ripple) = (Vec::new(), Vec::new());
            for (flow, tail) in states {
                let (by_formula, range) = steady(bench, law, way, &name, [flow, tail]);
                off.push(100.0 * (by_formula - 1.0).abs());
                ripple.push(100.0 * range);
            }
            // At second order the jet of a breach meanders by several per cent, and the levels with it.
            let jet = law.kind == StructureKind::Breach && bench.solver == SECOND;
            let limit = if jet { 5.0 } else { 0.5 };
            bench.check(
                format!("{name}: discharge, maximum deviation from the formula [%]"),
                largest(off),
                limit,
            );
            // The jet of a breach meanders in the channel, which is not a matter of the law.
            let jet = law.kind == StructureKind::Breach && bench.solver != INERTIAL;
            let limit = (!jet).then_some(bench.of([0.5, 0.5, 1.0, 1.0]));
            bench.judge(format!("{name}: ripple [%]"), largest(ripple), limit);
        }
    }
}

/// Runs a state until it is steady. Returns the mean discharge of the formula at the state beside the
/// structure and the range of the discharge through it, both over the mean of the latter.
fn steady(bench: &mut Bench, law: &Law, way: Way, name: &str, state: [f64; 2]) -> (f64, f64) {
    let [flow, tail] = state;
    let angle = if way == Way::Stairs { FRAC_PI_4 } else { 0.0 };
    let by = if way == Way::Tables { 2 } else { 1 };
    let from = (1.0 + WIDTH * angle.sin(), 0.5 * WIDTH * (1.0 + angle.sin()));
    let line = CentreLine::straight(from, angle, LENGTH);
    let channel =
        Channel::new(line, WIDTH, 0.0, 0.02, CELL / by as f64).with_flow(tail, flow * WIDTH);
    let mut setup = if by == 1 { channel.setup.clone() } else { on_tables(&channel, by, tail) };
    let edges = edges(&channel, by, from, angle);
    let share = if way == Way::Stairs { FRAC_1_SQRT_2 } else { 1.0 };
    for edge in &edges {
        let numbers = numbers(law.kind, share, edge.beside, &mut setup.law_tables);
        let next = edge.next(setup.columns);
        setup.structures.push(Structure {
            cell: edge.cell,
            axis: edge.axis,
            kind: law.kind,
            crest: law.crest,
            numbers,
            detour: 1.0 / share as f32,
            waits: law.kind.info().waits.then_some([edge.cell, next]),
        });
    }
    setup.keeps_discharge = true;
    // Levels fall by the velocity head of the approaching flow only with momentum.
    let momentum = bench.solver != INERTIAL;
    let by_formula = |run: &Run| -> f64 {
        let levels = run.levels();
        let flows = [run.discharges(0), run.discharges(1)];
        let velocities = momentum.then(|| [run.velocities(0), run.velocities(1)]);
        let each = edges.iter().map(|edge| {
            let mut levels = [edge.cell, edge.next(setup.columns)].map(|cell| levels[cell]);
            if !edge.ahead {
                levels.reverse();
            }
            let [up, mut down] = levels;
            let [behind, own, _] = edge.line(&flows, setup.columns);
            let speed = 0.5 * (own + behind.clamp(0.0, own.max(0.0))) / up / share;
            let approach = if momentum { speed.max(0.0).powi(2) / (2.0 * G) } else { 0.0 };
            if let Some(velocities) = &velocities {
                let [_, own, beyond] = edge.line(velocities, setup.columns);
                let received = edge.line(&flows, setup.columns)[1] / down;
                let beyond = beyond.min(received);
                let fall = (beyond * (beyond - own).max(0.0) / G).max(0.0);
                down -= fall.min(0.5 * (down - law.crest).max(0.0));
            }
            let length = CELL * share;
            (law.formula)(&Beside { up, down, approach, middle: edge.beside, length }) * length
        });
        each.sum()
    };
    let end = bench.of([3600.0, 3600.0, 7200.0, 3600.0]);
    let mut run = bench.start(&setup);
    let (mut through, mut wanted) = (Vec::new(), Vec::new());
    for second in 0..=60 {
        run.to(end - 60.0 + f64::from(second));
        through.push(discharge(&run, setup.columns, &edges));
        wanted.push(by_formula(&run));
    }
    bench.finish(&format!("{name}, {flow} m²/s"), run);
    let range =
        largest(through.iter().copied()) + largest(through.iter().map(|discharge| -discharge));
    (mean(wanted) / mean(through.iter().copied()), range / mean(through))
}

/// Returns the setup of a channel on tables, with its tailwater.
fn on_tables(channel: &Channel, by: usize, tail: f64) -> Setup {
    let fine = &channel.setup;
    let setup = fine.on_tables(by).with_lake(tail);
    let coarse =
        |&cell: &usize| cell / fine.columns / by * setup.columns + cell % fine.columns / by;
    let mut held: Vec<usize> = fine.held.iter().flat_map(|held| &held.cells).map(coarse).collect();
    held.sort_unstable();
    held.dedup();
    setup.with_held(held, vec![(0.0, tail)])
}

/// Returns the edges between the halves of a channel on cells of `by` × `by` of its own.
fn edges(channel: &Channel, by: usize, from: (f64, f64), angle: f64) -> Vec<Edge> {
    let (columns, rows) = (channel.setup.columns / by, channel.setup.rows / by);
    let fine = |cell: usize| cell / columns * by * channel.setup.columns + cell % columns * by;
    let mut edges = Vec::new();
    for (cell, axis) in (0..columns * rows).flat_map(|cell| [(cell, 0), (cell, 1)]) {
        let (column, row) = (cell % columns, cell / columns);
        if [column + 1 == columns, row + 1 == rows][axis] {
            continue;
        }
        let ends = [cell, cell + [1, columns][axis]].map(fine);
        let along = ends.map(|cell| channel.along[cell]);
        let halves = along.map(|along| along < 0.5 * LENGTH);
        if ends.iter().all(|&cell| channel.inside[cell]) && halves[0] != halves[1] {
            let at =
                |index: usize, across: bool| (index as f64 + if across { 1.0 } else { 0.5 }) * CELL;
            let (east, south) = (at(column, axis == 0) - from.0, at(row, axis == 1) - from.1);
            let beside = south * angle.cos() - east * angle.sin();
            edges.push(Edge { cell, axis, ahead: halves[0], beside });
        }
    }
    edges
}

impl Edge {
    fn next(&self, columns: usize) -> usize {
        self.cell + [1, columns][self.axis]
    }

    /// Returns the values, positive downstream, on the edge upstream in its line, on the edge, and on
    /// the one downstream.
    fn line(&self, values: &[Vec<f64>; 2], columns: usize) -> [f64; 3] {
        let (column, row) = (self.cell % columns, self.cell / columns);
        let at = [row * (columns + 1) + column + 1, (row + 1) * columns + column][self.axis];
        let by = [1, columns][self.axis];
        let mut line = [at - by, at, at + by];
        if !self.ahead {
            line.reverse();
        }
        let sign = if self.ahead { 1.0 } else { -1.0 };
        line.map(|at| sign * values[self.axis][at])
    }
}

/// Returns the parameters of a law on an edge that stands for a share of its length.
fn numbers(kind: StructureKind, share: f64, beside: f64, tables: &mut Vec<f32>) -> [f32; 3] {
    let half = 0.5 * CELL * share;
    let share = share as f32;
    match kind {
        StructureKind::Weir => [1.7 * share, 0.8, 0.0],
        StructureKind::Gate => {
            let at = Gate::table(tables, 0.6, &[(0.0, OPENING as f32)]);
            [share, at, TOP as f32]
        }
        StructureKind::Bridge => {
            let at = Bridge::table(tables, 0.62, (DECK - SOFFIT) as f32);
            [share, SOFFIT as f32, at]
        }
        StructureKind::Breach => {
            let part = Part { breach: BREACH, raised: 0.0, length: CELL as f32 };
            [(beside - half) as f32, (beside + half) as f32, part.table(tables)]
        }
    }
}

/// Returns the discharge through the structure [m³/s].
fn discharge(run: &Run, columns: usize, edges: &[Edge]) -> f64 {
    let flows = [run.discharges(0), run.discharges(1)];
    edges.iter().map(|edge| CELL * edge.line(&flows, columns)[1]).sum()
}
