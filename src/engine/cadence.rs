//! Decides when a run interrupts stepping, and whether it then continues, saves its state or stops.
//!
//! Everything that depends on the wall clock or on the user is here, so that a decision is made
//! once for the whole run. No result depends on it.

use std::time::{Duration, Instant};

/// Approximate time for which a run steps before it pauses: short enough to stop soon after
/// Ctrl-C, long enough to keep a device busy.
const PAUSE_EVERY: Duration = Duration::from_millis(100);

/// Maximum number of steps given to a backend at once. A step may become a thousand times more
/// expensive from one to the next, when rain starts on a dry grid; this limit keeps the wait short
/// even then.
pub(crate) const MOST_AT_ONCE: u64 = 512;

/// Decision of a run at a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Continue to the next step.
    GoOn,
    /// Save the state, then continue.
    Save,
    /// Stop, at the user's request.
    Stop,
}

/// Distance that a run covers before it pauses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Stop at this time (s, or steps), on which adaptive steps land.
    pub until: f64,
    /// Maximum number of steps.
    pub steps: u64,
}

impl Leg {
    /// Runs to the end of the run.
    pub const WHOLE: Leg = Leg { until: f64::INFINITY, steps: u64::MAX };

    /// Returns a leg up to a time (s, or steps).
    pub fn until(time: f64) -> Leg {
        Leg { until: time, ..Leg::WHOLE }
    }

    /// Returns a leg of some steps, the same steps that the run would take without pausing.
    pub fn steps(steps: u64) -> Leg {
        Leg { steps, ..Leg::WHOLE }
    }
}

/// Schedule and decisions of the pauses of a run.
pub struct Cadence<'a> {
    /// Returns `true` if the run should stop.
    stop: Option<Box<dyn Fn() -> bool + Send + 'a>>,
    /// Interval between saves, if any.
    save_every: Option<Duration>,
    /// Time of the last save, or of the first step.
    saved: Duration,
    /// Time at which it last began to step.
    began: Duration,
    /// Number of steps given at once to a backend that is faster with many.
    pub(crate) steps: u64,
    /// Clock: time since some fixed moment.
    now: Box<dyn Fn() -> Duration + Send + 'a>,
}

impl Default for Cadence<'_> {
    fn default() -> Self {
        let start = Instant::now();
        Cadence::by(move || start.elapsed())
    }
}

impl<'a> Cadence<'a> {
    /// Creates the cadence of a run that neither stops nor saves, given a clock that returns the
    /// time since a fixed moment.
    pub fn by(now: impl Fn() -> Duration + Send + 'a) -> Cadence<'a> {
        let start = now();
        Cadence {
            stop: None,
            save_every: None,
            saved: start,
            began: start,
            steps: 1,
            now: Box::new(now),
        }
    }

    /// Stops the run when `stop` returns true.
    pub fn stopped_by(mut self, stop: impl Fn() -> bool + Send + 'a) -> Cadence<'a> {
        self.stop = Some(Box::new(stop));
        self
    }

    /// Saves the state at this interval, counted from now.
    pub fn saving_every(mut self, every: Duration) -> Cadence<'a> {
        (self.save_every, self.saved) = (Some(every), (self.now)());
        self
    }

    /// Marks the beginning of stepping.
    pub(crate) fn begin(&mut self) {
        self.began = (self.now)();
    }

    /// Returns `true` if there is time for more steps before the next pause.
    pub(crate) fn has_time(&self) -> bool {
        self.stepped() < PAUSE_EVERY
    }

    /// Adjusts the number of steps given at once, after `taken` steps: more next time if they were
    /// fast, fewer if slow.
    pub(crate) fn took(&mut self, taken: u64) {
        let stepped = self.stepped();
        if stepped < PAUSE_EVERY / 2 && taken >= self.steps {
            self.steps = (2 * self.steps).min(MOST_AT_ONCE);
        } else if stepped > 2 * PAUSE_EVERY {
            self.steps = (self.steps / 2).max(1);
        }
    }

    /// Decides whether the run stops, saves its state or goes on.
    pub(crate) fn decide(&self) -> Decision {
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return Decision::Stop;
        }
        let since = (self.now)().saturating_sub(self.saved);
        match self.save_every {
            Some(every) if since >= every => Decision::Save,
            _ => Decision::GoOn,
        }
    }

    /// Marks the state as saved, or as failed to save. The interval counts from now, so that a slow
    /// disk does not take up all the time.
    pub(crate) fn saved(&mut self) {
        self.saved = (self.now)();
    }

    fn stepped(&self) -> Duration {
        (self.now)().saturating_sub(self.began)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    /// A clock that a test sets (ms).
    fn clock(now: &AtomicU64) -> impl Fn() -> Duration + Send + '_ {
        || Duration::from_millis(now.load(Ordering::Relaxed))
    }

    #[test]
    fn it_saves_so_often_and_stops_at_once() {
        let (now, stop) = (AtomicU64::new(5000), AtomicBool::new(false));
        let mut cadence = Cadence::by(clock(&now)).stopped_by(|| stop.load(Ordering::Relaxed));
        now.store(1 << 40, Ordering::Relaxed);
        assert_eq!(cadence.decide(), Decision::GoOn, "it is not asked to save");
        now.store(6000, Ordering::Relaxed);
        cadence = cadence.saving_every(Duration::from_millis(400));
        let mut at = |ms: u64| {
            now.store(ms, Ordering::Relaxed);
            let decision = cadence.decide();
            if decision == Decision::Save {
                // Saving takes a while.
                now.fetch_add(300, Ordering::Relaxed);
                cadence.saved();
            }
            decision
        };
        let found = [6000, 6399, 6400, 7099, 7100, 7500].map(&mut at);
        use Decision::{GoOn, Save, Stop};
        assert_eq!(found, [GoOn, GoOn, Save, GoOn, Save, GoOn]);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(at(9000), Stop);
    }

    #[test]
    fn as_many_steps_are_taken_at_once_as_keep_no_one_waiting() {
        let now = AtomicU64::new(0);
        let mut cadence = Cadence::by(clock(&now));
        let mut step = |each: u64| {
            cadence.begin();
            assert!(cadence.has_time());
            let steps = cadence.steps;
            now.fetch_add(steps * each / 1000, Ordering::Relaxed);
            cadence.took(steps);
            steps
        };
        // Steps of a microsecond, then of a tenth of a second.
        let quick: Vec<u64> = (0..12).map(|_| step(1)).collect();
        assert_eq!(quick, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512]);
        let slow: Vec<u64> = (0..12).map(|_| step(100_000)).collect();
        assert_eq!(slow, [512, 256, 128, 64, 32, 16, 8, 4, 2, 2, 2, 2]);
        cadence.begin();
        now.fetch_add(100, Ordering::Relaxed);
        assert!(!cadence.has_time());
    }
}
