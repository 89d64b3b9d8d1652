//! Case ah: a dam break around a building in a flume, the Environment Agency's test 6A.

use super::Case;
use crate::bench::{Bench, Pen, SECOND, SHALLOW};
use crate::data;
use crate::engine::Run;
use crate::metrics::{at, largest, mean, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "ah",
    title: "Dam break around a building (Environment Agency, test 6A)",
    about: "A flume of 35.8 × 3.6 m (Soares-Frazão & Zech 2007), 0.1 m cells, n = 0.01: 0.40 m of water is released \
        through a gate of 1 m onto 0.02 m, and meets a building at an angle. Depths at six gauges and velocities at \
        five were measured for 30 s. First-order HLLC on the same cells has an RMSE of 0.003 to 0.032 m.",
    solvers: &[(SHALLOW, 5.0), (SECOND, 8.0)],
    plots: &[Plot {
        file: "ah_building",
        title: "ah. Environment Agency, test 6A: depth at gauges 2 and 4",
        x: "time [s]",
        y: "depth [m]",
    }],
    quick: false,
    run,
};

const COLUMNS: usize = 358;
const ROWS: usize = 36;
const DX: f64 = 0.1;
const WIDTH: f64 = 3.6;
const END: f64 = 30.0;
const EVERY: f64 = 0.1;
/// Upstream side of the gate [m], and the depths on both sides of it.
const GATE: f64 = 6.75;
const DEPTHS: [f64; 2] = [0.40, 0.02];
/// Height of walls [m].
const WALL: f64 = 1.0;
/// Largest RMSE of depth at each gauge [m], and of the velocity along the flume [m/s].
const DEPTH_RMSE: f64 = 0.032;

/// Corners of the blocks beside the gate and of the building: x, y [m].
const BLOCKS: [[(f64, f64); 4]; 3] = [
    [(6.75, 0.0), (6.75, 1.3), (7.55, 1.3), (7.55, 0.0)],
    [(6.75, 2.3), (6.75, 3.6), (7.55, 3.6), (7.55, 2.3)],
    [(10.99, 1.75), (11.340697, 2.469035), (11.700215, 2.293687), (11.349518, 1.574652)],
];
/// Gauges: x, y [m].
const GAUGES: [(f64, f64); 6] =
    [(10.2, 2.95), (10.2, 1.2), (11.55, 2.95), (11.55, 1.0), (12.75, 2.1), (5.68, 2.9)];

fn run(bench: &mut Bench) {
    match measured() {
        Ok(measured) => compare(bench, &measured),
        Err(why) => bench.not_run(why),
    }
}

struct Measured {
    /// Time [s] and the depth at each gauge [m].
    depths: Vec<Vec<f64>>,
    /// Time [s] and the velocity at a gauge along and across the flume [m/s], per gauge.
    velocities: Vec<Vec<(f64, f64, f64)>>,
}

fn measured() -> Result<Measured, String> {
    // Lines of numbers after two lines of names, separated by tabs; empty where nothing was measured.
    let lines = |name: &str| -> Result<Vec<Vec<f64>>, String> {
        let file = data::file(&format!("ea_test6a/{name}"))?;
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let number = |cell: &str| cell.trim().parse().unwrap_or(f64::NAN);
        Ok(text.lines().skip(2).map(|line| line.split('\t').map(number).collect()).collect())
    };
    let measured = lines("building_gauges_uv.txt")?;
    let velocities = (0..5).map(|gauge| {
        let of = |row: &Vec<f64>| {
            let [u, v] = [1, 2].map(|i| row.get(2 * gauge + i).copied().unwrap_or(f64::NAN));
            (u.is_finite() && v.is_finite()).then_some((row[0], u, v))
        };
        measured.iter().filter_map(of).collect()
    });
    Ok(Measured { depths: lines("building_gauges_h.txt")?, velocities: velocities.collect() })
}

/// Returns whether a point of the flume [m] is in a block or in the building.
pub fn blocked((x, y): (f64, f64)) -> bool {
    BLOCKS.iter().any(|corners| {
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        let crosses = |&(a, b): &(&(f64, f64), &(f64, f64))| {
            (a.1 > y) != (b.1 > y) && x < a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0)
        };
        edges.filter(crosses).count() % 2 == 1
    })
}

