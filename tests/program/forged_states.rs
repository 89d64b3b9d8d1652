//! Forged states with a valid checksum are refused before they are used.

use crate::cli_common;

use cli_common::state_files::StateFile;
use cli_common::{Raster, Workshop, at};
use inundate_engine::field::Field;
use serde_json::{Value, json};

const SIZE: (usize, usize) = (14, 9);
const STATE: &str = "first/state.inundate";

/// Runs whose states together contain every possible field.
const RUNS: [&[&str]; 3] = [
    &["--infiltration", "30 mm/h", "--initial-loss", "1 mm"],
    &["--solver", "inertial", "--loss-classes", "soil.tif", "--loss-table", "soil.csv"],
    &["--structures", "breach.csv", "--links", "pump.csv"],
];

/// Creates a folder with a run whose state is in `first`.
fn workshop(words: &[&str]) -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(SIZE.0, SIZE.1, |column, row| {
        10.0 + 0.1 * ((column * 5 + row * 3) % 8) as f64
    }));
    workshop.raster("soil.tif", &Raster::new(SIZE.0, SIZE.1, |_, _| 1.0));
    workshop.file(
        "soil.csv",
        "class,horton_first_mm_h,horton_last_mm_h,horton_decay_per_h\n1,30,3,4\n",
    );
    let columns = "kind,crest,bottom_level,bottom_width,formation_time,start";
    let line = format!("{},{}", at(7.0, 0.0), at(7.0, 9.0));
    workshop.file("breach.csv", format!("x1,y1,x2,y2,{columns}\n{line},breach,12,10,20,9s,20s\n"));
    let line = format!("{},{}", at(3.5, 3.5), at(9.5, 3.5));
    workshop.file("pump.csv", format!("x1,y1,x2,y2,kind,capacity\n{line},pump,0.3\n"));
    let rain = ["--rain", "90 mm/h", "--duration", "1 min", "--keep-state", "--out", "first"];
    workshop.run(&[&rain[..], words].concat()).done();
    workshop
}

/// Asserts that `run` and `check` refuse the state of a folder and change nothing.
#[track_caller]
fn refused(workshop: &Workshop, words: &[&str], parts: &[&str]) {
    let later = ["--dem", "dem.tif", "--start-from", "first", "--duration", "1 min"];
    for command in ["run", "check"] {
        let mut all = vec!["start_from: 'first/state.inundate' is not a usable state"];
        all.extend_from_slice(parts);
        workshop.refuses(&[&[command], &later[..], &["--rain", "90 mm/h"], words].concat(), &all);
    }
}

#[test]
fn rejects_impossible_numbers_in_every_field() {
    let mut seen = Vec::new();
    for words in RUNS {
        let workshop = workshop(words);
        let path = workshop.path(STATE);
        let whole = StateFile::read(&path);
        for (field, at) in whole.fields(SIZE) {
            let (width, lines) = field.shape(SIZE);
            let last = at + width * lines - 1;
            let [nan, endless, large] = [f32::NAN, f32::INFINITY, -1e30].map(f32::to_bits);
            let bad = [nan, endless, large, u32::MAX, !nan, !endless];
            let bad: Vec<u32> =
                bad.into_iter().filter(|bits| field.implausible(&[*bits]).is_some()).collect();
            assert!(!bad.is_empty(), "{field:?}");
            for (place, bits) in [at, last].into_iter().zip(bad.into_iter().cycle()) {
                let mut forged = whole.clone();
                forged.numbers[place] = bits;
                forged.write(&path);
                let name = field.name();
                refused(
                    &workshop,
                    words,
                    &[&format!("its field '{name}' at column "), "which no run can produce"],
                );
            }
            seen.push(field);
        }
        whole.write(&path);
        let later = ["--start-from", "first", "--duration", "1 min", "--rain", "90 mm/h"];
        workshop.run(&[&later[..], words].concat()).done();
    }
    for field in [
        Field::Water,
        Field::Soaked,
        Field::Excess,
        Field::SiteState,
        Field::DischargeEast,
        Field::DischargeSouth,
        Field::VelocityEast,
        Field::VelocitySouth,
    ] {
        assert!(seen.contains(&field), "{field:?}");
    }
}

