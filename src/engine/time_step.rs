//! Adaptive time steps (CFL condition): the clock of the timed solvers.
//!
//! The CFL rate of the flow ([`crate::solver::edge::FaceFlux::cfl_rate`]) is evaluated once per
//! *epoch* of up to [`EPOCH`] steps: the rate found by its last step limits the steps until the
//! next epoch begins. So parts of a grid can take whole epochs without communicating. A step longer
//! than [`MARGIN`] times what the previous step's rate allows ends the epoch before it is taken
//! (docs/decisions/0018-epochs.md). Upcoming forcing, to which the flow has not yet responded,
//! limits steps too ([`Bound`]). All operations are maxima or correctly rounded, so the sequence of
//! steps is identical to the bit on every device and for any tiling. The CUDA twin is
//! `kernels/time_step.cu`.

use crate::units::Second;
use serde::{Deserialize, Serialize};

/// Maximum growth factor from one step to the next.
pub const GROWTH: f32 = 1.2;

/// Length of the first step (s), when nothing is known about the flow yet.
pub const FIRST: f32 = 0.05;

/// Maximum number of steps in an epoch.
pub const EPOCH: u32 = 16;

/// Factor by which a step within an epoch may exceed what the flow allows.
pub const MARGIN: f32 = 1.3;

/// Number of steps before a stop that are made equally long.
pub const EVEN: f64 = 64.0;

/// The longest step unless the user sets it (s).
pub const DEFAULT_LONGEST: Second = 60.0;

/// Limits on the steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Limits {
    /// Safety factor of the solver, as a share of the longest stable step.
    pub safety: f32,
    /// The longest step (s).
    pub longest: f32,
}

/// Step control: current time, last step and epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct StepControl {
    /// Current time (s).
    pub time: f64,
    /// Number of steps taken.
    pub number: u64,
    /// Length of the last step before a stop cut it short (s); 0 to start from the first step
    /// length.
    pub free: f32,
    /// CFL rate of the last step: 1 / the longest step that its flow allows (s⁻¹); 0 if it allows
    /// any.
    pub rate: f32,
    /// CFL rate that limits the steps of the epoch (s⁻¹).
    pub epoch_rate: f32,
    /// Steps of the epoch taken.
    pub taken: u32,
    /// Shortest step so far (s); infinite before the first.
    pub shortest: f32,
    /// Longest step so far (s).
    pub longest: f32,
}

/// Step limit that the forcing imposes from a time until the next bound
/// ([`crate::forcing::bounds`]).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[repr(C)]
pub struct Bound {
    /// Time from which it applies (s).
    pub time: f64,
    /// The longest step (s).
    pub longest: f64,
}

/// Stopping conditions for steps, and the bounds of the forcing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Until<'a> {
    /// Time on which a step lands (s).
    pub time: f64,
    /// Number of steps of the run.
    pub number: u64,
    /// Time before which every step ends (s), so that an observer can read the state before and
    /// after the step that reaches it. It does not change any step.
    pub before: f64,
    /// The bounds of the whole run, in order.
    pub bounds: &'a [Bound],
}

impl Until<'_> {
    /// Limits a step from `time` (s) of up to `most` (s) by the bounds of the forcing. A step may
    /// reach into the range of a bound if it is not longer than that bound allows.
    fn bounded(&self, time: f64, most: f32) -> f32 {
        let begun = self.bounds.partition_point(|bound| bound.time <= time);
        let mut most = f64::from(most);
        if let Some(now) = begun.checked_sub(1) {
            most = most.min(self.bounds[now].longest);
        }
        for bound in &self.bounds[begun..] {
            if bound.time - time >= most {
                break;
            }
            most = most.min((bound.time - time).max(bound.longest));
        }
        most as f32
    }
}

/// A step that was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stride {
    /// Step number, counted from 0.
    pub number: u64,
    /// Length of the step (s).
    pub dt: f32,
    /// Time at its start (s).
    pub start: f64,
    /// Time at its end (s).
    pub end: f64,
}

impl Default for StepControl {
    fn default() -> StepControl {
        StepControl::START
    }
}

impl StepControl {
    /// Initial state of a run.
    pub const START: StepControl = StepControl {
        time: 0.0,
        number: 0,
        free: 0.0,
        rate: 0.0,
        epoch_rate: 0.0,
        taken: 0,
        shortest: f32::INFINITY,
        longest: 0.0,
    };

