//! Samples gauges, sections and the mass balance at the requested times.

use crate::engine::backend::{Backend, Sample, SampleRequest};
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::grains::Grain;
use crate::engine::grid::Grid;
use crate::engine::simulation::{Observer, no_observer};
use crate::error::{Error, Result};
use crate::output::watch::{Accounts, Records, WatchSample, Watched};
use serde_json::Value;

/// Records samples at the start, at every multiple of an interval, and at the end. With adaptive
/// steps, none of which ends exactly at these times, values are interpolated linearly between the
/// states before and after, so that the sampling does not affect the run. Otherwise they are taken
/// at the first step at or after the time.
pub struct Watch {
    watched: Watched,
    grid: Grid,
    grain: Grain,
    /// Set if the step length is adaptive and samples are interpolated.
    between_steps: bool,
    /// Number of the next sample, counted in intervals.
    next: u64,
    /// Sample before the step that passes the next sample time.
    before: Option<WatchSample>,
    /// Samples recorded so far.
    pub records: Records,
}

impl Watch {
    /// Creates a watch and records the initial state.
    pub fn start(
        watched: &Watched,
        grid: &Grid,
        grain: Grain,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<Watch> {
        let between_steps = matches!(clock.time_stepping, TimeStepping::Adaptive { .. });
        let (records, watched, grid) = (Records::new(watched), watched.clone(), grid.clone());
        let mut watch =
            Watch { watched, grid, grain, between_steps, next: 1, before: None, records };
        watch.record(clock, backend)?;
        Ok(watch)
    }

    /// Samples the present state.
    fn sample(&self, clock: &Clock, backend: &dyn Backend) -> Result<WatchSample> {
        let seen = backend.sample(&self.watched.wanted(), clock.done, clock.now())?;
        Ok(WatchSample::of(&self.watched, self.grain, &self.grid, &seen))
    }

    /// Records the present state, once per time.
    fn record(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if self.records.times.last() != Some(&clock.now()) {
            self.records.add(self.sample(clock, backend)?);
        }
        Ok(())
    }

    /// Switches to other accounts; their number must not change.
    pub fn follow(&mut self, accounts: &Accounts) {
        self.watched.accounts = accounts.clone();
    }

    fn due(&self) -> f64 {
        self.next as f64 * self.watched.every
    }

    /// Records the samples at the sample times between two states.
    fn add_between(&mut self, before: &WatchSample, now: WatchSample) {
        while self.due() < now.time {
            self.records.add(before.between(&now, self.due(), &self.watched.accounts, self.grain));
            self.next += 1;
        }
        if self.due() == now.time {
            self.records.add(now);
            self.next += 1;
        }
    }
}

impl Observer for Watch {
    fn next_time(&self) -> Option<f64> {
        Some(self.due()).filter(|_| !self.between_steps)
    }

    fn next_look(&self) -> Option<f64> {
        Some(self.due()).filter(|_| self.between_steps)
    }

    fn wants(&self) -> Option<SampleRequest> {
        Some(self.watched.wanted()).filter(|_| self.between_steps)
    }

    fn next_looks(&self, most: usize) -> Vec<f64> {
        let times = (self.next..).take(most).map(|number| number as f64 * self.watched.every);
        times.collect()
    }

    fn sampled(&mut self, before: &Sample, after: &Sample) -> Result<()> {
        let [before, after] = [before, after]
            .map(|seen| WatchSample::of(&self.watched, self.grain, &self.grid, seen));
        self.add_between(&before, after);
        Ok(())
    }

    fn before_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        self.before = Some(self.sample(clock, backend)?);
        Ok(())
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if self.between_steps {
            if let Some(before) = self.before.take() {
                self.add_between(&before, self.sample(clock, backend)?);
            }
            if !clock.is_over() {
                return Ok(());
            }
        } else if !clock.has_reached(self.due()) && !clock.is_over() {
            return Ok(());
        } else {
            // A step may pass several multiples.
            self.next = clock.multiples_of(self.watched.every).max(self.next).saturating_add(1);
        }
        self.record(clock, backend)
    }

    fn save(&self) -> Result<Value> {
        serde_json::to_value((self.next, &self.records))
            .map_err(|error| Error::run("cannot save the samples").because(error))
    }

    fn restore(&mut self, saved: Value, clock: &Clock) -> Result<()> {
        let (next, records): (u64, Records) =
            serde_json::from_value(saved).map_err(|_| no_observer())?;
        let sound = clock.is_next(next, self.watched.every) && records.end_by(clock.now());
        if !sound || !records.fits(&self.watched) {
            return Err(no_observer());
        }
        (self.next, self.records) = (next, records);
        Ok(())
    }
}
