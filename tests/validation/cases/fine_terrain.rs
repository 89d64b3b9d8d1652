//! Case ab: real and synthetic terrain on coarse cells with tables.

use super::Case;
use crate::bench::{Bench, SHALLOW};
use crate::data;
use crate::engine;
use crate::metrics::mean;
use crate::setup::{Setup, noise};
use std::path::Path;

pub const CASE: Case = Case {
    key: "ab",
    title: "Fine terrain at the cost of coarse cells",
    about: "Four terrains on cells of 4 × 4 and 8 × 8 pixels with tables and with the mean bed, compared with runs \
        on the pixels: lidar (160 × 160 m of opengeos_lidar_dem at 1 m, 100 mm/h for half an hour, n = 0.05, one \
        hour), mountains (landspy_jebja30, 300 × 360 pixels of 27 m, 50 mm in an hour, n = 0.05, three hours), the \
        valley of the tutorial on rivers (10 m, interpolated linearly from a DEM of 80 m; its flood of 14 h, \
        initially dry), and a flood plain of 2.5 × 1.3 km at 2.5 m (a winding river 15 m wide, levees with a gap, \
        ditches and humps, 60 m³/s, n = 0.035, 3 h). The pixels are so fine that runs on them are close to the \
        results of still finer ones: on 40 m pixels the levels of the valley are 0.38 m above those on 5 m pixels, \
        and the CSI of the plain on 5 m pixels is 0.59 against that on 0.63 m. A pixel is wet if the maximum level \
        is above it by the stated depth; CSI as in case l. Levels are compared in cells whose lowest pixel is deeper \
        than the stated depth.",
    solvers: &[(SHALLOW, 120.0)],
    plots: &[],
    quick: false,
    run,
};

/// A terrain, and its evaluation.
struct Terrain {
    name: &'static str,
    setup: Setup,
    end: f64,
    /// Depths at which the extent is compared [m], and the depth with a limit.
    depths: [f64; 3],
    limit_depth: f64,
    /// Minimum depth over a cell's lowest pixel for comparing levels, and maximum mean error of
    /// levels [m].
    deep: f64,
    error: f64,
    /// Pixels per cell along a side.
    ratios: &'static [usize],
}

fn run(bench: &mut Bench) {
    for terrain in [lidar(), mountains(), tutorial(), Ok(river())] {
        match terrain {
            Ok(terrain) => through(bench, &terrain),
            Err(why) => bench.not_run(why),
        }
    }
}

/// Returns a window of a DEM, with a storm.
fn window(
    file: &str,
    [columns, rows]: [(usize, usize); 2],
    rain: f64,
    until: f64,
) -> Result<Setup, String> {
    let dem = data::file(file).and_then(|path| engine::read_dem(&path))?;
    let setup = Setup { dy: dem.dy, ..Setup::new(columns.1, rows.1, dem.dx, 0.05) };
    let level = |i: usize, j: usize| dem.levels[(rows.0 + j) * dem.columns + columns.0 + i];
    let rain = vec![(0.0, rain / 3.6e6), (until, 0.0)];
    Ok(setup.with_bed(level).with_rain(None, rain))
}

fn lidar() -> Result<Terrain, String> {
    Ok(Terrain {
        name: "lidar",
        setup: window("dems/opengeos_lidar_dem.tif", [(120, 160), (120, 160)], 100.0, 1800.0)?,
        end: 3600.0,
        depths: [0.05, 0.2, 0.5],
        limit_depth: 0.2,
        deep: 0.2,
        error: 0.05,
        ratios: &[4, 8],
    })
}

fn mountains() -> Result<Terrain, String> {
    Ok(Terrain {
        name: "mountains",
        setup: window("dems/landspy_jebja30.tif", [(180, 360), (150, 296)], 50.0, 3600.0)?,
        end: 10_800.0,
        depths: [0.1, 0.5, 2.0],
        limit_depth: f64::NAN,
        deep: 1.0,
        error: 0.5,
        ratios: &[4, 8],
    })
}