    /// Chooses the next step and advances to its end; `None` if it is time to stop. The caller then
    /// stores the CFL rate that the step finds in `rate`, which starts at 0.
    pub fn stride(&mut self, limits: Limits, until: Until) -> Option<Stride> {
        if self.time >= until.time || self.number >= until.number {
            return None;
        }
        let most = if self.free > 0.0 { GROWTH * self.free } else { FIRST };
        let most = until.bounded(self.time, most.min(limits.longest));
        let under = |rate: f32| if rate > 0.0 { most.min(limits.safety / rate) } else { most };
        let mut chosen = under(self.epoch_rate);
        let begins = self.free == 0.0 || matches!(self.taken, 0 | EPOCH);
        let begins = begins || chosen * self.rate > MARGIN * limits.safety;
        if begins {
            chosen = under(self.rate);
        }
        let (start, left) = (self.time, until.time - self.time);
        let free = f64::from(chosen);
        let (dt, end) = if left <= free {
            (left as f32, until.time)
        } else if left < EVEN * free {
            // Spread the rest over equal steps: a short step among them would bring in less water
            // than its neighbours and send a ripple down a river.
            let even = (left / (left / free).ceil()) as f32;
            (even, start + f64::from(even))
        } else {
            (chosen, start + free)
        };
        if end >= until.before {
            return None;
        }
        self.free = chosen;
        (self.epoch_rate, self.taken) =
            if begins { (self.rate, 1) } else { (self.epoch_rate, self.taken + 1) };
        let number = self.number;
        self.rate = 0.0;
        self.number += 1;
        self.time = end;
        self.shortest = self.shortest.min(dt);
        self.longest = self.longest.max(dt);
        Some(Stride { number, dt, start, end })
    }

    /// Returns the steps up to the end of the epoch or to a stop, provided that no step finds the
    /// next one too long.
    pub fn epoch(&self, limits: Limits, until: Until) -> Vec<Stride> {
        let mut plan = *self;
        let mut strides = Vec::new();
        while let Some(stride) = plan.stride(limits, until) {
            strides.push(stride);
            if plan.taken == EPOCH {
                break;
            }
        }
        strides
    }

    /// Accepts the planned steps of [`StepControl::epoch`], given the rate that each found (s⁻¹).
    /// Returns how many are valid before one would be too long.
    pub fn take(
        &mut self,
        limits: Limits,
        until: Until,
        strides: &[Stride],
        rates: &[f32],
    ) -> usize {
        for (count, (planned, &rate)) in strides.iter().zip(rates).enumerate() {
            let mut next = *self;
            if next.stride(limits, until) != Some(*planned) {
                return count;
            }
            *self = StepControl { rate, ..next };
        }
        strides.len()
    }

