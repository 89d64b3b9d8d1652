//! Interpretation of input: units, grids, layers on other grids, and the sources of keys.

use crate::cli_common;

use cli_common::netcdf::era5;
use cli_common::{CORNER, Raster, Workshop, hinted_command, pixels};
use inundate::scenario::options::{Options, keys};

const FOOT_US: f64 = 1200.0 / 3937.0;

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs()
}

fn flat(columns: usize, rows: usize) -> Raster {
    Raster::new(columns, rows, |_, _| 100.0)
}

#[test]
fn converts_feet_of_the_crs_and_of_the_heights() {
    // North Carolina in US survey feet; heights 100 to 200 in international feet.
    let slope = |column: usize| 100.0 + 100.0 * column as f64 / 9.0;
    let transform = [2_000_000.0, 20.0, 0.0, 700_000.0, 0.0, -20.0];
    let dem = Raster::new(10, 5, |column, _| slope(column)).epsg(2264).transform(transform);
    let workshop = Workshop::with_dem(&dem.clone().unit("ft"));
    workshop.run("--rain '1 mm/step' --steps 7").done().never_says("warning");
    let grid = workshop.report("results")["grid"].clone();
    let cell = 20.0 * FOOT_US;
    assert!(close(grid["dx_m"].as_f64().unwrap(), cell, 1e-9), "{grid}");
    assert!(close(grid["dy_m"].as_f64().unwrap(), cell, 1e-9), "{grid}");
    assert!(close(grid["bed_range_m"][0].as_f64().unwrap(), 30.48, 1e-9), "{grid}");
    assert!(close(grid["bed_range_m"][1].as_f64().unwrap(), 60.96, 1e-6), "{grid}");
    let rain = workshop.volume("results", "rain_m3");
    assert!(close(rain, 7e-3 * 50.0 * cell * cell, 1e-4), "{rain}");
    // Undeclared heights are in the CRS's unit, and --height-unit overrides both.
    for (unit, flag, lowest) in
        [(None, None, 100.0 * FOOT_US), (Some("ft"), Some("m"), 100.0), (None, Some("cm"), 1.0)]
    {
        let dem = unit.map_or(dem.clone(), |unit| dem.clone().unit(unit));
        workshop.raster("dem.tif", &dem);
        let flags = flag.map_or(vec![], |flag| vec!["--height-unit", flag]);
        let ran = workshop.run(&[&["--steps", "1", "--overwrite"], &flags[..]].concat()).done();
        let replaced = "declares its heights in 'ft'; height_unit = \"m\" is used instead";
        assert_eq!(ran.err.contains(replaced), unit.is_some(), "{}", ran.err);
        let found = workshop.report("results")["grid"]["bed_range_m"][0].as_f64().unwrap();
        assert!(close(found, lowest, 1e-9), "{found} for {unit:?} {flag:?}");
    }
}

#[test]
fn cells_need_not_be_square() {
    let wide = [CORNER.0, 30.0, 0.0, CORNER.1, 0.0, -5.0];
    let workshop = Workshop::with_dem(&flat(6, 9).transform(wide));
    workshop.run("--rain '36 mm/h' --step 10s --duration 100s").done();
    let grid = workshop.report("results")["grid"].clone();
    assert_eq!((grid["dx_m"].as_f64(), grid["dy_m"].as_f64()), (Some(30.0), Some(5.0)));
    assert!(close(workshop.volume("results", "rain_m3"), 1e-3 * 54.0 * 150.0, 1e-4));
}

#[test]
fn a_rain_raster_on_the_dems_grid_rains_its_values() {
    let workshop = Workshop::with_dem(&flat(12, 8).with(0, 0, -9999.0));
    workshop.raster("rain.tif", &Raster::new(12, 8, |column, _| column as f64));
    let timed = "--step 10s --duration 1h";
    workshop.run(&format!("--rain rain.tif {timed}")).done().never_says("note:");
    // 0 to 11 mm in an hour on eight rows of 100 m²; the rate of the missing cell is 0 anyway.
    assert!(close(workshop.volume("results", "rain_m3"), 66e-3 * 8.0 * 100.0, 1e-5));
}

