//! Maps on the fine grid of a run with `subgrid`: the depth of a cell's water over each of its
//! pixels.

use crate::cli_common;

use cli_common::{Raster, Workshop, pixels};
use gdal::{Dataset, Metadata};
use std::collections::BTreeMap;

const NODATA: f32 = -9999.0;

/// Pixels of the DEM; neither number is a multiple of the cell size, 8.
const SIZE: (usize, usize) = (61, 45);

/// Returns a bowl with an island in it and a hole in the DEM.
fn bowl(column: usize, row: usize) -> f64 {
    let (x, y) = (column as f64 - 30.0, row as f64 - 22.0);
    let rough = ((column * 7 + row * 13) % 11) as f64 * 0.01;
    let island = if (column.abs_diff(40), row.abs_diff(20)) < (5, 5) && row.abs_diff(20) < 5 {
        4.0
    } else {
        0.0
    };
    10.0 + 0.004 * (x * x + 1.5 * y * y) + rough + island
}

fn in_hole(column: usize, row: usize) -> bool {
    (20..24).contains(&column) && (30..33).contains(&row)
}

fn lake() -> Workshop {
    let level = |column, row| if in_hole(column, row) { NODATA.into() } else { bowl(column, row) };
    Workshop::with_dem(&Raster::new(SIZE.0, SIZE.1, level).nodata(f64::from(NODATA)))
}

/// Returns a valley that falls to the east, with a winding channel of 3 pixels, and a levee beside
/// it.
fn valley(column: usize, row: usize) -> f64 {
    let middle = 24.0 + 6.0 * (column as f64 * 0.1).sin();
    let off = (row as f64 - middle).abs();
    let dyke = if row as f64 > middle + 7.0 && row as f64 <= middle + 8.0 { 1.5 } else { 0.0 };
    let channel = if off < 1.6 { -1.5 } else { 0.03 * off };
    20.0 - 0.02 * column as f64 + channel + dyke
}

fn river() -> Workshop {
    Workshop::with_dem(&Raster::new(96, 48, valley))
}

/// Returns the centre of a pixel.
fn at(column: usize, row: usize) -> String {
    cli_common::at(column as f64 + 0.5, row as f64 + 0.5)
}

/// Returns the arguments of `run` for the river.
fn flood<'a>(source: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["--subgrid", "8", "--source", source, "--duration", "40 min", "--open", "east"];
    [&usual[..], more].concat()
}

fn source() -> String {
    format!("{},8 m3/s", at(2, 25))
}

fn map(workshop: &Workshop, name: &str) -> Vec<f32> {
    pixels(workshop.path("results").join(name))
}

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn a_lake_at_rest_is_flat_up_to_the_dem_contour() {
    let workshop = lake();
    let layers = "depth,level,max_depth,max_level";
    for (level, all) in [(11.0, false), (40.0, true)] {
        let text = level.to_string();
        workshop
            .run(&format!(
                "--subgrid 8 --initial-level '{text}' --duration '30 s' --layers '{layers}' \
                 --overwrite"
            ))
            .done();
        let (depths, levels) = (map(&workshop, "depth.tif"), map(&workshop, "level.tif"));
        assert_eq!(depths.len(), SIZE.0 * SIZE.1);
        for (pixel, (&depth, &found)) in depths.iter().zip(&levels).enumerate() {
            let (column, row) = (pixel % SIZE.0, pixel / SIZE.0);
            let ground = bowl(column, row);
            if in_hole(column, row) {
                assert_eq!((depth, found), (NODATA, NODATA));
            } else if ground < level - 0.002 {
                near(found.into(), level, 0.002);
                near(depth.into(), f64::from(found) - ground, 2e-4);
            } else if ground > level + 0.002 {
                assert_eq!((depth, found), (0.0, NODATA), "{column}, {row}");
            }
        }
        // The water is at rest, so the maxima equal the final values.
        assert_eq!(depths, map(&workshop, "max_depth.tif"));
        assert_eq!(levels, map(&workshop, "max_level.tif"));
        let report = workshop.report("results");
        let stored = report["volume"]["stored_m3"].as_f64().unwrap();
        let shown: f64 = depths.iter().filter(|d| **d > 0.0).map(|d| f64::from(*d) * 100.0).sum();
        near(report["subgrid"]["shown_m3"].as_f64().unwrap(), shown, 1e-6 * shown);
        // Tables are slightly rounded where cells are full; elsewhere they are linear between
        // knots.
        near(shown / stored, 1.0, if all { 1e-3 } else { 0.01 });
        assert_eq!(report["subgrid"]["ratio"], 8);
        assert_eq!(report["subgrid"]["fine"]["columns"], SIZE.0);
        assert_eq!(report["grid"]["columns"], SIZE.0.div_ceil(8));
        assert_eq!(report["subgrid"]["fine"]["domain_cells"], SIZE.0 * SIZE.1 - 12);
    }
}

