//! Invalid water: rates, layers, hyetographs and points that are refused with exit code 2 and a
//! message that explains what is wrong and how to fix it; no file is touched.

use crate::cli_common;

use cli_common::{CORNER, Raster, Workshop, at};

const TIMED: [&str; 4] = ["--step", "10s", "--duration", "5 min"];

#[track_caller]
fn refused(workshop: &Workshop, arguments: &[&str], parts: &[&str]) {
    workshop.refuses(&[&["run", "--dem", "dem.tif"], arguments, &TIMED].concat(), parts);
}

/// Returns a point beside the layers in UTM 33N, as text.
fn point(column: f64, row: f64, flow: &str) -> String {
    format!("{},{flow}", at(column, row))
}

#[test]
fn rejects_rain_with_an_unknown_unit_or_a_negative_or_infinite_value() {
    let workshop = Workshop::new();
    let cases: [(&str, &[&str]); 8] = [
        ("50", &["rain: '50' has no unit", "mm/h"]),
        ("50 furlongs", &["rain: '50 furlongs': 'furlongs' is not a unit of rain", "mm/h"]),
        ("50 mm", &["'50 mm' is a depth, without the time in which it falls", "50 mm/h"]),
        ("-5 mm/h", &["rain: '-5 mm/h' is negative", "0 or more"]),
        ("1e999 mm/h", &["rain: '1e999 mm/h' is not a finite number"]),
        ("nan mm/h", &["rain: 'nan mm/h' is neither a value nor", "50 mm/h"]),
        ("inf mm/h", &["rain: 'inf mm/h' is neither a value nor"]),
        ("", &["rain: '' is not a rate of rain", "50 mm/h"]),
    ];
    for (rain, parts) in cases {
        refused(&workshop, &["--rain", rain], parts);
        workshop.file(
            "s.toml",
            format!("dem = 'dem.tif'\nrain = '{rain}'\nstep = '10s'\nduration = '5 min'\n"),
        );
        workshop.refuses("run s.toml", parts);
    }
}

#[test]
fn names_the_option_of_an_invalid_depth_or_duration() {
    let workshop = Workshop::new();
    refused(&workshop, &["--initial-depth", "-1 m"], &["initial_depth: '-1 m' is negative"]);
    refused(
        &workshop,
        &["--initial-depth", "1 yd"],
        &["initial_depth: ", "'yd' is not a unit of depth"],
    );
    refused(&workshop, &["--arrival-depth", "-1"], &["arrival_depth: '-1' is negative"]);
    refused(&workshop, &["--hazard-depth", "-1"], &["hazard_depth: '-1' is negative"]);
    refused(
        &workshop,
        &["--initial-depth", "17000 m"],
        &["the scenario puts 17000.0 m of water in a cell at once", "16383 m"],
    );
    let mouthful = ["3000.0 m of water in a cell at once", "above the highest ground of the DEM"];
    refused(&workshop, &["--initial-depth", "3000 m"], &mouthful);
    refused(&workshop, &["--initial-depth", "500 m", "--grain", "fine"], &["--grain coarse"]);
    let dem = ["run", "--dem", "dem.tif"];
    let cases: [(&[&str], &str); 3] = [
        (&["--step", "-1s", "--steps", "3"], "step: '-1s' is negative"),
        (
            &["--step", "1s", "--duration", "6 moons"],
            "duration: '6 moons': 'moons' is not a unit of time",
        ),
        (&["--step", "1s", "--duration", "-6h"], "duration: '-6h' is negative"),
    ];
    for (arguments, what) in cases {
        workshop.refuses(&[&dem, arguments].concat(), &[what]);
    }
}

#[test]
fn names_the_cell_of_a_negative_value_in_a_rain_raster() {
    let workshop = Workshop::new();
    for (value, shown) in [(-2.5, "-2.5"), (-98.0, "-98")] {
        workshop.raster("rain.tif", &Raster::new(12, 8, |_, _| 10.0).with(4, 6, value));
        let what = format!("rain: 'rain.tif' holds {shown} at column 4, row 6");
        refused(&workshop, &["--rain", "rain.tif"], &[&what, "declare it as NoData"]);
    }
}