/// Returns the two volumes in the note on a warped layer.
fn before_and_after(err: &str) -> (f64, f64) {
    let note = err.lines().find(|line| line.starts_with("note: ")).expect("there is a note");
    let numbers: Vec<f64> = note
        .split_once("warped")
        .unwrap()
        .1
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    (numbers[0], numbers[1])
}

#[test]
fn finer_amounts_keep_their_total_beside_nodata() {
    let workshop = Workshop::with_dem(&flat(10, 10));
    let finer = |name: &str, has_value: fn(usize, usize) -> bool| {
        let value = |column, row| if has_value(column, row) { 1.0 } else { -9999.0 };
        let own = [CORNER.0, 1.0, 0.0, CORNER.1, 0.0, -1.0];
        workshop.raster(name, &Raster::new(100, 100, value).transform(own));
    };
    // The pixel in the middle of each cell is missing; strips of water on dry ground.
    finer("holes.tif", |column, row| column % 10 != 5 || row % 10 != 5);
    finer("strips.tif", |column, _| column % 10 < 4);
    for (name, volume, missing) in [("holes.tif", 9900.0, "1.00"), ("strips.tif", 4000.0, "60.")] {
        let run = format!("--initial-depth '{name}' --duration 1s --overwrite");
        workshop.run(&run).done().says(&[&format!("'{name}' has no value for {missing}")]);
        assert!(close(workshop.volume("results", "initial_m3"), volume, 0.02), "{name}");
    }
    let run = "--rain holes.tif --duration 1h --overwrite";
    workshop.run(run).done().says(&["has no value for 1.00 %"]);
    assert!(close(workshop.volume("results", "rain_m3"), 9.9, 0.02));
    // A depth is compared where half of a cell or more has one, as the mean of that part.
    workshop.raster("coarse.tif", &flat(10, 10).nodata(None));
    for (name, more, depth) in [("holes.tif", "", 1.0), ("strips.tif", "--dry-nodata", 0.4)] {
        let compare = format!("compare coarse.tif --with '{name}' --as depth --json");
        let ran = workshop.inundate(&format!("{compare} {more}")).done();
        let found = ran.json();
        assert_eq!(found["cells"]["compared"], 100, "{name}");
        let difference = &found["thresholds"][0]["wet_in_both"]["mean_difference"];
        assert!((difference.as_f64().unwrap() - (100.0 - depth)).abs() < 0.02, "{difference}");
    }
    let strips = "compare coarse.tif --with strips.tif --as depth";
    assert_ne!(workshop.inundate(strips).code, Some(0));
}

#[test]
fn warps_a_rain_raster_from_another_grid_and_reports_volumes() {
    let workshop = Workshop::with_dem(&flat(40, 30));
    let coarse = [CORNER.0 - 100.0, 50.0, 0.0, CORNER.1 + 100.0, 0.0, -50.0];
    let rain = Raster::new(12, 10, |column, row| 20.0 + column as f64 + row as f64);
    workshop.raster("rain.tif", &rain.transform(coarse));
    let timed = "--rain rain.tif --step 10s --duration 1h";
    let ran = workshop.run(timed).done().says(&["rain: 'rain.tif' was warped to the DEM's grid"]);
    let (before, after) = before_and_after(&ran.err);
    // Within the DEM, column and row indices of the coarse raster average 5.5 and 4.5.
    let expected = 30.0e-3 * 400.0 * 300.0;
    assert!(close(before, expected, 1e-6) && close(after, expected, 1e-3), "{before} {after}");
    assert!(close(workshop.volume("results", "rain_m3"), after, 1e-3));
    let depth = pixels(workshop.path("results/max_depth.tif"));
    assert!(depth[0] < depth[40 * 30 - 1], "more rain in the south-east");
}

