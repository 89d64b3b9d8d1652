//! A checkpoint is untrusted input: whatever it contains, and whatever is in its place, only the
//! run's own files are changed, no run continues forever, and the last good checkpoint stays until
//! there is a newer one.

use crate::cli_common;

use cli_common::flood::{SOLVERS, assert_same, results, with_whole};
use cli_common::{Ran, Raster, Workshop};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::os::unix::fs::symlink;

/// Offsets of the header's length and of the header.
const LENGTH: usize = 22;
const HEADER: usize = 30;

/// Creates a run that was stopped when it had two checkpoints, and would take days.
fn stopped(more: &[&str]) -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    let every = ["run", "--dem", "dem.tif", "--checkpoint-every", "0.01s", "--quiet"];
    workshop.stop_at("results/.checkpoint/before", &[&every[..], more].concat());
    workshop
}

const TIMED: [&str; 8] =
    ["--rain", "9 mm/h", "--duration", "9000h", "--dt-max", "1s", "--output-every", "4000h"];
const STEPPED: [&str; 4] = ["--rain", "0.001 mm/step", "--steps", "4000000000"];

/// Changes the header of the last checkpoint, and updates its checksum.
fn forge(workshop: &Workshop, change: impl Fn(&mut Value)) {
    let path = workshop.path("results/.checkpoint/last");
    let bytes = std::fs::read(&path).unwrap();
    let length = u64::from_le_bytes(bytes[LENGTH..HEADER].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[HEADER..HEADER + length]).unwrap();
    change(&mut header);
    let header = serde_json::to_vec(&header).unwrap();
    let arrays = &bytes[HEADER + length..bytes.len() - 32];
    let size = (header.len() as u64).to_le_bytes();
    let mut forged = [&bytes[..LENGTH], &size, &header, arrays].concat();
    let sum = Sha256::digest(&forged);
    forged.extend_from_slice(&sum);
    std::fs::write(path, forged).unwrap();
}

#[test]
fn rejects_forged_file_names_and_deletes_nothing() {
    let workshop = stopped(&STEPPED);
    workshop.file("victim.txt", "mine");
    workshop.file("results/notes.txt", "mine");
    let absolute = workshop.path("victim.txt").to_str().unwrap().to_string();
    let last = workshop.path("results/.checkpoint/last");
    let whole = std::fs::read(&last).unwrap();
    let names = ["../victim.txt", &absolute, "notes.txt", "./depth.tif", "depth.tif/..", "..", ""];
    for list in ["earlier", "published"] {
        for name in names {
            forge(&workshop, |header| header[list] = json!([name]));
            let parts = ["resume: the checkpoint in 'results' was not written by a run"];
            workshop.refuses("resume results", &parts).says(&["hint: ", "--overwrite"]);
            std::fs::write(&last, &whole).unwrap();
        }
    }
    // A DEM with the name of a result is not an earlier result.
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    std::fs::rename(workshop.path("dem.tif"), workshop.path("depth.tif")).unwrap();
    let dem = std::fs::read(workshop.path("depth.tif")).unwrap();
    let here = "run --dem depth.tif --out . --rain '1 mm/step' --steps 9";
    let others = format!("{here} --layers max_depth --overwrite --quiet");
    workshop.inundate(&others).done();
    let same = format!("{here} --layers depth --overwrite --quiet");
    workshop.refuses(&same, &["depth.tif"]);
    assert_eq!(std::fs::read(workshop.path("depth.tif")).unwrap(), dem);
}

