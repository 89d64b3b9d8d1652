//! The folder of a study: links in it are not followed, and conflicting commands are kept apart.

use crate::cli_common;

use cli_common::running::{RunningProgram, wait_until};
use cli_common::{Ran, Workshop};
use std::os::unix::fs::symlink;

const TWO: &str = "base = 'scenario.toml'\n[[run]]\nname = 'short'\nrain = '1 mm/step'\n\
                   [[run]]\nname = 'long'\nrain = '2 mm/step'\nsteps = STEPS\n";

/// Creates a study of two runs, the second with a given number of steps.
fn workshop(steps: &str) -> Workshop {
    let workshop = Workshop::new();
    workshop.file("scenario.toml", "dem = 'dem.tif'\nsteps = 20\n");
    workshop.file("study.toml", TWO.replace("STEPS", steps));
    workshop
}

fn study(workshop: &Workshop, more: &[&str]) -> Ran {
    workshop.inundate(&[&["study", "study.toml"], more].concat())
}

/// Asserts that a command is refused with these messages, and that foreign files are unchanged.
fn refuses(workshop: &Workshop, more: &[&str], parts: &[&str]) {
    let ran = study(workshop, more).says(parts).says(&["hint: "]).exits(2);
    let names = ["max_depth_mean.tif", "notes.tif", "run.json"];
    assert_eq!(workshop.names("elsewhere"), names, "{}", ran.err);
    for name in names {
        assert_eq!(std::fs::read(workshop.path("elsewhere").join(name)).unwrap(), b"mine");
    }
}

#[test]
fn does_not_follow_links_in_the_study_folder() {
    let workshop = workshop("20");
    std::fs::create_dir(workshop.path("elsewhere")).unwrap();
    for name in ["max_depth_mean.tif", "notes.tif", "run.json"] {
        workshop.file(&format!("elsewhere/{name}"), "mine");
    }
    study(&workshop, &[]).done();
    for (name, collects) in [
        ("aggregates", true),
        ("runs", true),
        ("runs/short", true),
        ("runs/short/run.log", true),
        ("runs/long/.started.lock", false),
        (".running.lock", false),
        (".collecting.lock", true),
    ] {
        let (path, aside) = (workshop.path("study").join(name), workshop.path("aside"));
        let was_there = std::fs::rename(&path, &aside).is_ok();
        let to = if name.ends_with(".log") || name.ends_with(".lock") {
            "elsewhere/notes.tif"
        } else {
            "elsewhere"
        };
        symlink(workshop.path(to), &path).unwrap();
        let said = format!("'study/{name}': it is a link");
        if name.starts_with("runs/long") {
            // To get this far, the run must be repeated.
            std::fs::remove_file(workshop.path("study/runs/long/run.json")).unwrap();
            let ran = study(&workshop, &[]);
            assert!(ran.code == Some(1) && ran.err.contains(&said[1..]), "{}", ran.err);
        } else {
            refuses(&workshop, &[], &[name, "it is a link"]);
            if collects {
                refuses(&workshop, &["--collect"], &[name, "it is a link"]);
            }
        }
        std::fs::remove_file(&path).unwrap();
        if was_there {
            std::fs::rename(&aside, &path).unwrap();
        }
    }
    study(&workshop, &[]).done();
}

#[test]
fn names_in_a_forged_report_cannot_escape_the_folder() {
    let workshop = workshop("20");
    study(&workshop, &[]).done();
    let report = workshop.path("study/study.json");
    let forged = [
        "aggregates/../../victim.tif",
        "aggregates-of-mine/max_depth_mean.tif",
        "aggregates/notes.tif",
        "aggregates/grid-2/notes.txt",
        "aggregates/grid-x/max_depth_mean.tif",
        "/tmp/max_depth_mean.tif",
    ];
    for name in &forged[1..5] {
        let path = workshop.path("study").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "mine").unwrap();
    }
    workshop.file("victim.tif", "mine");
    let old = "aggregates/grid-7/max_depth_p33.tif";
    std::fs::create_dir_all(workshop.path("study/aggregates/grid-7")).unwrap();
    workshop.file(&format!("study/{old}"), "an old map");
    let written = workshop.json("study/study.json");
    let forge = |names: &[&str]| {
        let mut text = written.clone();
        text["grids"] = serde_json::json!([{"files": names}]);
        let names = names.iter().map(|name| serde_json::Value::from(*name));
        text["outputs"].as_array_mut().unwrap().extend(names);
        std::fs::write(&report, text.to_string()).unwrap();
    };
    forge(&[&forged[..], &[old]].concat());
    study(&workshop, &["--collect"]).done();
    assert!(!workshop.path("study/aggregates/grid-7").exists(), "its own old maps go");
    for name in &forged[1..5] {
        assert!(workshop.path("study").join(name).exists(), "{name}");
    }
    assert!(workshop.path("victim.tif").exists());
    // A link in place of a folder of old maps.
    forge(&["aggregates/grid-9/max_depth_mean.tif"]);
    std::fs::create_dir(workshop.path("elsewhere")).unwrap();
    workshop.file("elsewhere/max_depth_mean.tif", "mine");
    symlink(workshop.path("elsewhere"), workshop.path("study/aggregates/grid-9")).unwrap();
    study(&workshop, &["--collect"]).says(&["aggregates/grid-9': it is a link"]).exits(2);
    assert!(workshop.path("elsewhere/max_depth_mean.tif").exists());
}

/// Starts a part of the study whose long run continues.
fn going_on(workshop: &Workshop, more: &[&str]) -> RunningProgram {
    let running = workshop.start(&[&["study", "study.toml", "--quiet"], more].concat());
    let lock = workshop.path("study/runs/long/.checkpoint/lock");
    wait_until("the long run", || lock.exists().then_some(()));
    running
}

#[test]
fn two_studies_in_one_folder_do_not_interfere() {
    let workshop = workshop("4000000000");
    let mut first = going_on(&workshop, &["--jobs", "1"]);
    for (more, who) in [(&[][..], "a study, or a task of it,"), (&["--only", "short"], "a study")] {
        let ran = study(&workshop, more);
        ran.says(&[&format!("out: {who} is in progress in"), "hint: wait for it to end"]);
    }
    // Maps of finished runs may be made meanwhile.
    study(&workshop, &["--collect"]).done().says(&["1 of 2 runs have no results yet"]);
    first.stop(libc::SIGINT);
    assert!(!workshop.names("study").iter().any(|name| name.ends_with(".lock")));

    // Tasks work in parallel, each on its own runs.
    let mut long = going_on(&workshop, &["--only", "long"]);
    let log = workshop.path("study/runs/long/run.log");
    std::fs::write(&log, "what it says").unwrap();
    std::fs::remove_file(workshop.path("study/runs/short/run.json")).unwrap();
    study(&workshop, &["--array-task", "1/2"]).done();
    assert!(workshop.path("study/runs/short/run.json").exists());
    study(&workshop, &["--only", "long"]).says(&["another command has started it"]).exits(1);
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "what it says");
    study(&workshop, &[]).says(&["out: a study, or a task of it, is in progress"]).exits(2);
    long.stop(libc::SIGINT);
}
