//! Invalid input: exit code 2, and a message that explains what is wrong, where, and how to fix it;
//! no file is touched. `check` refuses the same input with the same message.

use crate::cli_common;

use cli_common::{Raster, Workshop, hinted_command};

const STEPS: [&str; 4] = ["--rain", "1 mm/step", "--steps", "3"];

/// Asserts that `run --dem dem.tif` for three steps with rain is refused with all of `parts`.
#[track_caller]
fn dem_refused(workshop: &Workshop, parts: &[&str]) -> cli_common::Ran {
    workshop.refuses(&[&["run", "--dem", "dem.tif"][..], &STEPS].concat(), parts)
}

#[test]
fn names_a_missing_dem() {
    dem_refused(&Workshop::empty(), &["dem: cannot open 'dem.tif'", "No such file", "hint:"]);
}

#[test]
fn explains_how_to_give_a_dem_when_there_is_none() {
    Workshop::empty().refuses("run --steps 3", &["no DEM is given", "--dem dem.tif"]);
}

#[test]
fn rejects_a_text_file_as_raster() {
    let workshop = Workshop::empty();
    workshop.file("dem.tif", "these are no heights\n");
    let parts = ["dem: 'dem.tif' is not a raster that GDAL can read", "gdalinfo 'dem.tif'"];
    dem_refused(&workshop, &parts);
}

#[test]
fn rejects_a_folder_as_raster() {
    let workshop = Workshop::empty();
    std::fs::create_dir(workshop.path("dem.tif")).unwrap();
    dem_refused(&workshop, &["dem: 'dem.tif' is not a raster that GDAL can read"]);
}

#[test]
fn reports_an_empty_file_as_empty() {
    let workshop = Workshop::empty();
    workshop.file("dem.tif", "");
    dem_refused(&workshop, &["dem: 'dem.tif' is empty (0 bytes)"]);
}

#[test]
fn rejects_a_truncated_dem() {
    let workshop = Workshop::with_dem(&Raster::terrain(64, 64));
    let whole = std::fs::read(workshop.path("dem.tif")).unwrap();
    workshop.file("dem.tif", &whole[..whole.len() - 4000]);
    let parts = ["dem: 'dem.tif' cannot be read completely", "damaged or truncated"];
    dem_refused(&workshop, &parts);
}

#[test]
fn rejects_a_dem_of_nodata_only() {
    let workshop = Workshop::with_dem(&Raster::new(5, 4, |_, _| -9999.0));
    dem_refused(&workshop, &["dem: 'dem.tif' has no valid cell: all 20 are NoData", "gdalinfo"]);
}

#[test]
fn names_the_cell_of_an_invalid_height() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(3, 2, 40_000.0));
    let parts = ["1 cell of 'dem.tif' holds 40000", "column 3, row 2", "--nodata 40000"];
    let kept = [&["run", "--dem", "dem.tif", "--nodata", "nan"][..], &STEPS].concat();
    workshop.refuses(&kept, &["40000"]);
    workshop.run(&[&STEPS[..], &["--out", "found"]].concat()).done().says(&parts);
    workshop.run(&[&STEPS[..], &["--nodata", "40000"]].concat()).done();
}

#[test]
fn rejects_degrees_with_a_gdalwarp_command_that_fixes_them() {
    // Centres in Tennessee (zone 16 north), Chile (19 south) and east of the last zone's middle.
    for (west, north, epsg) in
        [(-85.0, 36.5, 32616), (-70.5, -33.0, 32719), (179.5, 51.0, 32660), (-180.0, -17.0, 32701)]
    {
        let dem =
            Raster::terrain(30, 30).epsg(4326).transform([west, 0.001, 0.0, north, 0.0, -0.001]);
        let workshop = Workshop::with_dem(&dem);
        let target = format!("gdalwarp -t_srs EPSG:{epsg}");
        let ran = dem_refused(&workshop, &["dem: 'dem.tif' is in degrees (WGS 84)", &target]);
        workshop.shell(&hinted_command(&ran)).done();
        let arguments = "run --dem dem_utm.tif --rain '1 mm/step' --steps 3";
        workshop.inundate(arguments).done().never_says("warning");
        let cell = workshop.report("results")["grid"]["dx_m"].as_f64().unwrap();
        assert!((70.0..120.0).contains(&cell), "0.001 degrees are about 100 m, not {cell}");
    }
}