#[test]
fn a_finer_raster_stays_in_its_cells() {
    let workshop = Workshop::with_dem(&Raster::new(9, 9, |_, _| 10.0));
    let block = |column: usize, row: usize| (3..6).contains(&column) && (3..6).contains(&row);
    let fine = Raster::new(36, 36, |column, row| f64::from(u8::from(block(column / 4, row / 4))));
    let fine = fine.transform([CORNER.0, 2.5, 0.0, CORNER.1, 0.0, -2.5]);
    workshop.raster("fine.tif", &fine);
    workshop.raster("cells.tif", &Raster::new(9, 9, |i, j| f64::from(u8::from(block(i, j)))));
    let compare = "compare cells.tif --with fine.tif --as depth --json";
    let ran = workshop.inundate(compare).done();
    let found = ran.json();
    assert_eq!(found["thresholds"][0]["csi"], 1.0);
    assert_eq!(found["thresholds"][0]["wet_in_both"]["rmse"], 0.0);
}

#[test]
fn warps_a_rain_raster_from_another_crs() {
    let workshop = Workshop::with_dem(&flat(40, 30));
    let degrees = [14.99, 0.001, 0.0, 45.17, 0.0, -0.001];
    workshop.raster("rain.tif", &Raster::new(30, 40, |_, _| 12.0).epsg(4326).transform(degrees));
    let timed = "--rain rain.tif --step 10s --duration 30min";
    let ran = workshop.run(timed).done().never_says("warning");
    let (before, after) = before_and_after(&ran.err);
    let expected = 12e-3 * 400.0 * 300.0;
    assert!(close(before, expected, 1e-6) && close(after, expected, 1e-6), "{before} {after}");
    assert!(close(workshop.volume("results", "rain_m3"), expected / 2.0, 1e-5));
}

#[test]
fn a_rain_raster_of_the_whole_earth_is_read_without_errors() {
    let workshop = Workshop::with_dem(&flat(40, 30));
    let globe = [-180.0, 1.0, 0.0, 60.0, 0.0, -1.0];
    workshop.raster("rain.tif", &Raster::new(360, 120, |_, _| 12.0).epsg(4326).transform(globe));
    let ran = workshop.run("--rain rain.tif --duration 1min").done().never_says("warning");
    let (before, after) = before_and_after(&ran.err);
    let expected = 12e-3 * 400.0 * 300.0;
    assert!(close(before, expected, 1e-6) && close(after, expected, 1e-6), "{before} {after}");
}

#[test]
fn reanalyses_in_latitude_and_longitude_are_georeferenced() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    era5(&workshop, "era5.nc");
    let run = "--rain era5.nc --duration 2h --step 1min --overwrite";
    // 10 mm in the first hour and 5 in the second, in the pixel that contains the DEM.
    workshop.run(run).done().never_says("warning");
    let rain = workshop.volume("results", "rain_m3");
    assert!(close(rain, 15e-3 * 9600.0, 1e-4), "{rain}");
    // Converted by GDAL for builds without a NetCDF driver, as the error suggests.
    let command = "gdal_translate -q NETCDF:'era5.nc':tp bands.tif";
    workshop.shell(command).done();
    let bands = "--rain bands.tif --duration 2h --step 1min --overwrite";
    workshop.run(bands).done().never_says("warning");
    assert!(close(workshop.volume("results", "rain_m3"), rain, 1e-9));
    for name in ["era5.nc", "era5.dat"] {
        era5(&workshop, name);
        let mut without = workshop.command(&format!("check --dem dem.tif --rain '{name}'"));
        without.args(["--duration", "2h"]).env("GDAL_SKIP", "netCDF HDF5 HDF5Image GMT");
        let output = without.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        let message = format!("rain: '{name}' is NetCDF, which this build of inundate cannot read");
        assert!(said.contains(&message), "{said}");
        assert!(said.contains(&format!("gdal_translate NETCDF:'{name}':VARIABLE bands.tif")));
    }
}