#[test]
fn rejects_impossible_progress() {
    type Forgery = (&'static str, fn(&mut Value));
    let any: [Forgery; 10] = [
        ("endless steps", |header| header["time"]["done"] = json!(u64::MAX)),
        ("steps that are to come", |header| header["resumed_at_steps"] = json!([u64::MAX])),
        ("no observers", |header| header["observers"] = json!([])),
        ("a look in the far future", |header| header["observers"][1][0] = json!(u64::MAX)),
        ("a look at peaks there", |header| header["observers"][2][0] = json!(u64::MAX)),
        ("a port that there is not", |header| header["booked"] = json!([[999, 0, 0]])),
        ("outflow by no port", |header| header["booked"] = json!([[1, 0, 7]])),
        ("inflow over an open side", |header| header["booked"] = json!([[1, 7, 0]])),
        ("a ledger that does not close", |header| header["ledger"][1] = json!("7")),
        ("water that is not there", |header| {
            for sum in [0, 9] {
                let grains: i128 = header["ledger"][sum].as_str().unwrap().parse().unwrap();
                header["ledger"][sum] = json!((grains + 5).to_string());
            }
        }),
    ];
    let timed: [Forgery; 4] = [
        ("no time", |header| header["time"]["pace"][0] = json!(f64::NAN.to_bits())),
        ("no end of time", |header| header["time"]["pace"][0] = json!(f64::INFINITY.to_bits())),
        ("no pace", |header| header["time"]["pace"] = Value::Null),
        ("a map of long ago", |header| header["observers"][3]["next"] = json!(0)),
    ];
    for (run, cases) in [(&STEPPED[..], &any[..]), (&TIMED, &[&any[..], &timed].concat())] {
        let workshop = stopped(run);
        let last = workshop.path("results/.checkpoint/last");
        let whole = std::fs::read(&last).unwrap();
        for (name, change) in cases {
            forge(&workshop, change);
            // The folder in which results are prepared may appear and disappear.
            let before = workshop.contents();
            let Ran { code, err: said, .. } = workshop.start("resume results").end();
            assert_eq!(code, Some(2), "{name}: {said}");
            assert!(said.contains("error: resume: the checkpoint "), "{name}: {said}");
            assert!(said.contains("hint: "), "{name}: {said}");
            assert_eq!(workshop.contents(), before, "{name}");
            std::fs::write(&last, &whole).unwrap();
        }
    }
}

#[test]
fn the_checkpoint_a_run_resumed_from_survives_failed_writes() {
    let workshop = with_whole(SOLVERS[2]);
    let run = [&["run", "flood.toml"], SOLVERS[2]].concat();
    workshop.stop_at("results/.checkpoint/before", &run);
    let [last, before] =
        ["last", "before"].map(|name| workshop.path("results/.checkpoint").join(name));
    let mut bytes = std::fs::read(&last).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&last, bytes).unwrap();
    let good = std::fs::read(&before).unwrap();
    for limit in ["ulimit -f 8;", "ulimit -f 1;"] {
        workshop.shell(&format!("{limit} exec $INUNDATE resume results")).exits(1).says(&[
            "is damaged",
            "could not be written",
            "; its last checkpoint is kept",
            "continue with: inundate resume results",
        ]);
        let kept = [&last, &before].map(|path| std::fs::read(path).unwrap_or_default());
        assert!(kept.contains(&good), "the good one is lost");
    }
    workshop.inundate("resume results").done();
    let (here, expected) = (results(&workshop, "results"), results(&workshop, "whole"));
    // The page reports the damage.
    let same = |name: &String| name == "report.html" || here[name] == expected[name];
    assert!(expected.keys().all(same));
    // A good checkpoint is resumed as before.
    workshop.inundate(&[&["run", "flood.toml"], SOLVERS[2], &["--out", "again"]].concat()).done();
    assert_same(&workshop, "again", "whole");
}

#[test]
fn does_not_follow_links_in_place_of_checkpoints() {
    let few = ["run", "--dem", "dem.tif", "--rain", "1 mm/step", "--steps", "3"];
    let every = ["--checkpoint-every", "0.0001s", "--overwrite"];
    let workshop = Workshop::new();
    let hidden = workshop.path("results/.checkpoint");
    std::fs::create_dir_all(&hidden).unwrap();
    workshop.file("victim.txt", "mine");
    symlink(workshop.path("victim.txt"), hidden.join("lock")).unwrap();
    for more in [&[][..], &every] {
        workshop
            .inundate(&[&few[..], more].concat())
            .exits(2)
            .says(&["out: cannot use 'results/.checkpoint/lock': it is a link", "hint: remove it"]);
    }
    std::fs::remove_file(hidden.join("lock")).unwrap();
    // Writing there replaces a link, and leaves its target alone.
    for name in ["writing", "last", "before"] {
        symlink(workshop.path("victim.txt"), hidden.join(name)).unwrap();
    }
    let steps = ["run", "--dem", "dem.tif", "--rain", "1 mm/step", "--steps", "900"];
    workshop.inundate(&[&steps[..], &every].concat()).done();
    assert_eq!(std::fs::read(workshop.path("victim.txt")).unwrap(), b"mine");
    // The folder itself is a link.
    std::fs::create_dir(workshop.path("elsewhere")).unwrap();
    for name in ["last", "before", "notes"] {
        workshop.file(&format!("elsewhere/{name}"), "mine");
    }
    let _ = std::fs::remove_dir_all(&hidden);
    symlink(workshop.path("elsewhere"), &hidden).unwrap();
    let overwrite = [&few[..], &["--overwrite"]].concat();
    workshop.refuses(&overwrite, &["out: cannot use 'results/.checkpoint': it is a link"]);
    workshop.inundate("resume results").exits(2);
    assert_eq!(workshop.names("elsewhere"), ["before", "last", "notes"]);
}
