//! No bad result passes silently: runs whose solver does not fit their flow end with warnings that
//! include figures, `run.json` has the figures, and `check` warns beforehand. A quiet river causes
//! no warning.

use crate::cli_common;

use cli_common::{Raster, Workshop};
use serde_json::Value;

const DEMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/dems");

/// Returns the quality of the run in `out`, and its warnings.
fn quality(workshop: &Workshop, out: &str) -> (Value, String) {
    let report = workshop.report(out);
    let warnings = report["warnings"].as_array().unwrap().iter();
    let warnings: Vec<&str> = warnings.map(|warning| warning.as_str().unwrap()).collect();
    (report["quality"].clone(), warnings.join("\n"))
}

/// Formats a share as in messages.
fn percent(figure: &Value) -> String {
    let percent = 100.0 * number(figure);
    let digits = usize::from(percent < 9.95);
    format!("{percent:.digits$} %")
}

fn number(figure: &Value) -> f64 {
    figure["value"].as_f64().unwrap()
}

/// Creates the wadi from a satellite's DEM, with 30 m cells; `None` without the data.
fn wadi() -> Option<Workshop> {
    let dem = format!("{DEMS}/landspy_jebja30.tif");
    if !std::path::Path::new(&dem).exists() {
        eprintln!("skipped: {dem} is not there");
        return None;
    }
    let workshop = Workshop::empty();
    // Columns 60 to 190 of the rows 0 to 312 of the cut at 280, 60.
    workshop.shell(&format!("gdal_translate -q -srcwin 340 60 130 312 '{dem}' dem.tif")).done();
    Some(workshop)
}

const WADI: &str = "--source '578278,500770,250 m3/s' --roughness 0.04 --duration 1h --open north \
     --sections 578900,506290,579440,506290,gorge --gauge-every 1min";

#[test]
fn inertial_in_a_wadi_ends_with_a_warning_that_names_it() {
    let Some(workshop) = wadi() else { return };
    let inertial = format!("{WADI} --solver inertial");
    let check = format!("check --dem dem.tif {inertial}");
    let checked = workshop.inundate(&check).done();
    let said =
        ["warning: solver: by the slopes", "a peak of 250 m³/s", "use --solver shallow-water"];
    checked.says(&said);
    let ran = workshop.run(&inertial).done();
    let (quality, warnings) = quality(&workshop, "results");
    assert_eq!(quality["verdict"], "doubtful", "{quality}");
    let (fast, froude) = (&quality["share_fast"], &quality["max_froude"]);
    assert!(number(fast) > 0.05 && number(froude) > 0.9, "{quality}");
    let words = format!(
        "inertial was used above a Froude number of 0.9 on {} of the flow deeper than 0.1 m (greatest {:.1} at {:.0}, {:.0} after ",
        percent(fast),
        number(froude),
        froude["x"].as_f64().unwrap(),
        froude["y"].as_f64().unwrap(),
    );
    assert!(warnings.contains(&words), "{words} is not in\n{warnings}");
    assert!(warnings.contains("use --solver shallow-water"), "{warnings}");
    assert_eq!(fast["sentence"].as_str().map(|said| warnings.contains(said)), Some(true));
    for line in warnings.lines() {
        assert!(ran.err.contains(line), "{line} is not in\n{}", ran.err);
    }
    let page = workshop.text("results/report.html");
    assert!(page.contains("<section id=\"quality\">") && page.contains(">doubtful<"));
}

#[test]
fn shallow_water_in_a_wadi_is_reliable_and_its_section_is_steady() {
    let Some(workshop) = wadi() else { return };
    let checked = workshop.inundate(&format!("check --dem dem.tif {WADI}")).done();
    checked.never_says("warning");
    workshop.run(WADI).done();
    let (quality, warnings) = quality(&workshop, "results");
    assert_eq!((quality["verdict"].as_str(), warnings.as_str()), (Some("ok"), ""), "{quality}");
    let ripple = &quality["ripples"][0];
    assert!(ripple["what"].as_str().unwrap().contains("gorge"), "{quality}");
    assert!(number(ripple) < 0.02, "{quality}");
    assert!(number(&quality["max_speed"]) < 15.0, "{quality}");
    assert_eq!(quality["share_critical"], Value::Null);
}

