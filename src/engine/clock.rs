//! Time: step length, number of steps and the current time.

use crate::time_step::{EPOCH, Limits, StepControl};
use crate::units::{self, Second};

/// Tolerance for times that are multiples of a step up to rounding (s, or steps).
const SLACK: f64 = 5e-7;

/// Unit in which time is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeUnit {
    /// Seconds: steps have a physical duration.
    Seconds,
    /// Steps: the automaton has no physical time.
    Steps,
}

/// Time stepping of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeStepping {
    /// Steps of equal length: times are exact multiples of the step, never sums.
    Equal {
        /// Length of a step (s, or 1 step).
        dt: f64,
        /// Number of steps of the whole run.
        steps: u64,
    },
    /// Adaptive steps, whose length follows from the flow.
    Adaptive {
        /// Current time and step control.
        control: StepControl,
        /// Limits on the step length.
        limits: Limits,
        /// End of the run (s).
        end: Second,
    },
}

/// The clock of a run.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Unit in which time is counted.
    pub unit: TimeUnit,
    /// Time stepping: equal or adaptive.
    pub time_stepping: TimeStepping,
    /// Number of the next step: the steps taken plus [`Clock::first`].
    pub done: u64,
    /// Number of the run's first step, which sets its rounding ([`crate::grains::phase`]): 0, or
    /// the number that another run had reached if this one starts from it.
    pub first: u64,
}

impl Clock {
    /// Creates a clock with steps of `dt` seconds.
    pub fn seconds(dt: Second, steps: u64) -> Clock {
        Clock {
            unit: TimeUnit::Seconds,
            time_stepping: TimeStepping::Equal { dt, steps },
            done: 0,
            first: 0,
        }
    }

    /// Creates a clock that counts steps.
    pub fn steps(steps: u64) -> Clock {
        Clock {
            unit: TimeUnit::Steps,
            time_stepping: TimeStepping::Equal { dt: 1.0, steps },
            done: 0,
            first: 0,
        }
    }

    /// Creates a clock that runs to `end` (s) in adaptive steps of at most `longest` (s); `safety`
    /// is the solver's ([`crate::solver::SolverInfo::safety`]).
    pub fn adaptive(end: Second, longest: f32, safety: f32) -> Clock {
        let time_stepping = TimeStepping::Adaptive {
            control: StepControl::START,
            limits: Limits { safety, longest },
            end,
        };
        Clock { unit: TimeUnit::Seconds, time_stepping, done: 0, first: 0 }
    }

    /// Starts this clock at time 0 with the step control of another run's clock, so that steps
    /// continue as that run's would have.
    pub fn starting_from(mut self, other: &Clock) -> Clock {
        (self.done, self.first) = (other.done, other.done);
        if let (
            TimeStepping::Adaptive { control, .. },
            TimeStepping::Adaptive { control: last, .. },
        ) = (&mut self.time_stepping, other.time_stepping)
        {
            let StepControl { number, free, rate, epoch_rate, taken, .. } = last;
            *control = StepControl { number, free, rate, epoch_rate, taken, ..StepControl::START };
        }
        self
    }

    /// Returns the number of steps taken in the run.
    pub fn taken(&self) -> u64 {
        self.done - self.first
    }

    /// Returns the current time (s, or steps).
    pub fn now(&self) -> f64 {
        match self.time_stepping {
            TimeStepping::Equal { dt, .. } => self.taken() as f64 * dt,
            TimeStepping::Adaptive { control, .. } => control.time,
        }
    }

    /// Returns the time at the end of the run (s, or steps).
    pub fn end(&self) -> f64 {
        match self.time_stepping {
            TimeStepping::Equal { dt, steps } => steps as f64 * dt,
            TimeStepping::Adaptive { end, .. } => end,
        }
    }

    /// Returns `true` if the run is over.
    pub fn is_over(&self) -> bool {
        match self.time_stepping {
            TimeStepping::Equal { steps, .. } => self.taken() >= steps,
            TimeStepping::Adaptive { control, end, .. } => control.time >= end,
        }
    }