#[test]
fn the_command_in_an_error_fixes_a_dem_in_mercator() {
    let mercator = [1_670_000.0, 14.0, 0.0, 5_615_000.0, 0.0, -14.0];
    let workshop = Workshop::with_dem(&flat(40, 30).epsg(3395).transform(mercator));
    let run = "run --dem dem.tif --rain '36 mm/h' --duration '2 min'";
    let ran = workshop.refuses(run, &["lengths in the CRS of 'dem.tif'", "are off by"]);
    workshop.shell(&hinted_command(&ran)).done();
    let mended = "run --dem dem_utm.tif --rain '36 mm/h' --duration '2 min'";
    workshop.inundate(mended).done().never_says("warning");
    // 560 m × 420 m on the map are about half that area on the ground.
    let rain = workshop.volume("results", "rain_m3");
    let expected = 1.2e-3 * 560.0 * 420.0 * 45.0f64.to_radians().cos().powi(2);
    assert!(close(rain, expected, 0.05), "{rain} instead of {expected}");
    workshop.file("s.toml", "dem = 'dem.tif'\nrain = '36 mm/h'\nduration = '2 min'\naccept_distortion = true\nout = 'meant'\n");
    workshop.inundate("run s.toml").done().says(&["a metre counts as 1.4"]);
    assert!(close(workshop.volume("meant", "rain_m3"), 1.2e-3 * 560.0 * 420.0, 1e-3));
}

#[test]
fn the_command_in_a_warning_declares_the_crs_in_either_format() {
    let workshop = Workshop::with_dem(&flat(12, 8).epsg(None));
    workshop.shell("gdal_translate -q -of AAIGrid dem.tif dem.asc").done();
    for (name, declared) in [("dem.tif", "dem.tif"), ("dem.asc", "dem_declared.tif")] {
        let run = ["run", "--dem", name, "--rain", "36 mm/h", "--duration", "1 min", "--overwrite"];
        let ran = workshop.inundate(&run).done();
        let (_, command) = ran.err.split_once("declare it with: ").expect("a command");
        let command = command.split_once(')').unwrap().0.replace("xxxxx", "32633");
        workshop.shell(&command).done();
        let run = format!("run --dem '{declared}' --rain '36 mm/h' --duration '1 min'");
        workshop.inundate(&format!("{run} --overwrite")).done().never_says("warning");
    }
}

#[test]
fn a_source_raster_keeps_its_total_on_any_grid() {
    let workshop = Workshop::with_dem(&flat(40, 30));
    let grids = [(1, 10.0), (5, 2.0), (4, 2.5)];
    for (finer, size) in grids {
        let fine = [CORNER.0, size, 0.0, CORNER.1, 0.0, -size];
        let middle = 200.0 / size;
        let source = Raster::new(40 * finer, 30 * finer, |column, row| {
            let (x, y) = (column as f64 + 0.5 - middle, row as f64 + 0.5 - middle);
            if x.hypot(y) * size < 60.0 { 0.01 } else { 0.0 }
        });
        let total: f64 = source.values.iter().sum();
        workshop.raster("q.tif", &source.transform(fine));
        source_brings(&workshop, total);
    }
    // Coarser: cells of 50 m, one of them with 3 m³/s, one with 1.
    let coarse = [CORNER.0, 50.0, 0.0, CORNER.1, 0.0, -50.0];
    let source = Raster::new(8, 6, |_, _| 0.0).with(3, 2, 3.0).with(6, 4, 1.0);
    workshop.raster("q.tif", &source.transform(coarse));
    source_brings(&workshop, 4.0);
    // The DEM's 400 m × 300 m contain part of the cells that reach beyond it: cells of 50 m across
    // its edges, and a single cell of 1 km.
    let across = [CORNER.0 - 40.0, 50.0, 0.0, CORNER.1 + 40.0, 0.0, -50.0];
    workshop.raster("q.tif", &Raster::new(12, 12, |_, _| 1.0).transform(across));
    source_brings(&workshop, 400.0 * 300.0 / 2500.0);
    let around = [CORNER.0 - 300.0, 1000.0, 0.0, CORNER.1 + 200.0, 0.0, -1000.0];
    workshop.raster("q.tif", &Raster::new(1, 1, |_, _| 3.0).transform(around));
    source_brings(&workshop, 3.0 * 400.0 * 300.0 / 1e6);
}