#[test]
fn inertial_in_the_tutorial_dam_break_ends_with_a_warning() {
    let dem = concat!(env!("CARGO_MANIFEST_DIR"), "/data/jacksboro.tif");
    let workshop = Workshop::empty();
    let warp = "gdalwarp -q -te 752000 4023000 761920 4034500 -tr 80 80 -r bilinear";
    workshop.shell(&format!("{warp} '{dem}' dem.tif")).done();
    workshop.file(
        "reservoir.geojson",
        r#"{"type": "FeatureCollection",
 "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}},
 "features": [{"type": "Feature", "properties": {"name": "reservoir", "level": 400},
  "geometry": {"type": "Polygon", "coordinates": [[
   [757700, 4031250], [756900, 4031250], [753000, 4028500], [753000, 4034400], [761800, 4034400], [761800, 4034000],
   [758100, 4031600], [757700, 4031250]]]}}]}"#,
    );
    let scenario = "--initial-level reservoir.geojson --roughness 0.06 --open all --duration 10min";
    let ran = workshop.run(&format!("{scenario} --solver inertial")).done();
    let (judged, warnings) = quality(&workshop, "results");
    assert_eq!(judged["verdict"], "doubtful", "{judged}");
    let share = percent(&judged["share_fast"]);
    let words = format!("inertial was used above a Froude number of 0.9 on {share} of the flow");
    assert!(warnings.contains(&words) && ran.err.contains(&words), "{words}: {warnings}");
    // The same run with advection of momentum.
    workshop.run(&format!("{scenario} --out whole")).done();
    let (judged, warnings) = quality(&workshop, "whole");
    assert_eq!((judged["verdict"].as_str(), warnings.as_str()), (Some("ok"), ""), "{judged}");
    // Faster than any flood, because a dam of 40 m breaks: 2·√(g·h).
    assert!(number(&judged["max_speed"]) > 15.0, "{judged}");
    let bound = judged["max_speed"]["threshold"].as_f64().unwrap();
    assert!(30.0 < bound && bound < 50.0, "{judged}");
}

/// Creates a river 10 cells wide on a plane of a given slope, 200 m³/s.
fn river(slope: f64) -> Workshop {
    let bank = |row: usize| if (5..15).contains(&row) { 0.0 } else { 8.0 };
    let dem = Raster::new(80, 20, |column, row| 100.0 - 10.0 * slope * column as f64 + bank(row));
    Workshop::with_dem(&dem)
}

fn river_options(slope: &str) -> Vec<&str> {
    vec![
        "--source",
        "river.geojson",
        "--outflow-slope",
        slope,
        "--open",
        "east",
        "--duration",
        "40min",
        "--sections",
        "500600,5000000,500600,4999800,middle",
        "--gauge-every",
        "30s",
    ]
}

const BANK: &str = r#"{"type": "FeatureCollection",
 "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}},
 "features": [{"type": "Feature", "properties": {"flow": "200 m3/s"},
  "geometry": {"type": "LineString", "coordinates": [[500005, 4999945], [500005, 4999855]]}}]}"#;

#[test]
fn a_quiet_river_has_no_warning_under_any_solver() {
    let workshop = river(0.0005);
    workshop.file("river.geojson", BANK);
    // `aqua-manning` limits such deep flow, and warns.
    for solver in ["shallow-water", "inertial"] {
        let options =
            [&river_options("0.0005")[..], &["--solver", solver, "--out", solver]].concat();
        let check = [&["check", "--dem", "dem.tif"], &options[..]].concat();
        workshop.inundate(&check).done().never_says("warning");
        workshop.run(&options).done().never_says("warning");
        let (quality, warnings) = quality(&workshop, solver);
        assert_eq!((quality["verdict"].as_str(), warnings.as_str()), (Some("ok"), ""), "{quality}");
        // A front on dry ground is fast for a moment.
        assert!(number(&quality["share_fast"]) < 0.005, "{solver}: {quality}");
        assert!(number(&quality["max_speed"]) > 0.5, "{solver}: {quality}");
        let held = quality["share_critical"].is_null();
        assert_eq!(held, solver != "inertial", "{quality}");
    }
}

