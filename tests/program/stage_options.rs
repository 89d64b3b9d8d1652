//! Levels held along sides and in the cells of vector layers: inflow and outflow equal manual
//! calculations, to the grain.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text, volumes};
use cli_common::{CORNER, Raster, Workshop, pixels};
use gdal::vector::OGRFieldType::{OFTReal, OFTString};

/// Creates a column of cells in the west that is not connected to the rest of the domain.
fn apart() -> Workshop {
    Workshop::with_dem(&Raster::new(12, 8, |column, _| if column == 1 { -9999.0 } else { 10.0 }))
}

#[test]
fn a_tide_along_a_side_books_inflow_and_outflow() {
    let workshop = apart();
    workshop.file("tide.csv", "time [h],level [m]\n0.25,10.5\n0.5,11.5\n1,10.25\n");
    // The level in eight cells of 100 m² rises to 1.5 m and falls to 0.25 m.
    let arguments = ["--level", "west,tide.csv", "--duration", "1h"];
    volumes(&workshop, &arguments, |inflow, outflow, stored| {
        assert_eq!((inflow, outflow, stored), (1200.0, 1000.0, 200.0));
    });
    workshop.run(&[&arguments[..], &["--overwrite"]].concat()).done().never_says("warning");
    // Before the first time its level holds, after the last time the last level, with a warning.
    let short = ["--level", "west,tide.csv", "--duration", "5 min"];
    volumes(&workshop, &short, |inflow, _, _| assert_eq!(inflow, 400.0));
    let long = "--level west,tide.csv --duration 2h --overwrite";
    workshop.run(long).done().says(&["level: 'tide.csv' ends before the run"]);
    assert_eq!(workshop.volume("results", "stored_m3"), 200.0);
    let dated = "time,level [m]\n2024-06-01T12:30Z,10.5\n2024-06-01T13:00Z,10.5\n";
    workshop.file("dated.csv", dated);
    let late = "--level west,dated.csv --start 2024-06-01T12:00Z --duration 1h";
    workshop.run(&format!("{late} --overwrite")).done().says(&[
        "level: 'dated.csv' covers 2024-06-01T12:30",
        "its first level holds before its first time, too",
    ]);
}

#[test]
fn a_level_on_a_side_fills_the_domain_behind_its_collar() {
    let collar = |column: usize, row: usize| column < 2 || row == 0;
    let dem = Raster::new(12, 8, |i, j| if collar(i, j) { -9999.0 } else { 10.0 });
    let workshop = Workshop::with_dem(&dem);
    volumes(
        &workshop,
        &["--level", "west, 10.5", "--duration", "12h"],
        |inflow, outflow, stored| {
            assert_eq!(inflow - outflow, stored);
            assert!((stored - 70.0 * 50.0).abs() < 1.0, "{stored} m³");
        },
    );
    let check = "check --dem dem.tif --duration 1h --overwrite --level";
    let said = workshop.inundate(&format!("{check} 'north,33 ft'")).done().out;
    assert!(said.contains("stage       10.06 m in 10 cells"), "{said}");
}

#[test]
fn a_level_that_ends_in_open_water_is_noted_also_behind_a_collar() {
    let collar = |column: usize, row: usize| column < 2 || row == 0 || row == 7;
    let dem = Raster::new(12, 8, |i, j| if collar(i, j) { -9999.0 } else { 10.0 });
    let workshop = Workshop::with_dem(&dem);
    let note = "water enters from rest, as from a lake, at 'west:20-50,10.5'";
    let run = |solver: &str, level: &str| {
        let arguments = ["--solver", solver, "--level", level, "--duration", "1 min"];
        workshop.run(&[&arguments[..], &["--overwrite"]].concat()).done()
    };
    run("shallow-water", "west:20-50,10.5").says(&[note]);
    run("shallow-water", "west,10.5").never_says("from rest");
    run("inertial", "west:20-50,10.5").never_says("from rest");
}

#[test]
fn levels_of_a_layer_are_held_and_listed() {
    let workshop = apart();
    workshop.file("tide.csv", "hours,level [cm]\n0,1000\n0.5,1200\n1,1100\n");
    Shapes::new(&[("level", OFTReal), ("stage", OFTString)])
        .with("LINESTRING (0.5 0.5, 0.5 3.5)", &[None, text("tide.csv")])
        .with("POLYGON ((0 6, 1 6, 1 8, 0 8, 0 6))", &[number(10.75), None])
        .with("POINT (0.5 4.5)", &[number(-3.0), None])
        .write(&workshop, "levels.gpkg");
    let arguments = ["--level", "levels.gpkg", "--duration", "1h"];
    // The eight cells are connected, so only the stored volume of the held cells can be calculated
    // by hand.
    volumes(&workshop, &arguments, |inflow, outflow, stored| {
        assert_eq!(inflow - outflow, stored);
    });
    let depths = pixels(workshop.path("results/depth.tif"));
    let close = |row: usize, depth: f32| (depths[row * 12] - depth).abs() < 0.05;
    assert!(close(0, 1.0) && close(7, 0.75), "{depths:?}");
    let check = [&["check", "--dem", "dem.tif", "--overwrite"], &arguments[..]].concat();
    let ran = workshop.inundate(&check).done();
    ran.says(&["level: 1 level of 'levels.gpkg' (at most -3.00 m) never rises above the bed"]);
    let json = workshop.inundate(&[&check[..], &["--json"]].concat()).done().json();
    let expected = serde_json::json!([
        {"cells": 4, "level_range_m": [10.0, 12.0]},
        {"cells": 2, "level_range_m": [10.75, 10.75]},
        {"cells": 1, "level_range_m": [-3.0, -3.0]},
    ]);
    assert_eq!(json["levels"], expected);
}

