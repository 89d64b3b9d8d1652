//! Time: how long a step is, how many there are, and where we are.

use crate::units::{self, Second};

/// What time is counted in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeUnit {
    /// Seconds: each step has a duration.
    Seconds,
    /// Steps: the automaton has no duration.
    Steps,
}

/// The clock of a run with steps of equal length. Times are exact multiples of the step, never sums.
#[derive(Clone, Debug)]
pub struct Clock {
    /// What time is counted in.
    pub unit: TimeUnit,
    /// Length of a step (s, or 1 step).
    pub dt: f64,
    /// Number of steps of the whole run.
    pub steps: u64,
    /// Steps taken.
    pub done: u64,
}

impl Clock {
    /// A clock whose steps last `dt` seconds.
    pub fn seconds(dt: Second, steps: u64) -> Clock {
        Clock { unit: TimeUnit::Seconds, dt, steps, done: 0 }
    }

    /// A clock that counts steps.
    pub fn steps(steps: u64) -> Clock {
        Clock { unit: TimeUnit::Steps, dt: 1.0, steps, done: 0 }
    }

    /// Time after `steps` steps (s, or steps).
    pub fn time_after(&self, steps: u64) -> f64 {
        steps as f64 * self.dt
    }

    /// Time now (s, or steps).
    pub fn now(&self) -> f64 {
        self.time_after(self.done)
    }

    /// Time at the end of the run (s, or steps).
    pub fn end(&self) -> f64 {
        self.time_after(self.steps)
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.done >= self.steps
    }

    /// A time on this clock for people.
    pub fn show(&self, time: f64) -> String {
        match self.unit {
            TimeUnit::Seconds => units::show_duration(time),
            TimeUnit::Steps => format!("step {time:.0}"),
        }
    }

    /// A time on this clock for file names, which sort by time: `001h30m00s`, `000h00m00s500ms`,
    /// `step000250`.
    pub fn file_stamp(&self, time: f64) -> String {
        match self.unit {
            TimeUnit::Seconds => {
                let ms = (time * 1000.0).round() as u64;
                let (s, ms) = (ms / 1000, ms % 1000);
                let stamp = format!("{:03}h{:02}m{:02}s", s / 3600, s % 3600 / 60, s % 60);
                if ms == 0 { stamp } else { format!("{stamp}{ms:03}ms") }
            }
            TimeUnit::Steps => format!("step{time:06.0}"),
        }
    }
}
