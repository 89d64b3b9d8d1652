//! State of the clock in a checkpoint.

use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::time_step::{EPOCH, StepControl};
use crate::units::Second;
use serde::{Deserialize, Serialize};

/// Shortest step that the flow of a run can require (s).
const SHORTEST: f32 = 1e-8;

/// Latest time that a run can reach (s).
const LATEST: Second = 1e12;

/// Maximum number of steps that a run can have taken.
const MOST_STEPS: u64 = 1 << 60;

/// The moving parts of a clock.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ClockState {
    /// Number of the next step.
    pub done: u64,
    /// Number of the run's first step.
    pub first: u64,
    /// With adaptive steps: bits of the time, bits of free, rate, epoch_rate, shortest and longest,
    /// and the steps of the epoch.
    #[serde(rename = "pace")]
    pub control: Option<(u64, [u32; 5], u32)>,
}

impl ClockState {
    /// Saves the state of a clock.
    pub fn of(clock: &Clock) -> ClockState {
        let control = match clock.time_stepping {
            TimeStepping::Equal { .. } => None,
            TimeStepping::Adaptive { control, .. } => {
                let StepControl {
                    time,
                    number: _,
                    free,
                    rate,
                    epoch_rate,
                    taken,
                    shortest,
                    longest,
                } = control;
                let bits = [free, rate, epoch_rate, shortest, longest].map(f32::to_bits);
                Some((time.to_bits(), bits, taken))
            }
        };
        ClockState { done: clock.done, first: clock.first, control }
    }

    /// Returns `true` if a run can have this state: every time, step length and step count is
    /// within its range, and none would stall a run.
    pub fn is_sound(&self) -> bool {
        let steps = self.control.is_none_or(|(time, bits, taken)| {
            let [free, rate, epoch_rate, ..] = bits.map(f32::from_bits);
            let is_rate = |rate: f32| (0.0..=1.0 / SHORTEST).contains(&rate);
            (0.0..=LATEST).contains(&f64::from_bits(time))
                && (free == 0.0 || (SHORTEST..f32::INFINITY).contains(&free))
                && is_rate(rate)
                && is_rate(epoch_rate)
                && taken <= EPOCH
        });
        steps && self.first <= self.done && self.done <= MOST_STEPS
    }

    /// Restores a clock to this state.
    pub fn set(self, clock: &mut Clock) {
        clock.done = self.done;
        if let (TimeStepping::Adaptive { control, .. }, Some((time, bits, taken))) =
            (&mut clock.time_stepping, self.control)
        {
            let [free, rate, epoch_rate, shortest, longest] = bits.map(f32::from_bits);
            let (time, number) = (f64::from_bits(time), self.done);
            *control =
                StepControl { time, number, free, rate, epoch_rate, taken, shortest, longest };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_come_back_to_the_bit() {
        let mut clock = Clock::adaptive(100.0, 10.0, 1.0);
        clock.done = 7;
        if let TimeStepping::Adaptive { control, .. } = &mut clock.time_stepping {
            let epoch_rate = 3e-7;
            let (time, number, taken) = (0.1 + 0.2, 7, 5);
            *control = StepControl {
                time,
                number,
                rate: 1e-30,
                epoch_rate,
                taken,
                longest: 3.3,
                ..StepControl::START
            };
        }
        let text = serde_json::to_string(&ClockState::of(&clock)).unwrap();
        let mut again = Clock::adaptive(100.0, 10.0, 1.0);
        serde_json::from_str::<ClockState>(&text).unwrap().set(&mut again);
        assert_eq!((again.time_stepping, again.done), (clock.time_stepping, clock.done));
    }
}
