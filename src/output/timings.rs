//! Wall-clock timings of a run.

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Start of the program, as nearly as it can be determined.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// Returns the start of the program, which is the time of the first call.
pub fn began() -> Instant {
    *BEGAN.get_or_init(Instant::now)
}

/// Wall-clock time of a run's phases (s). The phases are consecutive: together they make up the
/// time from the program's start to its report.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WallParts {
    /// Starting: options and output folder.
    pub start: f64,
    /// Reading and checking the input while the device is opened, and setting up the state on it.
    pub read: f64,
    /// Stepping, including reading the state between steps.
    pub compute: f64,
    /// Waiting, between steps, for maps of a series that were still being written.
    pub wait: f64,
    /// Writing the final outputs.
    pub write: f64,
}

impl WallParts {
    /// Returns the phases in order.
    pub fn parts(&self) -> [f64; 5] {
        let WallParts { start, read, compute, wait, write } = *self;
        [start, read, compute, wait, write]
    }

    /// Adds stepping of `seconds` (s), of which the waits are a part.
    pub fn took_steps(&mut self, seconds: f64, waits: &Waits) {
        let waited = waits.seconds();
        self.wait += waited;
        self.compute += (seconds - waited).max(0.0);
    }

    /// Returns the total time (s).
    pub fn sum(&self) -> f64 {
        self.parts().iter().sum()
    }
}

/// Total time that a run has waited for its maps, shared between clones.
#[derive(Clone, Debug, Default)]
pub struct Waits(Arc<AtomicU64>);

impl Waits {
    /// Runs a closure whose duration counts as waiting.
    pub fn during<T>(&self, what: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = what();
        self.0.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        done
    }

    /// Returns the total so far (s).
    pub fn seconds(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64 / 1e9
    }
}
