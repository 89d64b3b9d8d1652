//! A run divided in two by `start_from` reaches the state of an undivided one, bit for bit, for
//! every solver and machine; and invalid starts are refused.

use crate::cli_common;
use crate::ranks::{end, start};
use crate::subgrid;

use cli_common::flood;
use cli_common::state_files::StateFile;
use cli_common::vectors::{Shapes, number};
use cli_common::{Raster, Workshop, pixels};
use gdal::Metadata;
use gdal::vector::OGRFieldType::OFTReal;

/// State file of a run.
const STATE: &str = "state.inundate";

/// Creates a folder with the flood with all features as `flood.toml`, and its continuation as
/// `later.toml`: without the initial water and without the start, because all of its data have
/// dates.
fn workshop() -> Workshop {
    let workshop = flood::workshop();
    let day = "2021-07-14T12";
    let tide = format!("time,level [m]\n{day}:00,109.5\n{day}:05,111\n{day}:11,109\n");
    workshop.file("tide.csv", tide);
    let air = format!("time,evaporation [mm/day]\n{day}:00,5\n{day}:03,8\n{day}:12,6\n");
    workshop.file("air.csv", air);
    let text = workshop.text("flood.toml");
    let without = |keys: &[&str]| {
        let is_one = |line: &&str| keys.iter().any(|key| line.starts_with(key));
        text.lines().filter(|line| !is_one(line)).collect::<Vec<_>>().join("\n")
    };
    let series = ["output_every =", "extent_series =", "series ="];
    workshop.file("flood.toml", without(&series));
    let start = ["initial_depth =", "start ="];
    workshop.file("later.toml", without(&[&series[..], &start].concat()));
    workshop
}

/// Asserts that the final flow of two runs is equal.
#[track_caller]
fn assert_ends_as(workshop: &Workshop, out: &str, expected: &str, layers: &[&str]) {
    for layer in layers {
        let of = |out: &str| pixels(workshop.path(&format!("{out}/{layer}.tif")));
        let (ours, theirs) = (of(out), of(expected));
        let differ = ours.iter().zip(&theirs).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        assert_eq!(differ, 0, "{layer} of {} cells", ours.len());
        assert!(ours.iter().any(|value| *value > 0.0), "{layer} is more than 0 somewhere");
    }
    assert_eq!(workshop.volume(out, "stored_m3"), workshop.volume(expected, "stored_m3"));
    assert_eq!(workshop.volume(out, "error_m3"), 0.0);
}

#[test]
fn a_run_cut_in_two_ends_like_the_whole_for_every_solver() {
    let workshop = workshop();
    let solvers: [(&[&str], f64); 5] = [
        (&["--dt-max", "1s", "--outflow-slope", "0.01"], 150.0),
        (&["--dt-max", "1s", "--order", "2"], 150.0),
        (&["--solver", "inertial"], 150.0),
        (&["--solver", "aqua-manning"], 37.0),
        (&["--step", "0.5s", "--neighbourhood", "moore"], 75.0),
    ];
    for (number, (solver, cut)) in solvers.into_iter().enumerate() {
        let [whole, first, later] =
            ["whole", "first", "later"].map(|name| format!("{name}{number}"));
        let [once, twice] = [cut, 2.0 * cut].map(|time| format!("{time}s"));
        let run = |more: &[&str]| workshop.inundate(&[&["run"], more, solver].concat()).done();
        run(&["flood.toml", "--duration", &twice, "--output-every", &once, "--out", &whole]);
        run(&["flood.toml", "--duration", &once, "--keep-state", "--out", &first]);
        let start = ["later.toml", "--start-from", &first, "--duration", &once];
        let ran =
            run(&[&start[..], &["--threads", "2", "--tile", "7x5", "--out", &later]].concat());
        assert!(ran.err.contains(&format!("flow of '{first}/{STATE}'")), "{}", ran.err);
        let timed = number < 4;
        let layers: &[&str] =
            if timed { &["depth", "velocity", "level"] } else { &["depth", "level"] };
        assert_ends_as(&workshop, &later, &whole, layers);
        // Each part has its own mass balance, which starts with the final volume of the previous
        // part.
        let of = |out: &str, line: &str| workshop.volume(out, line);
        assert_eq!(of(&later, "initial_m3"), of(&first, "stored_m3"));
        for line in ["rain_m3", "inflow_m3", "outflow_m3", "infiltration_m3", "evaporation_m3"] {
            let both = of(&first, line) + of(&later, line);
            assert!((both - of(&whole, line)).abs() <= 1e-9 * both, "{line}: {both}");
            assert!(of(&later, line) > 0.0, "{line}");
        }
        let steps = |out: &str| workshop.report(out)["steps"].as_u64().unwrap();
        assert_eq!(steps(&first) + steps(&later), steps(&whole));
        assert!(workshop.report(&later)["inputs"].as_array().unwrap().iter().any(|input| {
            input["role"] == "start_from" && input["path"] == format!("{first}/{STATE}").as_str()
        }));
    }
}