/// The flood of docs/tutorials/river_flood.md, in a valley that is four columns wider in the west.
/// The map is rotated: its south side is in the east, where setups have outflow at normal depth.
fn tutorial() -> Result<Terrain, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/jacksboro.tif");
    let dem = engine::read_dem(&path)?;
    let (west, north, pixel) = (755_840.0, 4_012_000.0, 10.0);
    // Between the centres of four cells of the DEM.
    let level = |column: usize, row: usize| {
        let place = |from: f64, size: f64, at: usize, most: usize| {
            let place = (from + (at as f64 + 0.5) * pixel) / size - 0.5;
            let first = (place.floor() as usize).min(most - 2);
            (first, (place - first as f64).min(1.0))
        };
        let (x, right) = place(west - dem.west, dem.dx, column, dem.columns);
        let (y, down) = place(dem.north - north, dem.dy, row, dem.rows);
        let along = |y: usize| {
            let [a, b] = [0, 1].map(|more| dem.levels[y * dem.columns + x + more]);
            a + (b - a) * right
        };
        along(y) + (along(y + 1) - along(y)) * down
    };
    let setup = Setup { runs_out: Some(0.0005), ..Setup::new(640, 608, pixel, 0.035) };
    let setup = setup.with_bed(|row, column| level(column, row));
    let cell = |(x, y): (f64, f64)| {
        setup.cell(((north - y) / pixel) as usize, ((x - west) / pixel) as usize)
    };
    let line = (0..52).map(|i| cell((761_880.0, 4_010_795.0 - f64::from(i) * pixel))).collect();
    let hours = [(0.0, 1000.0), (5.0, 1000.0), (8.0, 2500.0), (11.0, 1200.0), (14.0, 700.0)];
    let flow = hours.map(|(hour, flow)| (3600.0 * hour, flow)).to_vec();
    Ok(Terrain {
        name: "tutorial",
        setup: setup.with_inflow(line, flow),
        end: 14.0 * 3600.0,
        depths: [0.05, 0.2, 0.5],
        limit_depth: 0.2,
        deep: 0.2,
        error: 0.05,
        ratios: &[4, 8],
    })
}

/// Returns a flood plain with a river, most of which is dry ground that the river floods.
fn river() -> Terrain {
    let (columns, rows, pixel) = (1024, 512, 2.5);
    let middle = |x: f64| 640.0 + 180.0 * (x / 260.0).sin();
    let level = move |i: usize, j: usize| {
        let (x, y) = ((i as f64 + 0.5) * pixel, (j as f64 + 0.5) * pixel);
        // Distance from the river, perpendicular to it.
        let steep = 180.0 / 260.0 * (x / 260.0).cos();
        let beside = (y - middle(x)).abs() / (1.0 + steep * steep).sqrt();
        let plain = 20.0 - 0.0008 * x + 0.0015 * beside.min(600.0);
        // Ditches, the gap and the noise are 5 m wide, or multiples of it.
        let humps = 0.25 * (x / 70.0).sin() * (y / 55.0).cos() + 0.03 * noise(i / 2, j / 2);
        let ditch = (i / 2) % 60 == 30 && beside > 60.0;
        let gap = (i as isize / 2 - 200).abs() < 6;
        match beside {
            ..7.5 => 18.0 - 0.0008 * x,
            // Levees that are not overtopped: otherwise a centimetre would decide the result.
            7.5..17.5 if !gap => 21.6 - 0.0008 * x,
            _ => plain + humps - if ditch { 0.8 } else { 0.0 },
        }
    };
    let setup = Setup { runs_out: Some(0.0008), ..Setup::new(columns, rows, pixel, 0.035) };
    let setup = setup.with_bed(level);
    let into = (0..rows).flat_map(|row| (0..16).map(move |column| (column, row)));
    let in_river = |&(i, j): &(usize, usize)| setup.bed[setup.cell(i, j)] < 18.5;
    let into = into.filter(in_river).map(|(i, j)| setup.cell(i, j)).collect();
    let points = vec![(0.0, 5.0), (3600.0, 60.0), (10_800.0, 60.0)];
    Terrain {
        name: "flood plain",
        setup: setup.with_inflow(into, points),
        end: 10_800.0,
        depths: [0.05, 0.2, 0.5],
        limit_depth: 0.2,
        deep: 0.2,
        error: 0.05,
        ratios: &[4, 8],
    }
}

