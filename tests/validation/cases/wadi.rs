//! Case t: a steady flood down a steep real valley, through the command line.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::cli_common::{Raster, Workshop, pixels};
use crate::data;
use crate::engine;
use crate::metrics::{largest, mean};

pub const CASE: Case = Case {
    key: "t",
    title: "A steady flood down a steep valley",
    about: "A wadi of the DEM of case l (130 × 312 cells of 27 m) with an inflow of 250 m³/s at its head for an \
        hour, n = 0.04, open to the north; `inundate run` with a section across the gorge 5 km downstream. From 45 \
        minutes on, the discharge through the section must equal the inflow at every output time; steps of at most \
        0.1 s, or an output interval of 1 s or 20 min, must not change the results. Speeds are the maximum over time \
        where the maximum depth exceeds 0.1 m.",
    solvers: &[(SHALLOW, 40.0), (SECOND, 60.0), (INERTIAL, 30.0)],
    plots: &[],
    quick: false,
    run,
};

const INFLOW: f64 = 250.0;
const FASTEST: &str = "maximum speed in water deeper than 0.1 m [m/s]";
/// Time from which the flow is steady [s].
const STEADY: f64 = 2700.0;
/// Window of the wadi in the DEM: first column and row, columns and rows.
const WINDOW: [usize; 4] = [340, 60, 130, 312];
const RUN: &str = "--source '578278,500770,250 m3/s' --roughness 0.04 --duration 1h --open north \
                   --layers depth,max_depth,max_velocity \
                   --sections 578900,506290,579440,506290,gorge --threads 1";

fn run(bench: &mut Bench) {
    let dem = data::file("dems/landspy_jebja30.tif").and_then(|path| engine::read_dem(&path));
    let dem = match dem {
        Ok(dem) => dem,
        Err(why) => return bench.not_run(why),
    };
    let [column, row, columns, rows] = WINDOW;
    let (west, north) = (dem.west + column as f64 * dem.dx, dem.north - row as f64 * dem.dy);
    let level = |i: usize, j: usize| {
        let level = dem.levels[(row + j) * dem.columns + column + i];
        if level.is_nan() { -9999.0 } else { level }
    };
    let wadi = Raster::new(columns, rows, level)
        .epsg(26191)
        .transform([west, dem.dx, 0.0, north, 0.0, -dem.dy]);
    let workshop = Workshop::with_dem(&wadi);
    let plain = flood(bench, &workshop, "a", "--gauge-every 1min");
    let off = largest(plain.steady.iter().map(|q| 100.0 * (q / INFLOW - 1.0).abs()));
    let some = |limit: f64| bench.of([Some(limit), Some(limit), None, None]);
    let (within, fastest) = (some(1.0), some(15.0));
    bench.judge("section in steady flow: maximum deviation from 250 m³/s [%]", off, within);
    bench.note("section in steady flow: mean discharge [m³/s]", plain.mean());
    bench.judge(FASTEST, plain.fastest, fastest);
    bench.note("wall time, one core [s]", plain.wall);
    for (name, options) in [
        ("--dt-max 0.1s", "--gauge-every 1min --dt-max 0.1s"),
        ("--gauge-every 1s", "--gauge-every 1s"),
        ("--gauge-every 20min", "--gauge-every 20min"),
    ] {
        let other = flood(bench, &workshop, &name.replace([' ', '-', '.'], ""), options);
        let change = 100.0 * (other.mean() / plain.mean() - 1.0).abs();
        bench.check(
            format!("{name}: change of the mean discharge through the section [%]"),
            change,
            1.0,
        );
        let pairs = || plain.highest.iter().zip(&other.highest).filter(|(a, b)| a.max(**b) > 0.1);
        let change =
            100.0 * mean(pairs().map(|(a, b)| (a - b).abs())) / mean(pairs().map(|(a, _)| *a));
        let metric = format!(
            "{name}: mean change of the maximum depths over 0.1 m, relative to their mean [%]"
        );
        bench.check(metric, change, 1.0);
        bench.judge(format!("{name}: {FASTEST}"), other.fastest, fastest);
    }
}

/// Results of a run.
struct Flood {
    /// Discharges through the section in steady flow [m³/s].
    steady: Vec<f64>,
    /// Maximum depths [m].
    highest: Vec<f64>,
    /// Maximum speed in water deeper than 0.1 m [m/s].
    fastest: f64,
    wall: f64,
}

impl Flood {
    fn mean(&self) -> f64 {
        mean(self.steady.iter().copied())
    }
}

fn flood(bench: &mut Bench, workshop: &Workshop, out: &str, options: &str) -> Flood {
    let solver = bench.options();
    workshop.run(&format!("{RUN} {solver} {options} --device cpu --out {out}")).done();
    let report = workshop.report(out);
    bench.tally_volume(report["volume"]["error_m3"].as_f64().unwrap_or(f64::NAN));
    let folder = |name: &str| workshop.path(out).join(name);
    let table = data::table(&folder("sections.csv")).expect("the section's course");
    // Time, hours, discharge.
    let steady = table.iter().filter(|row| row[0] >= STEADY).map(|row| row[2]).collect();
    let depths =
        |name: &str| -> Vec<f64> { pixels(folder(name)).into_iter().map(f64::from).collect() };
    let highest: Vec<f64> = depths("max_depth.tif").into_iter().map(|h| h.max(0.0)).collect();
    let speeds = depths("max_velocity.tif");
    let deep = speeds.iter().zip(&highest).filter(|(_, depth)| **depth > 0.1);
    let fastest = largest(deep.map(|(speed, _)| *speed));
    let wall = report["wall_s"].as_f64().unwrap_or(f64::NAN);
    Flood { steady, highest, fastest, wall }
}
