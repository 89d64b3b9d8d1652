//! Outflow at normal depth, and links that carry water from cell to cell: against what was worked out by
//! hand, and what is refused.

mod cli_common;
mod common;

use cli_common::vectors::{Shapes, text};
use cli_common::{Raster, Workshop, pixels};
use common::{Case, every_timed};
use inundate::backend::cpu::CpuOptions;

#[track_caller]
fn near(found: f64, expected: f64, part: f64) {
    assert!((found - expected).abs() <= part * expected.abs(), "{found}, not {expected}");
}

/// A plane of 2 × 60 cells of 10 m that falls to the south by a thousandth.
fn plane() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(2, 60, |_, row| 50.0 - 0.01 * row as f64));
    // 1 m²/s come in along the northern side.
    Shapes::texts("flow")
        .with("LINESTRING (0.5 0.5, 1.5 0.5)", &[text("20 m3/s")])
        .write(&workshop, "river.gpkg");
    workshop
}

/// Depths in the second column at the end, from north to south (m).
fn profile(workshop: &Workshop, outflow: &[&str], rule: &str) -> Vec<f64> {
    let river =
        ["--source", "river.gpkg", "--roughness", "0.03", "--duration", "75 min", "--rule", rule];
    workshop.run(&[&river, outflow, &["--overwrite"]].concat()).done();
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    let depths = pixels(workshop.path("results/depth.tif"));
    depths.iter().skip(1).step_by(2).map(|&depth| f64::from(depth)).collect()
}

/// Normal depth (m) of 1 m²/s with n = 0.03.
fn normal(slope: f64) -> f64 {
    (0.03 / slope.sqrt()).powf(0.6)
}

#[test]
fn a_river_leaves_the_map_at_normal_depth() {
    let workshop = plane();
    for rule in ["aqua-manning", "inertial"] {
        // With the bed's own slope the flow is uniform; `inertial` blends the still edge beyond the side into
        // the discharge of the last ones.
        let uniform = profile(&workshop, &["--open", "south", "--outflow-slope", "0.001"], rule);
        near(uniform[59], normal(0.001), 0.001);
        for depth in &uniform[10..] {
            near(*depth, normal(0.001), if rule == "inertial" { 0.01 } else { 0.002 });
        }
        if rule == "aqua-manning" {
            continue;
        }
        // With another, the last cell has that slope's normal depth, and far upstream nothing is felt.
        let steep = profile(&workshop, &["--outflow-slope", "south,0.004"], rule);
        near(steep[59], normal(0.004), 0.001);
        let gentle = profile(&workshop, &["--outflow-slope", "south,0.0004"], rule);
        near(gentle[59], normal(0.0004), 0.001);
        assert!(steep[50] < uniform[50] && uniform[50] < gentle[50]);
        // Over an edge it falls.
        let falls = profile(&workshop, &["--open", "south"], rule);
        assert!(falls[59] < 0.8 * uniform[59], "{} m", falls[59]);
    }
    let report = workshop.report("results");
    assert_eq!(report["outflow_slopes"], serde_json::json!([]));
    workshop.file("s.toml", "dem = \"dem.tif\"\nopen = \"south,west\"\noutflow_slope = 0.002\nduration = \"1 min\"\nsource = \"river.gpkg\"\n");
    workshop.inundate(&["run", "s.toml", "--overwrite"]).done();
    let report = workshop.report("results");
    assert_eq!(report["outflow_slopes"], serde_json::json!([["south", 0.002], ["west", 0.002]]));
    let check = workshop
        .inundate(&["check", "s.toml", "--outflow-slope", "south,0.003", "--overwrite"])
        .done();
    assert!(check.out.contains("open sides  south (slope 0.003), west"), "{}", check.out);
}

#[test]
fn what_leaves_at_normal_depth_is_booked_to_the_grain() {
    for variant in every_timed() {
        // A puddle of 0.5 m in a single cell: the first step takes h^(5/3)·√S/n·dt/dx.
        let case = Case::new(1, 1, variant).water(|_, _| 0.5).runs_out(&[(0, 0)], 0.01);
        let mut simulation = case.start(CpuOptions::default());
        simulation.advance(1).expect("shallow water");
        let dt = simulation.clock.now();
        let left = simulation.backend.ledger().outflow as f64 / 16_777_216.0;
        near(left, 0.5f64.powf(5.0 / 3.0) * 0.1 / 0.03 * dt / 10.0, 1e-5);
        // In the end it is dry but for a film.
        simulation.advance(400).expect("shallow water");
        let ledger = simulation.backend.ledger();
        assert_eq!(ledger.error(), 0);
        assert!((ledger.stored as f64) < 1e-3 * 16_777_216.0, "{ledger:?}");
    }
}

#[test]
fn slopes_that_make_no_sense_are_refused() {
    let workshop = Workshop::new();
    let refused = |arguments: &[&str], parts: &[&str]| {
        workshop.refuses(&[&["run", "--dem", "dem.tif"], arguments].concat(), parts);
    };
    let timed = ["--duration", "1h", "--outflow-slope"];
    for (slope, parts) in [
        ("0.001", &["outflow_slope: '0.001': no side is open", "--open south"][..]),
        ("south,steep", &["outflow_slope: 'south,steep' is not a slope", "\"south,0.001\""]),
        ("south,0", &["outflow_slope: a slope of 0", "m of fall per m"]),
        ("south,-0.1", &["a slope of -0.1"]),
        ("south,nan", &["a slope of NaN"]),
        ("south,2", &["a slope of 2"]),
        ("up,0.1", &["outflow_slope: 'up,0.1'"]),
    ] {
        refused(&[&timed[..], &[slope]].concat(), parts);
    }
    refused(
        &["--duration", "1h", "--step", "10s", "--outflow-slope", "south,0.01"],
        &["outflow_slope: 'south,0.01': 'aqua-graph' has no physical time"],
    );
}
