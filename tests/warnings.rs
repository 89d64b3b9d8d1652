//! Input that may be wrong: exit code 0, and a warning on stderr that says what and how to mend it.
//! Warnings are kept in `run.json`, and `--quiet` does not hide them.

mod cli_common;

use cli_common::{CORNER, Raster, Workshop, pixels};

const STEPS: [&str; 4] = ["--rain", "1 mm/step", "--steps", "3"];

/// Runs three steps, expects these warnings, and finds them in the report too.
#[track_caller]
fn warned(workshop: &Workshop, arguments: &[&str], parts: &[&str]) {
    let quiet = ["--quiet", "--overwrite"];
    let ran = workshop.run(&[arguments, &quiet[..]].concat()).done().says(parts);
    assert!(ran.err.lines().all(|line| line.starts_with("warning: ")), "{}", ran.err);
    let kept = workshop.report("results")["warnings"].to_string();
    for line in ran.err.lines() {
        let text = line.trim_start_matches("warning: ");
        assert!(kept.contains(text), "{text} is not in {kept}");
    }
}

#[test]
fn a_sound_run_has_no_warning() {
    let workshop = Workshop::new();
    let ran = workshop.run(&[&STEPS[..], &["--quiet"]].concat()).done();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    assert_eq!(workshop.report("results")["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn no_crs_is_taken_as_metres() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(None));
    warned(&workshop, &STEPS, &["dem: 'dem.tif' has no coordinate reference system", "as metres"]);
    let grid = workshop.report("results")["grid"].clone();
    assert_eq!(grid["dx_m"], 10.0);
    assert!(grid["crs"].is_null());
}

#[test]
fn undeclared_nodata_is_named_with_its_count_and_how_to_declare_it() {
    let cases: [(f64, &str); 4] = [
        (-9999.0, "-9999"),
        (-32768.0, "-32768"),
        (f64::from(f32::MAX), "3.4028234663852886e38"),
        (f64::from(-f32::MAX), "-3.4028234663852886e38"),
    ];
    for (value, shown) in cases {
        let dem = Raster::terrain(12, 8).nodata(None).with(3, 4, value).with(5, 6, value);
        let workshop = Workshop::with_dem(&dem);
        let what =
            format!("dem: 2 cells of 'dem.tif' hold {shown}, which is not declared as NoData");
        let declare = format!("gdal_edit.py -a_nodata {shown} 'dem.tif'");
        let flag = format!("--nodata {shown}");
        warned(&workshop, &STEPS, &[&what, &declare, &flag]);
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], 94);
        let depth = pixels(workshop.path("results/depth.tif"));
        assert_eq!((depth[4 * 12 + 3], depth[6 * 12 + 5]), (-9999.0, -9999.0));
        // Both ways out that the warning names are ways out.
        let arguments = [&STEPS[..], &["--overwrite", "--nodata", shown]].concat();
        workshop.run(&arguments).done().never_says("warning");
        workshop.shell(&declare).done();
        workshop.run(&[&STEPS[..], &["--overwrite"]].concat()).done().never_says("warning");
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], 94);
    }
}

#[test]
fn undeclared_nan_is_named_and_the_command_that_declares_it_works() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).nodata(None).with(3, 4, f64::NAN));
    let declare = "gdal_edit.py -a_nodata nan 'dem.tif'";
    warned(&workshop, &STEPS, &["dem: 1 cell of 'dem.tif' hold", "NaN", declare]);
    workshop.shell(declare).done();
    workshop.run(&[&STEPS[..], &["--overwrite"]].concat()).done().never_says("warning");
    assert_eq!(workshop.report("results")["grid"]["domain_cells"], 95);
}

#[test]
fn a_layer_that_covers_part_of_the_domain_says_how_much() {
    let workshop = Workshop::new();
    // Eight of twelve columns, on the DEM's cells: a third is missing, give or take an edge.
    workshop.raster("part.tif", &Raster::new(8, 8, |_, _| 1.0));
    for flag in ["rain", "initial-depth", "sinks", "inflow-depth", "source"] {
        let flag = format!("--{flag}");
        let what = "'part.tif' has no value for 33.33 % of the domain's cells";
        warned(&workshop, &[&flag, "part.tif", "--steps", "3"], &[what, "taken as 0"]);
    }
}

#[test]
fn a_layer_that_covers_the_domain_but_not_the_dems_nodata_is_no_matter() {
    let hole = |raster: Raster| (0..8).fold(raster, |raster, row| raster.with(11, row, -9999.0));
    let workshop = Workshop::with_dem(&hole(Raster::terrain(12, 8)));
    workshop.raster("rain.tif", &hole(Raster::new(12, 8, |_, _| 1.0)));
    workshop.run(&["--rain", "rain.tif", "--steps", "3"]).done().never_says("warning");
}

#[test]
fn a_hyetograph_that_ends_above_zero_is_said_to_go_on() {
    let workshop = Workshop::new();
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,10\n5,20\n");
    let timed = ["--rain", "storm.csv", "--step", "10s", "--duration"];
    let parts = ["rain: 'storm.csv' ends with a rate above 0", "end it with a rate of 0"];
    warned(&workshop, &[&timed[..], &["10 min"]].concat(), &parts);
    // Not where the run is over by then, nor where the rain stops.
    let over = [&timed[..], &["5 min", "--overwrite"]].concat();
    workshop.run(&over).done().never_says("warning");
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,10\n5,0\n");
    let stops = [&timed[..], &["10 min", "--overwrite"]].concat();
    workshop.run(&stops).done().never_says("warning");
}

#[test]
fn a_run_without_water_says_so() {
    let workshop = Workshop::new();
    warned(&workshop, &["--steps", "3"], &["there is no water in this run", "--rain"]);
}

#[test]
fn heights_in_the_crss_foot_and_unknown_units_are_told() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(2264));
    warned(
        &workshop,
        &STEPS,
        &["heights are taken to be in the CRS's unit of 0.3048006 m", "--height-unit m"],
    );
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).unit("fathom"));
    warned(&workshop, &STEPS, &["declared unit 'fathom' is not known", "--height-unit"]);
}

#[test]
fn a_source_on_nodata_and_a_layer_without_a_crs_are_told() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(2, 1, -9999.0));
    workshop.raster("q.tif", &Raster::new(12, 8, |column, _| f64::from(u8::from(column == 2))));
    let parts = ["source: 1 cells of 'q.tif' lie on NoData cells of the DEM and bring nothing"];
    warned(&workshop, &["--source", "q.tif", "--steps", "3"], &parts);
    let coarse = [CORNER.0, 30.0, 0.0, CORNER.1, 0.0, -20.0];
    workshop.raster("r.tif", &Raster::new(4, 4, |_, _| 1.0).epsg(None).transform(coarse));
    let parts = ["rain: 'r.tif' has no coordinate reference system; taken to be the DEM's"];
    warned(&workshop, &["--rain", "r.tif", "--steps", "3"], &parts);
}
