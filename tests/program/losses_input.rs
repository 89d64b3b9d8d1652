//! Invalid or unusual losses: one clear error, or one clear warning.

use crate::cli_common;

use cli_common::{CORNER, Raster, Workshop};

const RAIN: &str = "--rain '30 mm/h' --duration 5min";

/// Creates a folder with `dem.tif`, and the classes 1 and 2 as `soil.tif`.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.raster("soil.tif", &Raster::new(12, 8, |column, _| 1.0 + (column % 2) as f64));
    workshop
}

/// Asserts that every line of arguments is refused with all of its parts.
#[track_caller]
fn refused(workshop: &Workshop, cases: &[(&str, &[&str])]) {
    let run = format!("run --dem dem.tif {RAIN}");
    for (arguments, parts) in cases {
        workshop.refuses(&format!("{run} {arguments}"), parts);
    }
}

#[test]
fn refuses_values_without_a_unit_or_out_of_range() {
    refused(
        &workshop(),
        &[
            ("--infiltration 12", &["infiltration: '12' has no unit", "mm/h", "horton"]),
            ("--infiltration '12 mm'", &["infiltration: '12 mm': 'mm' is not a unit"]),
            ("--infiltration '1 mm/step'", &["infiltration: '1 mm/step' is a rate per step"]),
            ("--infiltration '-3 mm/h'", &["infiltration: '-3 mm/h' is negative"]),
            (
                "--infiltration hortons",
                &["infiltration: 'hortons' is neither a value", "horton, green-ampt, curve-number"],
            ),
            ("--infiltration '1e9 mm/h'", &["infiltration: '1e9 mm/h' is out of range"]),
            ("--initial-loss 5", &["initial_loss: '5' has no unit", "5 mm"]),
            ("--initial-loss 'nan mm'", &["initial_loss: 'nan mm' is neither a value"]),
            ("--drainage '3 l/s'", &["drainage: '3 l/s': 'l/s' is not a unit"]),
            ("--horton-decay 4", &["horton_decay: '4' has no unit", "1/h"]),
            ("--curve-number 0", &["curve_number: '0' is out of range", "above 0"]),
            ("--curve-number 101", &["curve_number: '101' is out of range", "100"]),
            ("--curve-number B", &["curve_number: 'B' is neither a value", "a raster"]),
            ("--green-ampt-deficit 34", &["green_ampt_deficit: '34' is out of range", "0 to 1"]),
            ("--evaporation '5 mm'", &["evaporation: '5 mm'", "mm/day", "or give a CSV"]),
            ("--evaporation soil.tif", &["evaporation: 'soil.tif' is neither a rate nor a CSV"]),
        ],
    );
}

#[test]
fn refuses_mixed_or_incomplete_models() {
    let horton = "--infiltration horton --horton-first '50 mm/h'";
    refused(
        &workshop(),
        &[
            (
                horton,
                &[
                    "infiltration: horton lacks horton_last",
                    "horton_first, horton_last, horton_decay",
                ],
            ),
            (
                "--green-ampt-conductivity '6 mm/h' --green-ampt-suction '100 mm'",
                &["infiltration: green-ampt lacks green_ampt_deficit"],
            ),
            (
                &format!("{horton} --curve-number 80"),
                &["curve_number: it belongs to curve-number, but infiltration asks for horton"],
            ),
            (
                "--infiltration '5 mm/h' --horton-first '50 mm/h'",
                &["horton_first: it belongs to horton, but infiltration asks for constant"],
            ),
            (
                &format!("{horton} --horton-last '60 mm/h' --horton-decay '4 1/h'"),
                &[
                    "horton_first: 50 mm/h is less than horton_last, 60 mm/h",
                    "column 0, row 0",
                    "swap them",
                ],
            ),
            ("--infiltration curve-number", &["curve-number lacks curve_number"]),
            (
                "--curve-number 80 --initial-loss '5 mm'",
                &["initial_loss: a curve number has its own", "curve_number_initial"],
            ),
            (
                "--curve-number 80 --curve-number-initial 5",
                &["curve_number_initial: 5 is out of range"],
            ),
            (
                "--curve-number-initial 0.1",
                &["curve_number_initial: has no effect without a curve number"],
            ),
        ],
    );
}