#[track_caller]
fn source_brings(workshop: &Workshop, total: f64) {
    let timed = "--source q.tif --step 1s --duration 1000s --overwrite";
    workshop.run(timed).done();
    let inflow = workshop.volume("results", "inflow_m3");
    assert!(close(inflow, total * 1000.0, 1e-4), "{inflow} instead of {}", total * 1000.0);
}

#[test]
fn points_and_several_sources_add_up() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let timed = "--step 1s --duration 100s --overwrite";
    let point = |flow: &str| format!("500055,4999955,{flow}");
    let (one, two) = (point("2 m3/s"), point("500 l/s"));
    workshop.run(&format!("--source '{one}' --source '{two}' {timed}")).done();
    assert!(close(workshop.volume("results", "inflow_m3"), 250.0, 1e-5));
    workshop
        .file("s.toml", format!("dem = 'dem.tif'\nsource = ['{one}', '{two}']\nout = 'many'\n"));
    workshop.inundate(&format!("run s.toml {timed}")).done();
    assert!(close(workshop.volume("many", "inflow_m3"), 250.0, 1e-5));
    workshop.file("s.toml", format!("dem = 'dem.tif'\nsource = '{one}'\nout = 'one'\n"));
    workshop.inundate(&format!("run s.toml {timed}")).done();
    assert!(close(workshop.volume("one", "inflow_m3"), 200.0, 1e-5));
}

#[test]
fn maps_initial_depths_inflow_cells_and_sinks_onto_the_dem() {
    let workshop = Workshop::with_dem(&flat(12, 8).with(5, 5, -9999.0));
    workshop
        .raster("depth.tif", &Raster::new(12, 8, |column, _| if column < 6 { 0.5 } else { 0.0 }));
    let alone = "--steps 1 --overwrite --initial-depth";
    workshop.run(&format!("{alone} depth.tif")).done();
    assert_eq!(workshop.volume("results", "initial_m3"), 0.5 * 47.0 * 100.0);
    workshop.run(&format!("{alone} '50 cm'")).done();
    assert_eq!(workshop.volume("results", "initial_m3"), 0.5 * 95.0 * 100.0);
    // Sinks on a grid of half the cell size, by the nearest cell: 2 marks a cell like 1.
    let fine = [CORNER.0, 5.0, 0.0, CORNER.1, 0.0, -5.0];
    let marks = Raster::new(24, 16, |column, _| if column < 4 { 2.0 } else { 0.0 });
    workshop.raster("sinks.tif", &marks.transform(fine));
    workshop.run(&format!("{alone} depth.tif --sinks sinks.tif")).done();
    let depth = pixels(workshop.path("results/depth.tif"));
    assert!((0..8).all(|row| depth[row * 12] == 0.0 && depth[row * 12 + 1] == 0.0));
    assert!((0..8).all(|row| depth[row * 12 + 2] > 0.0), "marks are not smeared to column 2");
    assert!(workshop.volume("results", "losses_m3") >= 0.5 * 16.0 * 100.0 * 0.99);
    // One inflow cell, topped up to 2 m repeatedly: the inflow exceeds its content.
    workshop.raster("top.tif", &Raster::new(12, 8, |_, _| 0.0).with(3, 3, 2.0));
    workshop.run("--inflow-depth top.tif --steps 20 --overwrite").done();
    assert!(workshop.volume("results", "inflow_m3") > 2.0 * 200.0);
    // The maximum depth is taken at the end of a step, when some water has flowed off.
    let deepest = pixels(workshop.path("results/max_depth.tif"))[3 * 12 + 3];
    assert!(deepest > 1.0 && deepest <= 2.0, "{deepest}");
}

