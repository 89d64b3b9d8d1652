//! Questionable input: exit code 0, and a warning on stderr that explains what is wrong and how to
//! fix it. Warnings are kept in `run.json`, and `--quiet` does not hide them.

use crate::cli_common;

use cli_common::{CORNER, Raster, Workshop, pixels};

const STEPS: [&str; 4] = ["--rain", "1 mm/step", "--steps", "3"];

/// Runs three steps, and expects these warnings on stderr and in the report.
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
fn a_missing_crs_is_assumed_to_be_in_metres() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(None));
    warned(&workshop, &STEPS, &["dem: 'dem.tif' has no coordinate reference system", "as metres"]);
    let grid = workshop.report("results")["grid"].clone();
    assert_eq!(grid["dx_m"], 10.0);
    assert!(grid["crs"].is_null());
}

#[test]
fn names_undeclared_nodata_with_its_count_and_how_to_declare_it() {
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
        // Both remedies that the warning suggests work.
        let arguments = [&STEPS[..], &["--overwrite", "--nodata", shown]].concat();
        workshop.run(&arguments).done().never_says("warning");
        workshop.shell(&declare).done();
        workshop.run(&[&STEPS[..], &["--overwrite"]].concat()).done().never_says("warning");
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], 94);
    }
}

#[test]
fn reports_isolated_spikes_and_pits_with_their_place_and_a_fix() {
    let ground = Raster::new(20, 15, |column, row| 100.0 + (column + row) as f64);
    let workshop = Workshop::with_dem(&ground.with(7, 4, 4999.0).with(3, 9, 0.0));
    let rain = "--rain '20 mm/h' --duration 2min";
    let [spike, pit] = [
        ["has 1 single cell far above all neighbours", "4999 in column 7, row 4", "--nodata 4999"],
        ["has 1 single cell far below all neighbours", "0 in column 3, row 9", "--nodata 0"],
    ];
    for command in ["run", "check"] {
        let message = format!("'{command}' --dem dem.tif {rain}");
        workshop.inundate(&message).says(&spike).says(&pit);
    }
    let mended = "--nodata 4999 --overwrite";
    workshop.run(&format!("{rain} {mended}")).says(&pit).never_says("far above");
}

#[test]
fn names_undeclared_nan_and_a_command_that_declares_it() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).nodata(None).with(3, 4, f64::NAN));
    let declare = "gdal_edit.py -a_nodata nan 'dem.tif'";
    warned(&workshop, &STEPS, &["dem: 1 cell of 'dem.tif' hold", "NaN", declare]);
    workshop.shell(declare).done();
    workshop.run(&[&STEPS[..], &["--overwrite"]].concat()).done().never_says("warning");
    assert_eq!(workshop.report("results")["grid"]["domain_cells"], 95);
}

#[test]
fn reports_how_much_of_the_domain_a_partial_layer_covers() {
    let workshop = Workshop::new();
    // Eight of twelve columns, on the DEM's cells: a third is missing, with a tolerance of an edge.
    workshop.raster("part.tif", &Raster::new(8, 8, |_, _| 1.0));
    for flag in ["rain", "initial-depth", "sinks", "inflow-depth", "source"] {
        let flag = format!("--{flag}");
        let what = "'part.tif' has no value for 33.33 % of the domain's cells";
        warned(&workshop, &[&flag, "part.tif", "--steps", "3"], &[what, "taken as 0"]);
    }
}

#[test]
fn accepts_a_layer_that_leaves_only_dem_nodata_uncovered() {
    let hole = |raster: Raster| (0..8).fold(raster, |raster, row| raster.with(11, row, -9999.0));
    let workshop = Workshop::with_dem(&hole(Raster::terrain(12, 8)));
    workshop.raster("rain.tif", &hole(Raster::new(12, 8, |_, _| 1.0)));
    workshop.run("--rain rain.tif --steps 3").done().never_says("warning");
}

#[test]
fn notes_that_a_hyetograph_ending_above_zero_continues() {
    let workshop = Workshop::new();
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,10\n5,20\n");
    let timed = ["--rain", "storm.csv", "--step", "10s", "--duration"];
    let parts = ["rain: 'storm.csv' ends with a rate above 0", "end it with a rate of 0"];
    warned(&workshop, &[&timed[..], &["10 min"]].concat(), &parts);
    // Not if the run has ended by then, nor if the rain has stopped.
    let over = [&timed[..], &["5 min", "--overwrite"]].concat();
    workshop.run(&over).done().never_says("warning");
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,10\n5,0\n");
    let stops = [&timed[..], &["10 min", "--overwrite"]].concat();
    workshop.run(&stops).done().never_says("warning");
}