#[test]
fn refuses_losses_for_steps_without_a_duration() {
    let workshop = workshop();
    let run = "run --dem dem.tif --rain '1 mm/step' --steps 3";
    for (key, flag, value) in [
        ("infiltration", "--infiltration", "5 mm/h"),
        ("initial_loss", "--initial-loss", "5 mm"),
        ("evaporation", "--evaporation", "5 mm/day"),
    ] {
        let what = format!("{key}: losses are rates in time, but the run's steps have no duration");
        workshop.refuses(&format!("{run} {flag} '{value}'"), &[&what, "--step 10s"]);
    }
}

#[test]
fn names_the_place_of_gaps_and_wrong_values_in_rasters() {
    let workshop = workshop();
    let plain = Raster::new(12, 8, |_, _| 10.0);
    for (name, value) in [("gap", -9999.0), ("minus", -2.0), ("much", 1e7)] {
        workshop.raster(&format!("{name}.tif"), &plain.clone().with(5, 2, value));
    }
    let far = [CORNER.0 + 1e5, 10.0, 0.0, CORNER.1, 0.0, -10.0];
    workshop.raster("far.tif", &plain.clone().transform(far));
    refused(
        &workshop,
        &[
            ("--drainage gap.tif", &["drainage: 'gap.tif' has no value at column 5, row 2"]),
            (
                "--infiltration minus.tif",
                &["infiltration: 'minus.tif' holds -2 at column 5, row 2"],
            ),
            ("--initial-loss much.tif", &["initial_loss: 'much.tif' holds 10000000 at column 5"]),
            ("--infiltration far.tif", &["infiltration: 'far.tif' does not touch the DEM"]),
            ("--infiltration none.tif", &["infiltration: cannot open 'none.tif'"]),
            ("--curve-number much.tif", &["curve_number: 'much.tif' holds", "no more than 100"]),
        ],
    );
    // Values outside the domain do not matter.
    let holed = Workshop::with_dem(&Raster::terrain(12, 8).with(5, 2, -9999.0));
    holed.raster("gap.tif", &plain.clone().with(5, 2, -9999.0));
    holed.run(&format!("{RAIN} --infiltration gap.tif")).done().never_says("warning");
    // Horton's capacities are compared where both exist.
    workshop.raster("first.tif", &plain.clone().with(7, 3, 4.0));
    let horton = "--horton-first first.tif --horton-last '5 mm/h' --horton-decay '2 1/h'";
    refused(
        &workshop,
        &[(horton, &["horton_first: 4 mm/h is less than horton_last, 5 mm/h, at column 7, row 3"])],
    );
}

#[test]
fn names_the_line_of_an_error_in_a_table() {
    let workshop = workshop();
    let run = format!("run --dem dem.tif --loss-classes soil.tif --loss-table t.csv {RAIN}");
    for (text, parts) in [
        ("", &["line 1: the file is empty"][..]),
        ("class,infiltration_mm_h\n", &["no class follows the header"]),
        ("class,infiltration\n1,2\n", &["'infiltration' is not a column", "infiltration_mm_h"]),
        ("name,infiltration_mm_h\na,2\n", &["line 1: there is no column 'class'"]),
        ("class,name\n1,a\n", &["line 1: there is no column with a loss"]),
        ("class,drainage_mm_h,drainage_mm_h\n1,2,3\n", &["'drainage_mm_h' appears twice"]),
        (
            "class,infiltration_mm_h\n# a\none,2\n",
            &["line 3: the class 'one' is not a whole number"],
        ),
        ("class,infiltration_mm_h\n1,-2\n", &["line 2: infiltration_mm_h is '-2'", "give 0 to"]),
        ("class,curve_number\n1,200\n", &["line 2: curve_number is '200'", "no more than 100"]),
        (
            "class,infiltration_mm_h\n1,2\n1,3\n",
            &["line 3: class 1 appears twice (first in line 2)"],
        ),
        (
            "class,infiltration_mm_h,curve_number\n1,2,80\n",
            &["line 2: class 1 has values of two models, constant and curve-number"],
        ),
        (
            "class,initial_loss_mm,curve_number\n1,2,80\n",
            &["line 2: class 1 has an initial loss in addition to its curve number"],
        ),
        (
            "class,horton_first_mm_h,horton_last_mm_h\n1,50,5\n",
            &["line 2: class 1 uses horton but has no horton_decay_per_h", "horton_decay for all"],
        ),
        ("class,infiltration_mm_h,name\n1,2\n", &["line 2: 2 columns, but the header has 3"]),
        (
            "class,infiltration_mm_h\n1,2\n",
            &[
                "loss_classes: 'soil.tif' has classes that the table 't.csv' lacks: 2 (48 cells)",
                "add them",
            ],
        ),
    ] {
        workshop.file("t.csv", text);
        workshop.refuses(&run, parts);
    }
}

