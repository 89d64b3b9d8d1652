//! Messages about the command line and the keys of files: suggestions, lines, quotes, order,
//! colour.

use crate::cli_common;

use cli_common::{Ran, Raster, Workshop};
use inundate::scenario::options::{keys, synonyms};

/// Keys that users of other models type, and the options that they mean.
const MEANT: [(&str, &str); 24] = [
    ("manning", "roughness"),
    ("friction", "roughness"),
    ("n", "roughness"),
    ("precipitation", "rain"),
    ("rainfall", "rain"),
    ("terrain", "dem"),
    ("bathymetry", "dem"),
    ("hydrograph", "source"),
    ("discharge", "source"),
    ("inflow", "source"),
    ("weir", "structures"),
    ("pump", "links"),
    ("dt", "dt_max"),
    ("cfl", "dt_max"),
    ("output_dir", "out"),
    ("time", "duration"),
    ("end_time", "duration"),
    ("boundary", "open"),
    ("outlet", "open"),
    ("levee", "walls"),
    ("tide", "level"),
    ("restart", "start_from"),
    ("gpu", "device"),
    ("rain_file", "rain"),
];

#[test]
fn unknown_flags_and_keys_are_suggested_by_meaning() {
    let workshop = Workshop::new();
    workshop.file("base.toml", "dem = 'dem.tif'\nduration = '1 min'\n");
    for (word, option) in MEANT {
        let flag = format!("--{}", word.replace('_', "-"));
        let unknown = format!("has no flag '{flag}'");
        let meant = format!("'--{}'", option.replace('_', "-"));
        let run = format!("run --dem dem.tif '{flag}' 3");
        workshop.refuses(&run, &[&unknown, "did you mean ", &meant]);
        let (unknown, meant) = (format!("unknown key '{word}'"), format!("'{option}'"));
        workshop.file("s.toml", format!("dem = 'dem.tif'\n{word} = 3\n"));
        let line = format!("'s.toml', line 2: {unknown}");
        workshop.refuses("run s.toml", &[&line, "did you mean ", &meant]);
        workshop.file("study.toml", format!("base = 'base.toml'\n[matrix]\n{word} = [3]\n"));
        let line = format!("'study.toml', line 3, matrix: {unknown}");
        workshop.refuses("study study.toml", &[&line, "did you mean ", &meant]);
    }
    for word in ["xyzzy", "wind_speed"] {
        workshop.file("s.toml", format!("{word} = 3\n"));
        workshop.refuses("run s.toml", &["unknown key"]).never_says("did you mean");
        let flag = format!("--{word}");
        workshop.refuses(&format!("run '{flag}'"), &["has no flag"]).never_says("did you mean");
    }
}

#[test]
fn every_synonym_is_a_plain_word_and_no_key() {
    let keys = keys();
    for (key, synonyms) in synonyms() {
        let mut words: Vec<&str> = synonyms.split(' ').filter(|word| !word.is_empty()).collect();
        for word in &words {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(word.chars().all(plain), "{key}: {word}");
            assert!(!keys.iter().any(|key| key == word), "{key}: {word} is a key");
        }
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count, "{key}: a word is there twice");
    }
}

#[test]
fn all_commands_suggest_flags_and_names() {
    let workshop = Workshop::new();
    for (words, parts) in [
        (
            &["resume", "out", "--thread", "3"][..],
            &["resume has no flag '--thread'", "'--threads'"][..],
        ),
        (&["resume", "out", "--gpu"], &["'--device'"]),
        (&["resume", "out", "--rain", "9"], &["'--rain' is a flag of `inundate run`"]),
        (&["study", "s.toml", "--dryrun"], &["study has no flag '--dryrun'", "'--dry-run'"]),
        (&["animate", "out", "--frame", "3"], &["'--frames'", "inundate animate --help"]),
        (&["compare", "a", "--width", "b"], &["'--with'"]),
        (&["check", "-duration", "1h"], &["check has no flag '-duration'", "'--duration'"]),
        (&["rnu"], &["there is no command 'rnu'", "did you mean 'run'?"]),
        (&["s.toml"], &["there is no command 's.toml'", "inundate run s.toml"]),
    ] {
        workshop.refuses(words, parts);
    }
}