    /// Estimates the number of steps up to a stop at the current step length: one or two more than
    /// that, and no more than may be taken.
    pub(crate) fn steps_ahead(&self, limits: Limits, until: Until) -> u64 {
        let free = if self.free > 0.0 { self.free } else { FIRST.min(limits.longest) };
        let steps = (until.time.min(until.before) - self.time).max(0.0) / f64::from(free) + 2.0;
        (steps as u64).min(until.number.saturating_sub(self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { safety: 1.0, longest: 10.0 };
    const NEVER: Until<'static> =
        Until { time: f64::INFINITY, number: u64::MAX, before: f64::INFINITY, bounds: &[] };

    #[test]
    fn a_look_changes_no_step() {
        let until = Until { time: 100.0, ..NEVER };
        let (mut plain, mut watched) = (StepControl::START, StepControl::START);
        for before in [0.01, 3.0, 3.0, 40.0, 99.99, 100.0] {
            while let Some(stride) = watched.stride(LIMITS, Until { before, ..until }) {
                assert!(stride.end < before);
                assert_eq!(plain.stride(LIMITS, until), Some(stride));
            }
            let next = watched.stride(LIMITS, until);
            assert_eq!(next, plain.stride(LIMITS, until));
            assert!(next.is_none_or(|stride| stride.end >= before || stride.start >= before));
        }
    }

    fn steps(mut control: StepControl, until: f64, rate: f32) -> Vec<Stride> {
        let until = Until { time: until, ..NEVER };
        let mut strides = Vec::new();
        while let Some(stride) = control.stride(LIMITS, until) {
            strides.push(stride);
            control.rate = rate;
        }
        strides
    }

    #[test]
    fn steps_grow_from_the_first_up_to_the_longest_and_land_on_the_end() {
        let strides = steps(StepControl::START, 2000.0, 0.0);
        assert_eq!(strides[0].dt, FIRST);
        assert!(strides.windows(2).all(|pair| pair[1].dt <= GROWTH * pair[0].dt));
        assert!(strides.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(strides.iter().any(|stride| stride.dt == LIMITS.longest));
        assert_eq!(strides.last().unwrap().end, 2000.0);
    }

    #[test]
    fn flow_holds_the_steps_and_no_sliver_is_left_before_a_stop() {
        let strides = steps(StepControl::START, 7.3, 4.0);
        assert!(strides.iter().all(|stride| stride.dt <= MARGIN * 0.25));
        let last = &strides[strides.len() - 20..];
        assert!(last.windows(2).all(|pair| (pair[0].dt - pair[1].dt).abs() < 1e-5), "{last:?}");
        assert!(last[0].dt > 0.24);
    }

    #[test]
    fn what_the_flow_allows_is_asked_once_in_an_epoch_unless_it_allows_much_less() {
        let mut control = StepControl { free: 8.0, rate: 0.125, ..StepControl::START };
        let mut lengths = |rates: &[f32]| -> Vec<f32> {
            let step = |&rate: &f32| {
                let dt = control.stride(LIMITS, NEVER).unwrap().dt;
                control.rate = rate;
                dt
            };
            rates.iter().map(step).collect()
        };
        // A little faster, or slower: the epoch continues to its end.
        assert_eq!(lengths(&[0.15; 8]), [8.0; 8]);
        assert_eq!(lengths(&[0.1; 8]), [8.0; 8]);
        // Then the rate is evaluated again, and once more when a step would be too long.
        assert_eq!(lengths(&[0.1, 0.1, 0.14, 0.1]), [9.6, 10.0, 10.0, 1.0 / 0.14]);
        assert_eq!(lengths(&[0.1; 15]), [1.0 / 0.14; 15]);
        assert_eq!(lengths(&[0.1]), [GROWTH / 0.14]);
    }

    #[test]
    fn an_epoch_is_planned_and_taken_as_far_as_it_holds() {
        let start = StepControl { free: 8.0, rate: 0.125, ..StepControl::START };
        let until = Until { time: 200.0, ..NEVER };
        for (rates, holds) in [
            (vec![0.15; 16], 16),
            (vec![0.1, 0.1, 0.2, 0.1], 3),
            (vec![1.0], 1),
            (vec![0.1, 0.1, 0.1, 0.19], 4),
        ] {
            let strides = start.epoch(LIMITS, until);
            assert_eq!(strides.len(), 16);
            let mut rates = rates;
            rates.resize(16, 0.1);
            let (mut control, mut plain) = (start, start);
            assert_eq!(control.take(LIMITS, until, &strides, &rates), holds);
            for rate in &rates[..holds] {
                plain.stride(LIMITS, until).unwrap();
                plain.rate = *rate;
            }
            assert_eq!(control, plain);
        }
        // The rest of an epoch, and up to a stop.
        let mut control = start;
        let strides = control.epoch(LIMITS, Until { number: 5, ..until });
        assert_eq!(control.take(LIMITS, until, &strides, &[0.1; 5]), 5);
        assert_eq!(control.epoch(LIMITS, until).len(), 11);
    }

    #[test]
    fn a_stop_does_not_slow_down_what_follows() {
        let mut control = StepControl { free: 8.0, ..StepControl::START };
        let until = |time| Until { time, ..NEVER };
        assert_eq!(control.stride(LIMITS, until(0.5)).unwrap().dt, 0.5);
        assert_eq!(control.stride(LIMITS, until(1000.0)).unwrap().dt, 10.0);
        assert_eq!(control.stride(LIMITS, Until { number: 2, ..until(100.0) }), None);
    }

    #[test]
    fn what_is_about_to_come_bounds_the_steps_that_lead_into_it() {
        let bound = |time, longest| Bound { time, longest };
        let none = f64::INFINITY;
        let bounds = [bound(30.0, 2.0), bound(33.0, 0.25), bound(34.0, none), bound(60.0, 7.0)];
        let until = Until { time: 100.0, bounds: &bounds, ..NEVER };
        let dt = |time: f64| {
            let mut control = StepControl { time, free: 10.0, ..StepControl::START };
            control.stride(LIMITS, Until { time: 1e9, ..until }).unwrap().dt
        };
        // Before it, up to it, into it if the step is short enough, and inside it.
        assert_eq!([dt(0.0), dt(20.0), dt(24.0), dt(29.5), dt(30.0)], [10.0, 10.0, 6.0, 2.0, 2.0]);
        assert_eq!([dt(32.5), dt(32.9), dt(33.0), dt(33.9)], [0.5, 0.25, 0.25, 0.25]);
        assert_eq!([dt(34.0), dt(52.0), dt(57.0), dt(70.0)], [10.0, 8.0, 7.0, 7.0]);
        // A short bound does not hide a shorter one behind it; and the first step is bounded, too.
        let short = [bound(0.0, 0.01), bound(0.02, 0.001)];
        let until = Until { time: 100.0, bounds: &short, ..NEVER };
        assert_eq!(StepControl::START.clone().stride(LIMITS, until).unwrap().dt, 0.01);
        let mut control = StepControl { time: 0.015, free: 1.0, ..StepControl::START };
        assert_eq!(control.stride(LIMITS, until).unwrap().dt, 0.005);
    }
}
