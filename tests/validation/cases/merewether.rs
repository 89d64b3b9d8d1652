//! Case j: a real flood in a town, Merewether 2007.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::data;
use crate::engine::{self, Dem};
use crate::metrics::{largest, rmse};
use crate::plot::Plot;
use crate::setup::{Roughness, Setup};
use gdal::raster::rasterize;
use gdal::vector::Geometry;
use gdal::{Dataset, DriverManager};
use std::path::Path;

pub const CASE: Case = Case {
    key: "j",
    title: "Merewether, Newcastle NSW, June 2007",
    about: "Australian Rainfall & Runoff, project 15 (Smith & Wasko 2012): lidar at 1 m, houses raised by 3 m, n = \
        0.02 on roads and 0.04 elsewhere, an inflow of 19.7 m³/s within a radius of 10 m, north and east sides open, \
        1000 s; compared with the levels surveyed at five points. `aqua-manning`, whose time step shrinks with the \
        square of the cell size, runs on cells of 2 m (means of the bed with its houses), with the limit for 1 m \
        cells.",
    solvers: &[(SHALLOW, 130.0), (SECOND, 200.0), (INERTIAL, 90.0), (MANNING, 330.0)],
    plots: &[Plot {
        file: "j_merewether",
        title: "j. Merewether: levels at the five points, from low to high",
        x: "point",
        y: "level [m]",
    }],
    quick: false,
    run,
};

const END: f64 = 1000.0;
const BEFORE: f64 = 900.0;
/// Errors of `inertial` at each point, from low to high, before `shallow-water` existed [m].
const REACHED: [f64; 5] = [0.053, 0.028, 0.263, 0.064, 0.219];

fn run(bench: &mut Bench) {
    match town() {
        Ok(town) => compare(bench, &town),
        Err(why) => bench.not_run(why),
    }
}

struct Town {
    dem: Dem,
    setup: Setup,
    /// x, y, surveyed level, and TUFLOW's level [m].
    points: Vec<[f64; 4]>,
}

fn town() -> Result<Town, String> {
    let file = |name: &str| data::file(&format!("merewether_2007/{name}"));
    let dem = engine::read_dem(&file("topography1.tif")?)?;
    let mut houses = Vec::new();
    for entry in std::fs::read_dir(file("houses")?).map_err(|error| error.to_string())? {
        houses.push(entry.map_err(|error| error.to_string())?.path());
    }
    houses.sort();
    let houses: Vec<&Path> = houses.iter().map(|path| path.as_path()).collect();
    let in_house = inside(&dem, &houses)?;
    let on_road = inside(&dem, &[&file("RoadPolygon.csv")?])?;
    let n = on_road.iter().map(|&road| if road { 0.02 } else { 0.04 }).collect();
    let setup = Setup {
        dy: dem.dy,
        roughness: Roughness::Cells(n),
        open: [true, true, false, false],
        ..Setup::new(dem.columns, dem.rows, dem.dx, 0.0)
    };
    let setup = setup.with_bed(|column, row| {
        let cell = row * dem.columns + column;
        dem.levels[cell] + if in_house[cell] { 3.0 } else { 0.0 }
    });
    let rows = data::table(&file("point_observations.csv")?)?;
    let mut points: Vec<[f64; 4]> = rows.iter().map(|r| [r[0], r[1], r[3], r[4]]).collect();
    points.sort_by(|a, b| a[2].total_cmp(&b[2]));
    Ok(Town { dem, setup, points })
}

