//! Case ac: walls that are thinner than the cells, known by tables.

use super::Case;
use crate::bench::{Bench, INERTIAL, SHALLOW};
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "ac",
    title: "Walls thinner than the cells",
    about: "A wall one pixel of 5 m wide across a plain of 1040 × 200 m that falls by 1:1000, its crest 1.5 m above the ground at its foot, \
        20 m³/s above it, the lower side open, n = 0.035: straight through the middle of cells, and at 27° to the grid. When more than 0.05 m³/s flow over \
        the lower side, on cells of 40 m with tables of the pixels and with the mean bed, against cells of 5 m. Cells that the wall goes through hold water \
        on its lower side alone until it flows over, half a cell less of the pool.",
    rules: &[(SHALLOW, 20.0), (INERTIAL, 15.0)],
    plots: &[],
    quick: false,
    run,
};

const PIXEL: f64 = 5.0;
const RATIO: usize = 8;
const COLUMNS: usize = 26 * RATIO;
/// Where the wall stands [pixels].
const WALL: f64 = 188.0;
const ROWS: usize = 5 * RATIO;
const FLOW: f64 = 20.0;
const FOUND: f64 = 0.05;
/// No water comes over it before, and all has by then [s].
const END: f64 = 20_000.0;

/// The ground, with a wall that runs by so many columns a row.
fn setup(slant: f64) -> Setup {
    let setup =
        Setup { open: [false, true, false, false], ..Setup::new(COLUMNS, ROWS, PIXEL, 0.035) };
    let ground = |column: f64| -0.001 * column * PIXEL;
    let at = |row: usize| WALL + slant * (row as f64 - 20.0);
    let setup = setup.with_bed(|column, row| {
        let from = at(row).floor();
        // Closed at corners, too.
        let is_wall = (from..=at(row + 1).floor().max(from)).contains(&(column as f64));
        if is_wall { ground(WALL) + 1.5 } else { ground(column as f64) }
    });
    let into = (0..ROWS * 2).map(|i| setup.cell(i % 2, i / 2)).collect();
    setup.with_inflow(into, vec![(0.0, FLOW), (END, FLOW)])
}

/// When it flows out at the lower end [s].
fn begins(bench: &mut Bench, name: &str, setup: &Setup) -> f64 {
    let (every, mut gone) = (20.0, 0.0);
    let mut run = bench.start(setup);
    let mut found = f64::INFINITY;
    while run.now() < END && found.is_infinite() {
        run.to(run.now() + every);
        let out = run.outflow();
        if out - gone > FOUND * every {
            found = run.now();
        }
        gone = out;
    }
    bench.finish(name, run);
    found
}

fn run(bench: &mut Bench) {
    for (name, slant) in [("straight wall", 0.0), ("slanting wall", 0.5)] {
        let fine_setup = setup(slant);
        let fine = begins(bench, "fine", &fine_setup);
        let tables = begins(bench, "tables", &fine_setup.on_tables(RATIO));
        let plain = fine_setup.coarser(RATIO);
        let into = (0..plain.rows).map(|row| plain.cell(0, row)).collect();
        let plain = plain.with_inflow(into, vec![(0.0, FLOW), (END, FLOW)]);
        let plain = begins(bench, "mean bed", &plain);
        let late = |when: f64| 100.0 * (when / fine - 1.0);
        bench.check(format!("{name}: error of when it flows over it [%]"), late(tables).abs(), 8.0);
        bench.note(format!("{name}: how much later than on cells of 5 m [%]"), late(tables));
        bench.note(format!("{name}, mean bed: how much later [%]"), late(plain));
        bench.note(format!("{name}: when, on cells of 5 m [s]"), fine);
    }
}
