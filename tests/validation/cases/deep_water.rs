//! Case as: rivers that enter deep water, and sills between two lakes.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::metrics::largest;
use crate::setup::Setup;
use inundate::engine::solver::G;

pub const CASE: Case = Case {
    key: "as",
    title: "Steps in the bed: deep water and sills",
    about: "A river with a normal depth of 2 m at 1.7 m/s, n = 0.03, 10 m cells, flows into a pool 3, 10 or 30 m deeper, over \
        one cell or down a ramp of three. The pool's end is held at the level for which the river keeps its normal depth \
        if the flow loses (u₁ − u₂)²/2g where it spreads over the depth (Borda and Carnot): the error is that of the river's \
        level 50 m before the drop. Then two lakes with a sill of one to four cells between them, some with \
        ramps, without friction. If the lower level drowns the sill, the discharge is compared with the one that follows from \
        Bernoulli's equation before the sill, and from the momentum behind it; else with that of a broad crest, \
        √g (2E/3)^(3/2), with the energy head E above it. Some run again with subgrid tables, on pixels of 5 m.",
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

/// A sill between two lakes.
#[derive(Clone, Copy)]
struct Sill {
    /// Height above the bed of the lakes [m].
    height: f64,
    /// Length of its crest, and of the ramps before and behind it [cells].
    length: usize,
    ramps: [usize; 2],
    /// Levels of the lakes above it [m].
    upper: f64,
    lower: f64,
}

const fn sill(height: f64, length: usize, upper: f64, lower: f64) -> Sill {
    Sill { height, length, ramps: [0; 2], upper, lower }
}

impl Sill {
    const fn with_ramps(self, before: usize, behind: usize) -> Sill {
        Sill { ramps: [before, behind], ..self }
    }

    /// Returns the bed above the crest [m], given the number of cells to its first one.
    fn bed(&self, column: isize) -> f64 {
        let beside = if column < 0 {
            column.unsigned_abs()
        } else {
            (column + 1).saturating_sub_unsigned(self.length).max(0).unsigned_abs()
        };
        let ramp = self.ramps[usize::from(column > 0)];
        -self.height * (beside as f64 / (ramp + 1) as f64).min(1.0)
    }
}

/// Sills with free overfall, at least as high as the head.
const FREE: [Sill; 7] = [
    sill(10.0, 1, 1.0, -5.0),
    sill(10.0, 2, 1.0, -5.0),
    sill(10.0, 4, 1.0, -5.0),
    sill(2.0, 1, 1.0, -1.0),
    sill(1.0, 1, 1.0, -0.5),
    sill(10.0, 1, 2.0, 1.0),
    sill(10.0, 1, 0.1, -5.0),
];
/// The same with ramps.
const RAMPS: [Sill; 6] = [
    sill(4.0, 1, 1.0, -2.0).with_ramps(1, 0),
    sill(4.0, 1, 1.0, -2.0).with_ramps(1, 1),
    sill(4.0, 1, 1.0, -2.0).with_ramps(3, 0),
    sill(4.0, 1, 1.0, -2.0).with_ramps(2, 2),
    sill(2.0, 1, 1.0, -1.0).with_ramps(3, 3),
    sill(4.0, 2, 1.0, -2.0).with_ramps(1, 1),
];
/// Lower ones.
const LOW: [Sill; 3] =
    [sill(0.5, 1, 1.0, -0.2), sill(0.25, 1, 1.0, -0.1), sill(0.25, 4, 1.0, -0.1)];
/// Drowned sills in deep water.
const DROWNED: [Sill; 4] = [
    sill(10.0, 1, 2.1, 2.0),
    sill(10.0, 4, 2.1, 2.0),
    sill(10.0, 1, 1.05, 1.0),
    sill(10.0, 1, 0.55, 0.5),
];
/// Other drowned sills.
const NEARLY_FREE: [Sill; 3] =
    [sill(10.0, 1, 1.0, 0.8), sill(1.0, 1, 1.0, 0.8), sill(1.0, 1, 1.0, 0.95)];

fn run(bench: &mut Bench) {
    let drops = [(3.0, 1), (10.0, 1), (30.0, 1), (10.0, 3)];
    let errors = drops.map(|(drop, ramp)| river(bench, drop, ramp));
    let metric = "rivers: maximum error of the level [m]";
    bench.judge(metric, largest(errors), bench.of([Some(0.05), Some(0.05), None, None]));
    for (sills, metric, limits) in [
        (&FREE[..], "free overfall", [Some(0.1), Some(0.1), None, None]),
        (&RAMPS[..], "free overfall with ramps", [Some(0.1), Some(15.0), None, None]),
        (&LOW[..], "free overfall over low sills", [Some(0.1), Some(20.0), None, None]),
        (&DROWNED[..], "drowned sills", [Some(15.0), Some(12.0), None, None]),
        (&NEARLY_FREE[..], "sills less drowned or lower", [Some(20.0), Some(16.0), None, None]),
    ] {
        let errors: Vec<f64> = sills.iter().map(|&sill| over(bench, sill, false)).collect();
        let metric = format!("{metric}: maximum error of the discharge [%]");
        bench.judge(metric, largest(errors), bench.of(limits));
    }
    if bench.solver != SECOND {
        let errors = [FREE[0], FREE[3], FREE[6], LOW[1], DROWNED[0]];
        let errors = errors.map(|sill| over(bench, sill, true));
        let metric = "sills with tables: maximum error of the discharge [%]";
        bench.judge(metric, largest(errors), bench.of([Some(6.0), None, None, None]));
    }
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

/// Returns the error (%) of the discharge over a sill between two lakes, on cells or with `tables`.
fn over(bench: &mut Bench, sill: Sill, tables: bool) -> f64 {
    let Sill { height, length, ramps: [before, behind], upper, lower } = sill;
    let bed = |column: usize| sill.bed(column as isize - RIVER as isize);
    let setup = match tables {
        false => Setup::new(CELLS, 1, DX, 0.0).with_bed(|column, _| bed(column)),
        true => Setup::new(2 * CELLS, 2, DX / 2.0, 0.0)
            .with_bed(|column, _| bed(column / 2))
            .on_tables(2),
    };
    let ends = [(0, upper), (CELLS - 1, lower)];
    let mut setup = ends
        .into_iter()
        .fold(setup, |setup, (cell, level)| setup.with_held(vec![cell], vec![(0.0, level)]));
    let level = |column: usize| if column < RIVER { upper } else { lower };
    setup.depth = (0..CELLS).map(|column| (level(column) - setup.bed[column]).max(0.0)).collect();
    setup.keeps_discharge = true;
    let mut run = bench.start(&setup);
    run.to(7200.0);
    let found = run.discharges(0)[RIVER];
    let error = 100.0 * (found / discharge(sill) - 1.0);
    let long = if length == 1 { "one cell".into() } else { format!("{length} cells") };
    let with = if tables { ", tables" } else { "" };
    let ramps = if before + behind > 0 {
        format!(", ramps of {before} and {behind} cells")
    } else {
        String::new()
    };
    let name = format!(
        "sill of {long}, {height} m high, levels of {upper} and {lower} m above it{ramps}{with}"
    );
    bench.note(format!("{name}: error of the discharge [%]"), error);
    bench.finish(&name, run);
    error.abs()
}

/// Returns the discharge over a sill [m²/s].
fn discharge(Sill { height, upper, lower, .. }: Sill) -> f64 {
    let g = f64::from(G);
    let head = |q: f64| upper + (q / (upper + height)).powi(2) / (2.0 * g);
    let mut critical = 0.0;
    for _ in 0..50 {
        critical = g.sqrt() * (2.0 / 3.0 * head(critical)).powf(1.5);
    }
    if lower < 2.0 / 3.0 * upper {
        return critical;
    }
    // On the sill the water is u₂ (u₁ − u₂)/g lower than behind it.
    let excess = |q: f64| {
        let behind = q / (lower + height);
        let mut depth = lower;
        for _ in 0..50 {
            depth = lower - behind * (q / depth - behind) / g;
        }
        depth + (q / depth).powi(2) / (2.0 * g) - head(q)
    };
    let (mut low, mut high) = (0.0, critical);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { high = middle } else { low = middle }
    }
    low
}
