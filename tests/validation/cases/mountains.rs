//! Case l: a storm over real mountains, with both rules.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING};
use crate::data;
use crate::engine::{self, Dem, Run};
use crate::metrics::{critical_success, largest, mean, rmse};
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "l",
    title: "A storm over mountains",
    about: "landspy's DEM of the Rif (721 × 605 cells of 27.0055 × 26.9912 m), 100 mm of rain in six hours, n = 0.05, open \
        edges. In the ten-metre pools of its pits `aqua-manning` needs steps of milliseconds with such cells: a day on a \
        core, so it is run on a GPU alone; both rules are run with cells of 81 m (means of 3 × 3). Maps of the greatest \
        depth are held against each other: cells wetter than a depth in both over those wetter in either (CSI).",
    rules: &[(INERTIAL, 400.0)],
    plots: &[],
    quick: false,
    run,
};

const STORM: f64 = 6.0 * 3600.0;
const RAIN: f64 = 0.1;
const COARSER: usize = 3;

fn run(bench: &mut Bench) {
    let dem = data::file("dems/landspy_jebja30.tif").and_then(|path| engine::read_dem(&path));
    let dem = match dem {
        Ok(dem) => dem,
        Err(why) => return bench.not_run(why),
    };
    let (fine, full) = (setup(&dem), bench.full);
    let coarse = rained_on(fine.coarser(COARSER));
    // A core for each rule.
    let ((ours, our_storms), (theirs, their_storms)) = std::thread::scope(|scope| {
        let manning = scope.spawn(|| {
            let mut bench = Bench::new(full, CASE.key, MANNING);
            let storms =
                [by_manning(&mut bench, &fine), Some(alone(|| storm(&mut bench, &coarse, "81 m")))];
            bench.close();
            (bench, storms)
        });
        let mut bench = Bench::new(full, CASE.key, INERTIAL);
        let storms = [("27 m", &fine), ("81 m", &coarse)]
            .map(|(cells, setup)| Some(alone(|| storm(&mut bench, setup, cells))));
        bench.close();
        ((bench, storms), manning.join().expect("no panic"))
    });
    bench.outcomes = [ours.outcomes, theirs.outcomes].concat();
    for ((cells, ours), theirs) in ["27 m", "81 m"].iter().zip(our_storms).zip(their_storms) {
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            compare(bench, cells, &ours, &theirs);
        }
    }
}

/// The two rules' greatest depths [m].
fn compare(bench: &mut Bench, cells: &str, ours: &[f64], theirs: &[f64]) {
    for depth in [0.1, 0.3] {
        let index = critical_success(ours, theirs, depth);
        bench.note(format!("{cells}: CSI of the rules' greatest depths at {depth} m"), index);
    }
    let wet = || ours.iter().zip(theirs).filter(|(a, b)| a.max(**b) >= 0.1);
    let error = rmse(wet().map(|(a, b)| (*a, *b)));
    bench.note(
        format!("{cells}: greatest depths where over 0.1 m, RMSE between the rules [m]"),
        error,
    );
    let bias = mean(wet().map(|(a, b)| a - b));
    bench.note(
        format!(
            "{cells}: greatest depths where over 0.1 m, mean of `inertial` less `aqua-manning` [m]"
        ),
        bias,
    );
}

/// The storm with a bench's rule: its figures, and the greatest depths [m].
fn storm(bench: &mut Bench, setup: &Setup, cells: &str) -> Vec<f64> {
    let run = bench.start(setup);
    let (run, depths) = through(bench, run, cells);
    bench.finish(cells, run);
    depths
}

/// The storm with `aqua-manning` on a GPU, if there is one.
fn by_manning(bench: &mut Bench, setup: &Setup) -> Option<Vec<f64>> {
    let Some(run) = Run::start_on_gpu(setup, MANNING) else {
        bench.not_run("27 m: only on a GPU, and there is none".into());
        return None;
    };
    let (run, depths) = through(bench, run, "27 m, GPU");
    bench.tally(&run);
    Some(depths)
}

/// Runs it through.
fn through(bench: &mut Bench, mut run: Run, cells: &str) -> (Run, Vec<f64>) {
    run.to(STORM);
    let depths = run.max_depths();
    bench.check(format!("{cells}: share of the flow that was cut"), run.cut_share(), 0.05);
    bench.note(format!("{cells}: deepest water [m]"), largest(depths.iter().copied()));
    bench.note(format!("{cells}: outflow by the end [m³]"), run.outflow());
    bench.note(format!("{cells}: steps"), run.steps() as f64);
    bench.note(format!("{cells}: wall time [s]"), run.wall());
    (run, depths)
}

/// On one core.
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
