//! When a run looks up from stepping, and what it then decides: to go on, to save its state, or to stop.
//!
//! All that depends on the wall clock or on the user is here, so that whoever steps decides once. No result depends on it.

use std::time::{Duration, Instant};

/// About how long a run steps before it looks up: short enough to stop soon after Ctrl-C, long enough to keep a device busy.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The most steps that a backend is given at once. A step may become a thousand times dearer from one to
/// the next, when rain comes to a dry grid: even then this many do not keep anyone waiting for long.
pub(crate) const MOST_AT_ONCE: u64 = 512;

/// What a run decides when it looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// To go on.
    GoOn,
    /// To save its state, and go on.
    Save,
    /// To stop: the user wishes it.
    Stop,
}

/// How far a run goes on before it pauses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// To this time (s, or steps), on which steps that find their own length land.
    pub until: f64,
    /// For so many steps at the most.
    pub steps: u64,
}

impl Leg {
    /// To the end of the run.
    pub const WHOLE: Leg = Leg { until: f64::INFINITY, steps: u64::MAX };

    /// To a time (s, or steps).
    pub fn until(time: f64) -> Leg {
        Leg { until: time, ..Leg::WHOLE }
    }

    /// For so many steps: those that the run would have taken without pausing.
    pub fn steps(steps: u64) -> Leg {
        Leg { steps, ..Leg::WHOLE }
    }
}

/// When a run looks up, and what it then decides.
pub struct Cadence<'a> {
    /// Whether it is to stop.
    stop: Option<Box<dyn Fn() -> bool + Send + 'a>>,
    /// How often its state is saved.
    save_every: Option<Duration>,
    /// When it was, or the steps began.
    saved: Duration,
    /// When it last began to step.
    began: Duration,
    /// How many steps a backend is given at once that is faster with many.
    pub(crate) steps: u64,
    /// The time since some moment.
    now: Box<dyn Fn() -> Duration + Send + 'a>,
}

impl Default for Cadence<'_> {
    fn default() -> Self {
        let start = Instant::now();
        Cadence::by(move || start.elapsed())
    }
}

impl<'a> Cadence<'a> {
    /// That of a run that neither stops nor saves, by a clock that tells the time since some moment.
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

    /// It stops when this says so.
    pub fn stopped_by(mut self, stop: impl Fn() -> bool + Send + 'a) -> Cadence<'a> {
        self.stop = Some(Box::new(stop));
        self
    }

    /// Its state is saved so often, from now on.
    pub fn saving_every(mut self, every: Duration) -> Cadence<'a> {
        (self.save_every, self.saved) = (Some(every), (self.now)());
        self
    }

    /// It begins to step.
    pub(crate) fn begin(&mut self) {
        self.began = (self.now)();
    }

    /// Whether it is early enough for more steps before it looks up.
    pub(crate) fn has_time(&self) -> bool {
        self.stepped() < LOOK_UP
    }

    /// So many steps were taken at once since it began: the next time they are more if those were soon done, and fewer if not.
    pub(crate) fn took(&mut self, taken: u64) {
        let stepped = self.stepped();
        if stepped < LOOK_UP / 2 && taken >= self.steps {
            self.steps = (2 * self.steps).min(MOST_AT_ONCE);
        } else if stepped > 2 * LOOK_UP {
            self.steps = (self.steps / 2).max(1);
        }
    }

    /// It looks up.
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

    /// Its state was saved, or could not be. The next time counts from now: a slow disk does not take all the time.
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
                // It takes a while.
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
        // Steps of a microsecond, and then of a tenth of a second.
        let quick: Vec<u64> = (0..12).map(|_| step(1)).collect();
        assert_eq!(quick, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512]);
        let slow: Vec<u64> = (0..12).map(|_| step(100_000)).collect();
        assert_eq!(slow, [512, 256, 128, 64, 32, 16, 8, 4, 2, 2, 2, 2]);
        cadence.begin();
        now.fetch_add(100, Ordering::Relaxed);
        assert!(!cadence.has_time());
    }
}
