//! Case ai: the dam break of Malpasset, 1959.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::data;
use crate::engine::{self, Dem};
use crate::metrics::{rises_to, rmse};
use crate::setup::Setup;
use gdal::Dataset;
use std::path::Path;

pub const CASE: Case = Case {
    key: "ai",
    title: "Malpasset, December 1959",
    about: "The dam break of Malpasset (Reyran valley, France): 49 Mm³ at 100 m let go at once, n = 0.033, terrain of the \
        TELEMAC-2D test (public) on cells of 20 and 10 m, 4000 s. Greatest levels at nine gauges of the laboratory's scale model \
        (S6 to S14) and at twelve marks surveyed after the flood (P1 to P11 and P15; five others lie below the terrain there), \
        and the time between the failures of three transformers (A, B, C). The marks are uncertain by metres: their banks stand \
        in cells of 20 m, and no survey says when and how fast the dam failed.",
    solvers: &[(SHALLOW, 120.0), (SECOND, 200.0), (INERTIAL, 90.0)],
    plots: &[],
    quick: false,
    run,
};

const END: f64 = 4000.0;
const EVERY: f64 = 10.0;
/// Depth at which a transformer fails, and water arrives at a gauge [m].
const ARRIVED: f64 = 0.01;
/// Greatest levels [m] and arrivals [s] at the gauges of the scale model.
const GAUGES: [(&str, f64, f64); 9] = [
    ("S6", 85.653, 10.2),
    ("S7", 56.364, 102.0),
    ("S8", 53.304, 182.0),
    ("S9", 48.762, 263.0),
    ("S10", 38.684, 404.0),
    ("S11", 26.616, 600.0),
    ("S12", 20.445, 845.0),
    ("S13", 18.218, 972.0),
    ("S14", 13.169, 1139.0),
];
/// Levels of the surveyed marks that stand above the terrain [m].
const MARKS: [(&str, f64); 12] = [
    ("P1", 84.56),
    ("P2", 87.029),
    ("P3", 55.453),
    ("P4", 58.175),
    ("P5", 48.559),
    ("P6", 48.351),
    ("P7", 42.064),
    ("P8", 36.863),
    ("P9", 34.121),
    ("P10", 40.172),
    ("P11", 25.962),
    ("P15", 19.484),
];
/// Failures of the transformers after that of A [s].
const FAILURES: [(&str, f64); 2] = [("B", 1140.0), ("C", 1320.0)];

fn run(bench: &mut Bench) {
    for cell in [20, 10] {
        match inputs(cell) {
            Ok(inputs) => compare(bench, cell, &inputs),
            Err(why) => bench.not_run(why),
        }
    }
}

struct Inputs {
    dem: Dem,
    depth: Vec<f64>,
    /// Name and place of each gauge.
    places: Vec<(String, f64, f64)>,
}

fn inputs(cell: usize) -> Result<Inputs, String> {
    let file = |name: &str| data::file(&format!("malpasset/{name}"));
    let dem = engine::read_local_dem(&file(&format!("dem{cell}.tif"))?)?;
    let depth = raster(&file(&format!("dep{cell}.tif"))?).map_err(|error| error.to_string())?;
    let rows = std::fs::read_to_string(file("gauges.csv")?).map_err(|error| error.to_string())?;
    let places = rows.lines().skip(1).filter_map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        Some((cells[0].into(), cells.get(1)?.parse().ok()?, cells.get(2)?.parse().ok()?))
    });
    Ok(Inputs { dem, depth, places: places.collect() })
}

fn raster(path: &Path) -> gdal::errors::Result<Vec<f64>> {
    let dataset = Dataset::open(path)?;
    let size = dataset.raster_size();
    let depth = dataset.rasterband(1)?.read_as::<f64>((0, 0), size, size, None)?;
    Ok(depth.data().iter().map(|&depth| depth.max(0.0)).collect())
}

