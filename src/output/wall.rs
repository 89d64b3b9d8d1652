//! Where the time of a run went.

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// When the program began, as near as it can tell.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// When the program began: the first call says so.
pub fn began() -> Instant {
    *BEGAN.get_or_init(Instant::now)
}

/// Where the time went (s). The parts follow each other: together they are the time from the program's beginning to its
/// report.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WallParts {
    /// Starting: the options, the output folder.
    pub start: f64,
    /// Reading and checking the input while the device is opened, and setting up the state on it.
    pub read: f64,
    /// Stepping, with what is read off the state on the way.
    pub compute: f64,
    /// Waiting, between steps, for maps of a series that were still being written.
    pub wait: f64,
    /// Writing the final outputs.
    pub write: f64,
}

impl WallParts {
    /// The parts, in their order.
    pub fn parts(&self) -> [f64; 5] {
        let WallParts { start, read, compute, wait, write } = *self;
        [start, read, compute, wait, write]
    }

    /// Takes in stepping that took so long (s), with the waits in it.
    pub fn took_steps(&mut self, seconds: f64, waits: &Waits) {
        let waited = waits.seconds();
        self.wait += waited;
        self.compute += (seconds - waited).max(0.0);
    }

    /// All of it.
    pub fn sum(&self) -> f64 {
        self.parts().iter().sum()
    }
}

/// How long a run has waited for its maps, for all who have a copy of it.
#[derive(Clone, Debug, Default)]
pub struct Waits(Arc<AtomicU64>);

impl Waits {
    /// Does something that counts as waiting.
    pub fn during<T>(&self, what: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = what();
        self.0.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        done
    }

    /// How long so far (s).
    pub fn seconds(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64 / 1e9
    }
}