/// Depths [m] and velocities (along and across the flume) [m/s] at the gauges, with their times [s].
pub struct Series {
    pub depths: [Vec<(f64, f64)>; 6],
    velocities: [Vec<(f64, f64, f64)>; 6],
}

/// Runs to `end` [s] and reads the gauges every `every` [s]; every length of the flume is multiplied
/// by `scale`.
pub fn record(run: &mut Run, setup: &Setup, scale: f64, end: f64, every: f64) -> Series {
    let cells = GAUGES.map(|(x, y)| {
        let (column, row) = (x * scale / setup.dx, (WIDTH - y) * scale / setup.dx);
        setup.cell(column as usize, row as usize)
    });
    let mut series = Series { depths: Default::default(), velocities: Default::default() };
    for sample in 0..=(end / every) as usize {
        run.to(sample as f64 * every);
        let now = run.depths();
        let [east, south] = [run.discharges(0), run.discharges(1)];
        for (gauge, &cell) in cells.iter().enumerate() {
            let west = cell / setup.columns * (setup.columns + 1) + cell % setup.columns;
            let along = 0.5 * (east[west] + east[west + 1]) / now[cell];
            let across = -0.5 * (south[cell] + south[cell + setup.columns]) / now[cell];
            series.depths[gauge].push((run.now(), now[cell]));
            series.velocities[gauge].push((run.now(), along, across));
        }
    }
    series
}

fn compare(bench: &mut Bench, measured: &Measured) {
    // The flume's sides slope over 0.34 m.
    let bed = |column: usize, row: usize| {
        let at = ((column as f64 + 0.5) * DX, WIDTH - (row as f64 + 0.5) * DX);
        if blocked(at) {
            return WALL;
        }
        let from_side = at.1.min(WIDTH - at.1);
        0.155 * (1.0 - from_side / 0.34).max(0.0)
    };
    let mut setup = Setup::new(COLUMNS, ROWS, DX, 0.01).with_bed(bed);
    setup.keeps_discharge = true;
    for cell in 0..setup.bed.len() {
        let x = ((cell % COLUMNS) as f64 + 0.5) * DX;
        let level = if x < GATE { DEPTHS[0] } else { DEPTHS[1] };
        setup.depth[cell] = (level - setup.bed[cell]).max(0.0);
    }
    let mut run = bench.start(&setup);
    let ours = record(&mut run, &setup, 1.0, END, EVERY);
    let mut off = Vec::new();
    for (gauge, ours) in ours.depths.iter().enumerate() {
        let measured: Vec<(f64, f64)> = data::curve(&measured.depths, 0, gauge + 1);
        let measured = measured.into_iter().filter(|point| point.0 <= END && point.1.is_finite());
        let measured: Vec<(f64, f64)> = measured.collect();
        let error = rmse(measured.iter().map(|&(time, depth)| (at(ours, time), depth)));
        bench.note(format!("depth at gauge {}: RMSE [m]", gauge + 1), error);
        off.push(error);
        if gauge == 1 || gauge == 3 {
            bench.curve("ah_building", bench.solver, Pen::Solver(bench.solver), ours.clone());
            let dots = measured.iter().step_by(20).copied().collect();
            bench.curve("ah_building", "measured", Pen::ReferenceDots, dots);
        }
    }
    bench
        .check("depth at the worst gauge: RMSE [m]", largest(off), DEPTH_RMSE)
        .peers("HLLC, first order: 0.003 to 0.032");
    for (gauge, measured) in measured.velocities.iter().enumerate() {
        let of = |number: fn(&(f64, f64, f64)) -> f64| -> Vec<(f64, f64)> {
            ours.velocities[gauge].iter().map(|sample| (sample.0, number(sample))).collect()
        };
        let (along, across) = (of(|sample| sample.1), of(|sample| sample.2));
        let until = || measured.iter().filter(|sample| sample.0 <= END);
        let error = rmse(until().map(|&(time, u, _)| (at(&along, time), u)));
        bench
            .note(format!("velocity along the flume at gauge {}: RMSE [m/s]", gauge + 1), error)
            .peers(format!("measured mean {:.2}", mean(until().map(|sample| sample.1))));
        let error = rmse(until().map(|&(time, _, v)| (at(&across, time), v)));
        bench.note(format!("velocity across the flume at gauge {}: RMSE [m/s]", gauge + 1), error);
    }
    bench.finish("30 s", run);
}