#[test]
fn pixels_without_a_path_for_water_stay_dry() {
    // A plain with a wall across it, inside a column of cells.
    let wall = 12;
    let dem = Raster::new(40, 16, |column, _| if column == wall { 5.0 } else { 0.0 });
    let workshop = Workshop::with_dem(&dem);
    workshop
        .raster("water.tif", &Raster::new(40, 16, |column, _| if column < 8 { 2.0 } else { 0.0 }));
    workshop.run("--subgrid 8 --initial-depth water.tif --duration '4 h'").done();
    for name in ["depth.tif", "max_depth.tif"] {
        for (pixel, depth) in map(&workshop, name).into_iter().enumerate() {
            let is_wet = pixel % 40 < wall;
            assert_eq!(depth > 0.1, is_wet, "{name}, column {}", pixel % 40);
            assert!(is_wet || depth == 0.0);
        }
    }
    // The cell of the wall has water on both sides, one of which is shown.
    let report = workshop.report("results");
    let [shown, stored] = [&report["subgrid"]["shown_m3"], &report["volume"]["stored_m3"]]
        .map(|volume| volume.as_f64().unwrap());
    near(shown / stored, 12.0 / 15.0, 1e-3);
}

#[test]
fn maps_use_the_requested_grid() {
    let workshop = lake();
    let usual = "--subgrid 8 --initial-level 11 --duration '30 s' --layers depth,level";
    workshop.run(&format!("{usual} --output-grid coarse")).done();
    let file = Dataset::open(workshop.path("results/depth.tif")).unwrap();
    assert_eq!(file.raster_size(), (8, 6));
    assert_eq!(file.geo_transform().unwrap()[1], 80.0);
    let report = workshop.report("results");
    assert_eq!(report["subgrid"]["output_grid"], "coarse");
    assert!(report["subgrid"]["shown_m3"].is_null());
    let volume: f64 = map(&workshop, "depth.tif")
        .iter()
        .filter(|d| **d > 0.0)
        .map(|d| f64::from(*d) * 6400.0)
        .sum();
    let stored = report["volume"]["stored_m3"].as_f64().unwrap();
    near(volume / stored, 1.0, 1e-6);
    for level in map(&workshop, "level.tif").into_iter().filter(|level| *level != NODATA) {
        near(level.into(), 11.0, 0.002);
    }
    let plain =
        ["--initial-level", "11", "--duration", "30 s", "--output-grid", "fine", "--out", "plain"];
    let plain = [&["run", "--dem", "dem.tif"][..], &plain].concat();
    workshop.refuses(&plain, &["output_grid", "--subgrid"]);
}

