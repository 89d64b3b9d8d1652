//! Forcing that starts after dry minutes is computed with suitable steps: no such run is rated
//! doubtful, whatever the longest step.

use crate::cli_common;

use cli_common::{Raster, Workshop};

const INFLOW: &str = "time [min],flow [m3/s]\n0,0\n10,0\n11,200\n60,200\n";
const TIDE: &str = "time [min],level [m]\n0,-3\n10,-3\n10.01,3\n60,3\n";
const STORM: &str = "time [min],rain [mm/h]\n0,0\n10,3600\n60,0\n";

/// Returns the run's verdict, and its maximum speed (m/s).
fn judged(workshop: &Workshop, words: &[&str]) -> (String, f64) {
    workshop.run(&[&["--duration", "14min", "--overwrite"], words].concat()).done();
    let quality = &workshop.report("results")["quality"];
    let speed = quality["max_speed"]["value"].as_f64().unwrap();
    (quality["verdict"].as_str().unwrap().into(), speed)
}

#[test]
fn sources_after_a_dry_spell_do_not_make_a_run_unreliable() {
    let workshop = Workshop::with_dem(&Raster::new(41, 41, |_, _| 0.0));
    workshop.file("inflow.csv", INFLOW);
    workshop.file("tide.csv", TIDE);
    workshop.file("storm.csv", STORM);
    // In the middle.
    let inflow = ["--source", "500205,4999795,inflow.csv", "--open", "all"];
    let tide = ["--level", "west,tide.csv", "--open", "east"];
    let storm = ["--rain", "storm.csv", "--open", "all"];
    for solver in [&["--order", "1"][..], &["--order", "2"], &["--solver", "inertial"]] {
        for what in [&inflow[..], &tide, &storm] {
            let words = [what, solver].concat();
            let (verdict, speed) = judged(&workshop, &words);
            let (expected, short) =
                judged(&workshop, &[&words[..], &["--dt-max", "0.5s"]].concat());
            // A bore is too fast for `inertial`, with any steps.
            let bore = solver == ["--solver", "inertial"] && what == tide;
            assert_eq!(verdict, expected, "{words:?}: {speed} m/s");
            assert!(bore || verdict == "ok", "{words:?}: {verdict}, {speed} m/s");
            assert!(speed < 1.2 * short, "{words:?}: {speed} m/s, {short} in short steps");
        }
    }
    // Without momentum, the tide would have arbitrary speeds.
    let (verdict, speed) =
        judged(&workshop, &[&inflow[..], &["--solver", "aqua-manning"]].concat());
    assert!(verdict == "ok" && speed < 8.0, "{verdict}, {speed} m/s");
}
