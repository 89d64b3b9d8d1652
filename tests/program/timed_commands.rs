//! The solvers with physical time from the command line: roughness, the longest step, the choice of
//! the solver, invalid input, and the report.

use crate::cli_common;

use cli_common::{Raster, Workshop, pixels};
use gdal::{Dataset, Metadata};
use serde_json::Value;

const RAIN: &str = "--rain '30 mm/h' --duration 10min";

#[test]
fn accepts_the_former_name_of_the_solver_option() {
    let workshop = Workshop::new();
    workshop.run(&format!("{RAIN} --rule inertial")).done();
    assert_eq!(workshop.report("results")["rule"], "inertial");
    workshop.file(
        "former.toml",
        "dem = 'dem.tif'\nrain = '30 mm/h'\nduration = '1 min'\nrule = 'aqua-manning'\n",
    );
    workshop.inundate("run former.toml --out former").done();
    let report = workshop.report("former");
    assert_eq!(
        (&report["rule"], &report["parameters"]["solver"]),
        (&"aqua-manning".into(), &"aqua-manning".into())
    );
    workshop.file("both.toml", "dem = 'dem.tif'\nrule = 'inertial'\nsolver = 'inertial'\n");
    workshop.refuses("run both.toml", &["duplicate field `solver`"]);
}

#[test]
fn a_duration_alone_selects_the_full_equations_and_steps_an_automaton() {
    let workshop = Workshop::new();
    for (arguments, solver) in [
        ("--rain '30 mm/h' --duration 2min", "shallow-water"),
        ("--rain '30 mm/h' --duration 2min --step 10s", "aqua-graph"),
        ("--rain '30 mm/h' --step 10s --steps 4", "aqua-graph"),
        ("--rain '1 mm/step' --steps 4", "aqua-graph"),
        ("--rain '30 mm/h' --duration 2min --solver aqua-manning", "aqua-manning"),
    ] {
        workshop.run(&format!("{arguments} --overwrite")).done();
        assert_eq!(workshop.report("results")["rule"], solver, "{arguments:?}");
        let said = workshop.inundate(&format!("check --dem dem.tif --overwrite {arguments}"));
        assert!(said.done().out.contains(&format!("solver      {solver}, von-neumann")));
    }
}

#[test]
fn roughness_slows_water_down() {
    let workshop = Workshop::new();
    let outflow = |roughness: &str| {
        let arguments = format!("--open east --roughness '{roughness}' --overwrite");
        workshop.run(&format!("{RAIN} {arguments}")).done();
        workshop.volume("results", "outflow_m3")
    };
    let (smooth, rough) = (outflow("0.015"), outflow("0.15"));
    assert!(smooth > 1.5 * rough && rough > 0.0, "{smooth}, {rough}");
}

#[test]
fn a_constant_roughness_raster_equals_that_roughness() {
    let workshop = Workshop::new();
    workshop.raster("n.tif", &Raster::new(12, 8, |_, _| 0.05));
    workshop.run(&format!("{RAIN} --roughness 0.05 --out a")).done();
    workshop.run(&format!("{RAIN} --roughness n.tif --out b")).done();
    let depth = |folder: &str| pixels(workshop.path(folder).join("depth.tif"));
    assert_eq!(depth("a"), depth("b"));
    let n = f64::from(0.05f32);
    for folder in ["a", "b"] {
        let report = workshop.report(folder);
        for end in [0, 1] {
            assert!((report["roughness"][end].as_f64().unwrap() - n).abs() < 1e-9, "{report}");
        }
    }
    let inputs = workshop.report("b")["inputs"].to_string();
    assert!(inputs.contains("\"roughness\"") && inputs.contains("n.tif"), "{inputs}");
}

#[test]
fn finds_a_roughness_raster_beside_the_scenario_and_reports_its_range() {
    let workshop = Workshop::empty();
    std::fs::create_dir(workshop.path("study")).unwrap();
    workshop.raster("study/dem.tif", &Raster::terrain(12, 8).with(0, 0, -9999.0));
    // Values of the raster outside the domain do not matter.
    let n = Raster::new(12, 8, |column, _| if column < 6 { 0.06 } else { 0.08 });
    workshop.raster("study/n.tif", &n.with(0, 0, -9999.0));
    let text = "dem = 'dem.tif'\nrain = '30 mm/h'\nduration = '2min'\nroughness = 'n.tif'\n";
    workshop.file("study/s.toml", text);
    workshop.inundate("run study/s.toml --out r").done().never_says("warning");
    let range = &workshop.report("r")["roughness"];
    let near = |value: &Value, n: f64| (value.as_f64().unwrap() - n).abs() < 1e-6;
    assert!(near(&range[0], 0.06) && near(&range[1], 0.08), "{range}");
}

