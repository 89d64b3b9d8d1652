//! Starts a process a run, so many at a time, and waits for them.

use super::resume::error_in;
use super::slots::Slot;
use super::{HEADER, LOG, Run, SCENARIO, ground, place};
use crate::error::{Error, Result};
use crate::output::checkpoint::links;
use crate::output::checkpoint::store::has_checkpoint;
use crate::scenario::options::{Device, Options};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time between two looks at a process.
const LOOK: Duration = Duration::from_millis(50);

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its results are there.
    Done,
    /// Why it failed.
    Failed(String),
    /// It was stopped, or never started, because the user stopped the study.
    Stopped,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ended<'a> {
    /// The run.
    pub run: &'a Run,
    /// What came of it.
    pub outcome: Outcome,
    /// What it ran on.
    pub device: Device,
    /// How long it took.
    pub wall: Duration,
}

/// Runs all of them, each in its folder below `out`, and tells `ended` of each. Raising `stop` stops
/// those that are going on at their next step, and starts no more.
pub fn execute<'a>(
    runs: &[&'a Run],
    slots: &[Slot],
    out: &Path,
    stop: &AtomicBool,
    ended: impl FnMut(&Ended) + Send,
) -> Vec<Ended<'a>> {
    let waiting = Mutex::new(runs.iter());
    let results = Mutex::new((ended, Vec::new()));
    let next = || {
        let run = waiting.lock().unwrap_or_else(|e| e.into_inner()).next();
        run.filter(|_| !stop.load(Ordering::Relaxed))
    };
    std::thread::scope(|scope| {
        for slot in slots {
            let (next, results) = (&next, &results);
            scope.spawn(move || {
                while let Some(run) = next() {
                    let start = Instant::now();
                    let device = slot.device_for(run.options.device);
                    let outcome = one(run, device, slot.threads, out, stop)
                        .unwrap_or_else(|error| Outcome::Failed(error.what));
                    let end = Ended { run, outcome, device, wall: start.elapsed() };
                    let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
                    (results.0)(&end);
                    results.1.push(end);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(|e| e.into_inner()).1
}

/// Runs one, or goes on with it if it was stopped, and waits for its end.
fn one(
    run: &Run,
    device: Device,
    threads: usize,
    out: &Path,
    stop: &AtomicBool,
) -> Result<Outcome> {
    let folder = &out.join(run.folder());
    let Some(_ours) = place::to_start(folder)? else {
        let what = "another command has started it: wait for its end, or stop it";
        return Ok(Outcome::Failed(what.into()));
    };
    write_scenario(run, folder, out)?;
    let log = folder.join(LOG);
    let threads = run.options.threads.is_none().then_some(threads);
    let end = |command: &mut Command| end_of(command, device, threads, &log, stop);
    let mut status = None;
    if has_checkpoint(folder) {
        let ended = end(Command::new(program()?).arg("resume").arg(folder))?;
        // What it was stopped at may not fit any more: its scenario or its inputs have changed.
        status = (ended.code() != Some(2)).then_some(ended);
    }
    let status = match status {
        Some(status) => status,
        None => {
            let mut command = Command::new(program()?);
            command.arg("run").arg(folder.join(SCENARIO)).arg("--out").arg(folder);
            end(command.arg("--overwrite"))?
        }
    };
    if status.success() {
        return Ok(Outcome::Done);
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(Outcome::Stopped);
    }
    let error = error_in(&log).unwrap_or_else(|| {
        let what =
            format!("the process ended with {status}; was it killed, or the memory used up?");
        // For those who look later. If even that cannot be written, it is results now.
        if let Ok(mut log) = File::options().append(true).open(&log) {
            let _ = writeln!(log, "error: {what}");
        }
        what
    });
    Ok(Outcome::Failed(error))
}

/// Starts a command on a device and so many threads, with its log, and waits for its end.
fn end_of(
    command: &mut Command,
    device: Device,
    threads: Option<usize>,
    log: &Path,
    stop: &AtomicBool,
) -> Result<ExitStatus> {
    let said = links::fresh(log).map_err(|error| unusable(log, error))?;
    command.args(["--quiet", "--device", &device.to_string()]);
    // A run of a study is alone, whoever started the study.
    command.env("INUNDATE_RANK", "0").env("INUNDATE_RANKS", "1");
    if let Some(threads) = threads {
        command.args(["--threads", &threads.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    end_with_us(command);
    let mut child =
        command.spawn().map_err(|error| Error::run("cannot start a run").because(error))?;
    wait(&mut child, stop).map_err(|error| Error::run("lost sight of a run").because(error))
}

fn unusable(path: &Path, error: std::io::Error) -> Error {
    Error::run(format!("cannot write '{}'", path.display())).because(error)
}

/// This program, as it was when it started.
fn program() -> Result<std::path::PathBuf> {
    std::env::current_exe().map_err(|error| Error::run("cannot find this program").because(error))
}

/// Waits for a process. When `stop` is raised, asks it to end as Ctrl-C would, and goes on waiting.
fn wait(child: &mut Child, stop: &AtomicBool) -> std::io::Result<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    let mut asked = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.load(Ordering::Relaxed) && !asked {
            asked = true;
            interrupt(child);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

fn interrupt(child: &mut Child) {
    #[cfg(unix)]
    // SAFETY: the process is ours and has not been waited for.
    unsafe {
        libc::kill(child.id() as libc::pid_t, libc::SIGINT);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Makes a process end when this one is killed outright, so that no run is left on its own.
fn end_with_us(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: prctl only sets a flag of the new process.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                Ok(())
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Writes the scenario of a run in its folder, whole or not at all; runs over the same ground of the study in `out` share its tables.
fn write_scenario(run: &Run, folder: &Path, out: &Path) -> Result<()> {
    let path = folder.join(SCENARIO);
    let subgrid_tables = ground::tables(&run.options, out);
    let options = Options { subgrid_tables, ..run.options.clone() };
    let mut keys = toml::Table::try_from(&options)
        .map_err(|error| Error::run(format!("cannot write '{}'", path.display())).because(error))?;
    keys.retain(|_, value| {
        value.as_bool() != Some(false) && value.as_array().is_none_or(|a| !a.is_empty())
    });
    keys.insert("out".into(), ".".into());
    let text =
        format!("{HEADER}\n# Run it alone with: inundate run {SCENARIO} --overwrite\n\n{keys}");
    let mut file =
        tempfile::NamedTempFile::new_in(folder).map_err(|error| unusable(&path, error))?;
    file.write_all(text.as_bytes()).map_err(|error| unusable(&path, error))?;
    file.persist(&path).map_err(|error| unusable(&path, error.error))?;
    Ok(())
}
