//! Ctrl-C and similar signals: exit code 130, the series so far stays, and no incomplete files.

use crate::cli_common;

use cli_common::{Raster, Workshop, pixels};
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Maximum waiting time of a test; not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(60);

fn wait_until<T>(what: &str, mut happened: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = happened() {
            return result;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A run that would take days, killed when dropped.
struct LongRun(Child);

impl Drop for LongRun {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl LongRun {
    fn start(workshop: &Workshop, more: &[&str]) -> LongRun {
        let long = ["run", "--dem", "dem.tif", "--rain", "0.001 mm/step", "--steps", "40000000"];
        let mut command = workshop.command(&[&long[..], more].concat());
        LongRun(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Sends a signal and waits for the end.
    fn signal(&mut self, signal: libc::c_int) -> (ExitStatus, String, String) {
        // SAFETY: the child is ours and has not been waited for.
        assert_eq!(unsafe { libc::kill(self.0.id() as libc::pid_t, signal) }, 0);
        let status = wait_until("the end", || self.0.try_wait().unwrap());
        let text = |from: &mut dyn std::io::Read| {
            let mut text = String::new();
            from.read_to_string(&mut text).unwrap();
            text
        };
        let out = text(self.0.stdout.as_mut().unwrap());
        (status, out, text(self.0.stderr.as_mut().unwrap()))
    }
}

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
        let mut run = LongRun::start(&workshop, &["--output-every", "500", "--json"]);
        wait_until("a second file", || has(&workshop, "depth_step001000.tif"));
        let (status, out, err) = run.signal(signal);
        assert_eq!(status.code(), Some(130), "{err}");
        assert!(err.contains("interrupted: stopped by the user at step "), "{err}");
        assert_eq!(out, "", "no report of a run that was not finished");
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
    let mut command = workshop.command(&[]);
    command.args(["run", "--dem", "dem.tif", "--rain", "0.001 mm/step", "--steps", "40000000"]);
    command.args(["--output-every", "500"]).stderr(Stdio::piped()).stdout(Stdio::piped());
    // SAFETY: signal only sets how a signal is handled.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            Ok(())
        });
    }
    let mut run = LongRun(command.spawn().unwrap());
    wait_until("a first file", || has(&workshop, "depth_step000500.tif"));
    // SAFETY: the child is ours and has not been waited for.
    assert_eq!(unsafe { libc::kill(run.0.id() as libc::pid_t, libc::SIGHUP) }, 0);
    let now = workshop.names("results").len();
    wait_until("further files", || (workshop.names("results").len() > now + 3).then_some(()));
    let (status, _, err) = run.signal(libc::SIGTERM);
    assert_eq!(status.code(), Some(130), "{err}");
}

#[test]
fn an_interrupted_run_without_a_series_leaves_an_empty_folder() {
    let workshop = workshop();
    let mut run = LongRun::start(&workshop, &[]);
    wait_until("the folder", || has(&workshop, ""));
    let (status, _, err) = run.signal(libc::SIGINT);
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(workshop.names("results").is_empty(), "{:?}", workshop.names("results"));
}

#[test]
fn a_run_can_be_stopped_while_reading() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let workshop = workshop();
        // A pipe that is held open, and to which nobody ever writes.
        std::os::unix::fs::symlink("/dev/stdin", workshop.path("rain.csv")).unwrap();
        let mut command = workshop.command("run --dem dem.tif --duration 1h");
        command.args(["--rain", "rain.csv"]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut run = LongRun(command.spawn().unwrap());
        std::thread::sleep(Duration::from_secs(1));
        let (status, _, err) = run.signal(signal);
        assert_eq!(status.code(), Some(130), "{err}");
        assert!(err.contains("interrupted: stopped by the user while reading"), "{err}");
        assert!(!workshop.path("results").exists());
    }
}

#[test]
fn a_run_stopped_while_writing_leaves_nothing() {
    let workshop = Workshop::with_dem(&Raster::terrain(1500, 1200));
    let mut command = workshop.command("run --dem dem.tif --rain '20 mm/h'");
    command.args(["--duration", "1s", "--layers", "all"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = LongRun(command.spawn().unwrap());
    let staged = || {
        let names = std::fs::read_dir(workshop.path("results")).ok()?;
        let hidden = names
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().starts_with(".inundate-"))?;
        std::fs::read_dir(hidden.path()).ok()?.next().map(|_| ())
    };
    wait_until("a first map", staged);
    let (status, _, err) = run.signal(libc::SIGTERM);
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(err.contains("interrupted: stopped by the user while writing"), "{err}");
    assert!(err.contains("--checkpoint-every"), "{err}");
    assert!(workshop.names("results").is_empty(), "{:?}", workshop.names("results"));
}

#[test]
fn does_not_start_more_threads_than_there_is_work() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 40));
    let mut run = LongRun::start(&workshop, &["--threads", "1024"]);
    wait_until("the folder", || has(&workshop, ""));
    let status = std::fs::read_to_string(format!("/proc/{}/status", run.0.id())).unwrap();
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap();
    assert!(threads.trim().parse::<usize>().unwrap() < 20, "{threads} threads");
    let (status, _, err) = run.signal(libc::SIGTERM);
    assert_eq!(status.code(), Some(130), "{err}");
    // The hint explains how to make a stopped run resumable.
    assert!(err.contains("hint: ") && err.contains("--checkpoint-every"), "{err}");
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
    let mut run = LongRun::start(&workshop, &["--overwrite"]);
    wait_until("the staging folder", staged);
    let (status, _, err) = run.signal(libc::SIGINT);
    assert_eq!(status.code(), Some(130), "{err}");
    assert_eq!(workshop.contents(), before);
}
