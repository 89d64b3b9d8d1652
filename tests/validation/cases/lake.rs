//! Case d: a lake at rest, and one that comes to rest.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, SECOND, SHALLOW};
use crate::metrics::largest;
use crate::setup::{Setup, noise, rough_bed};

pub const CASE: Case = Case {
    key: "d",
    title: "Lake at rest",
    about: "A lake on 48 × 40 cells of 10 m over a rough bed (± 0.5 m), 45 % of them islands, at elevations of 0, \
        3000 and 8000 m: number of cells whose water has changed after 10 000 steps. Then 1 mm of noise on a lake \
        about 4 m deep: highest minus lowest level after 20 000 steps of at most 0.5 s. The longest wave of a basin \
        is damped least, so more of it remains in a basin of twice the width.",
    solvers: &[(SHALLOW, 4.0), (SECOND, 6.0), (INERTIAL, 3.0), (MANNING, 3.0)],
    plots: &[],
    quick: true,
    run,
};

const COLUMNS: usize = 48;
const ROWS: usize = 40;
/// Share of the cells that are islands.
const DRY: f64 = 0.45;
/// Level of the lake with noise [m].
const DEEP: f64 = 4.0;

fn run(bench: &mut Bench) {
    for height in [0.0, 3000.0, 8000.0] {
        let dry = setup(COLUMNS, ROWS, height);
        let setup = dry.clone().with_lake(level_with_islands(&dry));
        let mut run = bench.start(&setup);
        let before = run.grains();
        assert!(before.contains(&0) && before.iter().any(|&water| water > 0), "lake and islands");
        run.more_steps(if bench.full { 10_000 } else { 2000 });
        let moved = before.iter().zip(run.grains()).filter(|(a, b)| *a != b).count();
        bench.check(format!("at {height} m: number of cells that changed"), moved as f64, 0.0);
        bench.finish(&format!("at {height} m"), run);
    }
    let (small, _) = noise_left(bench, COLUMNS / 2, ROWS / 2);
    if !bench.full {
        // A fifth of the work; the limits are equally close to the results there.
        let limit = bench.of([2.5e-6, 1e-5, 2e-5, 3e-6]);
        bench.check("1 mm of noise on 24 × 20 cells: remaining range of levels [m]", small, limit);
        return;
    }
    bench.note("1 mm of noise on 24 × 20 cells: remaining range of levels [m]", small);
    let (large, time) = noise_left(bench, COLUMNS, ROWS);
    // The second order damps waves least.
    let limit = bench.of([2e-5, 4e-5, 2e-5, 2e-5]);
    bench.check("1 mm of noise on 48 × 40 cells: remaining range of levels [m]", large, limit);
    bench.note("1 mm of noise: simulated time [s]", time);
}

/// Returns the level of a lake that leaves a share of [`DRY`] of the cells dry [m].
fn level_with_islands(setup: &Setup) -> f64 {
    let mut bed = setup.bed.clone();
    bed.sort_by(f64::total_cmp);
    bed[((1.0 - DRY) * bed.len() as f64) as usize]
}

/// Returns the remaining difference of the highest and lowest level [m] of a lake with noise, and
/// the time [s].
fn noise_left(bench: &mut Bench, columns: usize, rows: usize) -> (f64, f64) {
    let mut setup = Setup { dt_max: 0.5, ..setup(columns, rows, 0.0) }.with_lake(DEEP);
    for (cell, depth) in setup.depth.iter_mut().enumerate() {
        *depth += 0.5e-3 * noise(cell % columns, 1000 + cell / columns);
    }
    let mut run = bench.start(&setup);
    run.more_steps(20_000);
    let levels: Vec<f64> = run.depths().iter().zip(&setup.bed).map(|(h, z)| h + z).collect();
    let spread = largest(levels.iter().copied()) + largest(levels.iter().map(|level| -level));
    let time = run.now();
    bench.finish(&format!("noise on {columns} × {rows} cells"), run);
    (spread, time)
}

fn setup(columns: usize, rows: usize, height: f64) -> Setup {
    let bed = |column, row| height + rough_bed(column, row, 0.5);
    Setup::new(columns, rows, 10.0, 0.03).with_bed(bed)
}