#[test]
fn notes_the_default_roughness() {
    let workshop = Workshop::new();
    workshop.run(RAIN).done().says(&["assumed: roughness: none is given", "0.035", "--roughness"]);
    let automaton = "--rain '1 mm/step' --steps 3 --overwrite";
    workshop.run(automaton).done().never_says("roughness");
    let useless = format!("{automaton} --roughness 0.03");
    workshop.run(&useless).done().says(&["warning: roughness: of no effect"]);
}

#[test]
fn refuses_an_invalid_roughness() {
    let workshop = Workshop::new();
    let run = format!("run --dem dem.tif {RAIN}");
    let range = "0.001 to 10 s/m^(1/3)";
    let no_value = "is neither a value nor an existing file";
    for (wrong, part) in
        [("0", range), ("-0.03", range), ("11", range), ("nan", no_value), ("rough", no_value)]
    {
        let parts = ["roughness: ", wrong, part];
        workshop.refuses(&format!("{run} --roughness '{wrong}'"), &parts);
    }
    for value in [0.0, 30.0] {
        workshop.raster("n.tif", &Raster::new(12, 8, |_, _| 0.03).with(3, 2, value));
        let parts = ["roughness: 'n.tif' holds ", "at column 3, row 2", "0.001 to 10"];
        workshop.refuses(&format!("{run} --roughness n.tif"), &parts);
    }
    workshop.raster("n.tif", &Raster::new(12, 8, |_, _| 0.03).with(3, 2, -9999.0));
    let parts = ["roughness: 'n.tif' has no value at column 3, row 2", "fill NoData"];
    workshop.refuses(&format!("{run} --roughness n.tif"), &parts);
}

#[test]
fn dt_max_limits_every_step() {
    let workshop = Workshop::new();
    workshop.run(&format!("{RAIN} --dt-max 0.5s")).done();
    let report = workshop.report("results");
    let [least, most] = [0, 1].map(|end| report["dt_range_s"][end].as_f64().unwrap());
    assert!(least > 0.0 && most == 0.5, "{least} to {most}");
    assert!(report["steps"].as_u64().unwrap() >= 1200, "{report}");
    for wrong in ["0", "2 days", "1 mm"] {
        let run = format!("run --dem dem.tif --overwrite {RAIN}");
        workshop.refuses(&format!("{run} --dt-max '{wrong}'"), &["dt_max: "]);
    }
}

#[test]
fn refuses_options_a_solver_does_not_support_with_a_fix() {
    let workshop = Workshop::new();
    let cases: [(&str, &[&str]); 8] = [
        ("--steps 3", &["steps: 'inertial' chooses the length of its steps itself", "--dt-max"]),
        ("--step 10s --duration 1h", &["step: 'inertial' chooses the length", "--duration"]),
        ("--duration 1h --alpha 0.3", &["alpha: 'inertial' has no relaxation", "roughness"]),
        (
            "--duration 1h --neighbourhood moore",
            &["neighbourhood: 'inertial' has no 'moore'", "von-neumann"],
        ),
        ("--duration 0s", &["no time to simulate"]),
        ("", &["the run has no end", "--duration 6h"]),
        ("--duration 1h --rain '1 mm/step'", &["rain: '1 mm/step' is a rate per step", "mm/h"]),
        ("--duration 1h --output-every 0s", &["output_every: '0s' must be more than 0"]),
    ];
    for (arguments, parts) in cases {
        let run = "run --dem dem.tif --solver inertial";
        workshop.refuses(&format!("{run} {arguments}"), parts);
    }
    let automaton = "run --dem dem.tif --solver aqua-graph --steps 3";
    let parts =
        ["dt_max: all steps of 'aqua-graph' have the same length", "--solver shallow-water"];
    workshop.refuses(&format!("{automaton} --dt-max 1s"), &parts);
}

#[test]
fn the_report_has_hours_and_no_calibration() {
    let workshop = Workshop::new();
    let said = workshop.run(&format!("{RAIN} --output-every 4min")).done().out;
    assert!(said.contains(", 10 min in ") && !said.contains("calibrated"), "{said}");
    let report = workshop.report("results");
    assert_eq!(
        (&report["rule"], &report["time_unit"]),
        (&"shallow-water".into(), &"seconds".into())
    );
    assert_eq!((&report["calibrated"], &report["alpha"]), (&false.into(), &Value::Null));
    assert_eq!(report["simulated_s"], 600.0);
    let [least, most] = [0, 1].map(|end| report["dt_range_s"][end].as_f64().unwrap());
    assert!(0.0 < least && least < most && most <= 60.0, "{least} to {most}");
    let cut = report["flow_cut_share"].as_f64().unwrap();
    assert!((0.0..0.05).contains(&cut), "{cut}");
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    let names = workshop.names("results");
    for name in ["depth_000h04m00s.tif", "depth_000h08m00s.tif", "depth.tif", "max_depth.tif"] {
        assert!(names.contains(&name.to_string()), "{name} is not in {names:?}");
    }
    let arrival = Dataset::open(workshop.path("results/arrival_time.tif")).unwrap();
    let band = arrival.rasterband(1).unwrap();
    assert_eq!(band.description().unwrap(), "arrival time above 0.05 m");
    assert_eq!(band.unit(), "h");
    // An automaton's report contains none of this.
    workshop.run("--rain '1 mm/step' --steps 3 --overwrite").done();
    let report = workshop.report("results");
    for key in ["roughness", "flow_cut_share", "dt_range_s"] {
        assert_eq!(report[key], Value::Null, "{key}");
    }
}

