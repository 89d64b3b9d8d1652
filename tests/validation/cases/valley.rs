//! Case ag: a valley below a dam that fails, the Environment Agency's test 5.

use super::Case;
use crate::bench::{Bench, INERTIAL, Pen, SECOND, SHALLOW};
use crate::data;
use crate::engine::{self, Dem};
use crate::metrics::{largest, rises_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "ag",
    title: "A valley below a failing dam (Environment Agency, test 5)",
    about: "Terrain of 10 m, n = 0.04, dry and closed; up to 3000 m³/s over 20 cells at the valley's head. The \
        reference is the second-order shallow-water solver of LISFLOOD-FP 8.1 (DG2). Arrivals (at a depth of 1 cm) \
        are compared at seven points, sampled every 100 s as in the reference, and maximum depths until 6 h at six \
        of them; at the lowest point the depth is still rising then.",
    solvers: &[(SHALLOW, 400.0), (SECOND, 700.0), (INERTIAL, 300.0)],
    plots: &[Plot {
        file: "ag_valley",
        title: "ag. Environment Agency, test 5: depth at points 1 to 7, 10 m cells",
        x: "time [min]",
        y: "depth [m]",
    }],
    quick: false,
    run,
};

const END: f64 = 21_600.0;
const EVERY: f64 = 100.0;
const ARRIVED: f64 = 0.01;
/// Arrivals [s] and greatest depths [m] of LISFLOOD-FP's DG2 at each point.
const ARRIVALS: [f64; 7] = [1600.0, 2600.0, 3300.0, 5400.0, 11_600.0, 1900.0, 3600.0];
const DEPTHS: [f64; 7] = [3.45, 3.48, 5.36, 5.62, f64::NAN, 1.49, 2.91];
/// Arrivals of its local-inertia solver (ACC) [s].
const INERTIAL_ARRIVALS: [f64; 7] = [1600.0, 2500.0, 3200.0, 5200.0, 11_000.0, 1800.0, 3400.0];

fn run(bench: &mut Bench) {
    match inputs() {
        Ok(inputs) => compare(bench, &inputs),
        Err(why) => bench.not_run(why),
    }
}

struct Inputs {
    dem: Dem,
    inflow: Vec<(f64, f64)>,
    sources: Vec<(f64, f64)>,
    points: Vec<(f64, f64)>,
}

fn inputs() -> Result<Inputs, String> {
    let file = |name: &str| data::file(&format!("ea_test5/{name}"));
    let sources = std::fs::read_to_string(file("src.geojson")?).map_err(|e| e.to_string())?;
    let sources: serde_json::Value = serde_json::from_str(&sources).map_err(|e| e.to_string())?;
    let sources = sources["features"][0]["geometry"]["coordinates"].as_array();
    let place = |at: &serde_json::Value| Some((at[0].as_f64()?, at[1].as_f64()?));
    let sources = sources.and_then(|all| all.iter().map(place).collect());
    let rows = std::fs::read_to_string(file("gauges.csv")?).map_err(|e| e.to_string())?;
    let points = rows.lines().skip(1).filter_map(|row| {
        let mut cells = row.split(',').skip(1).map(str::parse);
        Some((cells.next()?.ok()?, cells.next()?.ok()?))
    });
    Ok(Inputs {
        dem: engine::read_dem(&file("dem.tif")?)?,
        inflow: data::curve(&data::table(&file("in.csv")?)?, 0, 1),
        sources: sources.ok_or("src.geojson has no points")?,
        points: points.collect(),
    })
}

fn compare(bench: &mut Bench, inputs: &Inputs) {
    let dem = &inputs.dem;
    let setup = Setup { dy: dem.dy, ..Setup::new(dem.columns, dem.rows, dem.dx, 0.04) };
    let setup = setup.with_bed(|column, row| dem.levels[row * dem.columns + column]);
    let cell = |&(x, y): &(f64, f64)| {
        let (column, row) = ((x - dem.west) / setup.dx, (dem.north - y) / setup.dy);
        setup.cell(column as usize, row as usize)
    };
    let mut sources: Vec<usize> = inputs.sources.iter().map(cell).collect();
    sources.sort_unstable();
    sources.dedup();
    let points: Vec<usize> = inputs.points.iter().map(cell).collect();
    let mut run = bench.start(&setup.clone().with_inflow(sources, inputs.inflow.clone()));
    let mut curves = vec![vec![(0.0, 0.0)]; points.len()];
    for sample in 1..=(END / EVERY) as usize {
        run.to(sample as f64 * EVERY);
        let depths = run.depths();
        for (curve, &cell) in curves.iter_mut().zip(&points) {
            curve.push((run.now(), depths[cell]));
        }
    }
    let first = |curve: &[(f64, f64)]| {
        curve.iter().find(|point| point.1 > ARRIVED).map_or(f64::NAN, |point| point.0)
    };
    let theirs = bench.of([ARRIVALS, ARRIVALS, INERTIAL_ARRIVALS, INERTIAL_ARRIVALS]);
    let model = bench.of(["DG2", "DG2", "ACC", "ACC"]);
    let off =
        curves.iter().zip(theirs).map(|(ours, theirs)| 100.0 * (first(ours) / theirs - 1.0).abs());
    bench
        .check(
            format!("arrival: maximum deviation from LISFLOOD-FP's {model} [%]"),
            largest(off),
            6.5,
        )
        .peers("sampled every 100 s, which is 1 to 6 % of the arrival times");
    for (point, ours) in curves.iter().enumerate() {
        let name = format!("arrival at point {}", point + 1);
        bench
            .note(format!("{name} [s]"), rises_to(ours, ARRIVED))
            .peers(format!("{model} {}", theirs[point]));
    }
    let peak = |curve: &[(f64, f64)]| largest(curve.iter().map(|point| point.1));
    let known = curves.iter().zip(DEPTHS).filter(|(_, theirs)| theirs.is_finite());
    let pairs: Vec<(f64, f64)> = known.map(|(ours, theirs)| (peak(ours), theirs)).collect();
    let limit = bench.of([Some(0.07), Some(0.1), None, None]);
    bench.judge("maximum depths: RMSE against DG2 [m]", rmse(pairs.iter().copied()), limit);
    let furthest = largest(pairs.iter().map(|(ours, theirs)| (ours - theirs).abs()));
    bench.note("maximum depths: largest deviation from DG2 [m]", furthest);
    bench.note("wall time, one core [s]", run.wall());
    bench.finish("10 m cells", run);
    for curve in &curves {
        let minutes = curve.iter().map(|&(time, depth)| (time / 60.0, depth)).collect();
        bench.curve("ag_valley", bench.solver, Pen::Solver(bench.solver), minutes);
    }
}
