//! A run divided in two by `start_from` reaches the state of an undivided one, bit for bit, with
//! any structure or link in the water.

use crate::cli_common;
use crate::tier;

use cli_common::state_files::StateFile;
use cli_common::{CORNER, Raster, Workshop, flood};
use inundate_engine::forcing::structures::StructureKind;
use serde_json::{Value, json};

/// Solvers with physical time.
const SOLVERS: [&[&str]; 3] = [&[], &["--solver", "aqua-manning"], &["--solver", "inertial"]];

/// Structure or link: columns and values of a line across the middle of the plain, for the file of
/// an option.
struct Case {
    option: &'static str,
    columns: &'static str,
    values: &'static str,
}

const fn structure(columns: &'static str, values: &'static str) -> Case {
    Case { option: "--structures", columns, values }
}

const fn link(columns: &'static str, values: &'static str) -> Case {
    Case { option: "--links", columns, values }
}

const STARTS: &str = "kind,crest,bottom_level,bottom_width,formation_time,start";
const TRIGGERED: &str = "kind,crest,bottom_level,bottom_width,formation_time,trigger_level";

const CASES: [Case; 14] = [
    structure("kind,crest", "weir,10.4"),
    structure("kind,opening", "gate,0.3"),
    structure("kind,opening_series", "gate,openings.csv"),
    structure("kind,soffit", "bridge,10.3"),
    // Breaches that are complete at the cut, that form across it, and that start after it.
    structure(STARTS, "breach,12,10.1,20,20s,31.7s"),
    structure(STARTS, "breach,12,10.1,20,90s,80.3s"),
    structure(STARTS, "breach,12,10.1,20,30s,140.9s"),
    structure(TRIGGERED, "breach,12,10.1,20,90s,10.2"),
    structure(TRIGGERED, "breach,12,10.1,20,30s,11.2"),
    structure(
        "kind,reservoir_volume,failure,crest,trigger_level",
        "Breach,4e4 m3,Piping,13.5,10.4",
    ),
    link("kind,capacity,start_depth,stop_depth", "pump,0.37,0.3,0.1"),
    link("kind,rating", "culvert,rating.csv"),
    link("kind,diameter", "culvert,0.8"),
    link("kind,rating", "flap,rating.csv"),
];

/// Creates a plain divided by a structure in the middle, with a river in the west and a tide in the
/// east.
fn workshop() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(14, 6, |column, row| {
        10.0 + 0.03 * ((column * 5 + row * 7) % 9) as f64
    }));
    let day = "2021-07-14T12";
    workshop.file("river.csv", format!("time,flow [m3/s]\n{day}:00,2\n{day}:02,14\n{day}:06,3\n"));
    workshop
        .file("tide.csv", format!("time,level [m]\n{day}:00,10.1\n{day}:03,10.9\n{day}:06,10\n"));
    workshop.file(
        "openings.csv",
        format!(
            "time,opening [m]\n{day}:00,0.05\n{day}:01:07,0.4\n{day}:02:41,0.1\n{day}:09,0.2\n"
        ),
    );
    workshop.file("rating.csv", "head [m],flow [m3/s]\n0.05,0.02\n0.5,0.7\n");
    workshop.file("levels.csv", "level [m],flow [m3/s]\n10,0\n11,9\n");
    workshop
}

/// Returns the arguments that let water into the plain.
fn water() -> Vec<String> {
    let source = format!("{},{},river.csv", CORNER.0 + 15.0, CORNER.1 - 25.0);
    ["--source", &source, "--level", "east,tide.csv", "--rain", "20 mm/h", "--keep-state"]
        .map(String::from)
        .to_vec()
}

/// Writes the file of the structure or link.
fn write(workshop: &Workshop, case: &Case) {
    let (x, north) = (CORNER.0 + 70.0, CORNER.1);
    let ends = match case.option {
        "--links" => format!("{},{},{},{}", x - 15.0, north - 25.0, x + 25.0, north - 35.0),
        _ => format!("{x},{north},{x},{}", north - 60.0),
    };
    workshop.file("drawn.csv", format!("x1,y1,x2,y2,{}\n{ends},{}\n", case.columns, case.values));
}

/// Returns the arrays of the final state, and its header fields about arrays, links and structures.
fn state(workshop: &Workshop, out: &str) -> (Vec<u32>, Value) {
    let StateFile { header, numbers, .. } =
        StateFile::read(&workshop.path(out).join("state.inundate"));
    let links = header["links"].as_array().unwrap().iter();
    let carried: Vec<_> = links.map(|link| (&link["carry"], &link["on"])).collect();
    (numbers, json!([header["arrays"], carried, header["about"]["remembering"]]))
}

#[track_caller]
fn run(workshop: &Workshop, words: &[&str], out: &str) {
    let water = water();
    let water: Vec<&str> = water.iter().map(String::as_str).collect();
    workshop.run(&[&water[..], words, &["--out", out, "--overwrite"]].concat()).done();
}

