//! Executes each run in a separate process, several at a time, and waits for them.

use super::resume::error_in;
use super::slots::Slot;
use super::{HEADER, LOG, SCENARIO, StudyRun, ground, place};
use crate::error::{Error, Result};
use crate::observer::progress::{PIPED, VARIABLE};
use crate::output::checkpoint::links;
use crate::output::checkpoint::store::has_checkpoint;
use crate::scenario::options::{Device, Options};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest interval between two polls of a process.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The results are available.
    Done,
    /// The run failed, with the reason.
    Failed(String),
    /// It was stopped or not started because the user stopped the study.
    Stopped,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ended<'a> {
    /// Run of the study.
    pub run: &'a StudyRun,
    /// Outcome of the run.
    pub outcome: Outcome,
    /// Processor that it used.
    pub device: Device,
    /// Wall-clock time of the process.
    pub wall: Duration,
}

/// Something that happens to a run.
pub enum Event<'a, 'b> {
    /// It has simulated a share (0 to 1) of its duration.
    Advanced(&'b StudyRun, f64),
    /// It has ended.
    Ended(&'b Ended<'a>),
}

/// Executes the runs, each in its folder below `out`, and calls `see` with each event.
/// Raising `stop` stops the active runs after their current step and starts no more.
pub fn execute<'a>(
    runs: &[&'a StudyRun],
    slots: &[Slot],
    out: &Path,
    stop: &AtomicBool,
    see: impl FnMut(Event) + Send,
) -> Vec<Ended<'a>> {
    let waiting = Mutex::new(runs.iter());
    let results = Mutex::new((see, Vec::new()));
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
                    let advanced = |share| {
                        let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
                        (results.0)(Event::Advanced(run, share));
                    };
                    let outcome = one(run, device, slot.threads, out, stop, &advanced)
                        .unwrap_or_else(|error| Outcome::Failed(error.what));
                    let end = Ended { run, outcome, device, wall: start.elapsed() };
                    let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
                    (results.0)(Event::Ended(&end));
                    results.1.push(end);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(|e| e.into_inner()).1
}

/// Starts a run, or resumes it if it was stopped, and waits for its end; calls `advanced` with the
/// share of it that is done.
fn one(
    run: &StudyRun,
    device: Device,
    threads: usize,
    out: &Path,
    stop: &AtomicBool,
    advanced: &(dyn Fn(f64) + Sync),
) -> Result<Outcome> {
    let folder = &out.join(run.folder());
    let Some(_ours) = place::to_start(folder)? else {
        let what = "another command has started it: wait for it to end, or stop it";
        return Ok(Outcome::Failed(what.into()));
    };
    write_scenario(run, folder, out)?;
    let log = folder.join(LOG);
    let threads = run.options.threads.is_none().then_some(threads);
    let end = |command: &mut Command| end_of(command, device, threads, &log, stop, advanced);
    let mut status = None;
    if has_checkpoint(folder) {
        let ended = end(Command::new(program()?).arg("resume").arg(folder))?;
        // The checkpoint may no longer fit, because the scenario or an input has changed.
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
        let what = format!(
            "the process ended with {status}; it may have been killed, or have run out of memory"
        );
        add_error(&log, &what);
        what
    });
    Ok(Outcome::Failed(error))
}

/// Adds the reason of a failure to a log, for later. If that cannot be written, the result still
/// has it.
pub fn add_error(log: &Path, what: &str) {
    if let Ok(mut log) = File::options().append(true).open(log) {
        let _ = writeln!(log, "error: {what}");
    }
}

/// Starts a command on a device with a number of threads and a log file, and waits for its end;
/// calls `advanced` with its progress.
fn end_of(
    command: &mut Command,
    device: Device,
    threads: Option<usize>,
    log: &Path,
    stop: &AtomicBool,
    advanced: &(dyn Fn(f64) + Sync),
) -> Result<ExitStatus> {
    let said = links::fresh(log).map_err(|error| unusable(log, error))?;
    command.args(["--quiet", "--device", &device.to_string()]);
    // A run of a study has a single rank, even if the study was started by a launcher.
    command.env("INUNDATE_RANK", "0").env("INUNDATE_RANKS", "1").env(VARIABLE, PIPED);
    if let Some(threads) = threads {
        command.args(["--threads", &threads.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(said);
    end_with_us(command);
    let mut child =
        command.spawn().map_err(|error| Error::run("cannot start a run").because(error))?;
    let progress = child.stdout.take();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            let lines = progress.into_iter().flat_map(|from| BufReader::new(from).lines());
            let share = |line: String| serde_json::from_str::<serde_json::Value>(&line).ok();
            let share = |line| share(line)?["progress"].as_f64();
            lines.map_while(std::io::Result::ok).filter_map(share).for_each(advanced);
        });
        wait(&mut child, stop)
    });
    ended.map_err(|error| Error::run("lost sight of a run").because(error))
}

fn unusable(path: &Path, error: std::io::Error) -> Error {
    Error::run(format!("cannot write '{}'", path.display())).because(error)
}

/// Returns the path of this program.
fn program() -> Result<std::path::PathBuf> {
    std::env::current_exe()
        .map_err(|error| Error::run("cannot find the executable of this program").because(error))
}

/// Waits for a process. If `stop` is raised, interrupts it as Ctrl-C would and keeps waiting.
fn wait(child: &mut Child, stop: &AtomicBool) -> std::io::Result<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    let mut requested = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.load(Ordering::Relaxed) && !requested {
            requested = true;
            interrupt(child);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(POLL_EVERY);
    }
}

fn interrupt(child: &mut Child) {
    #[cfg(unix)]
    // SAFETY: the process is our child and has not been waited for.
    unsafe {
        libc::kill(child.id() as libc::pid_t, libc::SIGINT);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Makes a process end if this one is killed, so that no run is orphaned.
fn end_with_us(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: `prctl` only sets a flag of the new process, and is safe to call between fork and
        // exec.
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

/// Writes the scenario of a run to its folder, atomically; runs of the study in `out` with the same
/// terrain share its subgrid tables.
fn write_scenario(run: &StudyRun, folder: &Path, out: &Path) -> Result<()> {
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
