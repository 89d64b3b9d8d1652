//! Handles Ctrl-C and similar signals: a run ends after the current step while stepping, and
//! immediately while reading or writing.

use crate::engine::clock::Clock;
use crate::error::Error;
use crate::output::checkpoint::store;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// Phase of a run, which determines how it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Reading input; ending immediately loses nothing.
    Reading = 0,
    /// Stepping; the run checks the stop flag frequently.
    Stepping = 1,
    /// Writing results, none of which is published yet; they are deleted if the run ends
    /// immediately.
    Writing = 2,
    /// Publishing results, which takes only a moment.
    Publishing = 3,
    /// Everything is published.
    Done = 4,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Reading as u8);
/// Set when a signal is about to end the program.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Output folder and its hidden staging folder.
static UNFINISHED: Mutex<Option<(PathBuf, PathBuf)>> = Mutex::new(None);

/// Hint after stopping a run without checkpoints.
const NEXT_TIME: &str =
    "a run with checkpoints can be resumed: add --checkpoint-every \"10 min\" next time";

/// Sets the current phase of the run.
pub fn enter(phase: Phase) {
    if phase == Phase::Done {
        *UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()) = None;
    }
    PHASE.store(phase as u8, Ordering::SeqCst);
}

/// Registers the staging folder to delete if the run is stopped while writing to its output folder.
pub fn makes_ready_in(out: &Path, staging: &Path) {
    *UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()) = Some((out.into(), staging.into()));
}

/// Handles a signal: raises `stop` if the run checks it in this phase, and ends the program
/// otherwise.
pub fn on_signal(stop: &AtomicBool) {
    stop.store(true, Ordering::SeqCst);
    let phase = PHASE.load(Ordering::SeqCst);
    let what = match phase {
        phase if phase == Phase::Reading as u8 => "stopped by the user while reading the input",
        phase if phase == Phase::Writing as u8 => "stopped by the user while writing the results",
        phase if phase == Phase::Done as u8 => "stopped by the user after the results were written",
        _ => return,
    };
    ENDING.store(true, Ordering::SeqCst);
    let unfinished = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()).take();
    let mut error = Error::interrupted(what);
    if let Some((out, staging)) = unfinished {
        remove(&staging);
        if store::has_checkpoint(&out) {
            error = error.hint(format!("continue with: {}", store::resume_command(&out)));
        } else {
            store::remove_lock(&out);
            error = error.hint(NEXT_TIME);
        }
    }
    errln!("interrupted: {error}");
    let code = i32::from(error.exit_code());
    // SAFETY: `_exit` ends the process without clean-up, which could crash while other threads are
    // inside a library.
    #[cfg(unix)]
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}

/// Removes a folder to which another thread may still be writing.
fn remove(folder: &Path) {
    for _ in 0..100 {
        match fs::remove_dir_all(folder) {
            Err(_) if folder.exists() => std::thread::sleep(Duration::from_millis(5)),
            _ => return,
        }
    }
}

/// Blocks forever if a signal is ending the program, so that failures in the meantime are not
/// reported.
pub fn leave_the_end_to_a_signal() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Returns the error of a run without checkpoints that was stopped.
pub fn stopped(clock: &Clock) -> Error {
    let when = clock.show(clock.now());
    Error::interrupted(format!("stopped by the user at {when}")).hint(NEXT_TIME)
}