/// Runs whole and in parts that end at these times (s), and compares the final states.
#[track_caller]
fn compare(workshop: &Workshop, words: &[&str], ends: &[u32]) {
    let start = ["--start", "2021-07-14T12:00Z"];
    let [every, whole] = [ends[0], ends[ends.len() - 1]].map(|end| format!("{end}s"));
    let once = ["--output-every", &every, "--duration", &whole];
    run(workshop, &[&start[..], &once, words].concat(), "whole");
    run(workshop, &[&start[..], &["--duration", &every], words].concat(), "part0");
    for (at, two) in ends.windows(2).enumerate() {
        let duration = format!("{}s", two[1] - two[0]);
        let from = format!("part{at}");
        let part = ["--start-from", &from, "--duration", &duration];
        run(workshop, &[&part[..], words].concat(), &format!("part{}", at + 1));
    }
    let last = format!("part{}", ends.len() - 1);
    let [whole, parts] = ["whole", &last].map(|out| state(workshop, out));
    assert_eq!(parts.1, whole.1, "{words:?}");
    assert!(parts.0 == whole.0, "{words:?}: the state differs");
    let began = |out: &str| workshop.report(out)["structures"][0]["breach"]["began_s"].as_f64();
    let before = f64::from(ends[ends.len() - 2]);
    assert_eq!(began(&last).map(|began| began + before), began("whole"), "{words:?}");
}

#[test]
fn a_run_cut_in_two_ends_like_the_whole_with_any_structure() {
    let workshop = workshop();
    let mut ends = std::collections::BTreeSet::new();
    // Every case with every solver, or with one of them in rotation.
    let solvers = |number: usize| match tier::all() {
        true => &SOLVERS[..],
        false => std::slice::from_ref(&SOLVERS[number % SOLVERS.len()]),
    };
    for (number, case) in CASES.iter().enumerate() {
        write(&workshop, case);
        for solver in solvers(number) {
            compare(&workshop, &[&[case.option, "drawn.csv"], *solver].concat(), &[100, 200]);
            ends.insert(state(&workshop, "whole").0);
        }
    }
    let all: usize = (0..CASES.len()).map(|number| solvers(number).len()).sum();
    assert_eq!(ends.len(), all, "each does something of its own");
    for kind in StructureKind::ALL {
        let name = format!("{kind:?}").to_lowercase();
        assert!(CASES.iter().any(|case| case.values.starts_with(&name)), "{name}");
    }
    for solver in SOLVERS {
        compare(&workshop, &[&["--rating", "west,levels.csv"], solver].concat(), &[100, 200]);
        compare(
            &workshop,
            &[&["--outflow-slope", "0.01", "--open", "north"], solver].concat(),
            &[100, 200],
        );
    }
}

#[test]
fn a_breach_waits_across_cuts_and_may_get_its_remaining_time() {
    let workshop = workshop();
    let words = ["--structures", "drawn.csv"];
    let breach = |start: &str| Case {
        option: "--structures",
        columns: STARTS,
        values: Box::leak(format!("breach,12,10.1,20,30s,{start}").into_boxed_str()),
    };
    write(&workshop, &breach("150.5s"));
    compare(&workshop, &words, &[60, 120, 180, 240]);
    let whole = state(&workshop, "whole").0;
    run(
        &workshop,
        &[&["--start", "2021-07-14T12:00Z", "--duration", "60s"], &words[..]].concat(),
        "part0",
    );
    // A new breach, whose start time counts from the start of the new run.
    write(&workshop, &breach("90.5s"));
    run(
        &workshop,
        &[&["--start-from", "part0", "--output-every", "60s", "--duration", "180s"], &words[..]]
            .concat(),
        "later",
    );
    assert!(state(&workshop, "later").0 == whole);
    let began = workshop.report("later")["structures"][0]["breach"]["began_s"].as_f64();
    assert_eq!(began, Some(90.5));
}

#[test]
fn reports_what_continues_and_what_restarts() {
    let workshop = workshop();
    write(&workshop, &structure(STARTS, "breach,12,10.1,20,30s,150s"));
    let words = ["--structures", "drawn.csv", "--duration", "60s"];
    run(&workshop, &[&["--start", "2021-07-14T12:00Z"], &words[..]].concat(), "first");
    let water = water();
    let later = [&["check", "--dem", "dem.tif", "--start-from", "first"], &words[..]].concat();
    let later: Vec<&str> = later.into_iter().chain(water[..4].iter().map(String::as_str)).collect();
    workshop.inundate(&later).done().says(&[
        "start_from: the start of a breach of the earlier run counts from the start of that run: the next begins 1 min 30 s into this run",
    ]);
    write(&workshop, &structure(STARTS, "breach,12,10.1,20,30s,40s"));
    workshop.inundate(&later).done().says(&["breaches differ from the earlier run"]);
}