#[test]
fn a_run_starts_from_the_checkpoint_of_a_stopped_one_and_may_be_stopped_too() {
    let workshop = workshop();
    let long = ["--dt-max", "1s", "--threads", "1"];
    let stop = |arguments: &[&str], out: &str| {
        let run = [&["run"], arguments, &long, &["--out", out]].concat();
        workshop.stop_at(&format!("{out}/.checkpoint/before"), &run);
    };
    let whole = [&["run", "flood.toml"], &long[..], &["--out", "whole"]].concat();
    workshop.inundate(&whole).done();
    stop(&["flood.toml"], "stopped");
    // To the bit of the time at which it was stopped.
    let bytes = std::fs::read(workshop.path("stopped/.checkpoint/last")).unwrap();
    let end = 30 + u64::from_le_bytes(bytes[22..30].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[30..end]).unwrap();
    let time = f64::from_bits(header["time"]["pace"][0].as_u64().unwrap());
    let left = format!("{} s", 660.0 - time);
    let later = ["later.toml", "--start-from", "stopped", "--duration", &left];
    stop(&later, "later");
    workshop.inundate("resume later --threads 2").done();
    assert_ends_as(&workshop, "later", "whole", &["depth", "velocity"]);
    // The checkpoint in its own folder would be deleted.
    let there = [&["run"], &later[..], &["--out", "stopped", "--overwrite"]].concat();
    workshop.refuses(&there, &["out: 'stopped/.checkpoint/last' is an input of this run"]);
}

#[test]
fn cells_with_tables_and_ranks_continue_like_the_whole() {
    let workshop = subgrid::flood();
    let text = workshop.text("flood.toml");
    workshop.file("flood.toml", text.replace("layers = \"depth", "layers = \"velocity,depth"));
    for solver in ["shallow-water", "inertial"] {
        let [whole, first, later] =
            ["whole", "first", "later"].map(|name| format!("{name}-{solver}"));
        let run =
            ["run", "flood.toml", "--solver", solver, "--infiltration", "4 mm/h", "--threads", "1"];
        let run = |more: &[&str]| {
            run.into_iter().chain(more.iter().copied()).map(String::from).collect::<Vec<_>>()
        };
        let done = |more: &[&str]| {
            let words = run(more);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            workshop.inundate(&words).done()
        };
        done(&["--output-every", "10 min", "--out", &whole]);
        done(&["--duration", "10 min", "--keep-state", "--out", &first]);
        let words = run(&["--duration", "10 min", "--start-from", &first, "--out", &later]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        end(start(&workshop, &words, 3)).into_iter().for_each(|ran| drop(ran.done()));
        assert_ends_as(&workshop, &later, &whole, &["depth", "velocity"]);
    }
}

/// Creates a folder with a run of rain whose state is in `first`.
fn rained(more: &[&str]) -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(30, 20));
    let rain = ["--rain", "40 mm/h", "--duration", "3 min", "--keep-state", "--out", "first"];
    workshop.run(&[&rain[..], more].concat()).done();
    workshop
}

const LATER: [&str; 4] = ["--start-from", "first", "--duration", "2 min"];

#[test]
fn refuses_a_state_that_does_not_match_the_run() {
    let workshop = rained(&[]);
    workshop.raster("wide.tif", &Raster::terrain(31, 20));
    workshop.raster("cut.tif", &Raster::terrain(30, 20).with(29, 3, -9999.0));
    workshop.file("text.txt", "nothing of a state");
    let mut damaged = std::fs::read(workshop.path("first").join(STATE)).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    workshop.file("damaged", damaged);
    std::fs::create_dir(workshop.path("empty")).unwrap();
    let cases: [(&[&str], &[&str]); 10] = [
        (
            &["--solver", "inertial"],
            &[
                "with shallow-water, but this run uses inertial",
                "hint: take --solver shallow-water",
            ],
        ),
        (&["--grain", "coarse"], &["its water has the grain fine", "--grain fine"]),
        (
            &["--initial-depth", "1 m"],
            &["initial_depth: the initial water is already given by start_from"],
        ),
        (
            &["--initial-level", "112 m"],
            &["initial_level: the initial water is already given", "leave out initial_level"],
        ),
        (
            &["--dem", "wide.tif"],
            &[
                "a grid of 30 x 20 cells of 10 x 10 from (500000, 5000000)",
                "31 x 20",
                "hint: give the DEM",
            ],
        ),
        (&["--dem", "cut.tif"], &["the state has water in 1 cell outside of this run's domain"]),
        (&["--start-from", "nowhere"], &["start_from: 'nowhere' does not exist"]),
        (
            &["--start-from", "empty"],
            &["start_from: 'empty' does not contain a state of a run", "--keep-state"],
        ),
        (&["--start-from", "text.txt"], &["'text.txt' is not a usable state"]),
        (
            &["--start-from", "damaged"],
            &["'damaged' is not a usable state: its checksum does not fit"],
        ),
    ];
    for (more, parts) in cases {
        let named = more[0] == "--start-from";
        let later = if named { &LATER[2..] } else { &LATER[..] };
        let dem: &[&str] = if more[0] == "--dem" { &[] } else { &["--dem", "dem.tif"] };
        workshop.refuses(&[&["run"], dem, later, more].concat(), parts);
    }
    let over =
        [&["run", "--dem", "dem.tif"], &LATER[..], &["--out", "first", "--overwrite"]].concat();
    workshop.refuses(&over, &["out: 'first/state.inundate' is an input of this run"]);
}

