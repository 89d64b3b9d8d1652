//! Case h: steady flow in a channel with a bed designed for it.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::data;
use crate::engine::Run;
use crate::metrics::mean_absolute;
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "h",
    title: "MacDonald's channel, without and with rain",
    about: "MacDonald et al. (1997), as in SWASHES (Delestre et al. 2013): a channel of 1000 m with 5 m cells and n \
        = 0.033. The inflow is 2 m²/s from the west, or 1 m²/s with 0.001 m/s of rain; the last cell is held at the \
        solution's level. The figure is the mean absolute error of the level after two hours, without the first two \
        cells, where the inflow, which enters without momentum, is accelerated.",
    solvers: &[(SHALLOW, 3.0), (SECOND, 4.0), (INERTIAL, 3.0), (MANNING, 40.0)],
    plots: &[
        Plot {
            file: "h_norain",
            title: "h. MacDonald's channel, no rain",
            x: "distance [m]",
            y: "level [m]",
        },
        Plot {
            file: "h_rain",
            title: "h. MacDonald's channel, rain",
            x: "distance [m]",
            y: "level [m]",
        },
    ],
    quick: true,
    run,
};

const DX: f64 = 5.0;
/// Time of evaluation [s].
const END: f64 = 7200.0;
/// Time of evaluation with `make test`, when the flow is equally steady.
const QUICK_END: f64 = 2400.0;
/// Cells at the entrance that are not counted.
const ENTRANCE: usize = 2;

fn run(bench: &mut Bench) {
    let limit = bench.of([0.006, 0.00286, 0.03, 0.03]);
    channel(bench, "no rain", "h_norain", 2.0, 0.0, limit, "Itzï's own limit: 0.03");
    let limit = bench.of([0.018, 0.0162, 0.04, 0.04]);
    channel(bench, "rain", "h_rain", 1.0, 1e-3, limit, "Itzï's own limit: 0.035");
}

fn channel(
    bench: &mut Bench,
    name: &str,
    plot: &'static str,
    discharge: f64,
    rain: f64,
    limit: f64,
    peers: &'static str,
) {
    let file = data::file(&format!("macdonald/mcdo_{}.csv", name.replace(' ', "")));
    let table = match file.and_then(|path| data::table(&path)) {
        Ok(table) => table,
        Err(why) => return bench.not_run(why),
    };
    let last = table.len() - 1;
    let setup = Setup::new(table.len(), 1, DX, 0.033)
        .with_bed(|column, _| table[column][1])
        .with_inflow(vec![0], vec![(0.0, discharge * DX)])
        .with_held(vec![last], vec![(0.0, table[last][2])])
        .with_rain(Some((0..last).collect()), vec![(0.0, rain)]);
    let mut run = bench.start(&setup);
    let end = if bench.full { END } else { QUICK_END };
    run.to(end - 60.0);
    let level = |run: &Run| -> Vec<f64> {
        run.depths().iter().zip(&setup.bed).map(|(h, z)| h + z).collect()
    };
    let before = level(&run);
    run.to(end);
    let levels = level(&run);
    let pairs = (ENTRANCE..last).map(|cell| (levels[cell], table[cell][2]));
    bench
        .check(format!("{name}: mean absolute error of the level [m]"), mean_absolute(pairs), limit)
        .peers(peers);
    let moved = mean_absolute(before.iter().copied().zip(levels.iter().copied()));
    // Steps shortened to end at a given time disturb the first cell, whose inflow changes at once.
    bench.note(format!("{name}: mean absolute change of level in the last minute [m]"), moved);
    bench.note(format!("{name}: steps"), run.steps() as f64);
    bench.finish(name, run);
    let curve = |values: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        table.iter().enumerate().map(|(cell, row)| (row[0], values(cell))).collect()
    };
    bench.curve(plot, bench.solver, Pen::Solver(bench.solver), curve(&|cell| levels[cell]));
    bench.curve(plot, "solution", Pen::Reference, curve(&|cell| table[cell][2]));
    bench.curve(plot, "bed", Pen::Limit, curve(&|cell| table[cell][1]));
}