#[test]
fn a_breach_that_has_begun_stays_open_with_other_parameters() {
    let workshop = workshop();
    let words = ["--structures", "drawn.csv", "--duration", "60s"];
    write(&workshop, &structure(STARTS, "breach,12,10.1,20,30s,20s"));
    run(&workshop, &[&["--start", "2021-07-14T12:00Z"], &words[..]].concat(), "first");
    let water = water();
    let later = |values: &'static str| {
        write(&workshop, &structure(STARTS, values));
        let from = [&["--start-from", "first", "--out", "later", "--overwrite"], &words[..]];
        let water: Vec<&str> = water.iter().map(String::as_str).collect();
        let ran = workshop.run(&[&water[..], &from.concat()].concat()).done();
        let began = workshop.report("later")["structures"][0]["breach"]["began_s"].as_f64();
        assert_eq!(began, Some(-40.0), "{values}");
        ran
    };
    later("breach,12,10.1,20,30s,20s").never_says("breached");
    let warning = |keys: &str| {
        format!(
            "start_from: 'breach 1' breached in the earlier run, and its parameters differ ({keys}): it keeps the time"
        )
    };
    later("breach,12,10.2,20,30s,20s").says(&[&warning("bottom_level")]);
    later("breach,12,10.1,22,50s,20s").says(&[&warning("bottom_width, formation_time")]);
    later("breach,12,10.1,20,30s,10s")
        .says(&[&warning("start or trigger_level")])
        .never_says("intact");
}

#[test]
fn a_stopped_and_resumed_run_keeps_the_same_state() {
    for (number, solver) in flood::SOLVERS.into_iter().enumerate() {
        let workshop = flood::workshop();
        let run = [&["run", "flood.toml", "--keep-state", "--threads", "1", "--overwrite"], solver];
        let run = [&run.concat()[..], &["--checkpoint-every", "0.01s", "--out"]].concat();
        workshop.inundate(&[&run[..], &["whole"]].concat()).done();
        let words = [&run[..], &["stopped"]].concat();
        workshop.stop_at("stopped/.checkpoint/before", &words);
        workshop.inundate("resume stopped --threads 2").done();
        let of = |out: &str| {
            let mut kept = StateFile::read(&workshop.path(out).join("state.inundate"));
            let header = kept.header.as_object_mut().unwrap();
            // Only the output folder differs.
            for key in ["command", "options"] {
                header.remove(key).expect("it is there");
            }
            kept
        };
        let [whole, resumed] = ["whole", "stopped"].map(of);
        assert_eq!(resumed.header, whole.header, "{number}");
        assert!(resumed.numbers == whole.numbers, "{number}: the arrays differ");
    }
}

#[test]
fn rain_of_gauges_and_rasters_goes_on_where_it_was() {
    let workshop = Workshop::with_dem(&Raster::terrain(14, 6));
    let day = "2021-07-14T12";
    // The first and the last interval have the same rain.
    workshop.file("a.csv", format!("time,rain [mm/h]\n{day}:00,13\n{day}:02,29\n{day}:04,13\n"));
    workshop.file("b.csv", format!("time,rain [mm/h]\n{day}:00,7\n{day}:02,31\n{day}:04,7\n"));
    let (x, y) = CORNER;
    let gauge = |at: f64, file: &str| format!("{},{},{file}\n", x + at, y - 30.0);
    workshop.file("one.csv", format!("x,y,series\n{}", gauge(5.0, "a.csv")));
    let two = gauge(5.0, "a.csv") + &gauge(125.0, "b.csv");
    workshop.file("two.csv", format!("x,y,series\n{two}"));
    std::fs::create_dir(workshop.path("radar")).unwrap();
    for (at, millimetres) in [(0, 0.3), (2, 0.7), (4, 0.3)] {
        let raster =
            Raster::new(14, 6, |column, row| millimetres * (1 + (column + row) % 3) as f64);
        raster.write(&workshop.path(&format!("radar/20210714_120{at}Z.tif")));
    }
    let state = |out: &str| state(&workshop, out).0;
    for (rain, unit) in [("one.csv", &[][..]), ("two.csv", &[]), ("radar", &["--rain-unit", "mm"])]
    {
        let run = |words: &[&str], out: &str| {
            let words =
                [&["--rain", rain, "--keep-state", "--out", out, "--overwrite"], unit, words];
            workshop.run(&words.concat()).done();
        };
        // Within an interval, and between two.
        for (first, second) in [("180s", "180s"), ("120s", "240s")] {
            let start = ["--start", "2021-07-14T12:00Z"];
            let once = ["--duration", "360s", "--output-every", first];
            run(&[&start[..], &once].concat(), "whole");
            run(&[&start[..], &["--duration", first]].concat(), "first");
            run(&["--start-from", "first", "--duration", second], "second");
            assert!(state("second") == state("whole"), "{rain}, {first}: the state differs");
        }
    }
}
