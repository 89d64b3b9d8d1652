//! Case ac: walls thinner than the cells, resolved by tables.

use super::Case;
use crate::bench::{Bench, INERTIAL, SHALLOW};
use crate::setup::Setup;
use inundate::engine::grid::Bed;
use inundate::engine::subgrid::main_pool::lowest_of;

pub const CASE: Case = Case {
    key: "ac",
    title: "Walls thinner than the cells",
    about: "A wall one pixel of 5 m wide crosses a plain of 1040 × 200 m with a slope of 1:1000 and n = 0.035, \
        straight through the middle of cells, or at 27° to the grid. Its crest is 1.5 m above the ground at its \
        foot; 20 m³/s flow in above it, and the lower side is open. The figures are the times from which more than \
        0.05 m³/s flow over the wall and over the lower side, 60 m beyond it, on cells of 40 m with tables of the \
        pixels and with the mean bed, compared with cells of 5 m. Cells that contain the wall store water only on \
        its lower side until it is overtopped, which takes half a cell from the pool: 30 of 970 m³ per metre of \
        wall. The first water over the wall is a film, which cells of 40 m carry to the lower side too soon.",
    solvers: &[(SHALLOW, 20.0), (INERTIAL, 15.0)],
    plots: &[],
    quick: false,
    run,
};

const PIXEL: f64 = 5.0;
const RATIO: usize = 8;
const COLUMNS: usize = 26 * RATIO;
/// Position of the wall [pixels].
const WALL: f64 = 188.0;
const ROWS: usize = 5 * RATIO;
const FLOW: f64 = 20.0;
const THRESHOLD: f64 = 0.05;
/// Time by which the water has overtopped the wall everywhere [s].
const END: f64 = 20_000.0;

/// Returns the ground, with a wall that shifts by a number of columns per row; and which pixels are
/// beyond it.
fn setup(slant: f64) -> (Setup, Vec<bool>) {
    let setup =
        Setup { open: [false, true, false, false], ..Setup::new(COLUMNS, ROWS, PIXEL, 0.035) };
    let ground = |column: f64| -0.001 * column * PIXEL;
    let at = |row: usize| WALL + slant * (row as f64 - 20.0);
    // Closed at corners, too.
    let last = |row: usize| at(row + 1).floor().max(at(row).floor());
    let setup = setup.with_bed(|column, row| {
        let is_wall = (at(row).floor()..=last(row)).contains(&(column as f64));
        if is_wall { ground(WALL) + 1.5 } else { ground(column as f64) }
    });
    let into = (0..ROWS * 2).map(|i| setup.cell(i % 2, i / 2)).collect();
    let beyond = (0..COLUMNS * ROWS).map(|i| (i % COLUMNS) as f64 > last(i / COLUMNS));
    (setup.with_inflow(into, vec![(0.0, FLOW), (END, FLOW)]), beyond.collect())
}

/// Returns when water first flows over the wall, and out at the lower end [s].
fn begins(bench: &mut Bench, name: &str, setup: &Setup, beyond: &[bool]) -> [f64; 2] {
    let every = 20.0;
    let mut run = bench.start(setup);
    let (mut found, mut gone) = ([f64::INFINITY; 2], [0.0; 2]);
    while run.now() < END && found[1].is_infinite() {
        run.to(run.now() + every);
        let depths = run.depths();
        let stands: f64 = depths.iter().zip(beyond).filter(|(_, is)| **is).map(|(h, _)| h).sum();
        let out = run.outflow();
        let passed = [out + stands * setup.dx * setup.dy, out];
        for (which, found) in found.iter_mut().enumerate() {
            if found.is_infinite() && passed[which] - gone[which] > THRESHOLD * every {
                *found = run.now();
            }
        }
        gone = passed;
    }
    bench.finish(name, run);
    found
}

/// Returns which cells store their water beyond the wall, because their lowest pixel is there.
fn beyond_of(fine: &Setup, beyond: &[bool]) -> Vec<bool> {
    let columns = COLUMNS / RATIO;
    let stored_bed = Bed::from_metres(fine.bed.iter().copied());
    let lowest = |cell: usize| {
        let (column, row) = (cell % columns * RATIO, cell / columns * RATIO);
        let pixel = |i: usize| fine.cell(column + i % RATIO, row + i / RATIO);
        let levels = (0..RATIO * RATIO).map(|i| (stored_bed.levels[pixel(i)], i));
        let mut lowest_first: Vec<(i32, usize)> = levels.collect();
        lowest_first.sort_unstable();
        pixel(lowest_of(&lowest_first, RATIO).expect("cells have pixels"))
    };
    (0..columns * (ROWS / RATIO)).map(|cell| beyond[lowest(cell)]).collect()
}

fn run(bench: &mut Bench) {
    for (name, slant) in [("straight wall", 0.0), ("slanting wall", 0.5)] {
        let (fine_setup, beyond) = setup(slant);
        let coarse_beyond = beyond_of(&fine_setup, &beyond);
        let fine = begins(bench, "fine", &fine_setup, &beyond);
        let tables = begins(bench, "tables", &fine_setup.on_tables(RATIO), &coarse_beyond);
        let plain = fine_setup.coarser(RATIO);
        let into = (0..plain.rows).map(|row| plain.cell(0, row)).collect();
        let plain = plain.with_inflow(into, vec![(0.0, FLOW), (END, FLOW)]);
        let plain = begins(bench, "mean bed", &plain, &coarse_beyond);
        let limits = [("over the wall", 5.0), ("over the lower side", 8.0)];
        for (which, (place, limit)) in limits.into_iter().enumerate() {
            let late = |when: [f64; 2]| 100.0 * (when[which] / fine[which] - 1.0);
            let metric = format!("{name}: start of the flow {place}, absolute error [%]");
            bench.check(metric, late(tables).abs(), limit);
            bench.note(format!("{name}: start of the flow {place}, error [%]"), late(tables));
            bench.note(
                format!("{name}, mean bed: start of the flow {place}, error [%]"),
                late(plain),
            );
            bench.note(
                format!("{name}: start of the flow {place} on cells of 5 m [s]"),
                fine[which],
            );
        }
    }
}