#[test]
fn all_errors_of_a_file_appear_at_once_with_their_lines() {
    let workshop = Workshop::new();
    let text = "dem = 'dem.tif'\nprecipitation = 3\n\nsteps = 'many'\nopne = 'all'\nrain = [1]\n";
    workshop.file("s.toml", text);
    let parts = [
        "error: 's.toml', line 2: unknown key 'precipitation'",
        "error: 's.toml', line 4: steps: invalid type",
        "error: 's.toml', line 5: unknown key 'opne'\n  hint: did you mean 'open'?",
        "error: 's.toml', line 6: rain: invalid type",
    ];
    workshop.refuses("run s.toml", &parts);
    workshop.file("s.toml", "dem = \"dem.tif\nrain = 40 mm/h\nduration = '1h'\nopen = all\n");
    let parts = ["error: 's.toml', line 1: ", "error: 's.toml', line 2: ", "'s.toml', line 4: "];
    workshop.refuses("run s.toml", &parts);
    // So do errors about the meaning of values, unless a flag replaces them.
    workshop.file("s.toml", "dem = 'dem.tif'\n\nrain = '40 mm'\nduration = '1 min'\n");
    workshop.refuses("run s.toml", &["error: 's.toml', line 3: rain: '40 mm' is a depth"]);
    workshop.refuses("run s.toml --rain '4 mm'", &["error: rain: '4 mm' is a depth"]);
    let text = "base = 'none.toml'\npercentile = [3]\ndepths = ['-1 m']\n[matrix]\nrian = [1]\n\
                steps = [3, 'x']\nout = ['a']\n[[run]]\nname = 'x'\nopne = 1\nthreads = 'two'\n";
    workshop.file("study.toml", text);
    let parts = [
        "error: 'study.toml', line 2: unknown key 'percentile'\n  hint: did you mean 'percentiles'?",
        "cannot open the scenario '",
        "error: 'study.toml', line 5, matrix: unknown key 'rian'",
        "error: 'study.toml', line 6, matrix: steps: invalid type",
        "error: 'study.toml', line 7, matrix: out cannot be varied",
        "error: 'study.toml', line 10, run 'x': unknown key 'opne'",
        "error: 'study.toml', line 11, run 'x': threads: invalid type",
        "error: 'study.toml': depths: ",
    ];
    workshop.refuses("study study.toml", &parts);
}

#[test]
fn a_value_that_the_shell_has_split_is_to_be_quoted() {
    let workshop = Workshop::new();
    workshop.file("s.toml", "dem = 'dem.tif'\nrain = '9 mm/h'\n");
    for (words, parts) in [
        (
            &["run", "--dem", "dem.tif", "--duration", "1", "hour"][..],
            &["'--duration 1' is followed by 'hour'", "quotes: --duration \"1 hour\""][..],
        ),
        (&["run", "s.toml", "--duration=1", "hour"], &["quotes: --duration \"1 hour\""]),
        (
            &["run", "--rain", "4", "mm", "/", "15min", "--dem", "dem.tif", "--duration", "1", "h"],
            &["quotes: --rain \"4 mm / 15min\" --duration \"1 h\""],
        ),
        (&["run", "s.toml", "--title", "Flood", "of", "2020"], &["--title \"Flood of 2020\""]),
        (&["compare", "a", "--with", "b", "--threshold", "5", "cm"], &["--threshold \"5 cm\""]),
    ] {
        workshop.refuses(words, parts);
    }
    // A scenario after a flag is one, even if it does not exist.
    workshop.refuses("run --threads 1 none.toml", &["cannot open the scenario 'none.toml'"]);
}

#[test]
fn input_errors_come_before_the_results_of_an_earlier_run() {
    let workshop = Workshop::new();
    let run = "--dem dem.tif --rain '9 mm/h' --duration '1 min'";
    workshop.inundate(&format!("run {run}")).done();
    let holds = "holds the results of an earlier run";
    for (wrong, part) in [
        ("--roughness -3", "roughness: "),
        ("--open west:9-3", "open: 'west:9-3'"),
        ("--gauges 1,2", "gauges: "),
        ("--initial-depth none.tif", "cannot open 'none.tif'"),
    ] {
        let words = format!("run {run} {wrong}");
        workshop.refuses(&words, &[part]).never_says(holds);
    }
    let again = workshop.inundate(&format!("run {run}"));
    assert_eq!(again.says(&[holds, "--overwrite"]).code, Some(2));
    // A map of differences, too.
    let folder = "compare results --with results --difference d.tif";
    workshop.inundate(&format!("{folder} --threshold '0.01 mm'")).done();
    let words = "compare results --with none.tif --difference d.tif";
    workshop.refuses(words, &["none.tif"]).never_says("exists already");
    workshop.refuses(folder, &["difference: 'd.tif' exists already"]);
}