#[test]
fn the_later_of_two_levels_wins_with_a_warning() {
    let workshop = Workshop::flat();
    let arguments =
        ["--level", "west,11", "--level", "south,12", "--duration", "1 min", "--overwrite"];
    let said = workshop.run(&arguments).done();
    said.says(&["level: 1 cell is given two levels; the level of 'south,12', given last, is used"]);
    let check = [&["check", "--dem", "dem.tif", "--json"], &arguments[..]].concat();
    let json = workshop.inundate(&check).done().json();
    assert_eq!((&json["levels"][0]["cells"], &json["levels"][1]["cells"]), (&7.into(), &12.into()));
    let same = "--level all,11 --level 'south,11 m' --duration '1 min' --overwrite";
    workshop.run(same).done().never_says("warning");
    let open = "--open west --level all,11 --duration '1 min' --overwrite";
    let all = "level: a stage boundary is along all of the open side west; that side is closed";
    workshop.run(open).done().says(&[all]);
    let corner = "--open east --level south,11 --duration '1 min' --overwrite";
    let one = "level: 1 cell with a stage boundary is along the open side east; that part of it is closed";
    workshop.run(corner).done().says(&[one]);
}

#[test]
fn overlapping_features_of_a_file_are_named() {
    let workshop = Workshop::flat();
    let shapes = Shapes::new(&[("level", OFTReal), ("name", OFTString)]);
    shapes
        .with("POLYGON ((0 0, 3 0, 3 2, 0 2, 0 0))", &[number(10.5), text("lake")])
        .with("POLYGON ((2 0, 4 0, 4 2, 2 2, 2 0))", &[number(11.0), None])
        .with("POLYGON ((3 1, 6 1, 6 2, 3 2, 3 1))", &[number(11.5), text("harbour")])
        .write(&workshop, "levels.gpkg");
    let run = ["--level", "levels.gpkg", "--duration", "1s", "--overwrite"];
    workshop.run(&run).done().says(&["level: 3 cells are given two levels; the level of \
        'levels.gpkg, feature 2', 'harbour' in 'levels.gpkg', given last, is used"]);
    let twice = [&["--level", "west,11"], &run[..]].concat();
    workshop.layer("levels.gpkg", "level", &[("POLYGON ((0 0, 3 0, 3 2, 0 2, 0 0))", 10.5)]);
    let other = "2 cells are given two levels; the level of 'levels.gpkg', given last, is used";
    workshop.run(&twice).done().says(&[other]);
}

#[test]
fn a_sea_does_not_drain_over_its_own_open_side() {
    let workshop = Workshop::flat();
    let run = ["--level", "west,10.5", "--duration", "10 min", "--overwrite"];
    let solver = ["--solver", "inertial"];
    let volumes = || ["inflow_m3", "outflow_m3"].map(|key| workshop.volume("results", key));
    for more in [&[][..], &solver[..]] {
        workshop.run(&[&run[..], more].concat()).done().never_says("warning");
        let closed = volumes();
        for open in [&["--open", "west"][..], &["--outflow-slope", "west,0.01"]] {
            let ran = workshop.run(&[&run[..], more, open].concat()).done();
            ran.says(&["along all of the open side west; that side is closed"]);
            assert_eq!(volumes(), closed, "{open:?}");
            assert_eq!(workshop.report("results")["open"], serde_json::json!([]));
            assert_eq!(workshop.report("results")["outflow_slopes"], serde_json::json!([]));
        }
    }
}

#[test]
fn a_stage_stretch_at_the_raster_edge_is_closed_and_the_rest_stays_open() {
    // The sea occupies the northern half of the western side; its water would leave there.
    let workshop = Workshop::flat();
    workshop.layer("sea.gpkg", "level", &[("LINESTRING (0.5 0.5, 0.5 3.5)", "10.5 m")]);
    let level = ["--level", "sea.gpkg", "--duration", "5 s", "--overwrite"];
    workshop.run(&level).done().never_says("warning");
    let alone = workshop.volume("results", "inflow_m3");
    let ran = workshop.run(&[&level[..], &["--open", "west"]].concat()).done();
    ran.says(&["are along the open side west; that part of it is closed"]);
    // In such a short time, hardly any of it has reached the cells beside the stretch, where it may
    // leave.
    let brought = workshop.volume("results", "inflow_m3");
    assert!((brought / alone - 1.0).abs() < 1e-3, "{brought} m³, {alone} m³ if closed");
    let left = workshop.volume("results", "outflow_m3");
    assert!(left < 0.01 * alone, "{left} m³ left, {alone} m³ came");
    let long = "--level sea.gpkg --duration '10 min' --overwrite --open west";
    workshop.run(long).done();
    assert!(workshop.volume("results", "outflow_m3") > 0.0);
}

