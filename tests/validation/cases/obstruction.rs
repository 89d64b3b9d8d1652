//! Case af: momentum over an obstruction, the Environment Agency's test 3.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::data;
use crate::metrics::largest;
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "af",
    title: "Momentum over an obstruction (Environment Agency, test 3)",
    about: "A domain of 300 × 100 m with 2 m cells and n = 0.01, dry and closed: a slope of 1:200, two hollows of \
        0.25 m and a crest between them (the test's terrain, which is the same in every row). 1310 m³ enter over \
        the west edge within 30 s, just the volume of the first hollow. With inertia, a part of it crosses the \
        crest; models without inertia leave the second hollow dry.",
    solvers: &[(SHALLOW, 1.0), (SECOND, 2.0), (INERTIAL, 1.0), (MANNING, 4.0)],
    plots: &[Plot {
        file: "af_obstruction",
        title: "af. Environment Agency, test 3: depth in the second hollow",
        x: "time [s]",
        y: "depth [m]",
    }],
    quick: true,
    run,
};

const COLUMNS: usize = 150;
const ROWS: usize = 50;
const DX: f64 = 2.0;
const END: f64 = 900.0;
const EVERY: f64 = 5.0;
const INFLOW: [(f64, f64); 5] = [(0.0, 0.0), (5.0, 0.0), (15.0, 65.5), (25.0, 65.5), (35.0, 0.0)];
/// Columns of points 1 and 2, at x = 150 and 250 m.
const POINTS: [usize; 2] = [75, 124];
/// Depths in the second hollow of the published models with inertia [m].
const PUBLISHED: [f64; 2] = [0.05, 0.06];

fn run(bench: &mut Bench) {
    // Its steps are short.
    if bench.solver == MANNING && !bench.full {
        return;
    }
    let bed: Vec<f64> = data::reference("obstruction_bed.csv").iter().map(|row| row[1]).collect();
    let setup = Setup::new(COLUMNS, ROWS, DX, 0.01).with_bed(|column, _| bed[column]);
    let cells = (0..ROWS).map(|row| setup.cell(0, row)).collect();
    let setup = setup.with_inflow(cells, INFLOW.to_vec());
    let mut run = bench.start(&setup);
    let mut second = vec![(0.0, 0.0)];
    while run.now() < END {
        run.to(run.now() + EVERY);
        second.push((run.now(), run.depths()[setup.cell(POINTS[1], ROWS / 2)]));
    }
    let depths = run.depths();
    let [first, behind] = POINTS.map(|column| depths[setup.cell(column, ROWS / 2)]);
    bench.note("depth in the first hollow at the end [m]", first);
    let beyond = (behind - PUBLISHED[0]).min(0.0).abs().max((behind - PUBLISHED[1]).max(0.0));
    let limit = bench.of([Some(0.01), Some(0.01), None, None]);
    bench
        .judge(
            "depth in the second hollow: deviation from the published 0.05 to 0.06 m [m]",
            beyond,
            limit,
        )
        .peers(format!("{behind:.3} m"));
    // Without inertia nothing crosses.
    let limit = bench.of([None, None, None, Some(1e-3)]);
    let greatest = largest(second.iter().map(|point| point.1));
    bench.judge("maximum depth in the second hollow [m]", greatest, limit);
    let across = (0..COLUMNS).map(|column| {
        let of = |row: usize| depths[setup.cell(column, row)];
        (0..ROWS).map(|row| (of(row) - of(0)).abs()).fold(0.0, f64::max)
    });
    bench.check("maximum difference of depth between rows [m]", largest(across), 0.0);
    bench.curve("af_obstruction", bench.solver, Pen::Solver(bench.solver), second);
    bench.finish("900 s", run);
}
