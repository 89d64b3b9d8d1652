//! Case aq: the dam break around a building at field scale, the Environment Agency's test 6B.

use super::Case;
use super::building::{blocked, record};
use crate::bench::{Bench, INERTIAL, Pen, SECOND, SHALLOW};
use crate::data;
use crate::metrics::{at, largest, mean, rises_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "aq",
    title: "Dam break around a building at field scale (Environment Agency, test 6B)",
    about: "The gate and the building of case ah at 20 times their size: 1980 × 72 m, level and closed, 2 m cells, n \
        = 0.05; 8 m of water is released through a gate of 20 m onto 0.4 m; 30 minutes. The reference is a separate \
        program (`tests/validation/reference/building_field.c`: HLLC, second order) with 0.5 m cells, until 600 s. \
        The limits of levels and depths are the errors of that program at first order with 2 m cells. GeoFlood's \
        levels (Kyanjo et al. 2024, adaptive cells) are read off its plots to 0.01 m. Gauge 6 is in the reservoir.",
    solvers: &[(SHALLOW, 25.0), (SECOND, 30.0), (INERTIAL, 20.0)],
    plots: &[Plot {
        file: "aq_building",
        title: "aq. Environment Agency, test 6B: depth at gauges 1 and 6",
        x: "time [s]",
        y: "depth [m]",
    }],
    quick: false,
    run,
};

const COLUMNS: usize = 990;
const ROWS: usize = 36;
const DX: f64 = 2.0;
const SCALE: f64 = 20.0;
/// Width [m].
const WIDTH: f64 = 72.0;
/// Downstream side of the gate [m], and the depths on both sides of it.
const GATE: f64 = 151.0;
const DEPTHS: [f64; 2] = [8.0, 0.4];
/// Height of walls [m].
const WALL: f64 = 20.0;
const END: f64 = 1800.0;
/// End of the reference [s].
const KNOWN: f64 = 600.0;
const EVERY: f64 = 0.5;
/// Depth at which the front has arrived [m].
const ARRIVED: f64 = 0.6;
/// Limit of the arrivals [s]: the front crosses two to three cells in this time.
const ARRIVAL: f64 = 1.0;
/// Errors of HLLC at first order with 2 m cells: the highest level at gauges 1 to 5, and the RMSE of
/// depth at these gauges and at gauge 6 [m].
const HIGHEST: f64 = 0.22;
const DEPTH_RMSE: [f64; 2] = [0.096, 0.028];
/// GeoFlood's highest depth at each gauge [m].
const GEOFLOOD: [f64; 5] = [2.95, 2.88, 2.31, 2.18, 1.98];

fn run(bench: &mut Bench) {
    let bed = |column: usize, row: usize| {
        let at = ((column as f64 + 0.5) * DX, WIDTH - (row as f64 + 0.5) * DX);
        if blocked((at.0 / SCALE, at.1 / SCALE)) { WALL } else { 0.0 }
    };
    let mut setup = Setup::new(COLUMNS, ROWS, DX, 0.05).with_bed(bed);
    setup.keeps_discharge = true;
    for cell in 0..setup.bed.len() {
        let x = ((cell % COLUMNS) as f64 + 0.5) * DX;
        let level = if x < GATE { DEPTHS[0] } else { DEPTHS[1] };
        setup.depth[cell] = (level - setup.bed[cell]).max(0.0);
    }
    let mut run = bench.start(&setup);
    let ours = record(&mut run, &setup, SCALE, KNOWN, EVERY).depths;
    let table = data::reference("building_field.csv");
    let reference: Vec<_> = (1..=6).map(|gauge| data::curve(&table, 0, gauge)).collect();
    // `inertial` has no shocks: it is shown for comparison.
    let limit = |limit: f64| bench.of([Some(limit), Some(limit), None, None]);
    let limits = [ARRIVAL, HIGHEST, DEPTH_RMSE[0], DEPTH_RMSE[1]].map(limit);
    let highest = |curve: &[(f64, f64)]| largest(curve.iter().map(|point| point.1));
    let pairs = || ours.iter().zip(&reference).take(5);
    let arrival = pairs().map(|(a, b)| (rises_to(a, ARRIVED) - rises_to(b, ARRIVED)).abs());
    let arrival = largest(arrival);
    bench.judge("arrival at gauges 1 to 5: maximum error [s]", arrival, limits[0]);
    let level = largest(pairs().map(|(a, b)| (highest(a) - highest(b)).abs()));
    bench
        .judge("maximum level at gauges 1 to 5: largest error [m]", level, limits[1])
        .peers("HLLC, 2 m: 0.22 (first order), 0.13 (second); GeoFlood: 0.07");
    let error = |gauge: usize| {
        let times = (0..=300).map(|i| 2.0 * f64::from(i));
        rmse(times.map(|time| (at(&ours[gauge], time), at(&reference[gauge], time))))
    };
    bench
        .judge(
            "depth at the worst of gauges 1 to 5: RMSE [m]",
            largest((0..5).map(error)),
            limits[2],
        )
        .peers("HLLC, 2 m: 0.096 (first order), 0.057 (second)");
    bench
        .judge("depth at gauge 6 in the reservoir: RMSE [m]", error(5), limits[3])
        .peers("HLLC, 2 m: 0.028 (first order), 0.024 (second)");
    for (gauge, curve) in ours.iter().enumerate().take(5) {
        let (known, theirs) = (highest(&reference[gauge]), GEOFLOOD[gauge]);
        bench
            .note(format!("gauge {}: maximum depth [m]", gauge + 1), highest(curve))
            .peers(format!("reference {known:.2}, GeoFlood {theirs:.2}"));
    }
    bench
        .note("gauge 6: depth after 60 s [m]", at(&ours[5], 60.0))
        .peers(format!("reference {:.2}, GeoFlood 5.54", at(&reference[5], 60.0)));
    let last = |curves: &[Vec<(f64, f64)>]| mean(curves[..5].iter().map(|curve| at(curve, KNOWN)));
    bench
        .note("depth after 600 s, mean of gauges 1 to 5 [m]", last(&ours))
        .peers(format!("reference {:.3}, GeoFlood 1.255", last(&reference)));
    for gauge in [0, 5] {
        let early = |curve: &[(f64, f64)]| -> Vec<(f64, f64)> {
            curve.iter().copied().filter(|point| point.0 <= 300.0).collect()
        };
        bench.curve("aq_building", bench.solver, Pen::Solver(bench.solver), early(&ours[gauge]));
        bench.curve("aq_building", "HLLC, 0.5 m", Pen::Reference, early(&reference[gauge]));
    }
    run.to(END);
    bench.finish("2 m cells", run);
}