#[test]
fn rejects_a_rotated_dem_with_a_command_that_straightens_it() {
    let dem = Raster::terrain(12, 8).transform([5e5, 9.0, 3.0, 5e6, 3.0, -9.0]);
    let workshop = Workshop::with_dem(&dem);
    let ran = dem_refused(&workshop, &["dem: the grid of 'dem.tif' is rotated", "gdalwarp"]);
    workshop.shell(&hinted_command(&ran)).done();
    workshop.inundate(&[&["run", "--dem", "north_up.tif"][..], &STEPS].concat()).done();
}

#[test]
fn rejects_a_dem_with_axes_to_the_west_or_south() {
    let dem = |epsg: u32, west: f64, north: f64| {
        let transform = [west, 10.0, 0.0, north, 0.0, -10.0];
        Workshop::with_dem(&Raster::terrain(12, 8).epsg(epsg).transform(transform))
    };
    for (epsg, west, north) in [(2053, 5e4, 2.9e6), (5513, 1.05e6, 7.4e5)] {
        let workshop = dem(epsg, west, north);
        let parts = ["dem: 'dem.tif' has a CRS whose axes point west or south (", "gdalwarp"];
        let ran = dem_refused(&workshop, &parts);
        workshop.shell(&hinted_command(&ran)).done();
    }
    let accepted = [
        (2180, 5e5, 5e5),
        (5514, -7.4e5, -1.05e6),
        (3031, 0.0, 2.08e6),
        (3413, 0.0, -2.19e6),
        (5041, 1.9e6, 2e6),
        (31468, 4.5e6, 5.4e6),
    ];
    for (epsg, west, north) in accepted {
        let workshop = dem(epsg, west, north);
        workshop.inundate(&[&["run", "--dem", "dem.tif"][..], &STEPS].concat()).done();
    }
}

#[test]
fn rejects_a_south_up_dem_with_a_command_that_flips_it() {
    let workshop =
        Workshop::with_dem(&Raster::terrain(12, 8).transform([5e5, 10., 0., 5e6, 0., 10.]));
    let parts = ["dem: the rows of 'dem.tif' do not run from north to south", "gdalwarp"];
    let ran = dem_refused(&workshop, &parts);
    workshop.shell(&hinted_command(&ran)).done();
    workshop.inundate(&[&["run", "--dem", "north_up.tif"][..], &STEPS].concat()).done();
    let grid = workshop.report("results")["grid"].clone();
    assert_eq!((grid["columns"].as_u64(), grid["rows"].as_u64()), (Some(12), Some(8)));
    workshop.raster("dem.tif", &Raster::terrain(12, 8).transform([5e5, -10., 0., 5e6, 0., -10.]));
    let parts = ["dem: the columns of 'dem.tif' do not run from west to east", "gdalwarp"];
    let ran = dem_refused(&workshop, &parts);
    workshop.shell(&hinted_command(&ran)).done();
}

#[test]
fn rejects_an_alpha_out_of_range_from_flags_and_files() {
    let workshop = Workshop::new();
    let range = "at least 0.000001 and no more than 1";
    let small = "give 0.000001 or more: a smaller value moves almost no water";
    for (alpha, hint) in [
        ("0", range),
        ("-1", range),
        ("1.5", range),
        ("nan", range),
        ("1e-60", small),
        ("9.9e-7", small),
    ] {
        let arguments = [&["run", "--dem", "dem.tif", "--alpha", alpha][..], &STEPS].concat();
        workshop.refuses(&arguments, &["alpha: ", "is out of range", hint]);
        workshop.file("s.toml", format!("dem = 'dem.tif'\nsteps = 3\nalpha = {alpha}\n"));
        workshop.refuses("run s.toml", &["is out of range"]);
    }
    for alpha in ["1", "1e-6"] {
        workshop.run(&[&STEPS[..], &["--overwrite", "--alpha", alpha]].concat()).done();
    }
}

#[test]
fn suggests_the_nearest_key_for_an_unknown_one() {
    let workshop = Workshop::new();
    for (key, nearest) in
        [("rainn", "rain"), ("neighborhood", "neighbourhood"), ("output-every", "output_every")]
    {
        workshop.file("s.toml", format!("dem = 'dem.tif'\n{key} = '3'\n"));
        let unknown = format!("'s.toml', line 2: unknown key '{key}'");
        let hint = format!("did you mean '{nearest}'?");
        workshop.refuses("run s.toml", &[&unknown, &hint]);
    }
}

