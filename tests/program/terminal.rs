//! Output on a terminal: a quiet program, names of layers, the end of a run, progress.

use crate::cli_common;

use crate::common::tier;
use cli_common::{Raster, Workshop};
use inundate::output::layers::LAYERS;

const SERIES: [&str; 6] = ["--rain", "60 mm/h", "--duration", "10min", "--output-every", "1 min"];

#[test]
fn quiet_has_a_short_flag_and_combines_with_json() {
    let workshop = Workshop::new();
    workshop.file("study.toml", "base = 'base.toml'\n[matrix]\nrain = ['9 mm/h', '20 mm/h']\n");
    workshop.file("base.toml", "dem = 'dem.tif'\nduration = '2 min'\n");
    let run = ["--dem", "dem.tif", "--rain", "9 mm/h", "--duration", "2 min", "--overwrite"];
    for (command, arguments) in [
        ("run", &run[..]),
        ("check", &run),
        ("demo", &["--out", "demo"]),
        ("study", &["study.toml"]),
    ] {
        // The demo is slow; `commands` always runs it once, and again with `--quiet`.
        if command == "demo" && !tier::all() {
            continue;
        }
        let all = [&[command], arguments].concat();
        let ran = workshop.inundate(&[&all[..], &["-q"]].concat()).done();
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""), "{command} -q");
        for quiet in [["-q", "--json"], ["--json", "--quiet"]] {
            let ran = workshop.inundate(&[&all[..], &quiet].concat()).done();
            assert_eq!(ran.err, "", "{command}");
            ran.json();
        }
    }
    workshop.inundate("resume nowhere -q --json").says(&["nowhere"]);
}

#[test]
fn completions_and_help_offer_the_layer_names() {
    let workshop = Workshop::new();
    for (shell, part) in [("bash", "--layers)"), ("zsh", "--layers="), ("fish", "-l layers")] {
        let script = workshop.inundate(&format!("completions '{shell}'")).done().out;
        let at = script.find(part).unwrap_or_else(|| panic!("{shell} has no {part}"));
        let offered: String = script[at..].chars().take(6000).collect();
        for layer in LAYERS {
            assert!(offered.contains(layer.key), "{shell} does not offer {}", layer.key);
        }
    }
    let help = workshop.inundate("run --help").done().out;
    assert!(LAYERS.iter().all(|layer| help.contains(layer.key)));
    // Lists with commas, dashes for underscores, and a hint for errors, as before.
    let run = [&SERIES[..4], &["--overwrite", "-q", "--layers"]].concat();
    workshop.run(&[&run[..], &["depth,max-depth", "--layers", "all"]].concat()).done();
    let wrong = [&["run", "--dem", "dem.tif"], &run[..], &["depht"]].concat();
    workshop.refuses(&wrong, &["there is no layer 'depht'", "did you mean 'depth'"]);
}

#[test]
fn a_run_ends_with_its_mass_balance_and_a_summary_of_files() {
    let workshop = Workshop::new();
    let said = workshop.run(&SERIES).done().out;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.contains(&"  10 maps: depth_*.tif, with styles (.qml)"), "{said}");
    assert!(lines.contains(&"  3 maps: depth.tif, max_depth.tif, arrival_time.tif"), "{said}");
    assert!(!said.contains("depth_000h"), "{said}");
    let last = lines.last().unwrap();
    assert!(last.starts_with("  error") && last.ends_with("0 m³ exactly"), "{said}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{said}");
    assert!(lines.len() < 20, "{said}");
}