#[test]
fn names_the_role_of_a_missing_layer() {
    let workshop = Workshop::new();
    for flag in ["rain", "source", "inflow-depth", "sinks", "initial-depth"] {
        let what = format!("{}: cannot open 'none.tif'", flag.replace('-', "_"));
        refused(&workshop, &[&format!("--{flag}"), "none.tif"], &[&what, "No such file"]);
    }
    refused(&workshop, &["--rain", "none.csv"], &["rain: cannot open 'none.csv'"]);
}

#[test]
fn rejects_a_layer_outside_the_dem_and_gives_the_dems_extent() {
    let workshop = Workshop::new();
    let far = [CORNER.0 + 5000.0, 10.0, 0.0, CORNER.1, 0.0, -10.0];
    workshop.raster("far.tif", &Raster::new(12, 8, |_, _| 1.0).transform(far));
    for flag in ["rain", "source", "inflow-depth", "sinks", "initial-depth"] {
        let what = format!("{}: 'far.tif' does not touch the DEM", flag.replace('-', "_"));
        let extent = "the DEM covers x 500000 to 500120, y 4999920 to 5000000";
        refused(&workshop, &[&format!("--{flag}"), "far.tif"], &[&what, extent]);
    }
}

#[test]
fn names_the_line_of_a_hyetograph_fault() {
    let workshop = Workshop::new();
    let head = "time [h],rain [mm/h]\n";
    let cases: [(&str, &[&str]); 11] = [
        ("0,10\n2,5\n1,0\n", &["line 4", "time 1 comes after a later one"]),
        ("0,10\n1,5\n1,0\n", &["line 4", "time 1 appears twice"]),
        ("0,10\n1,5,7\n", &["line 3", "3 columns"]),
        ("0,10\n1\n", &["line 3", "1 column"]),
        ("0,10\n1,much\n", &["line 3", "'much' is not a rate of rain"]),
        ("0,10\nnoon,5\n", &["line 3", "'noon' is not a duration"]),
        ("0,10\n1,-5\n", &["line 3", "negative"]),
        ("0,10\n-1,5\n", &["line 3", "negative"]),
        ("0,10\n1,inf\n", &["line 3"]),
        ("0,10 mm/step\n", &["line 2", "cannot be combined"]),
        ("", &["the table has no data lines"]),
    ];
    for (lines, parts) in cases {
        workshop.file("storm.csv", format!("{head}{lines}"));
        refused(&workshop, &["--rain", "storm.csv"], parts);
        refused(&workshop, &["--rain", "storm.csv"], &["rain: 'storm.csv'", "hint: "]);
    }
}

#[test]
fn rejects_a_hyetograph_without_a_header_however_times_are_written() {
    let workshop = Workshop::new();
    for first in ["0,10", "00:00,10", "0 min,10", "0h,10 mm/h"] {
        workshop.file("storm.csv", format!("{first}\n02:00,0\n"));
        refused(&workshop, &["--rain", "storm.csv"], &["line 1", "the header line is missing"]);
    }
    for (contents, found) in [("", "found 0"), ("time\n0\n", "found 1"), ("t,r,x\n", "found 3\n")] {
        workshop.file("storm.csv", contents);
        refused(&workshop, &["--rain", "storm.csv"], &["expected 2 columns", found]);
    }
}

