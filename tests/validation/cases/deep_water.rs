//! Case as: rivers that enter deep water, and a sill between two lakes.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::metrics::largest;
use crate::setup::Setup;
use inundate::engine::solver::G;

pub const CASE: Case = Case {
    key: "as",
    title: "Where the bed drops into deep water",
    about: "A river with a normal depth of 2 m at 1.7 m/s, n = 0.03, 10 m cells, flows into a pool 3, 10 or 30 m deeper, over \
        one cell or down a ramp of three. The pool's end is held at the level for which the river keeps its normal depth \
        if the flow loses (u₁ − u₂)²/2g where it spreads over the depth (Borda and Carnot): the error is that of the river's \
        level 50 m before the drop. Then two lakes, 10 m deep below a sill of one or four cells between them, without friction. If the \
        lower level drowns the sill, the discharge is compared with the one that follows from Bernoulli's equation before the \
        sill, and from the momentum behind it; else with that of a broad crest, √g (2H/3)^(3/2).",
    solvers: &[(SHALLOW, 1.0), (SECOND, 1.0), (INERTIAL, 1.0)],
    plots: &[],
    quick: true,
    run,
};

/// Normal depth [m] and speed [m/s] of the river, its roughness [s/m^⅓], and cell length [m].
const DEPTH: f64 = 2.0;
const SPEED: f64 = 1.7;
const N: f64 = 0.03;
const DX: f64 = 10.0;
/// Number of cells of the river, and of river and pool.
const RIVER: usize = 60;
const CELLS: usize = 120;
/// Height of the sill above the bed of the lakes [m].
const SILL: f64 = 10.0;

fn run(bench: &mut Bench) {
    let drops = [(3.0, 1), (10.0, 1), (30.0, 1), (10.0, 3)];
    let errors = drops.map(|(drop, ramp)| river(bench, drop, ramp));
    let metric = "rivers: maximum error of the level [m]";
    bench.judge(metric, largest(errors), bench.of([Some(0.05), Some(0.05), None, None]));
    let sills = [
        (1, 2.1, 2.0),
        (4, 2.1, 2.0),
        (1, 1.05, 1.0),
        (1, 0.55, 0.5),
        (1, 2.0, 1.0),
        (4, 1.0, -5.0),
        (1, 1.0, -5.0),
    ];
    let errors =
        sills.map(|(crest, upper, lower)| (lower / upper, sill(bench, crest, upper, lower)));
    let drowned = errors.into_iter().filter(|&(ratio, _)| ratio > 0.9).map(|(_, error)| error);
    let metric = "drowned sills: maximum error of the discharge [%]";
    bench.judge(metric, largest(drowned), bench.of([Some(15.0), Some(7.0), None, None]));
}

/// Returns the error (m) of the level of a river that enters a pool `drop` (m) deeper over `ramp` cells.
fn river(bench: &mut Bench, drop: f64, ramp: usize) -> f64 {
    let g = f64::from(G);
    let slope = (SPEED * N / DEPTH.powf(2.0 / 3.0)).powi(2);
    let setup = Setup::new(CELLS, 1, DX, N).with_bed(|column, _| match column {
        ..RIVER => slope * DX * (RIVER - 1 - column) as f64,
        _ => -drop * ((column - RIVER + 1) as f64 / ramp as f64).min(1.0),
    });
    // The water that spreads recovers u₂ (u₁ − u₂)/g.
    let spread = SPEED * DEPTH / (DEPTH + drop);
    let level = DEPTH + spread * (SPEED - spread) / g;
    let mut setup = setup
        .with_inflow(vec![0], vec![(0.0, SPEED * DEPTH * DX)])
        .with_held(vec![CELLS - 1], vec![(0.0, level)]);
    setup.depth = setup.bed.iter().map(|bed| (level - bed).max(DEPTH)).collect();
    let mut run = bench.start(&setup);
    run.to(7200.0);
    let before = RIVER - 6;
    let error = run.levels()[before] - setup.bed[before] - DEPTH;
    let over = if ramp == 1 { "a step".into() } else { format!("{ramp} cells") };
    let name = format!("river, drop of {drop} m over {over}");
    bench.note(format!("{name}: error of its level [m]"), error);
    bench.finish(&name, run);
    error.abs()
}

/// Returns the error (%) of the discharge between two lakes with levels `upper` and `lower` (m) above a
/// sill of `crest` cells.
fn sill(bench: &mut Bench, crest: usize, upper: f64, lower: f64) -> f64 {
    let sill = RIVER..RIVER + crest;
    let bed = |column: usize, _| if sill.contains(&column) { 0.0 } else { -SILL };
    let ends = [(0, upper), (CELLS - 1, lower)];
    let setup = Setup::new(CELLS, 1, DX, 0.0).with_bed(bed);
    let mut setup = ends
        .into_iter()
        .fold(setup, |setup, (cell, level)| setup.with_held(vec![cell], vec![(0.0, level)]));
    let level = |column: usize| if column < RIVER { upper } else { lower };
    setup.depth = (0..CELLS).map(|column| (level(column) - setup.bed[column]).max(0.0)).collect();
    setup.keeps_discharge = true;
    let mut run = bench.start(&setup);
    run.to(7200.0);
    let found = run.discharges(0)[RIVER];
    let error = 100.0 * (found / over_sill(upper, lower) - 1.0);
    let wide = if crest == 1 { "one cell".into() } else { format!("{crest} cells") };
    let name = format!("sill of {wide}, levels of {upper} and {lower} m above it");
    bench.note(format!("{name}: error of the discharge [%]"), error);
    bench.finish(&name, run);
    error.abs()
}

/// Returns the discharge over the sill [m²/s].
fn over_sill(upper: f64, lower: f64) -> f64 {
    let g = f64::from(G);
    let critical = g.sqrt() * (2.0 / 3.0 * upper).powf(1.5);
    if lower < 2.0 / 3.0 * upper {
        return critical;
    }
    // On the sill the water is u₂ (u₁ − u₂)/g lower than behind it.
    let excess = |q: f64| {
        let [before, behind] = [q / (upper + SILL), q / (lower + SILL)];
        let mut depth = lower;
        for _ in 0..50 {
            depth = lower - behind * (q / depth - behind) / g;
        }
        depth + (q / depth).powi(2) / (2.0 * g) - upper - before * before / (2.0 * g)
    };
    let (mut low, mut high) = (0.0, critical);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { high = middle } else { low = middle }
    }
    low
}
