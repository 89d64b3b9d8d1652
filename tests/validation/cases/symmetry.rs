//! Case r: independence of direction.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, SECOND, SHALLOW};
use crate::setup::{Setup, rough_bed};

pub const CASE: Case = Case {
    key: "r",
    title: "Mirror and quarter turn",
    about: "A dam break with rain over a rough bed with dry islands, 37 × 29 cells of 10 m, all sides open, 600 \
        steps: number of cells whose water differs when the same set-up is mirrored, or rotated by 90°.",
    solvers: &[(SHALLOW, 0.5), (SECOND, 0.5), (INERTIAL, 0.5), (MANNING, 0.5)],
    plots: &[],
    quick: true,
    run,
};

const COLUMNS: usize = 37;
const ROWS: usize = 29;
const STEPS: u64 = 600;

/// New position of a cell of the case, from (column, row), in a grid of (columns, rows).
type Way = fn((usize, usize)) -> (usize, usize);

fn run(bench: &mut Bench) {
    let plain = after(bench, (COLUMNS, ROWS), |cell| cell);
    let ways: [(&str, (usize, usize), Way); 3] = [
        ("mirrored to the east", (COLUMNS, ROWS), |(i, j)| (COLUMNS - 1 - i, j)),
        ("mirrored to the south", (COLUMNS, ROWS), |(i, j)| (i, ROWS - 1 - j)),
        ("rotated by 90°", (ROWS, COLUMNS), |(i, j)| (ROWS - 1 - j, i)),
    ];
    for (name, shape, way) in ways {
        let there = after(bench, shape, way);
        let cells = (0..COLUMNS * ROWS).map(|cell| (cell % COLUMNS, cell / COLUMNS));
        let differ = cells.filter(|&cell| {
            let (i, j) = way(cell);
            plain[cell.1 * COLUMNS + cell.0] != there[j * shape.0 + i]
        });
        bench.check(format!("{name}: number of cells that differ"), differ.count() as f64, 0.0);
    }
}

/// Returns the water after the steps, with the case in another orientation.
fn after(bench: &mut Bench, (columns, rows): (usize, usize), way: Way) -> Vec<i32> {
    let mut from = vec![(0, 0); columns * rows];
    for cell in (0..COLUMNS * ROWS).map(|cell| (cell % COLUMNS, cell / COLUMNS)) {
        let (i, j) = way(cell);
        from[j * columns + i] = cell;
    }
    let mut setup = Setup::new(columns, rows, 10.0, 0.03).with_bed(|column, row| {
        let (i, j) = from[row * columns + column];
        rough_bed(i, j, 1.0)
    });
    for (cell, (i, j)) in from.iter().copied().enumerate() {
        let level = if i < 12 && j > 8 { 2.5 } else { 0.0 };
        setup.depth[cell] = (level - setup.bed[cell]).max(0.0);
    }
    let setup = setup.with_rain(None, vec![(0.0, 50e-3 / 3600.0)]);
    let mut run = bench.start(&Setup { open: [true; 4], ..setup });
    run.more_steps(STEPS);
    let grains = run.grains();
    bench.finish("", run);
    grains
}
