//! Checks whether a header is plausible. A checksum is not sufficient, since anyone can compute
//! one.

use super::header::Header;
use crate::engine::backend::saved::Sums;
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::forcing::link::LinkState;
use crate::engine::forcing::ports::Port;
use crate::engine::time_step::EPOCH;
use crate::output::checkpoint::clock::ClockState;
use crate::output::folder::is_result;

/// Relative tolerance between the time and the sum of step lengths, which are stored as f32.
const SLACK: f64 = 1e-3;

/// Result of a check, with a description of the fault.
type CheckResult = Result<(), String>;

impl Header {
    /// Checks that the listed files are bare names of results, because they are removed and
    /// replaced.
    pub(super) fn check_names(&self) -> CheckResult {
        let strange = self.published.iter().chain(&self.earlier);
        match strange.into_iter().find(|name| !is_result(name)) {
            Some(name) => Err(format!("it lists {name:?} among the files of a run")),
            None => Ok(()),
        }
    }

    /// Checks the volumes booked per port against the run's ports and the mass balance.
    pub(super) fn check_ports(&self, ports: Port) -> CheckResult {
        // Inflow cells and sources bring water without a port; outflow always has one.
        let (came, left) = self.sums.port_volumes.sums();
        if !self.sums.port_volumes.is_of(ports)
            || came > self.sums.ledger.inflow
            || left != self.sums.ledger.outflow
        {
            return Err("water entered or left where the run has no port".into());
        }
        Ok(())
    }

    /// Checks that the run can have progressed to the state in the header. `clock` is the
    /// scenario's clock at its start.
    pub(super) fn check_progress(&self, clock: &Clock) -> CheckResult {
        let Header { time, resumed_at_steps, spent, sums, .. } = self;
        let Sums { links, gauges, .. } = sums;
        time.check(clock)?;
        if !spent.parts().iter().all(|part| part.is_finite() && *part >= 0.0) {
            return Err("its time spent is not valid".into());
        }
        if !resumed_at_steps.is_sorted() || resumed_at_steps.last() > Some(&time.done) {
            return Err("it lists a resume after more steps than it took".into());
        }
        let owed = |link: &LinkState| link.carry.is_finite();
        if !links.iter().all(owed) {
            return Err("a link has an invalid remainder".into());
        }
        let now = time.now(clock);
        if !gauges.iter().all(|gauge| gauge.is_sound(now)) {
            return Err("a gauge has values that no run can produce".into());
        }
        if self.sums.ledger.error() != 0 {
            return Err("its mass balance does not close".into());
        }
        Ok(())
    }
}

impl ClockState {
    /// Returns the time (s, or steps), given a clock at its start.
    fn now(self, clock: &Clock) -> f64 {
        let mut clock = clock.clone();
        self.set(&mut clock);
        clock.now()
    }

    /// Checks that a run on this clock can be in this state, before its end.
    fn check(self, clock: &Clock) -> CheckResult {
        let nowhere = || {
            let when = self.control.map(|(time, ..)| f64::from_bits(time));
            let when = when.map_or(String::new(), |when| format!(" at {when:e} s"));
            Err(format!("no run of this scenario can be{when} after {} steps", self.done))
        };
        // Steps before the first one do not count.
        let taken_steps = self.done.checked_sub(clock.first);
        let fits = match (clock.time_stepping, self.control) {
            (TimeStepping::Equal { steps, .. }, None) => {
                taken_steps.is_some_and(|taken| taken < steps)
            }
            (TimeStepping::Adaptive { limits, end, .. }, Some((time, bits, epoch))) => {
                let time = f64::from_bits(time);
                let [free, rate, epoch_rate, shortest, longest] = bits.map(f32::from_bits);
                let Some(count) = taken_steps else { return nowhere() };
                let steps = count as f64;
                let (least, most) = (steps * f64::from(shortest), steps * f64::from(longest));
                let taken = if count == 0 {
                    time == 0.0 && longest == 0.0
                } else {
                    shortest > 0.0
                        && shortest <= longest
                        && least <= time * (1.0 + SLACK)
                        && time <= most * (1.0 + SLACK)
                };
                (0.0..end).contains(&time)
                    && (0.0..=limits.longest).contains(&free)
                    && (0.0..=limits.longest).contains(&longest)
                    && [rate, epoch_rate].iter().all(|rate| rate.is_finite() && *rate >= 0.0)
                    && u64::from(epoch) <= self.done.min(u64::from(EPOCH))
                    && self.is_sound()
                    && taken
            }
            _ => false,
        };
        if fits { Ok(()) } else { nowhere() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::time_step::StepControl;

    fn adaptive(control: StepControl) -> CheckResult {
        let mut clock = Clock::adaptive(100.0, 10.0, 1.0);
        clock.done = control.number;
        clock.time_stepping = match clock.time_stepping {
            TimeStepping::Adaptive { limits, end, .. } => {
                TimeStepping::Adaptive { control, limits, end }
            }
            other => other,
        };
        ClockState::of(&clock).check(&Clock::adaptive(100.0, 10.0, 1.0))
    }

    #[test]
    fn only_times_that_a_run_can_reach_are_sound() {
        let good = StepControl {
            time: 7.0,
            number: 5,
            free: 2.0,
            rate: 0.1,
            epoch_rate: 0.1,
            taken: 3,
            shortest: 0.5,
            longest: 2.0,
        };
        assert!(adaptive(good).is_ok() && adaptive(StepControl::START).is_ok());
        let bad = [
            StepControl { time: f64::NAN, ..good },
            StepControl { time: f64::INFINITY, ..good },
            StepControl { time: -1.0, ..good },
            StepControl { time: 100.0, ..good },
            StepControl { number: u64::MAX, ..good },
            StepControl { number: 0, ..good },
            StepControl { number: 2, ..good },
            StepControl { free: f32::NAN, ..good },
            StepControl { rate: f32::INFINITY, ..good },
            StepControl { epoch_rate: f32::NAN, ..good },
            StepControl { taken: 6, ..good },
            StepControl { shortest: 0.0, ..good },
            StepControl { longest: 11.0, ..good },
        ];
        for control in bad {
            assert!(adaptive(control).is_err(), "{control:?}");
        }
        let time = |done| ClockState { done, ..ClockState::default() };
        assert!(time(9).check(&Clock::steps(10)).is_ok());
        assert!(time(10).check(&Clock::steps(10)).is_err());
        assert!(time(u64::MAX).check(&Clock::steps(10)).is_err());
        assert!(time(3).check(&Clock::adaptive(100.0, 10.0, 1.0)).is_err());
    }
}