#[test]
fn check_explains_the_choice_of_time_steps() {
    let workshop = Workshop::new();
    let check = format!("check --dem dem.tif --device cpu --dt-max 20s {RAIN}");
    workshop.inundate(&check).done().prints(&[
        "solver      shallow-water, von-neumann, roughness 0.035 s/m^(1/3)",
        "duration    10 min, in time steps as the flow allows, up to 20 s",
        "speed       about",
    ]);
    let estimate = workshop.inundate(&format!("{check} --json")).done().json();
    assert_eq!((&estimate["steps"], &estimate["dt_s"]), (&Value::Null, &Value::Null));
    assert_eq!((&estimate["dt_max_s"], &estimate["alpha"]), (&20.0.into(), &Value::Null));
}

#[test]
fn memory_includes_discharges_and_a_roughness_raster() {
    let workshop = Workshop::new();
    workshop.raster("n.tif", &Raster::new(12, 8, |_, _| 0.05));
    let memory = |arguments: &str| {
        let check = "check --dem dem.tif --device cpu --duration 1h --json";
        let estimate = workshop.inundate(&format!("{check} {arguments}")).done().json();
        estimate["memory_bytes"].as_u64().unwrap()
    };
    let plain = memory("--solver aqua-manning");
    assert_eq!(memory("--solver inertial") - plain, 4 * 4 * 96);
    // Velocities now and next, and the discharges that turn them.
    assert_eq!(memory("--solver shallow-water") - plain, (4 + 2) * 4 * 96);
    // As read, and as used in steps.
    assert_eq!(memory("--solver aqua-manning --roughness n.tif") - plain, 2 * 4 * 96);
}

#[test]
fn warns_of_a_run_that_limits_much_of_its_flow() {
    // Rain on smooth, isolated peaks: each drains to four sides, and in a step as long as one side
    // allows, twice its water is requested.
    let peaks =
        Raster::new(12, 8, |column, row| if (column + row) % 2 == 0 { 130.0 } else { 100.0 });
    let workshop = Workshop::with_dem(&peaks);
    let run = "--rain '100 mm/h' --roughness 0.001 --duration 10min";
    let message = ["warning: ", "% of the flow was limited", "dt_max"];
    workshop.run(run).done().says(&message);
    let report = workshop.report("results");
    assert!(report["flow_cut_share"].as_f64().unwrap() > 0.05, "{}", report["flow_cut_share"]);
    assert!(report["warnings"].to_string().contains("was limited"), "{}", report["warnings"]);
    // This does not happen on a plain.
    let workshop = Workshop::new();
    workshop.run(RAIN).done().never_says("was limited");
}

#[test]
fn aqua_manning_limits_flow_on_small_slopes_unless_steps_are_short() {
    let slope = Raster::new(200, 3, |column, _| 100.0 - 0.002 * column as f64);
    let workshop = Workshop::with_dem(&slope);
    let run = "--solver aqua-manning --initial-depth '1 m' --roughness 0.03 --duration 1s \
               --outflow-slope east,0.0002";
    let cause = ["% of the flow was limited", "slopes below 0.0008", "a shorter dt_max"];
    workshop.run(run).done().says(&cause);
    // 0.2·Δ²·n·√S/h^(5/3) is 8.5 ms.
    workshop.run(&format!("{run} --dt-max 0.008s --overwrite")).done().never_says("was limited");
}

#[test]
fn maps_are_not_written_more_often_than_their_names_can_resolve() {
    let workshop = Workshop::new();
    let run = format!("run --dem dem.tif {RAIN}");
    let parts = ["output_every: '0.0004s' is less than a millisecond"];
    workshop.refuses(&format!("{run} --output-every 0.0004s"), &parts);
    let parts = ["dt_max: a longest step of 0.0001 s is out of range", "give 0.001 s to 1 day"];
    workshop.refuses(&format!("{run} --dt-max 0.0001s"), &parts);
}
