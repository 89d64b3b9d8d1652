//! Case z: uniform flow between stairs.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, SECOND, SHALLOW};
use crate::metrics::largest;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "z",
    title: "Uniform flow between stepped banks",
    about: "A channel at 45° to the grid, 3 and 8 cells wide in a row, has stepped banks of one cell and water of \
        uniform depth. The water is released on a plane with friction, gentle (1:256 along rows and columns, n = \
        0.05) and steep (1:32, n = 0.03), or is in motion from the start on flat ground without friction. All faces \
        are equivalent, so discharges and depths must stay uniform except for the influence of the ends, whether \
        there are banks beside the channel or the domain ends there. The figure is the maximum deviation from the \
        mean after 40 steps, in the middle, which the ends cannot have influenced.",
    solvers: &[(SHALLOW, 3.0), (SECOND, 3.0), (INERTIAL, 3.0), (MANNING, 3.0)],
    plots: &[],
    quick: true,
    run,
};

const DX: f64 = 4.0;
const STEPS: u64 = 40;
/// Number of evaluated cells in the middle, and the reach of a cell's influence in a step.
const MIDDLE: usize = 20;
const REACH: usize = 3;
/// Height of banks over the bed [m].
const BANK: f64 = 30.0;

/// Name, fall per cell [m] in multiples of 2⁻¹⁶ m, n, depth, speed to the east and to the south.
type Flow = (&'static str, f64, f64, f64, f64);
const FLOWS: [Flow; 3] = [
    ("on a plane", 1.0 / 64.0, 0.05, 2.0, 0.0),
    ("on a steep plane", 1.0 / 8.0, 0.03, 1.0, 0.0),
    ("on flat ground", 0.0, 0.0, 2.0, 1.5),
];

fn run(bench: &mut Bench) {
    for flow in FLOWS {
        for cells in [3, 8] {
            if bench.solver == MANNING && flow.1 == 0.0 {
                continue;
            }
            uniform(bench, flow, cells, Some(BANK));
            if cells == 8 {
                uniform(bench, flow, cells, None);
            }
        }
    }
}

fn uniform(
    bench: &mut Bench,
    (name, fall, n, depth, speed): Flow,
    cells: usize,
    bank: Option<f64>,
) {
    let half = MIDDLE / 2 + REACH * STEPS as usize;
    let across = 2 * half;
    // Cells to the south-west of the diagonal; the rest to the north-east.
    let ours = |column: usize, row: usize| {
        let right = column + cells / 2;
        (right..right + cells).contains(&(row + cells - 1))
    };
    let mut setup = Setup::new(across, across, DX, n).with_bed(|column, row| {
        let down = fall * (2 * across - column - row) as f64;
        if ours(column, row) { down } else { bank.map_or(f64::NAN, |bank| down + bank) }
    });
    let all = || (0..across * across).map(|cell| (cell % across, cell / across));
    setup.depth = all().map(|(i, j)| if ours(i, j) { depth } else { 0.0 }).collect();
    setup.speed = [speed; 2];
    setup.keeps_discharge = bench.solver == MANNING;
    let mut run = bench.start(&setup);
    run.more_steps(STEPS);
    let depths = run.depths();
    let middle = half - MIDDLE / 2..half + MIDDLE / 2;
    let here = all().filter(|&(i, j)| ours(i, j) && middle.contains(&i) && middle.contains(&j));
    let here: Vec<(usize, usize)> = here.collect();
    let uneven = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        largest(values.iter().map(|value| (value / mean - 1.0).abs()))
    };
    let cell = |(i, j): (usize, usize)| j * across + i;
    let beside = if bank.is_none() { ", no ground beside the channel" } else { "" };
    let name = format!("{name}, {cells} cells{beside}");
    let off = uneven(here.iter().map(|&at| depths[cell(at)]).collect());
    bench.check(format!("{name}: depth, maximum deviation from the mean [-]"), off, 1e-5);
    let (east, south) = (run.discharges(0), run.discharges(1));
    let mut flows = Vec::new();
    for &(i, j) in &here {
        if ours(i + 1, j) {
            flows.push(east[cell((i, j)) + j + 1]);
        }
        if ours(i, j + 1) {
            flows.push(south[cell((i, j + 1))]);
        }
    }
    // Flow across an edge with aqua-manning depends on levels, and those at closed edges count as
    // 0: edges at banks carry more.
    let limit = bench.of([Some(1e-5), Some(1e-5), Some(1e-3), None]);
    bench.judge(
        format!("{name}: discharge of a face, maximum deviation from the mean [-]"),
        uneven(flows),
        limit,
    );
    bench.tally(&run);
}