#[test]
fn names_the_line_of_a_scenario_syntax_or_type_error() {
    let workshop = Workshop::new();
    workshop.file("s.toml", "dem = 'dem.tif'\nrain = = 3\n");
    workshop.refuses("run s.toml", &["'s.toml', line 2"]);
    workshop.file("s.toml", "dem = 'dem.tif'\n\nsteps = 'many'\n");
    workshop
        .refuses("run s.toml", &["'s.toml', line 3", "expected a whole number", "without quotes"]);
    workshop.refuses("run none.toml", &["cannot open the scenario 'none.toml'", "inundate new"]);
}

#[test]
fn rejects_contradictory_times_and_suggests_a_fix() {
    let workshop = Workshop::new();
    let cases: [(&[&str], &[&str]); 10] = [
        (
            &["--steps", "3", "--step", "10s", "--duration", "1h"],
            &["steps and duration are both given"],
        ),
        (
            &["--solver", "aqua-graph", "--duration", "1h"],
            &[
                "a step of 'aqua-graph' has no duration of its own",
                "--solver shallow-water",
                "--step 10s",
            ],
        ),
        (&["--duration", "1h", "--steps", "3"], &["has no duration of its own", "--step 10s"]),
        (&["--step", "10s"], &["the run has no end", "--duration"]),
        (&["--solver", "aqua-graph"], &["the run has no end", "--steps N"]),
        (&[], &["the run has no end", "--duration 6h"]),
        (
            &["--rain", "5 mm/h", "--steps", "3"],
            &["rain: '5 mm/h' is a rate in time", "--step 10s", "mm/step"],
        ),
        (
            &["--rain", "5 mm/step", "--steps", "3", "--step", "1s"],
            &["rain: '5 mm/step' is a rate per step", "mm/h"],
        ),
        (&["--steps", "0"], &["no time to simulate"]),
        (&["--step", "0s", "--duration", "1h"], &["step: a step must last a millisecond"]),
    ];
    for (arguments, parts) in cases {
        workshop.refuses(&[&["run", "--dem", "dem.tif"], arguments].concat(), parts);
    }
}

#[test]
fn rejects_invalid_machine_options() {
    let workshop = Workshop::new();
    let cases: [(&[&str], &[&str]); 9] = [
        (&["--threads", "0"], &["threads: 0 is not a valid number of threads", "1 to 1024"]),
        (
            &["--threads", "100000"],
            &["threads: 100000 is not a valid number of threads", "1 to 1024"],
        ),
        (&["--tile", "0"], &["tile: '0' is not a tile size", "512x128"]),
        (&["--tile", "8x"], &["tile: '8x' is not a tile size"]),
        (&["--tile", "wide"], &["tile: 'wide' is not a tile size"]),
        (&["--open", "up"], &["open: 'up' is neither a value", "north, east, south, west"]),
        (&["--height-unit", "yd"], &["height_unit: 'yd' is not a unit of height", "us-ft"]),
        (&["--output-every", "0"], &["output_every: '0' must be more than 0"]),
        (&["--output-every", "1 min"], &["output_every: '1 min' is not a whole number of steps"]),
    ];
    for (arguments, parts) in cases {
        workshop.refuses(&[&["run", "--dem", "dem.tif"], arguments, &STEPS].concat(), parts);
    }
}

#[test]
fn lists_the_registered_names_for_an_unknown_one() {
    let workshop = Workshop::new();
    let cases: [(&str, &str, &str); 4] = [
        ("solver", "lattice", "aqua-graph"),
        ("neighbourhood", "hexagon", "von-neumann"),
        ("grain", "tiny", "coarse"),
        ("device", "abacus", "cpu"),
    ];
    for (key, wrong, known) in cases {
        let flag = format!("--{key}");
        workshop
            .refuses(&format!("run --dem dem.tif '{flag}' '{wrong}' --steps 3"), &[wrong, known]);
        workshop.file("s.toml", format!("dem = 'dem.tif'\nsteps = 3\n{key} = '{wrong}'\n"));
        workshop.refuses("run s.toml", &[wrong, known]);
    }
}