#[test]
fn classes_need_a_table_and_every_cell_needs_a_class() {
    let workshop = workshop();
    workshop.file("t.csv", "class,infiltration_mm_h\n1,2\n2,3\n");
    let soil = Raster::new(12, 8, |_, _| 1.0).with(3, 1, -9999.0);
    workshop.raster("gap.tif", &soil);
    let gap = "--loss-classes gap.tif --loss-table t.csv";
    refused(
        &workshop,
        &[
            (
                "--loss-classes soil.tif",
                &["loss_classes: the classes have no losses", "usda-texture"],
            ),
            ("--loss-table t.csv", &["loss_table: has no effect without a raster of classes"]),
            ("--loss-table n.csv --loss-classes soil.tif", &["loss_table: cannot open 'n.csv'"]),
            (
                "--loss-table usda-texture --loss-classes soil.tif",
                &[
                    "loss_table: 'usda-texture', line 4: class 1 uses green-ampt but has no green_ampt_deficit",
                ],
            ),
            (
                gap,
                &[
                    "loss_classes: 'gap.tif' has no class at column 3, row 1 of the DEM's grid; 1 of the domain's 96 cells have none",
                    "fill NoData",
                ],
            ),
        ],
    );
    workshop.raster("west.tif", &Raster::new(6, 8, |_, _| 1.0));
    let west = "--loss-classes west.tif --loss-table t.csv";
    let beyond: &[&str] = &[
        "loss_classes: 'west.tif' does not cover the DEM and has no class at column 6, row 0 of the DEM's grid; 48 of the domain's 96 cells have none",
        "take a raster that covers the DEM, or give losses for these cells",
    ];
    refused(&workshop, &[(west, beyond)]);
    let none = "--infiltration '0 mm/h' --out other";
    workshop.run(&format!("{RAIN} {gap} {none}")).done();
    // If the options' model needs the table, a cell without a class is an error.
    let deficit = "--green-ampt-deficit 0.3";
    workshop.file("t.csv", "class,green_ampt_conductivity_mm_h,green_ampt_suction_mm\n1,2,100\n");
    let what = "has no class at column 3, row 1 of the DEM's grid, and without one green-ampt lacks green_ampt_conductivity";
    refused(&workshop, &[(&format!("{gap} {deficit}"), &[what])]);
}

#[test]
fn refuses_a_malformed_evaporation_table() {
    let workshop = workshop();
    for (text, parts) in [
        ("", &["evaporation: 'e.csv', line 1"][..]),
        ("time [h],evaporation\n0,5\n", &["line 2: the evaporation '5' has no unit"]),
        ("time [h],evaporation [mm/day]\n6,5\n3,1\n", &["line 3: time 3 comes after a later one"]),
        ("time [h],evaporation [mm/day]\n0,-5\n", &["line 2", "negative"]),
    ] {
        workshop.file("e.csv", text);
        refused(&workshop, &[("--evaporation e.csv", parts)]);
    }
    refused(&workshop, &[("--evaporation none.csv", &["evaporation: cannot open 'none.csv'"])]);
}

#[test]
fn compares_evaporation_dates_with_the_run() {
    let workshop = workshop();
    let table = |first: &str, last: &str, rate: f64| {
        let header = "time,evaporation [mm/day]";
        workshop
            .file("e.csv", format!("{header}\n2021-07-14T{first}Z,5\n2021-07-14T{last}Z,{rate}\n"));
    };
    let ran = |more: &str| {
        let arguments = format!("{RAIN} --evaporation e.csv --overwrite {more}");
        workshop.run(&arguments)
    };
    let start = "--start 2021-07-14T12:00Z";
    table("12:00", "12:02", 4.0);
    // Without a start, the first time is used, with a message.
    ran("").done().says(&[
        "is dated: the run starts at its first time",
        "warning: evaporation: 'e.csv' ends 2021-07-14T12:02",
        "before the run does; its last rate is kept to the end",
    ]);
    table("12:00", "12:02", 0.0);
    ran(start).done().never_says("warning");
    table("12:01", "12:05", 0.0);
    ran(start).done().says(&[
        "warning: evaporation: 'e.csv' covers 2021-07-14T12:01",
        "before its first time it has no effect",
    ]);
    workshop.file("e.csv", "time [min],evaporation [mm/day]\n0,5\n1,4\n");
    ran("").done().says(&["its last rate is kept to the end"]);
    table("13:00", "14:00", 0.0);
    ran(start).says(&["error: evaporation: 'e.csv' covers", "--start"]).exits(2);
}

