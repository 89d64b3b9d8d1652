//! Two real cases from their raw files through the command line, with the scenarios of
//! `tests/raw_cases/` and GDAL's own tools, as described in docs/validation.md: a few minutes of
//! each. Skipped if the data are missing.

use crate::cli_common;
#[path = "../validation/data.rs"]
#[allow(dead_code)]
mod data;

use cli_common::Workshop;
use std::path::Path;

/// Copies a case's raw files with its scenario; `None` if they are missing.
fn copied(case: &str, scenario: &[&str]) -> Option<Workshop> {
    let raw = match data::file(case) {
        Ok(raw) => raw,
        Err(why) => {
            println!("skipped: {why}");
            return None;
        }
    };
    let workshop = Workshop::empty();
    if workshop.shell("ogr2ogr --version && gdal_create --version").code != Some(0) {
        println!("skipped: GDAL's tools are not there");
        return None;
    }
    let copy = format!("cp -r '{}'/. . && chmod -R u+w .", raw.display());
    workshop.shell(&copy).done();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/raw_cases");
    for name in scenario {
        std::fs::copy(own.join(name), workshop.path(name)).unwrap();
    }
    Some(workshop)
}

#[test]
fn merewether_from_raw_files_matches_the_surveyed_level() {
    let files = ["merewether.toml", "prepare_merewether.sh"];
    let Some(workshop) = copied("merewether_2007", &files) else { return };
    workshop.shell("sh prepare_merewether.sh").done();
    let ran = workshop.inundate("run merewether.toml --duration 150s").done();
    ran.says(&["60 buildings of 'houses.gpkg' raise 5996 cells by 3.00 m"]).never_says("warning");
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    assert!((workshop.volume("results", "inflow_m3") - 19.7 * 150.0).abs() < 1e-3);
    let report = workshop.report("results");
    assert_eq!(report["grid"]["domain_cells"], 133_463);
    let n = &report["roughness"];
    assert!(n.is_null() || n.to_string().contains("0.02"), "{n}");
    // By then, water has arrived and stays at the first of the points, 23.01 m above the datum.
    let compare = "compare results/depth.tif --with point_observations.csv --field Observed \
         --quantity level --dem topography1.tif --json";
    let json = workshop.inundate(compare).done().json();
    let points = json["points"].as_array().unwrap();
    let at = |name: &str| points.iter().find(|point| point["name"] == name).unwrap();
    let off = at("44")["difference"].as_f64().unwrap();
    assert!((-0.35..0.0).contains(&off), "off by {off} m");
    // Gauges of the same file have the names of its points.
    let gauges = workshop.text("results/gauges.csv");
    assert!(gauges.starts_with("time [s],time [h],44 depth [m],44 level [m]"), "{gauges}");
}

#[test]
fn newcastle_from_raw_files_conserves_volume() {
    let Some(workshop) = copied("newcastle_2m", &["newcastle.toml"]) else { return };
    workshop.shell("sed 's/^3600,70/3600,0/' rainfall.csv > storm.csv").done();
    let run = ["run", "newcastle.toml", "--duration", "10 min"];
    workshop
        .inundate(&run)
        .done()
        .says(&["has 1 single cell far below all neighbours, the worst by 18 m"]);
    let report = workshop.report("results");
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1, "{}", report["warnings"]);
    let cells = report["grid"]["domain_cells"].as_f64().unwrap();
    assert_eq!(cells, 342.0 * 195.0);
    let hours = 10.0 / 60.0;
    let rain = workshop.volume("results", "rain_m3");
    let expected = 0.070 * hours * cells * 4.0;
    assert!((rain / expected - 1.0).abs() < 1e-6, "{rain} for {expected} m³");
    // Sewers drain wet cells at their capacity, to a few grains per cell; closed edges keep the
    // rest.
    let drained = workshop.volume("results", "drainage_m3");
    let most = 0.012 * hours * cells * 4.0;
    assert!(drained > 0.97 * most && drained < 1.001 * most, "{drained} of {most} m³");
    assert_eq!(workshop.volume("results", "outflow_m3"), 0.0);
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    // The raw table of the sewers is neither a raster nor a rate: the message explains what is
    // accepted.
    let table = [&run[..], &["--drainage", "drainage.csv", "--out", "other"]].concat();
    workshop.refuses(
        &table,
        &["drainage: 'drainage.csv' is a table", "give one value like \"3 mm/h\""],
    );
}