#[test]
fn check_and_run_report_the_initial_state() {
    let start = "2021-07-14T12:00+02:00";
    let ground = ["--infiltration", "20 mm/h", "--initial-loss", "1 mm"];
    let workshop = rained(&[&["--start", start], &ground[..]].concat());
    let check = [&["check", "--dem", "dem.tif"], &LATER[..], &ground].concat();
    let said = "starts with the water and the flow of 'first/state.inundate', at 3 min of that run";
    let checked = workshop.inundate(&check).done().says(&[said]).never_says("no water");
    assert!(checked.out.contains("at start"), "{}", checked.out);
    let dated = ["--start", "2021-07-14T12:10+02:00"];
    workshop.inundate(&[&check[..], &dated].concat()).done().says(&[
        "start: the run starts at 2021-07-14T12:10:00+02:00, but its initial state is from 2021-07-14T12:03:00+02:00",
    ]);
    let run = |more: &[&str]| workshop.run(&[&LATER[..], more, &["--overwrite"]].concat()).done();
    run(&ground).never_says("losses").never_says("infiltration");
    // The initial loss was already used up.
    assert_eq!(workshop.volume("results", "initial_loss_m3"), 0.0);
    assert!(workshop.volume("results", "infiltration_m3") > 0.0);
    run(&[]).says(&["the run has no losses; the losses of the earlier run are ignored"]);
    let note = "the layer infiltration includes the infiltration of the earlier run";
    let description = || {
        let map = gdal::Dataset::open(workshop.path("results/infiltration.tif")).unwrap();
        map.rasterband(1).unwrap().description().unwrap()
    };
    run(&[&ground[..], &["--layers", "infiltration"]].concat()).says(&[note]);
    assert_eq!(description(), "initial loss and infiltration, including earlier runs");
    let other = ["--initial-loss", "1 mm", "--infiltration", "3 mm/h"];
    run(&[&other[..], &["--layers", "infiltration"]].concat()).never_says(note);
    assert_eq!(description(), "initial loss and infiltration");
    run(&other).says(&["warning: start_from: the losses differ from the earlier run"]);
    assert!(workshop.volume("results", "initial_loss_m3") > 0.0);
    // Without forcing, the water continues to move, and maxima start from the current state.
    let depth = pixels(workshop.path("first/depth.tif"));
    let most = pixels(workshop.path("results/max_depth.tif"));
    assert!(
        depth.iter().zip(&most).all(|(depth, most)| most >= depth),
        "maxima begin with the water"
    );
    workshop.raster("higher.tif", &Raster::terrain(30, 20).with(4, 4, 117.0));
    let higher = [&["run", "--dem", "higher.tif", "--overwrite"], &LATER[..]].concat();
    workshop.inundate(&higher).done().says(&["warning: start_from: the ground differs from"]);
    for (epsg, differs) in [(Some(25830), true), (None, false)] {
        workshop.raster("other.tif", &Raster::terrain(30, 20).epsg(epsg));
        let other = [&["run", "--dem", "other.tif", "--overwrite"], &LATER[..]].concat();
        let ran = workshop.inundate(&other).done();
        assert_eq!(ran.err.contains("start_from: the CRS of the DEM differs"), differs, "{epsg:?}");
    }
}