#[test]
fn every_layer_and_gauge_is_at_pixel_resolution() {
    let workshop = river();
    let source = source();
    // In the channel, and on the bank of the same cell.
    let (inside, bank) = (format!("{},inside", at(44, 19)), format!("{},bank", at(44, 22)));
    let more =
        ["--layers", "all", "--gauges", &inside, "--gauges", &bank, "--arrival-depth", "0.05,0.3"];
    // Gauges have the levels of cells.
    let flat = [&more[..], &["--output-surface", "flat"]].concat();
    let ran = workshop.run(&flood(&source, &flat)).done();
    ran.says(&["'bank' is 1.67 m above the lowest ground"]);
    for name in workshop.names("results").iter().filter(|name| name.ends_with(".tif")) {
        let size = Dataset::open(workshop.path("results").join(name)).unwrap().raster_size();
        assert_eq!(size, (96, 48), "{name}");
    }
    let [depth, most, arrival, later, hazard, worst, speed, fastest] = [
        "depth",
        "max_depth",
        "arrival_time",
        "arrival_time_above_0.3m",
        "hazard",
        "max_hazard",
        "velocity",
        "max_velocity",
    ]
    .map(|name| map(&workshop, &format!("{name}.tif")));
    let worst_of = Dataset::open(workshop.path("results/max_hazard.tif")).unwrap();
    assert!(worst_of.rasterband(1).unwrap().description().unwrap().contains("at most"));
    assert!(most.iter().filter(|depth| **depth > 0.05).count() > 200);
    for pixel in 0..depth.len() {
        assert!(
            most[pixel] >= depth[pixel]
                && worst[pixel] >= hazard[pixel]
                && fastest[pixel] >= speed[pixel]
        );
        let is_clear = (most[pixel] - 0.05).abs() > 1e-4;
        let has_arrived = arrival[pixel] != NODATA;
        assert!(!is_clear || has_arrived == (most[pixel] > 0.05), "{pixel}: {} m", most[pixel]);
        assert_eq!(later[pixel] != NODATA, most[pixel] > 0.3);
        assert!(later[pixel] == NODATA || later[pixel] >= arrival[pixel]);
        assert!(depth[pixel] > 0.0 || speed[pixel] == 0.0);
    }
    // Water stays on its side of the levee.
    let dry = |pixel: &usize| {
        let (column, row) = (pixel % 96, pixel / 96);
        row as f64 > 24.0 + 6.0 * (column as f64 * 0.1).sin() + 8.0
    };
    assert!((0..depth.len()).filter(dry).all(|pixel| most[pixel] == 0.0));

    let report = workshop.report("results");
    let number = |gauge: usize, key: &str| report["gauges"][gauge][key].as_f64().unwrap();
    for (gauge, pixel, place) in [(0, 19 * 96 + 44, (44, 19)), (1, 22 * 96 + 44, (44, 22))] {
        near(number(gauge, "bed_m"), valley(place.0, place.1), 1e-4);
        near(number(gauge, "max_depth_m"), most[pixel].into(), 1e-4);
        match report["gauges"][gauge]["arrival"].as_f64() {
            Some(arrived) => near(arrived / 3600.0, arrival[pixel].into(), 1e-4),
            None => assert_eq!(arrival[pixel], NODATA),
        }
        assert_eq!(
            (&report["gauges"][gauge]["column"], &report["gauges"][gauge]["row"]),
            (&5.into(), &2.into())
        );
    }
    near(number(0, "max_level_m"), number(1, "max_level_m"), 1e-9);
    assert!(number(1, "bed_m") > number(1, "lowest_bed_m") + 1.0);
    let mut reader = csv::Reader::from_path(workshop.path("results/gauges.csv")).unwrap();
    let head = reader.headers().unwrap().clone();
    let rows: Vec<BTreeMap<String, f64>> = reader
        .records()
        .map(|row| {
            head.iter()
                .map(String::from)
                .zip(row.unwrap().iter().map(|n| n.parse().unwrap()))
                .collect()
        })
        .collect();
    for row in &rows {
        near(row["inside level [m]"], row["bank level [m]"], 1e-9);
        let above = row["bank level [m]"] - valley(44, 22);
        near(row["bank depth [m]"], above.max(0.0), 2e-5);
    }
    let last = rows.last().unwrap();
    near(last["inside depth [m]"], depth[19 * 96 + 44].into(), 2e-5);
    // The brook does not overflow, so its bank is dry, regardless of the level in the cell.
    assert!(last["bank depth [m]"] == 0.0 && last["bank level [m]"] > 17.8);
    assert!(arrival[19 * 96 + 44] > 0.0 && arrival[22 * 96 + 44] == NODATA);
    // The table contains the deepest pixel.
    let deepest = most.iter().copied().fold(0.0, f32::max);
    near(report["greatest"][0]["value"].as_f64().unwrap(), deepest.into(), 1e-4);
    let flooded = most.iter().filter(|depth| **depth > 0.05).count();
    assert_eq!(report["subgrid"]["flooded_pixels"], flooded);
}

