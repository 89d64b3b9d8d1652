//! Ctrl-C and its like: at the end of the step while a run steps, at once while it reads or writes.

use crate::engine::clock::Clock;
use crate::error::Error;
use crate::output::checkpoint::store;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// What a run does, which says how it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// It reads: nothing is lost if it ends at once.
    Reading = 0,
    /// It steps, and looks often whether it is to stop.
    Stepping = 1,
    /// It writes its results, none of which is in place: they go if it ends at once.
    Writing = 2,
    /// It puts them in place, which takes but a moment.
    Publishing = 3,
    /// All is in place.
    Done = 4,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Reading as u8);
/// Raised when a signal is about to end the program.
static ENDING: AtomicBool = AtomicBool::new(false);
/// The output folder and the hidden one in it in which results are made ready.
static UNFINISHED: Mutex<Option<(PathBuf, PathBuf)>> = Mutex::new(None);

/// What a hint says to one who stopped a run that keeps no checkpoints.
const NEXT_TIME: &str =
    "a run that writes checkpoints can go on: give it --checkpoint-every \"10 min\" next time";

/// Says what the run does from now on.
pub fn enter(phase: Phase) {
    if phase == Phase::Done {
        *UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()) = None;
    }
    PHASE.store(phase as u8, Ordering::SeqCst);
}

/// Names the hidden folder that goes if the run is stopped as it writes to its output folder.
pub fn makes_ready_in(out: &Path, staging: &Path) {
    *UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()) = Some((out.into(), staging.into()));
}

/// What a signal does: it raises `stop` where the run looks at it, and ends the program where it does not.
pub fn on_signal(stop: &AtomicBool) {
    stop.store(true, Ordering::SeqCst);
    let phase = PHASE.load(Ordering::SeqCst);
    let what = match phase {
        phase if phase == Phase::Reading as u8 => "stopped by the user while it read its input",
        phase if phase == Phase::Writing as u8 => "stopped by the user while it wrote its results",
        phase if phase == Phase::Done as u8 => "stopped by the user when its results were there",
        _ => return,
    };
    ENDING.store(true, Ordering::SeqCst);
    let unfinished = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()).take();
    let mut error = Error::interrupted(what);
    if let Some((out, staging)) = unfinished {
        remove(&staging);
        if store::has_checkpoint(&out) {
            error = error.hint(format!("go on with: {}", store::resume_command(&out)));
        } else {
            store::remove_lock(&out);
            error = error.hint(NEXT_TIME);
        }
    }
    tell!("interrupted: {error}");
    let code = i32::from(error.exit_code());
    // SAFETY: it ends the process as it is: other threads may be in the middle of a library, whose clean-up would crash.
    #[cfg(unix)]
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}

/// Removes a folder to which another thread may still write.
fn remove(folder: &Path) {
    for _ in 0..100 {
        match fs::remove_dir_all(folder) {
            Err(_) if folder.exists() => std::thread::sleep(Duration::from_millis(5)),
            _ => return,
        }
    }
}

/// Waits for ever if a signal is ending the program: what fails meanwhile is not to be told.
pub fn leave_the_end_to_a_signal() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// The error of a run that keeps no checkpoints and was stopped.
pub fn stopped(clock: &Clock) -> Error {
    let when = clock.show(clock.now());
    Error::interrupted(format!("stopped by the user at {when}")).hint(NEXT_TIME)
}