#[test]
fn warns_of_unusual_values() {
    let workshop = workshop();
    let warned = |arguments: &str, part: &str| {
        let ran = workshop.run(&format!("{RAIN} {arguments} --overwrite --quiet")).done();
        let warnings: Vec<&str> = ran.err.lines().collect();
        assert!(warnings.len() == 1 && warnings[0].contains(part), "no {part:?} in: {}", ran.err);
    };
    let sand = "--green-ampt-suction '50 mm' --green-ampt-deficit 0.3";
    workshop
        .raster("k.tif", &Raster::new(12, 8, |column, _| if column == 0 { 600.0 } else { 5.0 }));
    warned(
        &format!("{sand} --green-ampt-conductivity k.tif"),
        "green_ampt_conductivity: up to 600 mm/h",
    );
    warned("--curve-number 25 --curve-number-initial 0", "curve_number: as low as 25");
    warned("--evaporation '25 mm/day'", "evaporation: up to 25 mm/day");
    warned("--infiltration '30 mm/h'", "losses: the ground and the sewers take all of the rain");
    warned("--initial-loss '3 mm'", "of at most 30 mm/h and 2.5 mm in all");
    let dry = "--initial-depth '0.1 m' --duration 1min --curve-number 80";
    let ran = workshop.run(&format!("{dry} --overwrite")).done();
    ran.says(&["warning: curve_number: has no effect, because there is no rain"]);
    for quiet in ["--infiltration '20 mm/h'", "--evaporation '5 mm/day'", "--curve-number 98"] {
        workshop.run(&format!("{RAIN} {quiet} --overwrite")).done().never_says("warning");
    }
}

#[test]
fn a_scenario_error_names_the_key_and_files_beside_it_are_found() {
    let workshop = workshop();
    workshop.file("t.csv", "class,infiltration_mm_h\n1,2\n2,3\n");
    workshop.file("e.csv", "time [h],evaporation [mm/day]\n0,5\n");
    std::fs::create_dir(workshop.path("study")).unwrap();
    for name in ["dem.tif", "soil.tif", "t.csv", "e.csv"] {
        std::fs::rename(workshop.path(name), workshop.path("study").join(name)).unwrap();
    }
    let head = "dem = 'dem.tif'\nrain = '30 mm/h'\nduration = '2min'\n";
    let file = |more: &str| workshop.file("study/s.toml", format!("{head}{more}"));
    let run = "run study/s.toml --out r --overwrite";
    file("infiltration = true\n");
    workshop.refuses(run, &["infiltration: invalid type"]);
    file("infiltrations = '5 mm/h'\n");
    workshop.refuses(run, &["unknown key 'infiltrations'", "did you mean 'infiltration'?"]);
    file(
        "loss_classes = 'soil.tif'\nloss_table = 't.csv'\nevaporation = 'e.csv'\ndrainage = '1 mm/h'\n",
    );
    workshop.inundate(run).done().never_says("warning");
    let report = workshop.report("r");
    let roles: Vec<&str> =
        report["inputs"].as_array().unwrap().iter().map(|i| i["role"].as_str().unwrap()).collect();
    for role in ["loss_classes", "loss_table", "evaporation"] {
        assert!(roles.contains(&role), "{roles:?}");
    }
    assert_eq!(report["parameters"]["drainage"], "1 mm/h");
    assert_eq!(report["losses"][0]["what"], "infiltration");
    assert_eq!(
        (&report["losses"][0]["lowest"], &report["losses"][0]["highest"]),
        (&2.0.into(), &3.0.into())
    );
    // The name of a bundled table is not a path, and a flag overrides the file.
    file("loss_classes = 'soil.tif'\nloss_table = 'usda-texture'\ngreen_ampt_deficit = 0.2\n");
    workshop.inundate(&format!("{run} --green-ampt-deficit 0.3")).done();
    let losses = workshop.report("r")["losses"].clone();
    let deficit = losses.as_array().unwrap().iter().find(|l| l["what"] == "green_ampt_deficit");
    assert_eq!(deficit.unwrap()["highest"].as_f64().unwrap() as f32, 0.3);
}
