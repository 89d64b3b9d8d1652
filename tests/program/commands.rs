//! The commands other than `run`, and the use of stdout and stderr.

use crate::cli_common;
use crate::common::tier;

use cli_common::running::wait_until;
use cli_common::vectors::{Shapes, number, text};
use cli_common::{Raster, Workshop, has};
use gdal::vector::OGRFieldType::{OFTReal, OFTString};
use inundate::engine::solver::SOLVERS;
use inundate::scenario::options::keys;
use serde_json::Value;

const TIMED: &str = "--rain '50 mm/h' --step 10s --duration '5 min'";

#[test]
fn new_prints_a_template_that_check_and_run_accept() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(2, 2, -9999.0));
    std::fs::rename(workshop.path("dem.tif"), workshop.path("my \"best\" dem é.tif")).unwrap();
    let new = workshop.inundate(&["new", "my \"best\" dem é.tif"]).done();
    let assumed = "declares no unit; its values are taken as heights in m\n";
    assert!(new.err.starts_with("assumed: dem: ") && new.err.ends_with(assumed), "{}", new.err);
    assert!(new.out.contains("12 x 8 cells of 10.000 x 10.000 m, 95 of them in the domain"));
    for key in keys() {
        let line = |line: &str| {
            line.trim_start_matches("# ").split_once(" = ").is_some_and(|(k, _)| k == key)
        };
        assert!(new.out.lines().any(line), "{key} is not in the template");
    }
    workshop.file("scenario.toml", &new.out);
    workshop.inundate("check scenario.toml").done();
    workshop.inundate("run scenario.toml").done();
    let report = workshop.report("results");
    assert_eq!(
        (&report["rule"], &report["simulated_s"]),
        (&"shallow-water".into(), &7200.0.into())
    );
}

#[test]
fn the_template_keeps_the_name_of_the_dem() {
    let workshop = Workshop::empty();
    workshop.raster("{x}.tif", &Raster::terrain(12, 8));
    let new = workshop.inundate(&["new", "{x}.tif"]).done().out;
    assert!(new.contains("{x}.tif"), "{new}");
}

#[test]
fn the_template_works_in_any_folder_and_its_point_is_in_the_domain() {
    let workshop = Workshop::empty();
    // "Überflutung" with a combining accent, as some systems write it.
    let folder = "U\u{308}berflutung im Mai \\ 'x'";
    std::fs::create_dir(workshop.path(folder)).unwrap();
    let hole = |column, row| (3..9).contains(&column) && (2..6).contains(&row);
    let dem = Raster::new(12, 8, |column, row| if hole(column, row) { -9999.0 } else { 9.0 });
    workshop.raster(&format!("{folder}/dem.tif"), &dem);
    let new = workshop.inundate(&["new", &format!("{folder}/dem.tif")]).done().out;
    let source = new.lines().find(|line| line.starts_with("# source = ")).unwrap();
    // Only the first example: the others name files.
    let (first, _) = source[2..].split_once(", ").unwrap();
    let with_source = new.replace(source, &format!("{first}]"));
    assert_ne!(with_source, new);
    workshop.file("scenario.toml", with_source);
    let said = workshop.inundate("check scenario.toml").done().out;
    assert!(said.contains("source      144000 m³ by the end"), "{said}");
}

#[test]
fn names_the_key_of_a_value_of_the_wrong_type() {
    let workshop = Workshop::new();
    let quantity = "expected text or a number";
    for (line, key, expected) in [
        ("rain = true", "rain", quantity),
        ("step = ['10s']", "step", quantity),
        ("duration = 01:30:00", "duration", quantity),
        ("output_every = {}", "output_every", quantity),
        ("source = true", "source", "expected text or a list of texts"),
        ("source = ['a.tif', 5]", "source", "expected a string"),
        ("steps = 'many'", "steps", "expected a whole number"),
        ("overwrite = 'yes'", "overwrite", "expected true or false"),
    ] {
        workshop.file("s.toml", format!("dem = 'dem.tif'\n{line}\n"));
        let what = format!("'s.toml', line 2: {key}: invalid type: ");
        workshop.refuses("run s.toml", &[&what, expected]);
    }
}