    /// Ends the run at the current time.
    pub fn end_here(&mut self) {
        let (now, taken) = (self.now(), self.taken());
        match &mut self.time_stepping {
            TimeStepping::Equal { steps, .. } => *steps = taken,
            TimeStepping::Adaptive { end, .. } => *end = now,
        }
    }

    /// Returns `true` if a time has been reached (s, or steps).
    pub fn has_reached(&self, time: f64) -> bool {
        self.now() + SLACK >= time
    }

    /// Counts how many multiples of `every` (s, or steps) have passed.
    pub fn multiples_of(&self, every: f64) -> u64 {
        ((self.now() + SLACK) / every).floor() as u64
    }

    /// Returns `true` if `next` can be the index of the next multiple of `every` (s, or steps).
    pub fn is_next(&self, next: u64, every: f64) -> bool {
        // Rounding may place a time on either side of a multiple.
        next > 0 && next.abs_diff(self.multiples_of(every).saturating_add(1)) <= 1
    }

    /// Returns the steps taken of the current epoch; 0 with steps of equal length.
    pub(crate) fn taken_of_epoch(&self) -> u64 {
        match self.time_stepping {
            TimeStepping::Equal { .. } => 0,
            TimeStepping::Adaptive { control, .. } => u64::from(control.taken % EPOCH),
        }
    }

    /// Returns the number of steps of the whole run, if known.
    pub fn steps_in_all(&self) -> Option<u64> {
        match self.time_stepping {
            TimeStepping::Equal { steps, .. } => Some(steps),
            TimeStepping::Adaptive { .. } => None,
        }
    }

    /// Returns the number of the first step at or after a time, with steps of equal length.
    pub(crate) fn step_at(&self, time: f64) -> Option<u64> {
        let TimeStepping::Equal { dt, .. } = self.time_stepping else { return None };
        // Division may be off by one either way.
        let about = ((time / dt).floor() as u64).saturating_sub(1);
        let taken = (about..about.saturating_add(4)).find(|&step| step as f64 * dt + SLACK >= time);
        taken.map(|taken| self.first + taken)
    }

    /// Returns the upper limit of the step length (s, or steps).
    pub fn longest_step(&self) -> f64 {
        match self.time_stepping {
            TimeStepping::Equal { dt, .. } => dt,
            TimeStepping::Adaptive { limits, .. } => f64::from(limits.longest),
        }
    }

    /// Returns the shortest and longest step so far (s); `None` if steps have no duration or none
    /// was taken.
    pub fn step_range(&self) -> Option<(f64, f64)> {
        match (self.unit, self.time_stepping) {
            (TimeUnit::Steps, _) => None,
            (_, TimeStepping::Equal { dt, .. }) => Some((dt, dt)),
            (_, TimeStepping::Adaptive { control, .. }) => (self.taken() > 0)
                .then(|| (f64::from(control.shortest), f64::from(control.longest))),
        }
    }

    /// Returns `true` if its seconds come from a step duration that the user calibrated.
    pub fn is_calibrated(&self) -> bool {
        self.unit == TimeUnit::Seconds && matches!(self.time_stepping, TimeStepping::Equal { .. })
    }

    /// Formats a time on this clock for people.
    pub fn show(&self, time: f64) -> String {
        match self.unit {
            TimeUnit::Seconds => units::show_duration(time),
            TimeUnit::Steps => format!("step {time:.0}"),
        }
    }

    /// Formats a time on this clock for file names, which sort by time: `001h30m00s`,
    /// `000h00m00s500ms`, `step000250`.
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

/// Returns `true` if a text has the format of [`Clock::file_stamp`]; other files are not ours.
pub fn is_stamp(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let time = || {
        let (hours, rest) = text.split_once('h')?;
        let (minutes, rest) = rest.split_once('m')?;
        let (seconds, rest) = rest.split_once('s')?;
        let fraction = rest.strip_suffix("ms").unwrap_or(rest);
        let whole = digits(hours) && digits(minutes) && digits(seconds);
        Some(whole && (rest.is_empty() || digits(fraction)))
    };
    text.strip_prefix("step").is_some_and(digits) || time().unwrap_or(false)
}