#[test]
fn rejects_a_hyetograph_value_without_a_unit() {
    let workshop = Workshop::new();
    let cases = [
        ("time,rain [mm/h]\n0,10\n", "line 2: the time '0' has no unit"),
        ("time,rain\n30 min,10 mm/h\n90,0 mm/h\n", "line 3: the time '90' has no unit"),
        ("t_fortnights,mm/h\n0,10\n", "line 2: the time '0' has no unit"),
        ("time [fortnights],mm/h\n0,10\n", "'fortnights' is not a unit of time"),
        ("hours,rain\n0,10\n", "line 2: the rain '10' has no unit"),
        ("time_h,rain_mm_h\n0,10\n", "line 2: the rain '10' has no unit"),
        ("time [h],rain [cubits]\n0,10\n", "'cubits' is not a unit of rain"),
        ("step,rain\n0,10\n", "line 2: the rain '10' has no unit"),
        ("hours,mm/step\n0,10\n", "times in 'hours' and rates in 'mm/step' cannot be combined"),
    ];
    for (contents, what) in cases {
        workshop.file("storm.csv", contents);
        let parts = [what, "write the units in the header", "time [h],rain [mm/h]"];
        refused(&workshop, &["--rain", "storm.csv"], &parts);
    }
}

#[test]
fn rejects_a_hyetograph_in_steps_for_a_timed_run() {
    let workshop = Workshop::new();
    workshop.file("storm.csv", "step,rain [mm/step]\n0,1\n5,0\n");
    refused(&workshop, &["--rain", "storm.csv"], &["rain: 'storm.csv' is a rate per step"]);
    workshop.file("storm.csv", "time [h],rain [mm/h]\n0,1\n5,0\n");
    let arguments = "run --dem dem.tif --rain storm.csv --steps 9";
    workshop.refuses(arguments, &["rain: 'storm.csv' is a rate in time"]);
}

#[test]
fn gives_the_place_of_a_point_source_outside_or_on_nodata() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(2, 1, -9999.0));
    let parts = ["source: the point (500125, 4999985) is outside the DEM", "x 500000 to 500120"];
    refused(&workshop, &["--source", &point(12.5, 1.5, "3 m3/s")], &parts);
    let parts = ["is on a NoData cell of the DEM (column 2, row 1)", "move it"];
    refused(&workshop, &["--source", &point(2.5, 1.5, "3 m3/s")], &parts);
}

#[test]
fn explains_the_syntax_of_a_malformed_point_source() {
    let workshop = Workshop::new();
    let cases: [(&str, &[&str]); 7] = [
        ("east,4999995,3 m3/s", &["source: 'east' is not a coordinate", "x,y,Q"]),
        ("500005,nan,3 m3/s", &["source: '500005,nan,3 m3/s' is neither a point", "x,y,Q"]),
        ("500005,4999995,", &["source: '' is not a rate of flow", "20 m3/s"]),
        ("500005,4999995,3 buckets", &["'buckets' is not a unit of flow", "m3/s"]),
        ("500005,4999995,-3 m3/s", &["source: '-3 m3/s' is negative"]),
        ("500005,4999995", &["source: '500005,4999995' is neither a point", "x,y,Q"]),
        ("500005,4999995,3,4", &["source: '500005,4999995,3,4' is neither a point", "x,y,Q"]),
    ];
    for (source, parts) in cases {
        refused(&workshop, &["--source", source], parts);
    }
    let steps = "run --dem dem.tif --steps 3 --source";
    let per_time = point(2.5, 1.5, "3 m3/s");
    workshop.refuses(&format!("{steps} '{per_time}'"), &["rate in time", "m3/step"]);
}

#[test]
fn a_file_named_like_a_number_does_not_replace_the_value() {
    let workshop = Workshop::new();
    workshop.file("0.5", "not a raster");
    let steps = ["run", "--dem", "dem.tif", "--steps", "1", "--overwrite"];
    let flood = |depth| [&steps[..], &["--initial-depth", depth]].concat();
    workshop.inundate(&flood("0.5")).done();
    workshop.refuses(&flood("./0.5"), &["initial_depth: './0.5' is not a raster"]);
    workshop.file("s.toml", "dem = 'dem.tif'\nsteps = 1\ninitial_depth = './0.5'\n");
    let again = "run s.toml --overwrite";
    workshop.refuses(again, &["initial_depth: './0.5' is not a raster"]);
    let parts = ["initial_depth: 'half' is neither a value nor an existing file", "./ in front"];
    workshop.refuses(&flood("half"), &parts);
}