#[test]
fn progress_fits_eighty_columns_and_ends_with_the_mass_balance() {
    let workshop = Workshop::with_dem(&Raster::terrain(400, 300));
    // A terminal of 200 columns: no line is truncated.
    let run = "run --dem dem.tif --rain '60 mm/h' --duration 2h --output-every 30min --threads 1";
    let script = format!("stty cols 200; $INUNDATE {run}; echo code $?");
    workshop.file("run.sh", &script);
    let ran = workshop.shell("script -qefc 'sh run.sh' /dev/null </dev/null");
    if ran.code != Some(0) {
        eprintln!("skipped: there is no script(1)");
        return;
    }
    let mut shown = 0;
    for line in ran.out.split(['\r', '\n']) {
        let plain = without_codes(line);
        // Notes are printed before the bar.
        if plain.contains(" %  ") {
            shown += 1;
            assert!(plain.chars().count() <= 80, "{} columns: {plain}", plain.chars().count());
        }
    }
    // The number depends on the machine.
    assert!(shown > 0, "{}", ran.out);
    assert!(ran.out.contains("code 0") && ran.out.contains("0 m³ exactly"), "{}", ran.out);
}

/// Returns a line as a terminal shows it.
fn without_codes(line: &str) -> String {
    let mut plain = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            letters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(letter);
        }
    }
    plain.trim_end().to_string()
}

#[test]
fn check_estimates_steps_time_and_disk_in_ranges() {
    let workshop = Workshop::with_dem(&Raster::terrain(200, 150));
    let source =
        format!("{},{},5 m3/s", cli_common::CORNER.0 + 305.0, cli_common::CORNER.1 - 705.0);
    for arguments in [
        "--rain '40 mm/h' --duration 20min",
        &format!("--source '{source}' --duration 30min --output-every 5min"),
        "--rain '1 mm/step' --steps 50",
        "--initial-depth 0.5 --duration 2min --solver inertial",
    ] {
        comes_to_what_check_says(&workshop, arguments);
    }
}

#[test]
fn check_rehearses_finer_ground_with_its_tables() {
    // Gullies of one pixel, which cells of four pixels resolve only in their tables: on their mean
    // level, the water is a film.
    let gullies = Raster::new(192, 160, |column, row| {
        let off = (row % 16) as f64 - 8.0;
        120.0 - 0.3 * column as f64 + 0.6 * off.abs() - if off == 0.0 { 3.0 } else { 0.0 }
    });
    let workshop = Workshop::with_dem(&gullies);
    let run = "--subgrid 4 --rain '60 mm/h' --duration 30min --open east";
    comes_to_what_check_says(&workshop, run);
}

/// Asserts that a run's steps and disk space are as estimated by `check`, in ranges that are narrow
/// enough for planning.
#[track_caller]
fn comes_to_what_check_says(workshop: &Workshop, arguments: &str) {
    let here = format!("{arguments} --device cpu --overwrite");
    let check = format!("check --dem dem.tif {here}");
    workshop.inundate(&check).done().prints(&[
        "\nrun time    about ",
        "\ndisk        ",
        " on this machine",
        "steps ",
    ]);
    let json = workshop.inundate(&format!("{check} --json")).done().json();
    let range = |key: &str| [0, 1].map(|end| json[key][end].as_f64().unwrap());
    workshop.run(&format!("{here} -q")).done();
    let report = workshop.report("results");
    let lies = |value: f64, [low, high]: [f64; 2]| low <= value && value <= high;
    let steps = report["steps"].as_f64().unwrap();
    assert!(lies(steps, range("steps_range")), "{steps} steps: {json:#}");
    // Ranges narrow enough for planning.
    for key in ["wall_range_s", "steps_range"] {
        assert!(range(key)[1] <= 4.01 * range(key)[0], "{key}: {json:#}");
    }
    let names = workshop.names("results");
    let size =
        |name: &String| std::fs::metadata(workshop.path("results").join(name)).unwrap().len();
    let bytes: u64 = names.iter().map(size).sum();
    // The ground of the pixels is on disk during a run.
    let pixels = ["columns", "rows"].map(|key| report["subgrid"]["fine"][key].as_u64());
    let bytes = bytes + 4 * pixels.map(Option::unwrap_or_default).iter().product::<u64>();
    assert!(lies(bytes as f64, range("disk_range_bytes")), "{bytes} bytes: {json:#}");
    let maps = names.iter().filter(|name| name.ends_with(".tif")).count();
    assert_eq!(json["maps"], maps);
}