fn compare(bench: &mut Bench, town: &Town) {
    let cell = bench.of([1, 1, 1, 2]);
    let setup = town.setup.coarser(cell);
    let place = |cell: usize| {
        let (column, row) = (cell % setup.columns, cell / setup.columns);
        let x = town.dem.west + (column as f64 + 0.5) * setup.dx;
        (x, town.dem.north - (row as f64 + 0.5) * setup.dy)
    };
    let near = |cell: &usize| {
        let (x, y) = place(*cell);
        (x - 382_265.0).hypot(y - 6_354_280.0) <= 10.0
    };
    let source = (0..setup.bed.len()).filter(near).collect();
    let setup = setup.with_inflow(source, vec![(0.0, 19.7)]);
    let mut run = bench.start(&setup);
    let levels = |run: &engine::Run| -> Vec<f64> {
        let depths = run.depths();
        let cell = |x: f64, y: f64| {
            let (across, down) = (x - town.dem.west, town.dem.north - y);
            setup.cell((across / setup.dx) as usize, (down / setup.dy) as usize)
        };
        town.points.iter().map(|&[x, y, ..]| cell(x, y)).map(|c| setup.bed[c] + depths[c]).collect()
    };
    run.to(BEFORE);
    let before = levels(&run);
    run.to(END);
    let ours = levels(&run);
    // No worse than the errors of `inertial` before `shallow-water` existed.
    let limit = bench.of([0.158, 0.158, 0.20, 0.20]);
    let observed = || town.points.iter().map(|point| point[2]);
    bench
        .check(
            format!("levels, {cell} m cells: RMSE [m]"),
            rmse(ours.iter().copied().zip(observed())),
            limit,
        )
        .peers("TUFLOW, 1 m cells: 0.15");
    let tuflow = rmse(town.points.iter().map(|point| (point[3], point[2])));
    bench.note("RMSE of TUFLOW's published levels, 1 m cells [m]", tuflow);
    for ((point, level), before) in town.points.iter().zip(&ours).zip(REACHED) {
        let name = format!("at the point surveyed at {} m", point[2]);
        bench.note(format!("{name}: error of the level [m]"), level - point[2]);
        let limit = bench.of([Some(before), Some(before), None, None]);
        bench.judge(
            format!("{name}: absolute error of the level [m]"),
            (level - point[2]).abs(),
            limit,
        );
    }
    let metric = "maximum speed in water deeper than 0.1 m [m/s]";
    let limit = bench.of([Some(15.0), Some(15.0), None, None]);
    bench.judge(metric, run.greatest_speed(), limit);
    let moved = largest(before.iter().zip(&ours).map(|(a, b)| (a - b).abs()));
    bench.note(format!("maximum change of a level in the last {} s [m]", END - BEFORE), moved);
    bench.note(format!("steps, {cell} m cells"), run.steps() as f64);
    bench.note("wall time, one core [s]", run.wall());
    bench.finish(&format!("{cell} m cells"), run);
    let numbered = |values: Vec<f64>| (1..).map(f64::from).zip(values).collect::<Vec<_>>();
    bench.curve(
        "j_merewether",
        format!("{}, {cell} m", bench.solver),
        Pen::Solver(bench.solver),
        numbered(ours),
    );
    bench.curve("j_merewether", "surveyed", Pen::ReferenceDots, numbered(observed().collect()));
    let tuflow = town.points.iter().map(|point| point[3]).collect();
    bench.curve("j_merewether", "TUFLOW, 1 m", Pen::Limit, numbered(tuflow));
}

/// Returns which cells' centres are inside polygons, each given by a file of its corners.
fn inside(dem: &Dem, files: &[&Path]) -> Result<Vec<bool>, String> {
    let mut polygons = Vec::new();
    for file in files {
        let mut corners = data::table(file)?;
        corners.push(corners[0].clone());
        let corners: Vec<String> = corners.iter().map(|c| format!("{} {}", c[0], c[1])).collect();
        polygons.push(format!("(({}))", corners.join(",")));
    }
    let burn = || -> gdal::errors::Result<Vec<bool>> {
        let shapes: Result<Vec<Geometry>, _> =
            polygons.iter().map(|ring| Geometry::from_wkt(&format!("POLYGON {ring}"))).collect();
        let (shapes, shape) = (shapes?, (dem.columns, dem.rows));
        let memory = DriverManager::get_driver_by_name("MEM")?;
        let mut raster: Dataset = memory.create_with_band_type::<u8, _>("", shape.0, shape.1, 1)?;
        raster.set_geo_transform(&[dem.west, dem.dx, 0.0, dem.north, 0.0, -dem.dy])?;
        rasterize(&mut raster, &[1], &shapes, &vec![1.0; shapes.len()], None)?;
        let marks = raster.rasterband(1)?.read_as::<u8>((0, 0), shape, shape, None)?;
        Ok(marks.data().iter().map(|&mark| mark == 1).collect())
    };
    burn().map_err(|error| error.to_string())
}