#[test]
fn a_stage_stretch_behind_a_collar_is_closed_and_the_rest_stays_open() {
    // A sea of three cells along the northern boundary, and land that no water reaches from there.
    let collar = |i: usize, j: usize| i == 0 || j == 0 || i == 13 || j == 9 || i == 5;
    let dem = Raster::new(14, 10, |i, j| if collar(i, j) { -9999.0 } else { 10.0 });
    let workshop = Workshop::with_dem(&dem);
    workshop.layer("sea.gpkg", "level", &[("LINESTRING (1.5 1.5, 4.5 1.5)", "11 m")]);
    let level = ["--level", "sea.gpkg", "--duration", "30 min", "--overwrite"];
    workshop.run(&level).done().never_says("warning");
    let alone = workshop.volume("results", "inflow_m3");
    for open in [&["--open", "north"][..], &["--outflow-slope", "north,0.01"]] {
        let ran = workshop.run(&[&level[..], open].concat()).done();
        ran.says(&["level: 4 cells with a stage boundary are along the open side north; that part of it is closed"]);
        assert_eq!(workshop.volume("results", "inflow_m3"), alone, "{open:?}");
        // On the land beside it, the side is open as before.
        let wet = [&level[..], open, &["--initial-depth", "0.5"]].concat();
        workshop.run(&wet).done();
        let left = workshop.volume("results", "outflow_m3");
        assert!(left > 1000.0, "{left} m³");
    }
}

#[test]
fn a_high_level_over_a_deep_valley_uses_coarse_grains() {
    let step = |column: usize| if column < 6 { 200.0 } else { 10.0 };
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |column, _| step(column)));
    let check = "check --dem dem.tif --duration 1h --json --level";
    for (level, grain) in [("west,201", 7.6e-6), ("east,201", 7.6e-6), ("east,12", 6e-8)] {
        let json = workshop.inundate(&format!("{check} '{level}'")).done().json();
        let found = json["grain_m"].as_f64().unwrap();
        assert!((found / grain - 1.0).abs() < 0.1, "{level}: {found} m");
    }
}

/// The deepest sea on Earth fits; deeper ones are refused, with the maximum in the message.
#[test]
fn a_sea_of_eleven_kilometres_is_filled_to_its_level() {
    let workshop =
        Workshop::with_dem(&Raster::new(12, 8, |column, _| 40.0 - 1000.0 * column as f64));
    let sea = ["--initial-level", "0m", "--duration", "2s"];
    for grain in ["auto", "coarse"] {
        let how = ["--grain", grain, "--out", grain];
        workshop.run(&[&sea[..], &how].concat()).done();
        let deepest = pixels(workshop.path(&format!("{grain}/max_depth.tif")));
        assert!(deepest.iter().any(|depth| (depth - 10_960.0).abs() < 200.0));
        assert_eq!(workshop.volume(grain, "error_m3"), 0.0);
    }
    let fine = ["run", "--dem", "dem.tif", "--grain", "fine"];
    let parts = ["10960.0 m of water", "the 128 m that --grain fine allows", "--grain coarse"];
    workshop.refuses(&[&fine[..], &sea].concat(), &parts);
    let deep = "run --dem dem.tif --duration 2s --initial-level 9000m";
    workshop.refuses(deep, &["19960.0 m of water", "the 16383 m that even --grain coarse allows"]);
    let rain = "--rain '1e9 mm/h' --duration 1h";
    let says = ["no cell holds more than 16383 m", "the run fails if one gets deeper"];
    workshop.inundate(&format!("check --dem dem.tif {rain}")).done().says(&says);
}

#[test]
fn cells_of_a_stage_boundary_have_its_level_after_every_step() {
    let workshop = Workshop::with_dem(&Raster::new(40, 8, |_, _| 8.0));
    let source = format!("{},{},200 m3/s", CORNER.0 + 15.0, CORNER.1 - 40.0);
    let gauge = format!("{},{},sea", CORNER.0 + 395.0, CORNER.1 - 35.0);
    for solver in ["shallow-water", "inertial", "aqua-manning"] {
        let arguments = ["--level", "east,10 m", "--initial-level", "10 m", "--source", &source];
        let more = ["--solver", solver, "--gauges", &gauge, "--duration", "5min", "--overwrite"];
        let layers = ["--layers", "level,max_level"];
        workshop.run(&[&arguments[..], &more, &layers].concat()).done();
        for map in ["level", "max_level"] {
            let levels = pixels(workshop.path(&format!("results/{map}.tif")));
            for row in 0..8 {
                let level = levels[row * 40 + 39];
                assert!((level - 10.0).abs() < 1e-3, "{solver}: {map} {level}");
            }
        }
        let gauge = workshop.report("results")["gauges"][0]["max_level_m"].as_f64().unwrap();
        assert!((gauge - 10.0).abs() < 1e-3, "{solver}: {gauge}");
    }
}
