//! Case e: filling and spilling of 16 pits.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::engine::Run;
use crate::metrics::{largest, rises_to};
use crate::plot::Plot;
use crate::setup::Setup;
use std::f64::consts::PI;

pub const CASE: Case = Case {
    key: "e",
    title: "Filling and spilling of 16 pits",
    about: "After the Environment Agency's test 2 (Néelz & Pender 2013): a closed square of 2000 m that falls 1:1500 \
        to the south and 1:3000 to the east, with 4 × 4 pits of 0.5 m (sin² × sin²) and n = 0.03; up to 20 m³/s over \
        the northern 100 m of the west edge for 80 min. Arrival is at a depth of 1 cm at a pit's centre; the \
        reference is `shallow-water` with 10 m cells. The range of levels in a pool after 48 h is the highest minus \
        the lowest level of the cells around a centre that are over 10 cm deep.",
    solvers: &[(SHALLOW, 90.0), (SECOND, 120.0), (INERTIAL, 60.0), (MANNING, 120.0)],
    plots: &[Plot {
        file: "e_pits",
        title: "e. Depth in the pits that fill, 20 m cells (light: shallow-water, 10 m)",
        x: "time [h]",
        y: "depth [m]",
    }],
    quick: false,
    run,
};

const SIDE: f64 = 2000.0;
const PITS: usize = 4;
/// Deeper than water that is still flowing from pool to pool [m].
const POOL: f64 = 0.1;
const EVERY: f64 = 30.0;
const EARLY: f64 = 7200.0;
const END: f64 = 48.0 * 3600.0;

fn run(bench: &mut Bench) {
    let (fine, yardstick) = filled(Run::start(&setup(10.0), SHALLOW), 10.0);
    if bench.solver == SHALLOW {
        bench.note("steps in 2 h, 10 m cells", fine.steps() as f64);
        bench.finish("2 h of shallow-water, 10 m cells", fine);
    }

    let (mut run, curves) = filled(bench.start(&setup(20.0)), 20.0);
    let arrivals = |curves: &[Vec<(f64, f64)>]| -> Vec<f64> {
        curves.iter().map(|curve| rises_to(curve, 0.01)).collect()
    };
    let (ours, theirs) = (arrivals(&curves), arrivals(&yardstick));
    let both = ours.iter().zip(&theirs).filter(|(a, b)| a.is_finite() && b.is_finite());
    let off = both.map(|(a, b)| (a / b - 1.0).abs());
    let reached = |times: &[f64]| times.iter().filter(|time| time.is_finite()).count() as f64;
    bench.note("number of pits reached before 2 h", reached(&ours));
    bench.check(
        "number of pits reached before 2 h: difference from `shallow-water` with 10 m cells",
        (reached(&ours) - reached(&theirs)).abs(),
        0.0,
    );
    let limit = bench.of([0.04, 0.04, 0.04, 0.08]);
    bench.check(
        "arrivals before 2 h, 20 m cells: maximum relative difference",
        largest(off),
        limit,
    );
    for (pit, curve) in curves.iter().enumerate().filter(|(pit, _)| ours[*pit].is_finite()) {
        let hours = |curve: &[(f64, f64)]| curve.iter().map(|&(t, h)| (t / 3600.0, h)).collect();
        bench.curve("e_pits", bench.solver, Pen::Solver(bench.solver), hours(curve));
        bench.curve(
            "e_pits",
            "shallow-water, 10 m",
            Pen::SolverThin(SHALLOW),
            hours(&yardstick[pit]),
        );
    }
    run.to(END);
    let (pools, spread) = pools(&run, &setup(20.0));
    bench.note("number of pools after 48 h", pools);
    bench.check("pools after 48 h: maximum range of levels in a pool [m]", spread, 1e-4);
    bench.note("steps in 48 h, 20 m cells", run.steps() as f64);
    bench.finish("48 h, 20 m cells", run);
}

fn setup(dx: f64) -> Setup {
    let across = (SIDE / dx) as usize;
    let wave = |at: f64| (PI * at * PITS as f64 / SIDE).sin().powi(2);
    let setup = Setup::new(across, across, dx, 0.03).with_bed(|column, row| {
        let (east, south) = ((column as f64 + 0.5) * dx, (row as f64 + 0.5) * dx);
        -south / 1500.0 - east / 3000.0 - 0.5 * wave(east) * wave(south)
    });
    // y 1900 to 2000 m: the northernmost rows.
    let cells = (0..(100.0 / dx) as usize).map(|row| row * across).collect();
    let minutes = [(0.0, 0.0), (5.0, 0.0), (10.0, 20.0), (86.0, 20.0), (91.0, 0.0)];
    setup.with_inflow(cells, minutes.map(|(t, q)| (60.0 * t, q)).to_vec())
}

/// Runs the first hours; returns the depth [m] at the centre of every pit over time.
fn filled(mut run: Run, dx: f64) -> (Run, Vec<Vec<(f64, f64)>>) {
    let mut curves = vec![vec![(0.0, 0.0)]; PITS * PITS];
    for i in 1..=(EARLY / EVERY) as usize {
        run.to(i as f64 * EVERY);
        let depths = run.depths();
        for (pit, curve) in curves.iter_mut().enumerate() {
            let cells = centre(pit, dx);
            let depth = cells.iter().map(|&cell| depths[cell]).sum::<f64>() / cells.len() as f64;
            curve.push((run.now(), depth));
        }
    }
    (run, curves)
}

/// Returns the cell at a pit's centre, or the four around it.
fn centre(pit: usize, dx: f64) -> Vec<usize> {
    let across = (SIDE / dx) as usize;
    let at = |index: usize| {
        let place = (index as f64 + 0.5) * SIDE / PITS as f64 / dx;
        let low = place.ceil() as usize - 1;
        [low, place.floor() as usize]
    };
    let (columns, rows) = (at(pit % PITS), at(pit / PITS));
    let mut cells: Vec<usize> = rows
        .iter()
        .flat_map(|row| columns.iter().map(move |column| row * across + column))
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Returns the number of pools around pit centres, and the maximum difference of levels within one
/// [m].
fn pools(run: &Run, setup: &Setup) -> (f64, f64) {
    let (depths, across) = (run.depths(), setup.columns);
    let level = |cell: usize| depths[cell] + setup.bed[cell];
    let mut seen = vec![false; depths.len()];
    let mut spreads = Vec::new();
    for pit in 0..PITS * PITS {
        let mut stack: Vec<usize> = centre(pit, setup.dx);
        stack.retain(|&cell| depths[cell] > POOL && !seen[cell]);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        while let Some(cell) = stack.pop() {
            if seen[cell] || depths[cell] < POOL {
                continue;
            }
            seen[cell] = true;
            (low, high) = (low.min(level(cell)), high.max(level(cell)));
            let (column, row) = (cell % across, cell / across);
            stack.extend((column > 0).then(|| cell - 1));
            stack.extend((column + 1 < across).then(|| cell + 1));
            stack.extend((row > 0).then(|| cell - across));
            stack.extend((row + 1 < setup.rows).then(|| cell + across));
        }
        if high > low {
            spreads.push(high - low);
        }
    }
    (spreads.len() as f64, largest(spreads))
}
