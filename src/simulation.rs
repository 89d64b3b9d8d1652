//! The loop: step, advance the clock, tell the observers.

use crate::backend::{Backend, StateLayer, Step, Stop};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::forcing::Increment;
use crate::forcing::series::Series;
use crate::grains::Grain;
use std::time::Instant;

/// About how long the backend steps before observers are told (s): short enough to stop soon after
/// Ctrl-C, long enough to keep a device busy.
const PACE: f64 = 0.1;

/// The most steps that a backend is given at once. A step may become a thousand times dearer from one to
/// the next, when rain comes to a dry grid: even then this many do not keep anyone waiting for long.
const MOST_AT_ONCE: u64 = 512;

/// Watches a run. Called every now and then, and at every step that it asks for.
pub trait Observer {
    /// The next step (counted from 1) after which it must be called; `None` leaves it to the loop.
    fn next_look(&self, _clock: &Clock) -> Option<u64> {
        None
    }

    /// Looks at the state after a step; an error ends the run.
    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()>;
}

/// A run: a state that steps by a clock under its forcing.
pub struct Simulation {
    /// Where the state is.
    pub backend: Box<dyn Backend>,
    /// Time.
    pub clock: Clock,
    /// The rate of every rate layer of the forcing, in the backend's order.
    pub series: Vec<Series>,
    /// Grain of the water.
    pub grain: Grain,
}

impl Simulation {
    /// Runs until the clock's end.
    pub fn run(&mut self, observers: &mut [&mut dyn Observer]) -> Result<()> {
        let mut pace = 1u64;
        while !self.clock.is_over() {
            let looks = observers.iter().filter_map(|observer| observer.next_look(&self.clock));
            let end = looks.min().unwrap_or(u64::MAX).clamp(self.clock.done + 1, self.clock.steps);
            let started = Instant::now();
            let took = || started.elapsed().as_secs_f64();
            match self.backend.steps_at_once() {
                // It steps one by one as fast as otherwise, and can stop after any of them.
                None => {
                    self.advance(1)?;
                    while self.clock.done < end && took() < PACE {
                        self.advance(1)?;
                    }
                }
                Some(turn) => {
                    let steps = pace.next_multiple_of(turn).min(end - self.clock.done);
                    self.advance(steps)?;
                    if took() < PACE / 2.0 && steps >= pace {
                        pace = (2 * pace).min(MOST_AT_ONCE);
                    } else if took() > 2.0 * PACE {
                        pace = (pace / 2).max(1);
                    }
                }
            }
            for observer in observers.iter_mut() {
                observer.after_step(&self.clock, &*self.backend)?;
            }
        }
        Ok(())
    }

    /// Takes `steps` steps without observers.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        let mut left = steps;
        while left > 0 {
            let count = left.min(MOST_AT_ONCE);
            let first = self.clock.done;
            let steps: Vec<Step> = (first..first + count).map(|number| self.step(number)).collect();
            match self.backend.advance(&steps) {
                Ok(()) => self.clock.done += count,
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::TooDeep { step }) => {
                    self.clock.done = step;
                    return Err(self.too_deep());
                }
            }
            left -= count;
        }
        Ok(())
    }

    /// What happens in step `number`, counted from 0.
    fn step(&self, number: u64) -> Step {
        let clock = &self.clock;
        let (start, end) = (clock.time_after(number), clock.time_after(number + 1));
        let increment = |series: &Series| Increment {
            before: series.grains(start, self.grain),
            after: series.grains(end, self.grain),
        };
        Step { number, end: end as f32, increments: self.series.iter().map(increment).collect() }
    }

    fn too_deep(&self) -> Error {
        let when = self.clock.show(self.clock.now());
        let deepest = self.grain.deepest();
        let place = self.deepest_place();
        let error =
            Error::run(format!("water got deeper than {deepest:.0} m after {when} ({place})"));
        match self.grain {
            Grain::Fine => error.hint("run it with --grain coarse, which holds depths to 2048 m"),
            Grain::Coarse => error.hint("look for a pit in the DEM or an inflow that is too large"),
        }
    }

    /// Where the water is deepest, for the message.
    fn deepest_place(&self) -> String {
        let (columns, rows) = self.backend.shape();
        let mut row_water = vec![0; columns];
        let mut deepest = (0, 0, 0);
        for row in 0..rows {
            if self.backend.read_grains(StateLayer::Water, row, &mut row_water).is_err() {
                return "its place cannot be read".into();
            }
            for (column, &water) in row_water.iter().enumerate() {
                // A sum that is too large for an i32 shows as a negative number.
                deepest = deepest.max((water as u32, column, row));
            }
        }
        let (water, column, row) = deepest;
        let depth = f64::from(water) * f64::from(self.grain.metres());
        format!("deepest: {depth:.1} m in column {column}, row {row}")
    }
}