fn compare(bench: &mut Bench, cell: usize, inputs: &Inputs) {
    let dem = &inputs.dem;
    let setup = Setup { dy: dem.dy, ..Setup::new(dem.columns, dem.rows, dem.dx, 0.033) };
    let mut setup = setup.with_bed(|column, row| dem.levels[row * dem.columns + column]);
    setup.depth = inputs.depth.clone();
    for (depth, bed) in setup.depth.iter_mut().zip(&setup.bed) {
        if bed.is_nan() {
            *depth = 0.0;
        }
    }
    let place = |name: &str| {
        let (_, x, y) = inputs.places.iter().find(|place| place.0 == name).expect("a known gauge");
        let (column, row) = ((x - dem.west) / dem.dx, (dem.north - y) / dem.dy);
        setup.cell(column as usize, row as usize)
    };
    let timed: Vec<&str> = GAUGES.iter().map(|gauge| gauge.0).chain(["A", "B", "C"]).collect();
    let cells: Vec<usize> = timed.iter().map(|name| place(name)).collect();
    let mut curves = vec![vec![(0.0, 0.0)]; timed.len()];
    let mut run = bench.start(&setup);
    for sample in 1..=(END / EVERY) as usize {
        run.to(sample as f64 * EVERY);
        let depths = run.depths();
        for (curve, &cell) in curves.iter_mut().zip(&cells) {
            curve.push((run.now(), depths[cell]));
        }
    }
    let arrival = |name: &str| {
        let index = timed.iter().position(|other| *other == name).expect("a timed gauge");
        rises_to(&curves[index], ARRIVED)
    };
    let levels = run.max_levels();
    let gauges: Vec<(f64, f64)> =
        GAUGES.iter().map(|gauge| (levels[place(gauge.0)], gauge.1)).collect();
    let marks: Vec<(f64, f64)> = MARKS.iter().map(|mark| (levels[place(mark.0)], mark.1)).collect();
    let name = format!("{cell} m cells");
    let limit = bench.of([Some(2.0), Some(3.0), None, None]);
    bench
        .judge(
            format!("{name}: levels at the scale model's gauges: RMSE [m]"),
            rmse(gauges.iter().copied()),
            limit,
        )
        .peers("GeoClaw: 4.07");
    let limit = bench.of([Some(3.0), Some(3.0), None, None]);
    bench
        .judge(
            format!("{name}: levels at the surveyed marks: RMSE [m]"),
            rmse(marks.iter().copied()),
            limit,
        )
        .peers("GeoClaw: 3.09");
    let worst = |names: Vec<&str>, pairs: &[(f64, f64)]| {
        let text =
            names.iter().zip(pairs).map(|(name, pair)| format!("{name} {:+.1}", pair.0 - pair.1));
        text.collect::<Vec<String>>().join(", ")
    };
    let mean = crate::metrics::mean(gauges.iter().map(|pair| pair.0 - pair.1));
    bench
        .note(format!("{name}: levels at the gauges: mean difference [m]"), mean)
        .peers(worst(GAUGES.iter().map(|gauge| gauge.0).collect(), &gauges));
    let mean = crate::metrics::mean(marks.iter().map(|pair| pair.0 - pair.1));
    bench
        .note(format!("{name}: levels at the marks: mean difference [m]"), mean)
        .peers(worst(MARKS.iter().map(|mark| mark.0).collect(), &marks));
    let offset = arrival("S6") - GAUGES[0].2;
    let arrivals: Vec<(f64, f64)> =
        GAUGES.iter().map(|gauge| (arrival(gauge.0) - offset, gauge.2)).collect();
    bench
        .note(
            format!("{name}: arrivals at the gauges after S6: RMSE [s]"),
            rmse(arrivals.iter().copied()),
        )
        .peers(worst(GAUGES.iter().map(|gauge| gauge.0).collect(), &arrivals));
    for (transformer, measured) in FAILURES {
        let ours = arrival(transformer) - arrival("A");
        bench
            .note(format!("{name}: {transformer} fails after A [s]"), ours)
            .peers(format!("observed {measured:.0}"));
    }
    bench.note(
        format!("{name}: greatest speed in water deeper than 0.1 m [m/s]"),
        run.greatest_speed(),
    );
    bench.finish(&name, run);
}