#[test]
fn the_runs_of_a_study_start_from_a_state() {
    let workshop = rained(&[]);
    workshop.file("later.toml", "dem = 'dem.tif'\nstart_from = 'first'\nduration = '2 min'\n");
    let matrix = "base = 'later.toml'\n[matrix]\nrain = ['10 mm/h', '90 mm/h']\n";
    workshop.file("study.toml", matrix);
    workshop.inundate("study study.toml --dry-run").done();
    workshop.inundate("study study.toml").done();
    let left = workshop.volume("first", "stored_m3");
    for rain in ["rain-10mm-h", "rain-90mm-h"] {
        assert_eq!(workshop.volume(&format!("study/runs/{rain}"), "initial_m3"), left);
    }
}

#[test]
fn a_changed_ground_within_cells_is_warned_of() {
    // The lowest pixel of every cell stays.
    let plain = |_: usize, _: usize| 100.0;
    let at = |value: f64| Raster::new(8, 8, plain).with(5, 5, value);
    let workshop = Workshop::with_dem(&Raster::new(8, 8, plain));
    workshop.raster("raised.tif", &at(103.0));
    workshop.raster("hole.tif", &at(-9999.0));
    let river = |name: &str, width: f64| {
        Shapes::new(&[("width", OFTReal), ("depth", OFTReal)])
            .with("LINESTRING (0.5 1.5, 7.5 1.5)", &[number(width), number(1.0)])
            .write(&workshop, name);
    };
    river("narrow.gpkg", 4.0);
    river("wide.gpkg", 8.0);
    let warning = "the ground differs from 'first/state.inundate'";
    let losses = "the losses differ from the earlier run, perhaps only because the ground does";
    let run = |dem: &str, more: &str| {
        let ran = format!("run --dem {dem} --subgrid 4 --duration 1min --overwrite {more}");
        workshop.inundate(&ran).done()
    };
    let rain = "--rain 40mm/h --infiltration 5mm/h";
    run("dem.tif", &format!("{rain} --keep-state --out first"));
    let later = |dem: &str, more: &str| run(dem, &format!("{rain} --start-from first {more}"));
    later("dem.tif", "").never_says("warning: start_from");
    later("dem.tif", "--roughness 0.2").never_says("warning: start_from");
    later("raised.tif", "").says(&[warning]).never_says("losses");
    later("hole.tif", "").says(&[warning, losses]);
    run("dem.tif", "--rain 40mm/h --rivers narrow.gpkg --keep-state --out first");
    let later = |rivers: &str| {
        run("dem.tif", &format!("--rain 40mm/h --rivers {rivers} --start-from first"))
    };
    later("narrow.gpkg").never_says("warning: start_from");
    later("wide.gpkg").says(&[warning]);
}

#[test]
fn a_calibrated_automaton_continues_at_the_end_of_the_earlier_run() {
    let workshop = Workshop::with_dem(&Raster::terrain(6, 5));
    let minutes = "13:00,6\n2021-07-14T13:20,0\n2021-07-14T15:00,0\n";
    workshop.file("rain.csv", format!("time,rain [mm/h]\n2021-07-14T{minutes}"));
    let run = |more: &str| workshop.run(&format!("--keep-state --overwrite {more}")).done();
    let begins = |out: &str| {
        let table = workshop.text(&format!("{out}/mass_balance.csv"));
        table.lines().nth(1).unwrap().split(',').nth(2).unwrap()[..16].to_string()
    };
    run("--rain rain.csv --step 60s --steps 20 --start 2021-07-14T13:00 --out first");
    for step in ["60s", "30s"] {
        run(&format!(
            "--source 500020,4999980,1 --step {step} --steps 20 --start-from first --out second"
        ));
        assert_eq!(begins("second"), "2021-07-14T13:20", "{step}");
        run("--source 500020,4999980,1 --step 20s --steps 9 --start-from second --out third");
        let end = if step == "60s" { "2021-07-14T13:40" } else { "2021-07-14T13:30" };
        assert_eq!(begins("third"), end, "{step}");
    }
    run("--rain rain.csv --step 30s --steps 20 --start-from first --start 2021-07-14T13:20")
        .says(&["brings no rain during the run"])
        .never_says("its initial state is from");
    let path = workshop.path("first/state.inundate");
    let mut forged = StateFile::read(&path);
    for options in ["step = '-60s'", "step = '1e308s'", "step = [1]"] {
        forged.header["options"] = options.into();
        forged.write(&workshop.path("forged"));
        let later = "run --dem dem.tif --step 30s --steps 20 --rain 1mm/h --start-from forged";
        workshop.refuses(later, &["'forged' is not a usable state: its options are damaged"]);
    }
    // Steps without a duration have no dates.
    run("--rain 1mm/step --steps 20 --start 2021-07-14T13:00 --out first")
        .says(&["warning: start: has no effect, because steps have no duration"]);
    run("--rain 6mm/h --step 60s --steps 20 --start-from first");
    assert!(!workshop.text("results/mass_balance.csv").contains("2021-07-14"));
}