#[test]
fn the_surface_slopes_along_a_river_without_changing_the_run() {
    // A valley whose sides are gentle enough for shorelines to move, with a levee.
    let middle = |column: usize| 24.0 + 6.0 * (column as f64 * 0.1).sin();
    let valley = |column: usize, row: usize| {
        let off = row as f64 - middle(column);
        let levee = if off > 7.0 && off <= 8.0 { 1.5 } else { 0.0 };
        20.0 - 0.02 * column as f64 + 0.03 * off.abs() + levee
    };
    let workshop = Workshop::with_dem(&Raster::new(96, 48, valley));
    let (source, gauge) = (source(), format!("{},middle", at(44, 18)));
    let layers = "depth,level,max_depth,max_level,max_velocity,arrival_time,max_hazard";
    let more = ["--layers", layers, "--gauges", &gauge, "--arrival-depth", "0.05"];
    workshop.run(&flood(&source, &more)).done();
    let flat = ["--output-surface", "flat", "--out", "flat"];
    workshop.run(&[&flood(&source, &more)[..], &flat].concat()).done();
    let read = |folder: &str, name: &str| pixels(workshop.path(folder).join(format!("{name}.tif")));
    // The greatest step between neighbouring pixels in the channel, across sides of cells.
    let step = |folder: &str| {
        let levels = read(folder, "level");
        let level =
            |column: usize| f64::from(levels[middle(column).round() as usize * 96 + column]);
        let all = (15..80).map(|column| (level(column) - level(column + 1)).abs());
        all.fold(0.0, f64::max)
    };
    let steps = ["results", "flat"].map(step);
    assert!(steps[0] < 0.5 * steps[1] && steps[1] > 0.1, "{steps:?}");
    for file in ["mass_balance.csv", "gauges.csv"] {
        let text = |folder: &str| std::fs::read_to_string(workshop.path(folder).join(file));
        assert_eq!(text("results").unwrap(), text("flat").unwrap(), "{file}");
    }
    let [depth, level, most, arrival, fastest, worst] =
        ["depth", "level", "max_depth", "arrival_time", "max_velocity", "max_hazard"]
            .map(|name| read("results", name));
    let (mut moved, before) = (0, read("flat", "max_depth"));
    for pixel in 0..depth.len() {
        let (column, row) = (pixel % 96, pixel / 96);
        let ground = valley(column, row);
        assert_eq!(level[pixel] != NODATA, depth[pixel] > 0.0);
        if depth[pixel] > 0.0 {
            near(f64::from(level[pixel]) - ground, depth[pixel].into(), 1e-4);
        }
        let is_clear = (most[pixel] - 0.05).abs() > 1e-4;
        let has_arrived = arrival[pixel] != NODATA;
        assert!(!is_clear || has_arrived == (most[pixel] > 0.05), "{pixel}: {} m", most[pixel]);
        assert!(most[pixel] > 0.0 || (fastest[pixel] == 0.0 && worst[pixel] == 0.0));
        // Water stays on its side of the levee.
        let is_behind = row as f64 > middle(column) + 8.0;
        assert!(!is_behind || most[pixel] == 0.0);
        moved += usize::from((most[pixel] > 0.0) != (before[pixel] > 0.0));
    }
    assert!(moved > 20, "shorelines move: {moved} pixels");
    let report = workshop.report("results");
    let [shown, stored] = [&report["subgrid"]["shown_m3"], &report["volume"]["stored_m3"]]
        .map(|volume| volume.as_f64().unwrap());
    near(shown / stored, 1.0, 0.1);
    assert_eq!(report["subgrid"]["output_surface"], "sloping");
    assert_eq!(workshop.report("flat")["subgrid"]["output_surface"], "flat");
    let plain = ["--rain", "9 mm/h", "--duration", "30 s", "--output-surface", "flat"];
    let plain = [&["run", "--dem", "dem.tif", "--out", "plain"][..], &plain].concat();
    workshop.refuses(&plain, &["output_surface", "--subgrid"]);
}