#[test]
fn a_flag_overrides_a_contradicting_key() {
    let workshop = Workshop::new();
    let head = "dem = 'dem.tif'\nrain = '9 mm/h'\nstep = '10s'\noverwrite = true\n";
    for (key, flag, steps) in [
        ("steps = 7", "--duration 50s", 5),
        ("duration = '70s'", "--steps 5", 5),
        ("duration = '70s'", "--duration 50s", 5),
        ("steps = 7", "--threads 1", 7),
        ("duration = '70s'", "--threads 1", 7),
    ] {
        workshop.file("s.toml", format!("{head}{key}\n"));
        workshop.inundate(&format!("run s.toml {flag}")).done();
        assert_eq!(workshop.report("results")["steps"], steps, "{key} {flag:?}");
    }
    workshop.file("s.toml", format!("{head}steps = 7\nduration = '70s'\n"));
    workshop.refuses("run s.toml", &["steps and duration are both given"]);
}

#[test]
fn every_example_in_the_template_is_valid_for_its_key() {
    let workshop = Workshop::new();
    let template = workshop.inundate("new dem.tif").done().out;
    let keys = keys();
    let mut seen = 0;
    for line in template.lines() {
        let Some((key, _)) = line.trim_start_matches("# ").split_once(" = ") else { continue };
        if keys.iter().any(|known| known == key) {
            let line = line.trim_start_matches("# ");
            inundate::scenario::options::Options::from_toml(line, "template").expect(line);
            assert!(!line.ends_with("\"\""), "no example: {line}");
            seen += 1;
        }
    }
    assert_eq!(seen, keys.len());
}

#[test]
fn new_refuses_whatever_run_refuses() {
    let workshop = Workshop::empty();
    workshop.refuses("new none.tif", &["dem: cannot open 'none.tif'"]);
}

