//! Case y: flow around the corner of a building.

use super::Case;
use crate::analytic::G;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::engine::Run;
use crate::metrics::{largest, total};
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "y",
    title: "Flow around the corner of a building",
    about: "A flat street 40 m wide with n = 0.02 and 1 m cells; 2 m²/s enter from the west, and the foot is held at \
        a depth of 2 m. A building of 12 × 20 m on one side leaves half of the width. Head is the level plus u²/2g \
        from the discharges of a cell, averaged over a minute. The mean head, weighted by the discharge, of the flow \
        through the narrowest section and 20 m beyond the building must not exceed that of the approaching flow, and \
        no cell beyond the corner may exceed the maximum before it. All figures are relative to u²/2g of the gap. \
        `inertial`, whose level does not fall where the flow accelerates, has no limits.",
    solvers: &[(SHALLOW, 4.0), (SECOND, 5.0), (INERTIAL, 3.0)],
    plots: &[],
    quick: true,
    run,
};

const COLUMNS: usize = 160;
const ROWS: usize = 40;
/// Columns and rows of the building.
const FROM: usize = 60;
const TO: usize = 72;
const DEEP: usize = 20;
const DISCHARGE: f64 = 2.0;
const FOOT: f64 = 2.0;
const START: f64 = 240.0;
const SAMPLES: usize = 60;

fn run(bench: &mut Bench) {
    let inside = |cell: usize| (FROM..TO).contains(&(cell % COLUMNS)) && cell / COLUMNS < DEEP;
    let mut setup = Setup::new(COLUMNS, ROWS, 1.0, 0.02)
        .with_bed(|column, row| if inside(row * COLUMNS + column) { 10.0 } else { 0.0 });
    setup.depth = (0..COLUMNS * ROWS).map(|cell| if inside(cell) { 0.0 } else { FOOT }).collect();
    let column =
        |column: usize| (0..ROWS).map(|row| row * COLUMNS + column).collect::<Vec<usize>>();
    let head = (0..4).flat_map(column).collect();
    let setup = setup
        .with_inflow(head, vec![(0.0, DISCHARGE * ROWS as f64)])
        .with_held(column(COLUMNS - 1), vec![(0.0, FOOT)]);
    let mut run = bench.start(&setup);
    run.to(START);
    let (mut heads, mut flows) = (vec![0.0; setup.bed.len()], vec![0.0; setup.bed.len()]);
    for sample in 1..=SAMPLES {
        run.to(START + sample as f64);
        for (cell, (head, flow)) in heads_and_flows(&run).into_iter().enumerate() {
            heads[cell] += head / SAMPLES as f64;
            flows[cell] += flow / SAMPLES as f64;
        }
    }
    // Mean head of a section, weighted by discharge.
    let section = |at: usize| {
        let cells = column(at).into_iter().filter(|&cell| !inside(cell));
        let (carried, all) = cells.fold((0.0, 0.0), |(carried, all), cell| {
            (carried + flows[cell] * heads[cell], all + flows[cell])
        });
        carried / all
    };
    let before = section(FROM - 20);
    let gap = column(TO - 2).into_iter().filter(|&cell| !inside(cell));
    let gap = total(gap.map(|cell| flows[cell])) / (ROWS - DEEP) as f64;
    let scale = (gap / FOOT).powi(2) / (2.0 * G);
    let limit = bench.of([Some(0.0), Some(0.0), None, None]);
    for (name, at) in [("in the gap", (FROM + TO) / 2), ("20 m beyond the building", TO + 20)] {
        let gained = 100.0 * (section(at) - before) / scale;
        bench.judge(format!("gain of head {name} [%]"), gained, limit);
    }
    let most = |columns: std::ops::Range<usize>| {
        largest(columns.flat_map(column).filter(|&cell| !inside(cell)).map(|cell| heads[cell]))
    };
    let over = 100.0 * (most(FROM..COLUMNS - 20) - most(20..FROM)) / scale;
    bench.judge("maximum head beyond the corner minus that before it [%]", over, limit);
    bench.note("steps", run.steps() as f64);
    bench.finish("", run);
}

/// Returns head [m] and unit discharge to the east [m²/s] of each cell.
fn heads_and_flows(run: &Run) -> Vec<(f64, f64)> {
    let (east, south) = (run.discharges(0), run.discharges(1));
    let of = |(cell, depth): (usize, f64)| {
        let west = cell + cell / COLUMNS;
        let x = 0.5 * (east[west] + east[west + 1]);
        let y = 0.5 * (south[cell] + south[cell + COLUMNS]);
        let speed = if depth > 0.0 { x.hypot(y) / depth } else { 0.0 };
        (depth + speed * speed / (2.0 * G), x)
    };
    run.depths().into_iter().enumerate().map(of).collect()
}
