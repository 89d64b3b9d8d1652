//! Case q: rain on a rough steep slope.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, SECOND, SHALLOW};
use crate::metrics::{largest, mean, rmse, total};
use crate::setup::{Setup, noise};

pub const CASE: Case = Case {
    key: "q",
    title: "Rain on a rough steep slope",
    about: "Rain of 100 mm/h falls for ten minutes on 120 × 40 m with a slope of 1:5, n = 0.03 and 2 m cells; the \
        ground is smooth, or has 5 cm of noise without a checkerboard component; the foot is open. In the last \
        minute the outflow must equal the rain. The checkerboard of the depth is the part that changes its sign from \
        cell to cell, in blocks of 10 × 10 cells; the figure is the RMS of the blocks. Films here are millimetres \
        thick: a scheme that treats each step of the bed as a wall would hold them back.",
    solvers: &[(SHALLOW, 2.0), (SECOND, 3.0), (INERTIAL, 2.0), (MANNING, 4.0)],
    plots: &[],
    quick: true,
    run,
};

const COLUMNS: usize = 60;
const ROWS: usize = 20;
const BLOCK: usize = 10;
const DX: f64 = 2.0;
const SLOPE: f64 = 0.2;
const RAIN: f64 = 0.1 / 3600.0;
const LAST_MINUTE: f64 = 540.0;
const END: f64 = 600.0;

fn run(bench: &mut Bench) {
    slope(bench, "smooth", 0.0);
    slope(bench, "5 cm of noise", 0.05);
}

fn slope(bench: &mut Bench, name: &str, height: f64) {
    // Each cell's random value is averaged with its neighbours', so that the bed itself has no
    // checkerboard.
    let rough = |column: usize, row: usize| {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        height * 0.5 * total(corners.map(|(i, j)| noise(column + i, row + j)))
    };
    let setup = Setup::new(COLUMNS, ROWS, DX, 0.03)
        .with_bed(|column, row| SLOPE * DX * (COLUMNS - column) as f64 + rough(column, row))
        .with_rain(None, vec![(0.0, RAIN)]);
    let setup = Setup { open: [false, true, false, false], ..setup };
    let mut run = bench.start(&setup);
    run.to(LAST_MINUTE);
    let before = run.outflow();
    run.to(END);
    let fell = RAIN * (COLUMNS * ROWS) as f64 * DX * DX * (END - LAST_MINUTE);
    let kept = (run.outflow() - before) / fell - 1.0;
    let exact = [Some(1e-3), Some(1e-3), None, None];
    bench.judge(
        format!("{name}: ratio of outflow to rain, deviation from 1"),
        kept.abs(),
        bench.of(exact),
    );
    let depths = run.depths();
    let mut blocks = [0.0; COLUMNS / BLOCK * (ROWS / BLOCK)];
    for (cell, depth) in depths.iter().enumerate() {
        let (column, row) = (cell % COLUMNS, cell / COLUMNS);
        let sign = if (column + row) % 2 == 0 { 1.0 } else { -1.0 };
        let block = row / BLOCK * (COLUMNS / BLOCK) + column / BLOCK;
        blocks[block] += sign * depth / (BLOCK * BLOCK) as f64;
    }
    let odd = rmse(blocks.map(|amplitude| (amplitude, 0.0)));
    let limit = bench.of([Some(0.1), Some(0.1), None, None]);
    bench.judge(format!("{name}: checkerboard of the depth [mm]"), 1e3 * odd, limit);
    let limit = bench.of([Some(10.0), Some(10.0), None, None]);
    let metric = format!("{name}: mean depth [mm]");
    bench.judge(metric, 1e3 * mean(depths.iter().copied()), limit);
    bench.note(format!("{name}: maximum depth [mm]"), 1e3 * largest(depths));
    bench.note(format!("{name}: steps"), run.steps() as f64);
    bench.finish(name, run);
}