#[test]
fn labels_are_coloured_on_a_terminal_only() {
    let workshop = Workshop::new();
    let on_a_terminal = |before: &str| -> Option<Ran> {
        let run = format!("{before} $INUNDATE run --dem none.tif");
        workshop.file("run.sh", format!("{run}; echo code $?"));
        let ran = workshop.shell("script -qefc 'sh run.sh' /dev/null </dev/null");
        (ran.code == Some(0)).then_some(ran)
    };
    let Some(coloured) = on_a_terminal("TERM=xterm NO_COLOR=") else {
        eprintln!("skipped: there is no script(1)");
        return;
    };
    assert!(coloured.out.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{:?}", coloured.out);
    assert!(coloured.out.contains("\u{1b}[32m  hint:\u{1b}[0m "), "{:?}", coloured.out);
    for before in ["TERM=xterm NO_COLOR=1", "TERM=dumb"] {
        let plain = on_a_terminal(before).unwrap();
        assert!(plain.out.contains("error: ") && !plain.out.contains('\u{1b}'), "{:?}", plain.out);
    }
    workshop.refuses("run --dem none.tif", &["error: "]).never_says("\u{1b}");
}

#[test]
fn help_starts_with_the_options_that_every_run_needs() {
    let workshop = Workshop::empty();
    for (command, form) in [("run", "-h"), ("run", "--help"), ("check", "--help")] {
        let help = workshop.inundate(&format!("'{command}' '{form}'")).done().out;
        // Wrapped lines of the help are indented further.
        let flags = help.lines().filter_map(|line| line.strip_prefix("      --"));
        let flags: Vec<String> =
            flags.map(|line| format!("--{}", line.split(' ').next().unwrap())).collect();
        let first = [
            "--dem",
            "--rain",
            "--source",
            "--duration",
            "--solver",
            "--roughness",
            "--open",
            "--out",
            "--layers",
            "--output-every",
        ];
        assert_eq!(flags[..10], first, "{command} {form}");
    }
}

#[test]
fn messages_say_what_a_run_lacks() {
    let workshop = Workshop::new();
    let base = ["run", "--dem", "dem.tif", "--duration", "2 min", "--overwrite", "-q"];
    let says = |more: &[&str], parts: &[&str]| {
        workshop.inundate(&[&base[..], more].concat()).says(parts);
    };
    says(&[], &["there is no water in this run, so its maps will be dry", "--rain"]);
    let rain = ["--rain", "9 mm/h"];
    let late = ["--output-every", "1h"];
    says(&[rain, late].concat(), &["the run ends at 2 min, before 1 h; give a shorter interval"]);
    let late = ["--gauge-every", "1h"];
    says(&[rain, late].concat(), &["only the start and the end are recorded", "before 1 h"]);
    for depth in ["40mm", "40 mm"] {
        let parts = [
            &format!("rain: '{depth}' is a depth, without the time in which it falls")[..],
            &format!("\"{depth}/h\""),
            &format!("\"{depth}/6h\""),
            &format!("\"design:{depth}/6h/chicago:0.4\""),
        ];
        workshop.refuses(&[&base[..6], &["--rain", depth]].concat(), &parts);
        for written in [&parts[1], &parts[2], &parts[3]] {
            says(&["--rain", written.trim_matches('"')], &[]);
        }
    }
}

#[test]
fn a_study_reports_the_progress_of_its_active_runs() {
    let workshop = Workshop::with_dem(&Raster::terrain(120, 90));
    workshop.file("base.toml", "dem = 'dem.tif'\nduration = '3 h'\nopen = 'all'\n");
    let study = "base = 'base.toml'\n[matrix]\nrain = ['40 mm/h', '60 mm/h']\n";
    workshop.file("study.toml", study);
    let command = "INUNDATE_PROGRESS=json $INUNDATE study study.toml --jobs 1 --json > study.json";
    let ran = workshop.shell(command).done();
    let lines = ran.err.lines().filter(|line| line.starts_with('{'));
    let reported: Vec<serde_json::Value> =
        lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let shares: Vec<f64> =
        reported.iter().map(|reported| reported["progress"].as_f64().unwrap()).collect();
    assert!(shares.is_sorted(), "{shares:?}");
    assert_eq!(shares.last(), Some(&1.0));
    assert_eq!(reported.last().unwrap()["runs_ended"], 2);
    // The messages of the runs are still in their logs, and not mixed with the progress.
    let log = workshop.text("study/runs/rain-40mm-h/run.log");
    assert!(!log.contains('{'), "{log}");
}

#[test]
fn new_names_the_dem_relative_to_the_scenario_file() {
    let workshop = Workshop::new();
    std::fs::create_dir_all(workshop.path("project/runs")).unwrap();
    std::fs::create_dir(workshop.path("project/data")).unwrap();
    std::fs::rename(workshop.path("dem.tif"), workshop.path("project/data/dem.tif")).unwrap();
    let new = "new project/data/dem.tif project/s.toml";
    workshop.inundate(new).done();
    workshop.refuses(new, &["'project/s.toml' exists already", "choose another name"]);
    let line = |file: &str| {
        let text = workshop.text(file);
        text.lines().find(|line| line.starts_with("dem = ")).unwrap().to_string()
    };
    assert_eq!(line("project/s.toml"), "dem = \"data/dem.tif\"");
    let mut files = vec!["s.toml"];
    if cfg!(target_os = "linux") {
        workshop.shell("$INUNDATE new project/data/dem.tif > project/runs/s.toml").done();
        assert_eq!(line("project/runs/s.toml"), "dem = \"../data/dem.tif\"");
        files.push("runs/s.toml");
    }
    // Through a pipe, the file may come to lie anywhere.
    workshop.shell("$INUNDATE new project/data/dem.tif | cat > project/runs/t.toml").done();
    assert!(
        std::path::Path::new(line("project/runs/t.toml").split('"').nth(1).unwrap()).is_absolute()
    );
    std::fs::rename(workshop.path("project"), workshop.path("moved")).unwrap();
    for file in files {
        workshop.inundate(&["check", &format!("moved/{file}")]).done();
    }
}