#[test]
fn check_describes_a_run_and_writes_nothing() {
    let workshop = Workshop::new();
    let before = workshop.contents();
    let check = "check --dem dem.tif --device cpu --tile 5x3";
    let arguments = format!("{check} {TIMED}");
    let said = workshop.inundate(&arguments).done().out;
    let parts = [
        "domain      12 x 8 cells of 10.000 x 10.000 m",
        "solver      aqua-graph, von-neumann",
        "steps       30 of 10 s = 5 min",
        "open edges  none",
        "rain        40.00 m³ by the end",
        "device      the CPU, because it was asked for",
        "tiles       9 of 5 x 3 cells",
        "memory      about",
        "run time    about",
    ];
    has(&said, &parts);
    let json = workshop.inundate(&format!("{arguments} --json")).done();
    let estimate = json.json();
    assert_eq!((&estimate["steps"], &estimate["tiles"]), (&Value::from(30), &Value::from(9)));
    assert!(estimate["memory_bytes"].as_u64().unwrap() > 96 * 12);
    assert_eq!(estimate["forcing"][0]["what"], "rain");
    assert!((estimate["forcing"][0]["volume_m3"].as_f64().unwrap() - 40.0).abs() < 1e-9);
    assert_eq!(workshop.contents(), before);
    let quiet = workshop.inundate(&format!("{arguments} --quiet")).done();
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn check_lists_every_source_gauge_and_section() {
    let workshop = Workshop::new();
    workshop.file("q.csv", "time [min],flow [m3/s]\n0,0\n5,6\n10,0\n20,90\n");
    Shapes::new(&[("name", OFTString), ("flow", OFTReal), ("hydrograph", OFTString)])
        .with("POINT (2.5 2.5)", &[text("Ahr"), None, text("q.csv")])
        .with("MULTIPOINT ((4.5 2.5), (6.5 2.5))", &[None, number(3.0), None])
        .write(&workshop, "s.gpkg");
    let water = ["--source", "s.gpkg", "--source", "500085,4999955,500 l/s"];
    let watched =
        ["--gauges", "500025,4999975,bridge", "--sections", "500050,5000000,500050,4999920,weir"];
    let end = ["--duration", "10 min"];
    let check = [&["check", "--dem", "dem.tif"], &water[..], &watched, &end].concat();
    workshop.inundate(&check).done().prints(&[
        "source      1800 m³ by the end, at most 6 m³/s in 1 cell: Ahr",
        "source      1800 m³ by the end, at most 3 m³/s in 2 cells: s.gpkg, feature 2",
        "source      300.00 m³ by the end, at most 0.5 m³/s in 1 cell: 500085,4999955,500 l/s",
        "gauge       bridge, in column 2, row 2, on 116.58 m",
        "section     weir, 80 m along 8 cell edges",
    ]);
    let json = workshop.inundate(&[&check[..], &["--json"]].concat()).done().json();
    let names = |key: &str| -> Vec<String> {
        let all = json[key].as_array().unwrap().iter();
        all.map(|one| one["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names("sources"), ["Ahr", "s.gpkg, feature 2", "500085,4999955,500 l/s"]);
    assert_eq!((names("gauges"), names("sections")), (vec!["bridge".into()], vec!["weir".into()]));
    assert_eq!(
        (&json["sources"][1]["cells"], &json["sources"][1]["peak"]),
        (&2.into(), &3.0.into())
    );
}

#[test]
fn unit_errors_list_the_accepted_units() {
    let workshop = Workshop::new();
    let units = "units of flow: m3/s, l/s, m3/h, ft3/s, cfs, m3/step";
    let end = "--duration '1 min'";
    for (flow, part) in
        [("20 furlongs", units), ("twenty m3/s", "'twenty m3/s' is neither a value nor")]
    {
        let source = format!("500055,4999955,{flow}");
        let run = format!("run --dem dem.tif --source '{source}' {end}");
        workshop.refuses(&run, &[part]);
    }
    workshop.file("q.csv", "time [min],flow [furlongs]\n0,0\n5,6\n");
    let run =
        ["run", "--dem", "dem.tif", "--source", "500055,4999955,q.csv", "--duration", "1 min"];
    workshop.refuses(
        &run,
        &["source: 'q.csv', line 2: '0 furlongs': 'furlongs' is not a unit of flow", units],
    );
    workshop.raster("radar.tif", &Raster::new(12, 8, |_, _| 5.0).unit("dBZ"));
    let run = "run --dem dem.tif --rain radar.tif --duration '1 min'";
    workshop.refuses(run, &["which is not a unit of rain", "in/h", "mm/15min"]);
}

#[test]
fn check_reports_the_water_of_every_layer_and_the_memory_used() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(2, 2, -9999.0));
    let zeros = Raster::new(12, 8, |_, _| 0.0);
    workshop.raster("rain.tif", &zeros.clone().with(1, 1, 36.0).with(3, 3, 18.0));
    workshop.raster("q.tif", &zeros.clone().with(4, 4, 1.0).with(5, 5, 2.0));
    workshop.raster("marks.tif", &zeros.with(6, 6, 1.0));
    let dry = ["check", "--dem", "dem.tif", "--step", "10s", "--duration", "100s"];
    let water = ["--rain", "rain.tif", "--source", "q.tif", "--initial-depth", "0.5", "--open"];
    let cells = ["south,west", "--inflow-depth", "marks.tif", "--sinks", "marks.tif"];
    let wet = [&dry[..], &water, &cells].concat();
    workshop.inundate(&wet).done().prints(&[
        "open edges  south (free), west (free)",
        "at start    4750 m³",
        "rain        0.150000 m³ by the end",
        "source      300.00 m³ by the end",
        "inflow      1 cell, topped up",
        "sinks       1 cell, emptied",
    ]);
    let memory = |arguments: &[&str]| {
        let estimate = workshop.inundate(&[arguments, &["--json"]].concat()).done().json();
        estimate["memory_bytes"].as_u64().unwrap()
    };
    // Initial water and rain shares, 4 bytes per cell each, and a few marked cells.
    assert_eq!(memory(&wet) - memory(&dry), 2 * 4 * 96 + 2 * 16 + 16 + 8);
}

#[test]
fn run_prints_its_mass_balance_and_paths_or_json_or_nothing() {
    let workshop = Workshop::new();
    let plain = workshop.run(TIMED).done();
    plain.prints(&[
        "30 steps, 5 min",
        "= stored",
        "0 m³ exactly",
        "results in results:",
        "max_depth.tif",
        "run.json",
    ]);
    assert!(plain.err.contains("30 of 30 steps"), "{}", plain.err);
    let report = workshop.run(&format!("{TIMED} --overwrite --json")).done().json();
    assert_eq!(report, workshop.report("results"));
    let quiet = workshop.run(&format!("{TIMED} --overwrite --quiet")).done();
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    let both = workshop.run(&format!("{TIMED} --overwrite --quiet --json")).done();
    assert_eq!(both.err, "");
    both.json();
}

#[test]
fn a_depth_series_finer_than_the_steps_writes_a_file_per_step() {
    let workshop = Workshop::new();
    let times = "--step 1000h --steps 3 --output-every 0.001s";
    workshop.run(times).done();
    let names = workshop.names("results");
    let series = names.iter().filter(|name| name.starts_with("depth_") && name.ends_with(".tif"));
    assert_eq!(series.count(), 3, "{names:?}");
}

#[test]
fn a_reader_that_closes_the_pipe_loses_no_result_and_prints_no_error() {
    let workshop = Workshop::new();
    for command in ["new dem.tif", "completions bash", "--help", "check --dem dem.tif --steps 3"] {
        let ran =
            workshop.shell(&format!("(sleep 0.3; $INUNDATE {command} 2>err) | true; cat err"));
        assert!(!ran.out.contains("panicked"), "{command}: {}", ran.out);
    }
    // The pauses let the reader leave first, so that nobody reads the progress or the summary.
    let run = "$INUNDATE run --dem dem.tif --rain '1 mm/step' --steps 3";
    workshop.shell(&format!("(sleep 0.3; {run} --out a; echo $? >code) 2>&1 | true")).done();
    assert_eq!(workshop.text("code"), "0\n");
    assert_eq!(workshop.report("a")["steps"], 3);
    workshop.shell(&format!("(sleep 0.3; {run} --out b --json; echo $? >code) | true")).done();
    assert_eq!(workshop.text("code"), "0\n");
    assert_eq!(workshop.report("b")["steps"], 3);
}

#[test]
fn prints_completions_for_every_common_shell() {
    let workshop = Workshop::empty();
    for (shell, part) in
        [("bash", "complete -F"), ("zsh", "#compdef inundate"), ("fish", "complete -c inundate")]
    {
        let script = workshop.inundate(&format!("completions '{shell}'")).done().out;
        assert!(script.contains(part), "{script}");
        assert!(script.contains("inflow-depth") && script.contains("level-minimization"));
    }
    let script = workshop.inundate("completions bash").out;
    workshop.file("inundate.bash", script);
    assert_eq!(
        workshop.shell("command -v bash >/dev/null || exit 0; bash -n inundate.bash").done().err,
        ""
    );
    workshop.inundate("completions abacus").exits(2);
}

#[test]
fn help_describes_every_command_solver_and_flag() {
    let workshop = Workshop::empty();
    let help = workshop.inundate("--help").done().out;
    for word in ["run", "check", "new", "demo", "bench", "completions", "Exit codes", "130"] {
        assert!(help.contains(word), "{word}");
    }
    for command in ["run", "check"] {
        let help = workshop.inundate(&format!("'{command}' --help")).done().out;
        for key in keys() {
            assert!(help.contains(&format!("--{}", key.replace('_', "-"))), "{command}: {key}");
        }
        for solver in SOLVERS {
            assert!(help.contains(solver.name), "{command}: {}", solver.name);
        }
        for word in ["von-neumann", "moore", "Terrain", "Water", "Time", "Output"] {
            assert!(help.contains(word), "{command}: {word}");
        }
    }
    let help = workshop.inundate("run --help").done().out.replace("\n", " ");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for default in [
        "(default: results)",
        "(default: shallow-water; with --step or --steps aqua-graph)",
        "(default: 60 s)",
        "a raster (default: 0.035)",
        "(default: von-neumann)",
        "(default: closed)",
        "(default on the CPU: 512x256; on a GPU as much of the grid as fits)",
        "(default: 0.05 m)",
        "aqua-graph 0.4/0.22, level-minimization 1/1",
        "`time [h],rain [mm/h]`",
    ] {
        assert!(help.contains(default), "no {default:?} in {help}");
    }
    assert!(workshop.inundate("--version").done().out.starts_with("inundate 0."));
    for wrong in [&["rnu"][..], &["run", "--rian", "5"], &[]] {
        let ran = workshop.inundate(wrong);
        assert_eq!(ran.code, Some(2), "{wrong:?}");
        assert!(ran.err.contains("Usage") || ran.err.contains("--help` lists"), "{}", ran.err);
    }
    workshop.inundate("run --rian 5").says(&["did you mean '--rain'?"]);
}

#[test]
fn the_demo_unpacks_runs_reruns_and_keeps_an_edited_scenario() {
    let workshop = Workshop::empty();
    let said = workshop.inundate("demo --out d").done().out;
    has(&said, &["results in d:", "depth.tif", "0 m³ exactly", "QGIS"]);
    let names = workshop.names("d");
    for name in
        ["demo.toml", "storm.csv", "jacksboro.tif", "depth.tif", "max_depth.qml", "project.qgs"]
    {
        assert!(names.contains(&name.to_string()), "{name} is not in {names:?}");
    }
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
    assert_eq!(workshop.volume("d", "error_m3"), 0.0);
    workshop.inundate("check d/demo.toml --overwrite").done().never_says("warning");
    workshop.file("plain", "a file");
    workshop.refuses("demo --out plain", &["out: cannot write in 'plain'", "--out"]);
    // Again: its first map is replaced by a new one. `make test-all` waits for the end, in
    // `terminal`.
    let first = workshop.path("d/depth_002h00m00s.tif");
    let written = || first.metadata().and_then(|file| file.modified()).ok();
    let before = written().expect("a map");
    let mut again = workshop.start("demo --out d --quiet");
    wait_until("a new first map", || written().filter(|time| *time > before));
    let said = again.stop(libc::SIGTERM).err;
    assert!(said.starts_with("interrupted: "), "nothing is said before it is stopped: {said}");
    workshop.file("d/demo.toml", "# mine");
    let parts = ["'d/demo.toml' was not made by the demo", "inundate run", "--out"];
    workshop.refuses("demo --out d", &parts);
}

#[test]
fn the_demo_of_the_town_unpacks_a_scenario_that_runs_without_warnings() {
    let workshop = Workshop::empty();
    // The whole demo is slow: it is killed when its scenario, the last of its inputs, is there.
    let town = workshop.start("demo --town --out t --quiet");
    let scenario = workshop.path("t/town.toml");
    wait_until("the scenario", || scenario.metadata().ok().filter(|file| file.len() > 0));
    drop(town);
    let check = workshop.inundate("check t/town.toml --overwrite").done();
    let check = check.never_says("warning");
    check.prints(&["Upper Road", "railway", "Bridge Street, a bridge", "Mill Brook", "street"]);
    // For a few minutes, on cells of 8 m.
    let run = "run t/town.toml --subgrid 4 --duration 3min --output-every 1min --out short";
    let ran = workshop.inundate(run).done().says(&["warning: rain: with subgrid"]);
    assert_eq!(ran.err.matches("warning").count(), 1, "{}", ran.err);
    assert_eq!(workshop.volume("short", "error_m3"), 0.0);
    assert!(workshop.volume("short", "initial_loss_m3") > 0.0);
    // The terrain of the other demo is not needed.
    assert!(!workshop.path("t/jacksboro.tif").exists());
}

#[test]
fn check_of_an_endless_flood_terminates() {
    if !tier::all() {
        eprintln!("skipped: it takes some seconds (make test-all)");
        return;
    }
    let workshop = Workshop::with_dem(&Raster::terrain(80, 80));
    let long = "check --dem dem.tif --rain '2 mm/h' --duration '30000 days'";
    workshop.inundate(long).done();
}
