//! Case l: a storm over real mountains, with both rules.

use super::Case;
use crate::bench::{Bench, INERTIAL, RULES};
use crate::data;
use crate::engine::{self, Dem};
use crate::metrics::{critical_success, largest, mean, rmse};
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "l",
    title: "A storm over mountains",
    about: "landspy's DEM of the Rif (721 × 605 cells of 27.0055 × 26.9912 m), 100 mm of rain in six hours, n = 0.05, open \
        edges. Maps of the greatest depth of both rules against each other: cells wetter than a depth in both over \
        those wetter in either (CSI). The share of flow that `aqua-manning`'s caps cut.",
    rules: &[(INERTIAL, 900.0)],
    plots: &[],
    quick: false,
    run,
};

const STORM: f64 = 6.0 * 3600.0;
const RAIN: f64 = 0.1;

fn run(bench: &mut Bench) {
    let dem = data::file("dems/landspy_jebja30.tif").and_then(|path| engine::read_dem(&path));
    let dem = match dem {
        Ok(dem) => dem,
        Err(why) => return bench.not_run(why),
    };
    let setup = setup(&dem);
    // Both at once, each on a core of its own.
    let full = bench.full;
    let storms = std::thread::scope(|scope| {
        let setup = &setup;
        let start = |rule: &'static str| scope.spawn(move || storm(setup, rule, full));
        let threads = RULES.iter().map(|rule| start(rule)).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    let (ours, theirs) = (&storms[0].1, &storms[1].1);
    for depth in [0.1, 0.3] {
        let index = critical_success(ours, theirs, depth);
        bench.note(format!("CSI of the two rules' greatest depths at {depth} m"), index);
    }
    let wet = || ours.iter().zip(theirs).filter(|(a, b)| a.max(**b) >= 0.1);
    bench.note(
        "greatest depths where over 0.1 m: RMSE between the rules [m]",
        rmse(wet().map(|(a, b)| (*a, *b))),
    );
    bench.note("the same, mean of inertial less aqua-manning [m]", mean(wet().map(|(a, b)| a - b)));
    bench.outcomes.extend(storms.into_iter().flat_map(|(bench, _)| bench.outcomes));
}

/// The storm with a rule: its figures, and the greatest depths [m].
fn storm(setup: &Setup, rule: &'static str, full: bool) -> (Bench, Vec<f64>) {
    let mut bench = Bench::new(full, CASE.key, rule);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let depths = pool.install(|| {
        let mut run = bench.start(setup);
        run.to(STORM);
        let depths = run.max_depths();
        bench.check("share of the flow that was cut", run.cut_share(), 0.05);
        bench.note("deepest water [m]", largest(depths.iter().copied()));
        bench.note("outflow by the end [m³]", run.outflow());
        bench.note("steps", run.steps() as f64);
        bench.note("wall time, one core [s]", run.wall());
        bench.finish("the storm", run);
        depths
    });
    bench.close();
    (bench, depths)
}

fn setup(dem: &Dem) -> Setup {
    let setup =
        Setup { dy: dem.dy, open: [true; 4], ..Setup::new(dem.columns, dem.rows, dem.dx, 0.05) };
    let setup = setup.with_bed(|column, row| dem.levels[row * dem.columns + column]);
    setup.with_rain(None, vec![(0.0, RAIN / STORM), (STORM, 0.0)])
}