#[test]
fn lists_series_that_continue_past_their_end_in_one_note() {
    let workshop = Workshop::new();
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,10\n20,0\n");
    workshop.file("q.csv", "time [h],flow [m3/s]\n0,1\n2,0\n");
    workshop.file("short.csv", "time [min],flow [m3/s]\n0,1\n5,0\n");
    workshop.file("tide.csv", "time [h],level [m]\n0,90\n3,91\n");
    let [long, short] = ["q.csv", "short.csv"].map(|name| format!("500055,4999955,{name}"));
    let run = format!("--rain storm.csv --source '{long}' --source '{short}' --source '{long}'");
    let end = "--level east,tide.csv --duration '10 min'";
    let note = "note: the run ends at 10 min; what comes after that is left out of rain: 'storm.csv' (to 20 min), source: 'q.csv' (to 2 h), level: 'tide.csv' (to 3 h)";
    for command in ["run", "check"] {
        let ran = workshop.inundate(&format!("'{command}' --dem dem.tif {run} {end}"));
        let ran = ran.done().says(&[note]);
        assert_eq!(ran.err.matches("left out").count(), 1, "{}", ran.err);
    }
    // Dates after the end of the run cause no further warning.
    workshop.file("dated.csv", "time,rain [mm/h]\n2021-07-14T12:00,10\n2021-07-14T14:00,0\n");
    let dated = "--rain dated.csv --duration '10 min' --overwrite";
    workshop.run(dated).done().never_says("warning").says(&["left out of rain: 'dated.csv'"]);
}

#[test]
fn reports_warnings_of_one_kind_once_with_a_count() {
    let workshop = Workshop::new();
    let mut sources = Vec::new();
    for name in ["a.csv", "b.csv", "c.csv"] {
        workshop.file(name, "time [min],flow [m3/s]\n0,1\n5,2\n");
        sources.extend(["--source".to_string(), format!("500055,4999955,{name}")]);
    }
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let parts =
        ["source: 'a.csv' ends with a flow above 0", "(the same for 2 more: 'b.csv', 'c.csv')"];
    let open = ["--duration", "10 min", "--open", "east"];
    warned(&workshop, &[&sources[..], &open].concat(), &parts);
    assert_eq!(workshop.report("results")["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn reports_rain_in_millimetres_too() {
    let workshop = Workshop::new();
    let run = "--rain '60 mm/h' --duration '10 min'";
    let said = workshop.run(run).done().out;
    let line = said.lines().find(|line| line.contains("+ rain")).expect("rain in the ledger");
    assert!(line.ends_with("96.00 m³  (10.0 mm)"), "{line}");
    let depth = workshop.report("results")["rain_mm"].as_f64().unwrap();
    assert!((depth - 10.0).abs() < 1e-3, "{depth}");
    let page = workshop.text("results/report.html");
    assert!(page.contains("rain (10.0 mm)"));
    let check = format!("check --dem dem.tif --overwrite {run}");
    let said = workshop.inundate(&check).done().out;
    assert!(said.contains("96.00 m³ by the end, 10.0 mm over the domain"), "{said}");
    let json = workshop.inundate(&format!("{check} --json")).done().json();
    assert!((json["forcing"][0]["depth_mm"].as_f64().unwrap() - 10.0).abs() < 1e-9);
}

#[test]
fn reports_the_loss_of_a_source_at_an_open_side() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |column, _| 10.0 + column as f64));
    let end = "--open west --duration '20 min' --overwrite";
    let at_rim = "--source '500005,4999955,2 m3/s'";
    let said = "source: '500005,4999955,2 m3/s' is at the open side west: 100 % of its flow enters there, and much of that leaves at once; move it some cells inward, or close that side (--closed west)";
    let check = format!("check --dem dem.tif {at_rim} {end}");
    workshop.inundate(&check).done().says(&[said]);
    let ran = workshop.run(&format!("{at_rim} {end}")).done().says(&[said]);
    let came = workshop.volume("results", "inflow_m3");
    let lost = 100.0 * workshop.volume("results", "outflow_m3") / came;
    assert!(lost > 90.0, "{lost} %");
    let share = format!(
        "source: {lost:.0} % of all the water of this run left over its open sides and at stage boundaries; source at an open side: '500005,4999955,2 m3/s'"
    );
    ran.says(&[&share]);
    assert!(workshop.report("results")["warnings"].to_string().contains(&share));
    // Pointing inward, or with that side closed, there is nothing to warn about.
    let inward = "--source '500105,4999955,2 m3/s'";
    workshop.run(&format!("{inward} {end}")).done().never_says("source:");
    let closed = "--open all --closed west --duration '2 min' --overwrite";
    workshop.run(&format!("{at_rim} {closed}")).done().never_says("source:");
}

