//! Ctrl-C and similar signals: exit code 130, the series so far stays, and no incomplete files.

use crate::cli_common;

use cli_common::running::{RunningProgram, wait_until};
use cli_common::{Raster, Workshop, pixels};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::Duration;

const LONG: &str = "run --dem dem.tif --rain '0.001 mm/step' --steps 40000000";

fn workshop() -> Workshop {
    Workshop::with_dem(&Raster::terrain(60, 50))
}

fn has(workshop: &Workshop, name: &str) -> Option<()> {
    workshop.path("results").join(name).exists().then_some(())
}

#[test]
fn an_interrupted_run_exits_with_130_and_keeps_its_complete_series() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let workshop = workshop();
        let mut run = workshop.start(&format!("{LONG} --output-every 500 --json"));
        wait_until("a second file", || has(&workshop, "depth_step001000.tif"));
        let ran = run.stop(signal).says(&["interrupted: stopped by the user at step "]);
        assert_eq!(ran.out, "", "no report of a run that was not finished");
        let names = workshop.names("results");
        assert!(names.len() >= 4 && names.len().is_multiple_of(2), "{names:?}");
        for name in &names {
            assert!(name.starts_with("depth_step"), "{name} is left behind");
            if let Some(stem) = name.strip_suffix(".tif") {
                assert_eq!(pixels(workshop.path("results").join(name)).len(), 60 * 50);
                assert!(names.contains(&format!("{stem}.qml")), "{names:?}");
            }
        }
    }
}

#[test]
fn a_run_under_nohup_outlives_the_terminal() {
    let workshop = workshop();
    let mut command = workshop.command(&format!("{LONG} --output-every 500"));
    // SAFETY: signal only sets how a signal is handled.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            Ok(())
        });
    }
    let mut run = RunningProgram::start(command);
    wait_until("a first file", || has(&workshop, "depth_step000500.tif"));
    assert!(run.signal(libc::SIGHUP));
    let now = workshop.names("results").len();
    wait_until("further files", || (workshop.names("results").len() > now + 3).then_some(()));
    run.stop(libc::SIGTERM);
}

#[test]
fn an_interrupted_run_without_a_series_leaves_an_empty_folder() {
    let workshop = workshop();
    let mut run = workshop.start(LONG);
    wait_until("the folder", || has(&workshop, ""));
    run.stop(libc::SIGINT);
    assert!(workshop.names("results").is_empty(), "{:?}", workshop.names("results"));
}

#[test]
fn a_run_can_be_stopped_while_reading() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let workshop = workshop();
        // A pipe that is held open, and to which nobody ever writes.
        std::os::unix::fs::symlink("/dev/stdin", workshop.path("rain.csv")).unwrap();
        let mut command = workshop.command("run --dem dem.tif --duration 1h --rain rain.csv");
        command.stdin(Stdio::piped());
        let mut run = RunningProgram::start(command);
        std::thread::sleep(Duration::from_secs(1));
        run.stop(signal).says(&["interrupted: stopped by the user while reading"]);
        assert!(!workshop.path("results").exists());
    }
}

#[test]
fn a_run_stopped_while_writing_leaves_nothing() {
    let workshop = Workshop::with_dem(&Raster::terrain(1500, 1200));
    let mut run = workshop.start("run --dem dem.tif --rain '20 mm/h' --duration 1s --layers all");
    let staged = || {
        let names = std::fs::read_dir(workshop.path("results")).ok()?;
        let hidden = names
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().starts_with(".inundate-"))?;
        std::fs::read_dir(hidden.path()).ok()?.next().map(|_| ())
    };
    wait_until("a first map", staged);
    let said = ["interrupted: stopped by the user while writing", "--checkpoint-every"];
    run.stop(libc::SIGTERM).says(&said);
    assert!(workshop.names("results").is_empty(), "{:?}", workshop.names("results"));
}

#[test]
fn does_not_start_more_threads_than_there_is_work() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 40));
    let mut run = workshop.start(&format!("{LONG} --threads 1024"));
    wait_until("the folder", || has(&workshop, ""));
    let status = std::fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap();
    assert!(threads.trim().parse::<usize>().unwrap() < 20, "{threads} threads");
    // The hint explains how to make a stopped run resumable.
    run.stop(libc::SIGTERM).says(&["hint: ", "--checkpoint-every"]);
}

#[test]
fn an_interrupted_run_keeps_earlier_results() {
    let workshop = workshop();
    workshop.run("--rain '1 mm/step' --steps 3").done();
    let before = workshop.contents();
    let staged = || {
        let names = workshop.names("results");
        names.iter().any(|name| name.starts_with(".inundate-")).then_some(())
    };
    let mut run = workshop.start(&format!("{LONG} --overwrite"));
    wait_until("the staging folder", staged);
    run.stop(libc::SIGINT);
    assert_eq!(workshop.contents(), before);
}
