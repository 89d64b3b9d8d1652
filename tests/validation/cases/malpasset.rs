//! Case ai: the dam break of Malpasset, 1959.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::data;
use crate::engine::{self, Dem};
use crate::metrics::{mean, rises_to, rmse};
use crate::setup::Setup;
use gdal::Dataset;
use std::path::Path;

pub const CASE: Case = Case {
    key: "ai",
    title: "Malpasset, December 1959",
    about: "The dam break of Malpasset (Reyran valley, France): 49 Mm³ at 100 m are released at once, n = 0.033, on \
        the terrain of the TELEMAC-2D test (public) with cells of 20 and 10 m, 4000 s. The case compares the maximum \
        levels at nine gauges of the scale model (S6 to S14; EDF 1964) and at twelve marks surveyed by the police \
        (P1 to P11 and P15; five others are below the terrain there), and the times between the failures of three \
        transformers (A, B, C). The marks are uncertain by metres: the banks there rise by as much within a cell, \
        and no survey records when and how fast the dam failed. S6, P1 and P2 are upstream of the first bends, where \
        the levels of all models are too high (see below).",
    solvers: &[(SHALLOW, 120.0), (SECOND, 200.0), (INERTIAL, 90.0)],
    plots: &[],
    quick: false,
    run,
};

const END: f64 = 4000.0;
const EVERY: f64 = 10.0;
/// Depth at which a transformer fails, and water arrives at a gauge [m].
const ARRIVED: f64 = 0.01;
/// A place with the measured maximum level [m] and that of GeoClaw (George 2011).
struct Place {
    name: &'static str,
    measured: f64,
    geoclaw: f64,
}

const fn place(name: &'static str, measured: f64, geoclaw: f64) -> Place {
    Place { name, measured, geoclaw }
}

/// Gauges of the scale model.
const GAUGES: [Place; 9] = [
    place("S6", 84.2, 85.653),
    place("S7", 49.1, 56.364),
    place("S8", 54.0, 53.304),
    place("S9", 40.2, 48.762),
    place("S10", 34.9, 38.684),
    place("S11", 27.4, 26.616),
    place("S12", 21.5, 20.445),
    place("S13", 16.1, 18.218),
    place("S14", 12.9, 13.169),
];
/// Arrivals at these gauges [s].
const ARRIVALS: [f64; 9] = [10.2, 102.0, 182.0, 263.0, 404.0, 600.0, 845.0, 972.0, 1139.0];
/// Surveyed marks that are above the terrain.
const MARKS: [Place; 12] = [
    place("P1", 79.15, 84.56),
    place("P2", 87.2, 87.029),
    place("P3", 54.9, 55.453),
    place("P4", 64.7, 58.175),
    place("P5", 51.1, 48.559),
    place("P6", 43.75, 48.351),
    place("P7", 44.35, 42.064),
    place("P8", 38.6, 36.863),
    place("P9", 31.9, 34.121),
    place("P10", 40.75, 40.172),
    place("P11", 24.15, 25.962),
    place("P15", 18.6, 19.484),
];
/// Places above the first bends.
const NEAR: [&str; 3] = ["S6", "P1", "P2"];
/// Limits of the RMSE at the gauges and at the marks [m], for each solver: 0.25 m above the result.
const LIMITS: [[Option<f64>; 4]; 2] =
    [[Some(3.85), Some(4.3), None, None], [Some(4.25), Some(4.8), None, None]];
/// The same on cells of 10 m.
const LIMITS_FINE: [[Option<f64>; 4]; 2] =
    [[Some(4.0), Some(4.75), None, None], [Some(4.4), Some(4.6), None, None]];
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
    let cell_of = |name: &str| {
        let (_, x, y) = inputs.places.iter().find(|place| place.0 == name).expect("a known gauge");
        let (column, row) = ((x - dem.west) / dem.dx, (dem.north - y) / dem.dy);
        setup.cell(column as usize, row as usize)
    };
    let timed: Vec<&str> = GAUGES.iter().map(|gauge| gauge.name).chain(["A", "B", "C"]).collect();
    let cells: Vec<usize> = timed.iter().map(|name| cell_of(name)).collect();
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
    let name = format!("{cell} m cells");
    let limits = if cell == 20 { LIMITS } else { LIMITS_FINE };
    for (places, what, limits, peers) in [
        (&GAUGES[..], "gauges", limits[0], "GeoClaw: 4.07, Valiani et al.: 3.6"),
        (&MARKS[..], "marks", limits[1], "GeoClaw: 3.13, Valiani et al.: 2.8"),
    ] {
        let ours: Vec<f64> = places.iter().map(|place| levels[cell_of(place.name)]).collect();
        let measured = || ours.iter().zip(places).map(|(&ours, place)| (ours, place.measured));
        let limit = bench.of(limits);
        bench
            .judge(format!("{name}: levels at the {what}: RMSE [m]"), rmse(measured()), limit)
            .peers(peers);
        let off: Vec<f64> = measured().map(|(ours, measured)| ours - measured).collect();
        bench
            .note(format!("{name}: levels at the {what}: mean difference [m]"), mean(off.clone()))
            .peers(listed(places.iter().map(|place| place.name), &off));
        let far = measured().zip(places).filter(|(_, place)| !NEAR.contains(&place.name));
        bench.note(
            format!("{name}: levels at the {what} downstream of the first bends: RMSE [m]"),
            rmse(far.map(|(pair, _)| pair)),
        );
        let geoclaw = ours.iter().zip(places).map(|(&ours, place)| (ours, place.geoclaw));
        bench.note(
            format!("{name}: levels at the {what}: RMS difference from GeoClaw [m]"),
            rmse(geoclaw),
        );
    }
    let offset = arrival("S6") - ARRIVALS[0];
    let late: Vec<f64> = GAUGES
        .iter()
        .zip(ARRIVALS)
        .map(|(gauge, measured)| arrival(gauge.name) - offset - measured)
        .collect();
    bench
        .note(
            format!("{name}: arrivals at the gauges relative to S6: RMSE [s]"),
            rmse(late.iter().map(|&late| (late, 0.0))),
        )
        .peers(listed(GAUGES.iter().map(|gauge| gauge.name), &late));
    for (transformer, measured) in FAILURES {
        let ours = arrival(transformer) - arrival("A");
        bench
            .note(format!("{name}: time from the failure of A to that of {transformer} [s]"), ours)
            .peers(format!("observed {measured:.0}"));
    }
    bench.note(
        format!("{name}: maximum speed in water deeper than 0.1 m [m/s]"),
        run.greatest_speed(),
    );
    bench.finish(&name, run);
}

/// Lists differences with the names of their places.
fn listed<'a>(names: impl Iterator<Item = &'a str>, differences: &[f64]) -> String {
    let text = names.zip(differences).map(|(name, off)| format!("{name} {off:+.1}"));
    text.collect::<Vec<String>>().join(", ")
}
