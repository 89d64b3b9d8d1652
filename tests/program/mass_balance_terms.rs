//! Mass balance terms by source and sink: they add up to the totals, and do not depend on the
//! tiling or on interruptions.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{Raster, Workshop, at};
use gdal::vector::OGRFieldType;
use std::collections::BTreeMap;

/// Returns the columns of a run's mass balance.
fn balance(workshop: &Workshop, out: &str) -> BTreeMap<String, Vec<f64>> {
    workshop.table(&format!("{out}/mass_balance.csv"))
}

/// Creates a valley with sources of every kind, two of whose features share cells.
fn valley() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(24, 16, |column, row| {
        30.0 - 0.2 * column as f64 + 0.05 * ((column * 7 + row * 5) % 4) as f64
    }));
    workshop.raster(
        "spring.tif",
        &Raster::new(24, 16, |c, r| if r == 3 && c > 4 { 0.01 * c as f64 } else { 0.0 }),
    );
    Shapes::new(&[("name", OGRFieldType::OFTString), ("flow", OGRFieldType::OFTReal)])
        .with("LINESTRING (3.5 8.5, 9.5 8.5)", &[text("upper"), number(0.7)])
        .with("LINESTRING (7.5 8.5, 12.5 8.5)", &[text("lower"), number(1.9)])
        .with("POINT (8.5 8.5)", &[text("lower"), number(0.3)])
        .write(&workshop, "rivers.gpkg");
    workshop.file("wave.csv", "time [min],flow [m3/s]\n0,0\n2,3\n5,1\n7,0\n");
    workshop
}

fn sources() -> Vec<String> {
    let wave = format!("{},wave.csv", at(2.5, 12.5));
    let sources = ["rivers.gpkg", "spring.tif", &wave, &format!("{},0.2 m3/s", at(20.5, 2.5))];
    sources.iter().flat_map(|source| ["--source".to_string(), source.to_string()]).collect()
}

/// Rain that starts at minute 10, and a linearly growing source: at every time the balance, and the
/// gauge, include exactly the water until then, although no step ends there.
#[test]
fn the_balance_at_a_time_counts_water_up_to_that_time() {
    let workshop = Workshop::with_dem(&Raster::new(24, 16, |column, _| 30.0 - column as f64));
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,0\n10,3600\n10.5,720\n12,0\n");
    workshop.file("wave.csv", "time [min],flow [m3/s]\n0,0\n15,9\n");
    let source = format!("{},wave.csv", at(0.5, 12.5));
    let gauge = format!("{},hill", at(0.5, 2.5));
    let options = format!("--rain storm.csv --source '{source}' --duration 14min");
    let watch = format!("--gauges '{gauge}' --gauge-every 7.5s --out out");
    workshop.run(&format!("{options} {watch}")).done();
    let columns = balance(&workshop, "out");
    let area = 24.0 * 16.0 * 100.0;
    let grain = 100.0 / 16_777_216.0;
    for (row, &time) in columns["time [s]"].iter().enumerate() {
        let since = |start: f64, end: f64| (time.min(end) - start).max(0.0);
        let fallen = 1e-3 * since(600.0, 630.0) + 2e-4 * since(630.0, 720.0);
        let rain = columns["rain [m3]"][row];
        assert!((rain - area * fallen).abs() < 800.0 * grain, "{rain} m3 at {time} s");
        let came = 0.5 * 0.01 * time * time;
        let inflow = columns["inflow [m3]"][row];
        assert!((inflow - came).abs() < 3.0 * grain, "{inflow} for {came} m3 at {time} s");
    }
    let mut gauges = csv::Reader::from_path(workshop.path("out/gauges.csv")).unwrap();
    let dry =
        gauges.records().map(Result::unwrap).filter(|row| row[0].parse::<f64>().unwrap() <= 600.0);
    let depths: Vec<String> = dry.map(|row| row[2].to_string()).collect();
    assert_eq!(depths.len(), 81);
    assert!(depths.iter().all(|depth| depth.parse::<f64>().unwrap() == 0.0), "{depths:?}");
}

