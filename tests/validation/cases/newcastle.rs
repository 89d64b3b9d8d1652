//! Case s: a cloudburst over a city, through the command line.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::cli_common::{Workshop, pixels};
use crate::data;
use crate::metrics::{critical_success, largest};

pub const CASE: Case = Case {
    key: "s",
    title: "Newcastle upon Tyne, a cloudburst",
    about: "The centre of the city at 2 m (342 × 195 cells), 70 mm/h for half an hour, sewers with a capacity of 12 \
        mm/h, n = 0.03, open sides, 40 minutes, `inundate run`. Nothing was observed: speeds must stay plausible for \
        a street, and the solvers' maps of the maximum depth are compared with each other (CSI, as in case l).",
    solvers: &[(SHALLOW, 150.0)],
    plots: &[],
    quick: false,
    run,
};

fn run(bench: &mut Bench) {
    let dem = match data::file("newcastle_2m/NewcastleCentreDEM_2m.img") {
        Ok(path) => path,
        Err(why) => return bench.not_run(why),
    };
    let workshop = Workshop::empty();
    workshop.file("storm.csv", "time [s],rain [mm/h]\n0,70\n1800,0\n");
    let mut outcomes = Vec::new();
    let mut maps: Vec<Vec<f64>> = Vec::new();
    for solver in [SHALLOW, SECOND, INERTIAL] {
        let mut bench = Bench::new(bench.full, CASE.key, solver);
        let out = solver.replace([' ', '-'], "");
        let (dem, options) = (dem.display(), bench.options());
        let arguments = format!(
            "run --dem '{dem}' --rain storm.csv --drainage '12 mm/h' --roughness 0.03 \
             --duration 40min --open all --layers depth,max_depth,max_velocity \
             --device cpu --threads 1 --out {out} {options}"
        );
        workshop.inundate(&arguments).done();
        let report = workshop.report(&out);
        bench.tally_volume(report["volume"]["error_m3"].as_f64().unwrap_or(f64::NAN));
        let map = |name: &str| -> Vec<f64> {
            pixels(workshop.path(&out).join(name)).into_iter().map(f64::from).collect()
        };
        let (highest, speeds) = (map("max_depth.tif"), map("max_velocity.tif"));
        let deep = speeds.iter().zip(&highest).filter(|(_, depth)| **depth > 0.1);
        let limit = bench.of([Some(15.0), Some(15.0), None, None]);
        let fastest = largest(deep.map(|(speed, _)| *speed));
        bench.judge("maximum speed in water deeper than 0.1 m [m/s]", fastest, limit);
        bench.note("steps", report["steps"].as_f64().unwrap_or(f64::NAN));
        bench.note("wall time, one core [s]", report["wall_s"].as_f64().unwrap_or(f64::NAN));
        if let Some(first) = maps.first() {
            for depth in [0.1, 0.3] {
                let index = critical_success(first, &highest, depth);
                bench
                    .note(format!("CSI of maximum depths against `{SHALLOW}` at {depth} m"), index);
            }
        }
        maps.push(highest);
        bench.close();
        outcomes.extend(bench.outcomes);
    }
    bench.outcomes = outcomes;
}