#[test]
fn reports_a_run_without_water() {
    let workshop = Workshop::new();
    warned(&workshop, &["--steps", "3"], &["there is no water in this run", "--rain"]);
}

#[test]
fn reports_heights_in_the_foot_of_the_crs_and_unknown_units() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(2264));
    warned(
        &workshop,
        &STEPS,
        &["heights are taken to be in the CRS's unit of 0.3048006 m", "--height-unit m"],
    );
    let workshop =
        Workshop::with_dem(&Raster::new(12, 8, |column, _| 4e4 + column as f64).epsg(2264));
    let taken = "; heights are taken to be in the CRS's unit of 0.3048006 m";
    let run = [&["run", "--dem", "dem.tif"][..], &STEPS].concat();
    workshop.refuses(&run, &[taken]);
    // No heights are in the km of a CRS.
    let place = [500.0, 0.01, 0.0, 5000.0, 0.0, -0.01];
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(None).transform(place));
    let crs = "+proj=utm +zone=33 +datum=WGS84 +units=km";
    workshop.shell(&format!("gdal_edit.py -a_srs '{crs}' dem.tif")).done();
    let ran = workshop.inundate(&run).done();
    ran.says(&["values are taken as heights in m, not in its CRS's unit of 1000 m"]);
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).unit("fathom"));
    let run = [&["run", "--dem", "dem.tif"][..], &STEPS].concat();
    workshop.refuses(&run, &["'fathom' is not a unit of height", "--height-unit"]);
}

#[test]
fn reports_a_source_on_nodata_and_a_layer_without_a_crs() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(2, 1, -9999.0));
    workshop.raster("q.tif", &Raster::new(12, 8, |column, _| f64::from(u8::from(column == 2))));
    let parts = ["source: 1 cells of 'q.tif' are on NoData cells of the DEM and are ignored"];
    warned(&workshop, &["--source", "q.tif", "--steps", "3"], &parts);
    let coarse = [CORNER.0, 30.0, 0.0, CORNER.1, 0.0, -20.0];
    workshop.raster("r.tif", &Raster::new(4, 4, |_, _| 1.0).epsg(None).transform(coarse));
    let parts = ["rain: 'r.tif' has no coordinate reference system; the DEM's is assumed"];
    warned(&workshop, &["--rain", "r.tif", "--steps", "3"], &parts);
}

#[test]
fn reports_a_series_without_maps() {
    let workshop = Workshop::new();
    let every = ["--rain", "1 mm/step", "--steps", "3", "--output-every", "5"];
    let parts = ["output_every: no series is written", "ends at step 3, before step 5"];
    warned(&workshop, &every, &parts);
    let every =
        ["--rain", "1 mm/step", "--steps", "3", "--output-every", "1", "--layers", "max_depth"];
    warned(&workshop, &every, &["output_every: no series is written", "add depth to layers"]);
}

#[test]
fn refuses_an_arrival_depth_that_is_not_counted() {
    let workshop = Workshop::new();
    let run = "run --dem dem.tif --rain '1 mm/step' --steps 3";
    for depth in ["1e-300 m", "0.05 m, 1e-300 m"] {
        let arguments = format!("{run} --arrival-depth '{depth}'");
        workshop.refuses(
            &arguments,
            &["arrival_depth: 1e-300 m is less than the resolution of the water depth"],
        );
    }
}

#[test]
fn water_that_ponds_at_a_closed_side_is_reported() {
    // The middle of the east side is lowest, so that waves do not make a corner deepest.
    let bed =
        |column: usize, row: usize| 10.0 - 0.2 * column as f64 + 0.1 * (row as f64 - 4.0).abs();
    let workshop = Workshop::with_dem(&Raster::new(12, 8, bed));
    let source = format!("{},{},20 m3/s", CORNER.0 + 15.0, CORNER.1 - 40.0);
    let arguments = ["--source", &source, "--duration", "10min"];
    warned(&workshop, &arguments, &["water is deepest at the east", "of the DEM", "--open east"]);
    let others = ["--open east", "--open all", "--level east,9m"];
    for other in others {
        let (option, value) = other.split_once(' ').unwrap();
        let arguments = [&arguments[..], &[option, value, "--overwrite"]].concat();
        workshop.run(&arguments).done().never_says("water is deepest");
    }
}