#[test]
fn pixels_flood_as_the_level_rises() {
    // One cell, whose pixels are stairs of 0.1 m, is filled evenly.
    let dem = Raster::new(16, 16, |column, row| 0.1 * ((column + 3 * row) % 16) as f64);
    let workshop = Workshop::with_dem(&dem);
    let flow = format!("{},20 m3/s", at(3, 3));
    workshop
        .run(&format!(
            "--subgrid 16 --source '{flow}' --duration '1000 s' --dt-max '2 s' \
             --arrival-depth '0.2 m' --layers max_depth,arrival_time"
        ))
        .done();
    let arrival = map(&workshop, "arrival_time.tif");
    for (pixel, &hours) in arrival.iter().enumerate() {
        let ground = 0.1 * ((pixel % 16 + 3 * (pixel / 16)) % 16) as f64;
        let level = ground + 0.2;
        let volume: f64 =
            (0..16).map(|step| 1600.0 * (level - 0.1 * f64::from(step)).max(0.0)).sum();
        let expected = volume / 20.0;
        if expected > 1000.0 {
            assert_eq!(hours, NODATA);
        } else {
            near(f64::from(hours) * 3600.0, expected, 8.0);
        }
    }
}

#[test]
fn threads_and_stops_do_not_change_maps() {
    let workshop = river();
    let source = source();
    let rasters = |workshop: &Workshop, out: &str| -> BTreeMap<String, Vec<u8>> {
        let names = workshop.names(out).into_iter().filter(|name| name.ends_with(".tif"));
        names
            .map(|name| (name.clone(), std::fs::read(workshop.path(out).join(name)).unwrap()))
            .collect()
    };
    let series = [
        "--output-every",
        "10 min",
        "--layers",
        "depth,max_depth,arrival_time,duration,time_of_max",
        // Enough steps to be stopped during the run.
        "--dt-max",
        "0.25s",
    ];
    let with = |more: &[&'static str]| [&series[..], more].concat();
    workshop.run(&flood(&source, &with(&["--threads", "1"]))).done();
    let expected = rasters(&workshop, "results");
    assert_eq!(expected.len(), 4 + 5);
    workshop.run(&flood(&source, &with(&["--threads", "3", "--out", "three"]))).done();
    assert_eq!(rasters(&workshop, "three"), expected);
    let kept = with(&["--checkpoint-every", "0.01s", "--out", "stopped"]);
    let arguments = [&["run", "--dem", "dem.tif"][..], &flood(&source, &kept)].concat();
    workshop.stop_at("stopped/.checkpoint/before", &arguments);
    workshop.inundate("resume stopped").done();
    assert_eq!(rasters(&workshop, "stopped"), expected);
}

#[test]
fn every_command_that_reads_maps_reads_fine_ones() {
    let workshop = river();
    let source = source();
    workshop.run(&flood(&source, &["--output-every", "10 min"])).done();
    workshop.inundate("animate results").done();
    assert!(workshop.path("results/depth.gif").exists());
    let page = workshop.text("results/report.html");
    assert!(page.contains("8 × 8 pixels a cell: 96 × 48 of 10 × 10 m"));
    let project = workshop.text("results/project.qgs");
    assert!(project.contains("Hillshade"), "the DEM lies under its maps");
    workshop.run(&flood(&source, &["--roughness", "0.06", "--out", "rough"])).done();
    workshop.inundate("compare rough --with results --difference difference.tif").done();
    let difference = Dataset::open(workshop.path("difference.tif")).unwrap();
    assert_eq!(difference.raster_size(), (96, 48));
    let base = format!(
        "dem = \"dem.tif\"\nsubgrid = 8\nsource = \"{source}\"\nduration = \"20 min\"\nopen = \"east\"\n"
    );
    workshop.file("base.toml", base);
    workshop.file(
        "study.toml",
        "base = \"base.toml\"\nout = \"study\"\n[matrix]\nroughness = [0.03, 0.06]\n",
    );
    workshop.inundate("study study.toml").done();
    let mean = Dataset::open(workshop.path("study/aggregates/max_depth_mean.tif")).unwrap();
    assert_eq!(mean.raster_size(), (96, 48));
}
