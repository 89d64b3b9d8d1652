//! Case l: a storm over real mountains, with every solver.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, SECOND, SHALLOW};
use crate::data;
use crate::engine::{self, Dem, Run};
use crate::metrics::{critical_success, largest, mean, rmse};
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "l",
    title: "A storm over mountains",
    about: "landspy's DEM of the Rif (721 × 605 cells of 27.0055 × 26.9912 m), 100 mm of rain in six hours, n = \
        0.05, open edges. Its pits fill with pools ten metres deep, where `aqua-manning` needs steps of milliseconds \
        with such cells; that takes a day on one core, so it runs on a GPU only; all solvers also run with cells of \
        81 m (means of 3 × 3). Maps of the maximum depth are compared with those of `shallow-water`. The critical \
        success index (CSI) is the number of cells deeper than a given depth in both maps over the number of those \
        deeper in either.",
    solvers: &[(SHALLOW, 900.0)],
    plots: &[],
    quick: false,
    run,
};

const STORM: f64 = 6.0 * 3600.0;
const RAIN: f64 = 0.1;
const COARSER: usize = 3;
/// Solvers that run with cells of 27 m, and of 81 m.
const FINE: [&str; 3] = [SHALLOW, INERTIAL, MANNING];
const COARSE: [&str; 4] = [SHALLOW, SECOND, INERTIAL, MANNING];

/// Results of a storm: the solver's figures, and the maximum depths [m] if it was run.
struct Storm {
    bench: Bench,
    depths: Option<Vec<f64>>,
}

fn run(bench: &mut Bench) {
    let dem = data::file("dems/landspy_jebja30.tif").and_then(|path| engine::read_dem(&path));
    let dem = match dem {
        Ok(dem) => dem,
        Err(why) => return bench.not_run(why),
    };
    let (fine, full) = (setup(&dem), bench.full);
    let coarse = rained_on(fine.coarser(COARSER));
    // One core for each cell size.
    let storms = |solvers: &'static [&'static str], setup, cells| {
        solvers.iter().map(move |solver| storm(full, solver, setup, cells)).collect::<Vec<Storm>>()
    };
    let (fine, coarse) = std::thread::scope(|scope| {
        let beside = scope.spawn(|| alone(|| storms(&COARSE, &coarse, "81 m")));
        (alone(|| storms(&FINE, &fine, "27 m")), beside.join().expect("no panic"))
    });
    for (cells, storms) in [("27 m", fine), ("81 m", coarse)] {
        let mut storms = storms.into_iter();
        let Some(first) = storms.next() else { return };
        for Storm { bench: mut other, depths } in storms {
            if let (Some(ours), Some(theirs)) = (&first.depths, depths) {
                compare(&mut other, cells, ours, &theirs);
            }
            bench.outcomes.extend(other.outcomes);
        }
        bench.outcomes.extend(first.bench.outcomes);
    }
}

/// Compares the maximum depths [m] of a solver and of `shallow-water`.
fn compare(bench: &mut Bench, cells: &str, ours: &[f64], theirs: &[f64]) {
    for depth in [0.1, 0.3] {
        let index = critical_success(ours, theirs, depth);
        bench.note(format!("{cells}: CSI against `{SHALLOW}` at {depth} m"), index);
    }
    let wet = || ours.iter().zip(theirs).filter(|(a, b)| a.max(**b) >= 0.1);
    let error = rmse(wet().map(|(a, b)| (*a, *b)));
    bench.note(
        format!("{cells}: maximum depth, RMSE against `{SHALLOW}` where over 0.1 m [m]"),
        error,
    );
    let bias = mean(wet().map(|(a, b)| b - a));
    bench.note(
        format!("{cells}: maximum depth, mean difference from `{SHALLOW}` where over 0.1 m [m]"),
        bias,
    );
}

/// Runs the storm with a solver; `aqua-manning` with the fine cells on a GPU, if there is one.
fn storm(full: bool, solver: &'static str, setup: &Setup, cells: &str) -> Storm {
    let mut bench = Bench::new(full, CASE.key, solver);
    let mut depths = None;
    if solver == MANNING && cells == "27 m" {
        match Run::start_on_gpu(setup, MANNING) {
            Some(run) => {
                let (run, most) = through(&mut bench, run, "27 m, GPU");
                bench.tally(&run);
                depths = Some(most);
            }
            None => bench.not_run("27 m: runs on a GPU only, and no GPU was found".into()),
        }
    } else {
        let run = bench.start(setup);
        let (run, most) = through(&mut bench, run, cells);
        bench.finish(cells, run);
        depths = Some(most);
    }
    bench.close();
    Storm { bench, depths }
}

/// Runs it to the end.
fn through(bench: &mut Bench, mut run: Run, cells: &str) -> (Run, Vec<f64>) {
    run.to(STORM);
    let depths = run.max_depths();
    bench.check(
        format!("{cells}: share of the flow cut by limiters or lack of water"),
        run.cut_share(),
        0.05,
    );
    let limit = bench.of([Some(15.0), Some(15.0), None, None]);
    let metric = format!("{cells}: maximum speed in water deeper than 0.1 m [m/s]");
    bench.judge(metric, run.greatest_speed(), limit);
    bench.note(format!("{cells}: maximum depth [m]"), largest(depths.iter().copied()));
    bench.note(format!("{cells}: total outflow [m³]"), run.outflow());
    bench.note(format!("{cells}: steps"), run.steps() as f64);
    bench.note(format!("{cells}: wall time [s]"), run.wall());
    (run, depths)
}

/// Runs a closure on one core.
fn alone<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool").install(what)
}

fn rained_on(setup: Setup) -> Setup {
    setup.with_rain(None, vec![(0.0, RAIN / STORM), (STORM, 0.0)])
}

fn setup(dem: &Dem) -> Setup {
    let setup =
        Setup { dy: dem.dy, open: [true; 4], ..Setup::new(dem.columns, dem.rows, dem.dx, 0.05) };
    rained_on(setup.with_bed(|column, row| dem.levels[row * dem.columns + column]))
}