/// Returns what limited the time step of a run, the first of its places, and the mean step (s).
fn held(workshop: &Workshop, out: &str) -> (Value, f64) {
    let report = workshop.report(out);
    let held = &report["step_held"];
    let places = held["places"].as_array().unwrap();
    let looks = |value: &Value| value["looks"].as_u64().unwrap();
    let sum = places.iter().map(looks).sum::<u64>() + held["by_dt_max"].as_u64().unwrap();
    assert!(!places.is_empty() && sum <= looks(held) && places.len() <= 5, "{held}");
    assert!(places.windows(2).all(|pair| looks(&pair[0]) >= looks(&pair[1])), "{held}");
    let step = report["simulated_s"].as_f64().unwrap() / report["steps"].as_f64().unwrap();
    (places[0].clone(), step)
}

#[test]
fn names_a_pit_that_limits_the_time_steps() {
    // Still water, 0.5 m deep, and 20.5 m in a quarry.
    let quarry = |column: usize, row: usize| (31..34).contains(&column) && (10..13).contains(&row);
    let dem = Raster::new(60, 30, |column, row| if quarry(column, row) { -10.0 } else { 10.0 });
    let workshop = Workshop::with_dem(&dem);
    let options = "--initial-level 10.5 --duration 30min --gauge-every 1min";
    for solver in ["shallow-water", "inertial"] {
        workshop.run(&format!("{options} --solver '{solver}' --out '{solver}'")).done();
        let (place, mean) = held(&workshop, solver);
        assert_eq!(
            (&place["column"], &place["row"]),
            (&31.into(), &10.into()),
            "{solver}: {place}"
        );
        assert_eq!(
            (&place["by"], &place["share"]),
            (&"wave".into(), &1.0.into()),
            "{solver}: {place}"
        );
        let step = 0.5 * 10.0 / (9.81f64 * 20.5).sqrt();
        let reported = place["step_s"].as_f64().unwrap();
        assert!((reported - step).abs() < 1e-3 * step, "{solver}: {reported}, not {step}");
        // It equals the steps, except for the first ones.
        assert!((0.9 * step..1.01 * step).contains(&mean), "{solver}: {mean}, not {step}");
    }
    let page = workshop.text("inertial/report.html");
    assert!(page.contains("What limited the time step") && page.contains("waves on deep water"));
    // The result does not depend on the tiling.
    let tiles = "--tile 7x5 --solver inertial --out tiles";
    workshop.run(&format!("{options} {tiles}")).done();
    let of = |out: &str| workshop.report(out)["step_held"].clone();
    assert_eq!(of("tiles"), of("inertial"));
}

#[test]
fn water_itself_limits_the_time_steps_in_a_steep_river() {
    let workshop = river(0.03);
    workshop.file("river.geojson", BANK);
    for solver in ["shallow-water", "aqua-manning"] {
        workshop
            .run(&[&river_options("0.03")[..], &["--solver", solver, "--out", solver]].concat())
            .done();
        let (place, mean) = held(&workshop, solver);
        let expected = if solver == "shallow-water" { "water" } else { "level" };
        assert_eq!(place["by"], expected, "{solver}: {place}");
        assert!(place["share"].as_f64().unwrap() > 0.2, "{solver}: {place}");
        let reported = place["step_s"].as_f64().unwrap();
        assert!(
            (0.6..1.6).contains(&(mean / reported)),
            "{solver}: {reported}, and steps of {mean}"
        );
    }
}

#[test]
fn check_warns_of_a_steep_river_only_for_solvers_without_momentum() {
    let workshop = river(0.02);
    workshop.file("river.geojson", BANK);
    let options = river_options("0.02");
    let check = |solver| {
        let check = [&["check", "--dem", "dem.tif"], &options[..], &["--solver", solver]].concat();
        workshop.inundate(&check).done()
    };
    for solver in ["inertial", "aqua-manning"] {
        check(solver).says(&["a peak of 200 m³/s", solver, "use --solver shallow-water"]);
    }
    check("shallow-water").never_says("warning");
}

#[test]
fn reports_a_second_order_scheme_and_no_quality_for_automata() {
    let workshop = Workshop::new();
    let second = "--rain '50 mm/h' --duration 1min --order 2";
    let check = format!("check --dem dem.tif {second}");
    assert!(workshop.inundate(&check).done().out.contains("shallow-water, order 2, von-neumann"));
    workshop.run(second).done();
    assert_eq!(workshop.report("results")["order"], 2);
    let page = workshop.text("results/report.html");
    assert!(page.contains("shallow-water, order 2"));
    workshop.run("--rain '1 mm/step' --steps 3 --out cells").done();
    let report = workshop.report("cells");
    assert_eq!((&report["quality"], report["order"].as_u64()), (&Value::Null, Some(1)));
}