/// Runs a setup; returns the maximum level of each cell [m], the number of steps, and their
/// duration in seconds.
fn highest(bench: &mut Bench, name: &str, setup: &Setup, end: f64) -> (Vec<f64>, f64, f64) {
    let mut run = bench.start(setup);
    run.to(end);
    let dry = run.max_depths().into_iter().map(|depth| depth == 0.0);
    let levels = run.max_levels().into_iter().zip(dry);
    let levels = levels.map(|(z, dry)| if dry { f64::NEG_INFINITY } else { z }).collect();
    let (steps, wall) = (run.steps() as f64, run.wall());
    bench.finish(name, run);
    (levels, steps, wall)
}

fn through(bench: &mut Bench, terrain: &Terrain) {
    let Terrain { name, setup, end, .. } = terrain;
    let (fine, steps, wall) = highest(bench, name, setup, *end);
    bench.note(format!("{name}: steps on the pixels"), steps);
    bench.note(format!("{name}: wall time on the pixels, one core [s]"), wall);
    for &ratio in terrain.ratios {
        for with_tables in [true, false] {
            let coarse = match with_tables {
                true => setup.on_tables(ratio),
                false => mean_bed(setup, ratio),
            };
            let what = if with_tables { "tables" } else { "mean bed" };
            let label = format!("{name}, {ratio} × {ratio}, {what}");
            let (levels, coarse_steps, coarse_wall) = highest(bench, &label, &coarse, *end);
            compare(bench, terrain, &label, (ratio, with_tables), &fine, (&coarse, &levels));
            if with_tables {
                bench.note(format!("{label}: steps"), coarse_steps);
                bench.note(format!("{label}: wall time, one core [s]"), coarse_wall);
                let times = steps * (ratio * ratio) as f64 / coarse_steps;
                bench.note(format!("{label}: cell updates, reduced by a factor of"), times);
                let times = wall / coarse_wall;
                bench.note(format!("{label}: wall time, reduced by a factor of"), times);
            }
        }
    }
}

/// Returns the setup on coarse cells of the mean bed, with rain and inflow.
fn mean_bed(setup: &Setup, ratio: usize) -> Setup {
    let forced = setup.on_tables(ratio);
    let mean = setup.coarser(ratio);
    Setup { bed: mean.bed, tables: None, ..forced }
}

fn compare(
    bench: &mut Bench,
    terrain: &Terrain,
    label: &str,
    (ratio, with_tables): (usize, bool),
    fine: &[f64],
    (coarse, levels): (&Setup, &[f64]),
) {
    let Terrain { setup, depths, limit_depth, deep, error, .. } = terrain;
    let pixels = |cell: usize| {
        let (column, row) = (cell % coarse.columns * ratio, cell / coarse.columns * ratio);
        (0..ratio * ratio).map(move |i| setup.cell(column + i % ratio, row + i / ratio))
    };
    let wet = |level: f64, bed: f64, depth: f64| level - bed > depth;
    for &depth in depths {
        let (mut both, mut either) = (0.0, 0.0);
        for cell in 0..levels.len() {
            for pixel in pixels(cell) {
                let bed = setup.bed[pixel];
                // With the mean bed, a whole cell is wet or dry.
                let over = if with_tables { bed } else { coarse.bed[cell] };
                let ours = wet(levels[cell], over, depth);
                let theirs = wet(fine[pixel], bed, depth);
                both += f64::from(u8::from(ours && theirs));
                either += f64::from(u8::from(ours || theirs));
            }
        }
        let missed = 1.0 - both / either;
        let limit = (with_tables && depth == *limit_depth).then_some(0.05);
        bench.judge(format!("{label}: 1 − CSI at {depth} m"), missed, limit);
    }
    let errors: Vec<f64> = (0..levels.len())
        .filter_map(|cell| {
            let lowest = pixels(cell).min_by(|&a, &b| setup.bed[a].total_cmp(&setup.bed[b]))?;
            let compared = fine[lowest] - setup.bed[lowest] > *deep;
            // The level of dry ground is its bed.
            let level = levels[cell].max(coarse.bed[cell]);
            compared.then(|| level - fine[lowest])
        })
        .collect();
    let metric = format!("{label}: level where deeper than {deep} m, mean absolute error [m]");
    let limit = with_tables.then_some(*error);
    bench.judge(metric, mean(errors.iter().map(|error| error.abs())), limit);
    let metric = format!("{label}: level where deeper than {deep} m, mean error [m]");
    bench.note(metric, mean(errors.iter().copied()));
}