#[test]
fn source_terms_add_up_to_the_inflow_at_every_time() {
    let workshop = valley();
    let sources = sources();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for solver in ["shallow-water", "inertial"] {
        let run = |more: &[&str], out: &str| {
            let how = [
                "--duration",
                "10min",
                "--gauge-every",
                "7s",
                "--open",
                "east",
                "--solver",
                solver,
            ];
            workshop.run(&[&sources[..], &how, &["--out", out], more].concat()).done();
            balance(&workshop, out)
        };
        let one = run(&[], &format!("{solver}-one"));
        assert_eq!(one, run(&["--tile", "7x5", "--threads", "2"], &format!("{solver}-tiles")));
        let names: Vec<&String> = one.keys().filter(|name| name.starts_with("source ")).collect();
        assert_eq!(names.len(), 6, "{names:?}");
        assert!(one.contains_key("source lower (2) [m3]"));
        let grain = 100.0 / 16_777_216.0;
        for (row, inflow) in one["inflow [m3]"].iter().enumerate() {
            let sum: f64 = names.iter().map(|name| (one[*name][row] / grain).round()).sum();
            assert_eq!(sum, (inflow / grain).round(), "{solver}, row {row}");
        }
        let report = workshop.report(&format!("{solver}-one"));
        let reported: Vec<f64> = report["sources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|source| source["inflow_m3"].as_f64().unwrap())
            .collect();
        assert_eq!(
            reported.iter().map(|volume| (volume / grain).round()).sum::<f64>(),
            (report["volume"]["inflow_m3"].as_f64().unwrap() / grain).round()
        );
        assert!(report["other_inflow_m3"].is_null());
        // A constant flow for ten minutes, to a grain per cell and the rounding of shares.
        for (volume, expected) in reported.iter().zip([420.0, 1140.0, 180.0]) {
            assert!((volume - expected).abs() < 1e-3, "{volume}, not {expected}");
        }
        assert!(
            (reported[5] - 120.0).abs() < 1e-4 && (reported[4] - 600.0).abs() < 1e-3,
            "{reported:?}"
        );
    }
}

#[test]
fn links_have_columns_and_inflow_cells_make_up_the_rest() {
    let workshop = valley();
    let pump = format!("{},{},pump,20 l/s,weir", at(22.5, 2.5), at(2.5, 2.5));
    workshop.file("links.csv", format!("x1,y1,x2,y2,kind,capacity,name\n{pump}\n"));
    workshop
        .raster("wells.tif", &Raster::new(24, 16, |c, r| if c == 6 && r == 6 { 0.4 } else { 0.0 }));
    let point = format!("{},0.2 m3/s", at(20.5, 2.5));
    let run = format!("--source '{point}' --level east,26.5 --links links.csv");
    let more = "--inflow-depth wells.tif --duration 10min";
    workshop.run(&format!("{run} {more}")).done();
    let (balance, report) = (balance(&workshop, "results"), workshop.report("results"));
    let last = |name: &str| *balance[name].last().unwrap();
    let [inflow, other] = ["inflow [m3]", "inflow cells [m3]"].map(last);
    let level = last("level east,26.5 in [m3]");
    assert!(other > 0.0 && level > 0.0 && inflow > other + level);
    assert!((inflow - other - level - last(&format!("source {point} [m3]"))).abs() < 1e-6);
    let reported = report["other_inflow_m3"].as_f64().unwrap();
    assert!((reported - other).abs() < 1e-9 * reported);
    let forward = report["links"][0]["forward_m3"].as_f64().unwrap();
    assert!(forward > 0.0 && (last("link weir forward [m3]") - forward).abs() < 1e-9 * forward);
    assert_eq!(last("link weir back [m3]"), 0.0);
    let page = workshop.text("results/report.html");
    for name in ["inflow cells", "stage boundary"] {
        assert!(page.contains(&format!("of it {name}")), "{name}");
    }
}

/// Creates lakes in the valley that touch each other, two with equal levels and two with equal
/// names, and a rising sea.
fn lakes() -> Workshop {
    let workshop = valley();
    Shapes::new(&[("name", OGRFieldType::OFTString), ("level", OGRFieldType::OFTReal)])
        .with("POLYGON ((4 4, 7 4, 7 6, 4 6, 4 4))", &[text("lake"), number(29.9)])
        .with("POLYGON ((7 4, 10 4, 10 8, 7 8, 7 4))", &[text("lake"), number(28.9)])
        .with("POLYGON ((4 6, 7 6, 7 8, 4 8, 4 6))", &[text("pond"), number(29.9)])
        .write(&workshop, "lakes.gpkg");
    workshop.file("sea.csv", "time [min],level [m]\n0,30\n3,30.4\n6,29.7\n");
    workshop
}

/// Returns the terms of held levels in run.json: name, inflow and outflow (m³).
fn levels(report: &serde_json::Value) -> Vec<(String, f64, f64)> {
    let levels = report["held_levels"].as_array().unwrap();
    let volume = |level: &serde_json::Value, key: &str| level[key].as_f64().unwrap();
    let reported = |level: &serde_json::Value| {
        let name = level["name"].as_str().unwrap().to_string();
        (name, volume(level, "inflow_m3"), volume(level, "outflow_m3"))
    };
    levels.iter().map(reported).collect()
}

/// Returns the terms of open sides: name and outflow (m³).
fn sides(report: &serde_json::Value) -> Vec<(String, f64)> {
    let sides = report["open_sides"].as_array().unwrap();
    let reported = |side: &serde_json::Value| {
        (side["side"].as_str().unwrap().to_string(), side["outflow_m3"].as_f64().unwrap())
    };
    sides.iter().map(reported).collect()
}

/// Asserts that the terms add up to the totals, to the grain, at every time and in run.json.
fn assert_sums(balance: &BTreeMap<String, Vec<f64>>, report: &serde_json::Value, of: &str) {
    let grain = 100.0 / 16_777_216.0;
    let whole = |volume: f64| (volume / grain).round();
    // A level has an inflow and an outflow term; sources only have inflow, and open sides only
    // outflow.
    for (total, starts, ends) in
        [("inflow [m3]", "source ", " in [m3]"), ("outflow [m3]", "open ", " out [m3]")]
    {
        let is_line = |name: &&String| {
            name.starts_with(starts) || (name.starts_with("level ") && name.ends_with(ends))
        };
        let lines: Vec<&String> = balance.keys().filter(is_line).collect();
        assert!(lines.len() > 1, "{of}: {lines:?}");
        for (row, &volume) in balance[total].iter().enumerate() {
            let sum: f64 = lines.iter().map(|name| whole(balance[*name][row])).sum();
            assert_eq!(sum, whole(volume), "{of}, {total}, row {row}");
        }
    }
    let (levels, sides) = (levels(report), sides(report));
    let came: f64 = levels.iter().map(|level| whole(level.1)).sum();
    let sources = report["sources"].as_array().unwrap().iter();
    let brought: f64 = sources.map(|source| whole(source["inflow_m3"].as_f64().unwrap())).sum();
    let volume = |key: &str| whole(report["volume"][key].as_f64().unwrap());
    assert_eq!(came + brought, volume("inflow_m3"), "{of}");
    let left: f64 = levels.iter().map(|level| whole(level.2)).sum();
    let over: f64 = sides.iter().map(|side| whole(side.1)).sum();
    assert_eq!(left + over, volume("outflow_m3"), "{of}");
    assert!(report["other_inflow_m3"].is_null());
}

#[test]
fn stage_boundaries_and_open_sides_have_terms_that_add_up() {
    let workshop = lakes();
    let sources = sources();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let timed = ["--duration", "10min", "--gauge-every", "7s"];
    let slopes =
        ["--open", "north", "--outflow-slope", "east,0.01", "--outflow-slope", "south,0.03"];
    let point = format!("{},2 m3/step", at(20.5, 2.5));
    let steps = ["--source", &point, "--steps", "150", "--open", "north,east,south"];
    let moore = ["--solver", "level-minimization", "--neighbourhood", "moore"];
    let near = ["--solver", "aqua-graph", "--neighbourhood", "von-neumann"];
    let runs: [(&str, Vec<&str>); 5] = [
        ("shallow-water", [&sources[..], &timed, &slopes, &["--solver", "shallow-water"]].concat()),
        ("first order", [&sources[..], &timed, &slopes, &["--order", "1"]].concat()),
        ("inertial", [&sources[..], &timed, &slopes, &["--solver", "inertial"]].concat()),
        ("moore", [&steps[..], &moore].concat()),
        ("von Neumann", [&steps[..], &near].concat()),
    ];
    for (name, how) in runs {
        let run = |more: &[&str], out: &str| {
            // An automaton has no minutes.
            let sea = if how.contains(&"--steps") { "west,30.1" } else { "west,sea.csv" };
            let held = ["--level", "lakes.gpkg", "--level", sea, "--out", out, "--overwrite"];
            workshop.run(&[&how[..], &held, more].concat()).done();
            (balance(&workshop, out), workshop.report(out))
        };
        let (one, report) = run(&["--threads", "1"], "one");
        assert_sums(&one, &report, name);
        for tile in ["7x5", "24x3", "1x16"] {
            let (tiles, again) = run(&["--tile", tile, "--threads", "2"], "tiles");
            assert_eq!(one, tiles, "{name}, {tile}");
            for key in ["held_levels", "open_sides"] {
                assert_eq!(report[key], again[key], "{name}, {tile}");
            }
        }
        let levels = levels(&report);
        let names: Vec<&str> = levels.iter().map(|level| level.0.as_str()).collect();
        assert_eq!(names[..3], ["lake", "lake (2)", "pond"]);
        // The upper lake fills, and drains into the lower one, which is held, too.
        assert!(levels[0].1 > 0.0 && levels[1].2 > 0.0, "{name}: {levels:?}");
        let sides = sides(&report);
        let names: Vec<&str> = sides.iter().map(|side| side.0.as_str()).collect();
        assert_eq!(names, ["north", "east", "south"]);
        assert!(sides[1].1 > 0.0 && sides[1].1 > sides[0].1, "{name}: {sides:?}");
        let page = workshop.text("one/report.html");
        assert!(
            page.contains("of it open edge east") && page.contains("of it stage boundary "),
            "{name}"
        );
    }
}

#[test]
fn balance_terms_of_a_resumed_run_match_an_uninterrupted_one() {
    let workshop = lakes();
    let how = "run --dem dem.tif --level lakes.gpkg --level west,sea.csv";
    let more = "--open north --outflow-slope east,0.01 --duration 6h";
    let every = "--checkpoint-every 0.01s --dt-max 1s --gauge-every 10min";
    let whole = "--quiet --out whole";
    workshop.inundate(&format!("{how} {more} {every} {whole}")).done();
    workshop.stop_at("results/.checkpoint/before", &format!("{how} {more} {every} --quiet"));
    workshop.inundate("resume results").done();
    assert_eq!(balance(&workshop, "results"), balance(&workshop, "whole"));
    let (there, here) = (workshop.report("whole"), workshop.report("results"));
    assert_sums(&balance(&workshop, "whole"), &there, "whole");
    for key in ["held_levels", "open_sides", "volume"] {
        assert_eq!(here[key], there[key], "{key}");
    }
}

#[test]
fn automata_have_source_terms_too() {
    let workshop = valley();
    let point = format!("{},2 m3/step", at(20.5, 2.5));
    let other = format!("{},0.5 m3/step", at(3.5, 2.5));
    workshop.run(&format!("--source '{point}' --source '{other}' --steps 30")).done();
    let report = workshop.report("results");
    let reported = |at: usize| report["sources"][at]["inflow_m3"].as_f64().unwrap();
    assert!((reported(0) - 60.0).abs() < 1e-4 && (reported(1) - 15.0).abs() < 1e-4);
    assert_eq!(reported(0) + reported(1), report["volume"]["inflow_m3"].as_f64().unwrap());
}