#[test]
fn rejects_arrays_in_the_wrong_order_or_number() {
    let workshop = workshop(&[]);
    let path = workshop.path(STATE);
    let whole = StateFile::read(&path);
    let fields = whole.header["arrays"].as_array().unwrap().clone();
    assert_eq!(fields, [json!("Water"), json!("VelocityEast"), json!("VelocitySouth")]);
    let [water, east, south] = [0, 1, 2].map(|at| fields[at].clone());
    for (arrays, says) in [
        (json!([south, east, water]), "which no checkpoint does"),
        (json!([water, south, east]), "it lists 'velocity south' before 'velocity east'"),
        (json!([east, south]), "it has no water"),
        (json!([]), "it has no water"),
        (json!([water, water, east, south]), "which no checkpoint does"),
        (json!([water, east, south, "Bed"]), "it lists 'bed', which no checkpoint keeps"),
        (json!([water, east, south, { "Table": 99_999_999 }]), "which no checkpoint keeps"),
        (json!([water, "Speed"]), "its header cannot be read"),
        (json!([water, east]), "it holds more than it lists"),
        (json!([water, { "Track": u64::MAX }, east, south]), "it is cut short"),
        (json!([water, "Soaked", east, south]), "its field 'soaked' at column 1, row 0 is -"),
    ] {
        let mut forged = whole.clone();
        forged.header["arrays"] = arrays.clone();
        forged.write(&path);
        refused(&workshop, &[], &[says]);
    }
    // Missing flow arrays are an error; they do not mean water at rest.
    let mut forged = whole.clone();
    forged.header["arrays"] = json!([water]);
    forged.numbers.truncate(SIZE.0 * SIZE.1);
    forged.write(&path);
    refused(&workshop, &[], &["it lacks the velocity east that a run continues from"]);
}

#[test]
fn rejects_impossible_clocks_totals_and_links() {
    type Forgery = fn(&mut Value);
    let cases: [(Forgery, &str); 15] = [
        (
            |header| header["time"]["pace"][0] = json!(f64::NAN.to_bits()),
            "its time and number of steps",
        ),
        (
            |header| header["time"]["pace"][0] = json!(1e300f64.to_bits()),
            "its time and number of steps",
        ),
        (|header| header["time"]["pace"][1][0] = json!(1), "its time and number of steps"),
        (
            |header| header["time"]["pace"][1][0] = json!(1e-30f32.to_bits()),
            "its time and number of steps",
        ),
        (
            |header| header["time"]["pace"][1][0] = json!((-1f32).to_bits()),
            "its time and number of steps",
        ),
        (
            |header| header["time"]["pace"][1][1] = json!(1e30f32.to_bits()),
            "its time and number of steps",
        ),
        (
            |header| header["time"]["pace"][1][2] = json!(f32::NAN.to_bits()),
            "its time and number of steps",
        ),
        (|header| header["time"]["pace"][2] = json!(17), "its time and number of steps"),
        (|header| header["time"]["pace"] = Value::Null, "its time and number of steps"),
        (|header| header["time"]["done"] = json!(u64::MAX), "its time and number of steps"),
        (
            |header| header["about"]["elapsed"] = json!(f64::NAN.to_bits()),
            "its time and number of steps",
        ),
        (|header| header["pieces"][0]["sum"] = json!(1e300), "its totals of rain and inflow"),
        (|header| header["pieces"][0]["time"] = json!(7.0), "its totals of rain and inflow"),
        (|header| header["links"][0]["carry"] = json!(-1e9), "its link states do not fit"),
        (|header| header["links"] = json!([]), "its link states do not fit"),
    ];
    let words = RUNS[2];
    let workshop = workshop(words);
    let path = workshop.path(STATE);
    let whole = StateFile::read(&path);
    for (change, says) in cases {
        let mut forged = whole.clone();
        change(&mut forged.header);
        assert_ne!(forged.header, whole.header, "{says}");
        forged.write(&path);
        refused(&workshop, words, &[says]);
    }
}

#[test]
fn rejects_a_pipe_in_place_of_a_state_and_follows_a_link_to_one() {
    let (workshop, beside) = (workshop(&[]), Workshop::empty());
    assert_eq!(beside.shell("mkfifo pipe").code, Some(0));
    workshop.shell("ln -s first/state.inundate link").done();
    let later = ["run", "--dem", "dem.tif", "--duration", "1 min", "--start-from"];
    let pipe = beside.path("pipe");
    let words = [&later[..], &[pipe.to_str().unwrap()]].concat();
    workshop.refuses(&words, &["pipe' is not a usable state"]);
    workshop.inundate(&[&later[..], &["link"]].concat()).done();
}

#[test]
fn does_not_resume_a_checkpoint_with_impossible_flow() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    let endless = "--rain '9 mm/h' --duration 9000h --dt-max 1s";
    let every = "run --dem dem.tif --checkpoint-every 0.01s --quiet";
    workshop.stop_at("results/.checkpoint/before", &format!("{every} {endless}"));
    let path = workshop.path("results/.checkpoint/last");
    let whole = StateFile::read(&path);
    for (field, at) in whole.fields((40, 30)) {
        let bad = [f32::NAN.to_bits(), (-1e30f32).to_bits()];
        let Some(bad) = bad.into_iter().find(|bits| field.implausible(&[*bits]).is_some()) else {
            continue;
        };
        let mut forged = whole.clone();
        forged.numbers[at + 50] = bad;
        forged.write(&path);
        let ran = workshop.inundate("resume results");
        ran.says(&[
            "resume: the checkpoint cannot be read",
            &format!("its field '{}'", field.name()),
        ]);
    }
}