#[test]
fn a_hyetograph_rains_its_total_in_any_unit() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let same = [
        "time [h],rain [mm/h]\n0,10\n0.5,40\n1,0\n",
        "time,rain [mm/h]\n00:00,10\n30 min,40\n01:00,0\n",
        "time [min], rain (mm/h)\r\n0, 10\r\n30, 40\r\n60, 0\r\n",
        "\u{feff}time [s],rain [mm/min]\n0,10 mm/h\n1800,40 mm/h\n3600,0\n",
    ];
    for text in same {
        workshop.file("storm.csv", text);
        let timed = "--rain storm.csv --step 10s --duration 2h --overwrite";
        workshop.run(timed).done();
        assert!(close(workshop.volume("results", "rain_m3"), 25e-3 * 9600.0, 1e-5), "{text}");
    }
}

#[test]
fn scenario_paths_are_relative_to_the_file_and_flags_win() {
    let workshop = Workshop::empty();
    std::fs::create_dir(workshop.path("study")).unwrap();
    workshop.raster("study/dem.tif", &flat(12, 8));
    workshop.raster("study/rain.tif", &Raster::new(12, 8, |_, _| 10.0));
    workshop.raster("study/q.tif", &Raster::new(12, 8, |_, _| 0.0).with(3, 3, 1.0));
    workshop.file(
        "study/s.toml",
        "dem = 'dem.tif'\nrain = 'rain.tif'\nsource = 'q.tif'\nstep = '10s'\nduration = '1h'\n\
         out = 'results'\nalpha = 0.2\ntile = 8\narrival_depth = 0.01\n",
    );
    workshop.inundate("run study/s.toml").done();
    let report = workshop.report("study/results");
    assert_eq!((report["steps"].as_u64(), report["alpha"].as_f64()), (Some(360), Some(0.2)));
    assert!(close(workshop.volume("study/results", "inflow_m3"), 3600.0, 1e-5));
    let flags = "--rain '36 mm/h' --duration 100s --alpha 0.3 --out mine";
    workshop.inundate(&format!("run study/s.toml {flags}")).done();
    let report = workshop.report("mine");
    assert_eq!((report["steps"].as_u64(), report["alpha"].as_f64()), (Some(10), Some(0.3)));
    assert!(close(workshop.volume("mine", "rain_m3"), 1e-3 * 9600.0, 1e-4));
    assert_eq!(report["tile"].as_array().unwrap()[0], 8);
}

#[test]
fn flags_and_keys_correspond_by_name() {
    let values = [
        "'text'",
        "1",
        "true",
        "0.5",
        "'auto'",
        "'moore'",
        "'shared'",
        "'fixed'",
        "'lerc'",
        "'zarr'",
        "'coarse'",
        "'flat'",
        "'accumulated'",
    ];
    let help = Workshop::empty().inundate("run --help").done().out;
    let keys = keys();
    assert!(keys.len() > 20, "{keys:?}");
    for key in &keys {
        let set = values
            .iter()
            .find_map(|value| Options::from_toml(&format!("{key} = {value}"), "test").ok());
        let set = set.unwrap_or_else(|| panic!("no value suits the key {key}"));
        // The key reaches the option of its name: nothing else differs from the default.
        let (set, default) = (format!("{set:#?}"), format!("{:#?}", Options::default()));
        let field = |text: &str| {
            text.split(&format!(" {key}: "))
                .nth(1)
                .and_then(|rest| rest.lines().next())
                .unwrap()
                .to_string()
        };
        assert_ne!(field(&set), field(&default), "{key} is not set");
        assert!(help.contains(&format!("--{}", key.replace('_', "-"))), "{key}");
    }
    // Every long flag of the help is a key.
    for word in help.split_whitespace().filter(|word| word.starts_with("--")) {
        let name = word.trim_start_matches('-').trim_end_matches(|c: char| !c.is_alphanumeric());
        let key = name.replace('-', "_");
        let known = ["help", "version", ""].contains(&key.as_str()) || keys.contains(&key);
        assert!(known, "{word} has no key");
    }
}
