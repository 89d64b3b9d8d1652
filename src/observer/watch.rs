//! Samples gauges, sections and the mass balance at the requested times.

use crate::engine::backend::{Backend, Sample, SampleRequest};
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::grains::Grain;
use crate::engine::grid::Grid;
use crate::engine::simulation::{Observer, no_observer};
use crate::error::{Error, Result};
use crate::output::watch::{Accounts, Records, WatchSample, Watched};
use serde_json::Value;
use std::ops::RangeInclusive;

/// Range of the number of samples per recorded one if there are sections, for their peaks and
/// volumes: one per second within this range.
const SAMPLES_PER_RECORD: RangeInclusive<f64> = 10.0..=100.0;

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
    /// Number of samples per recorded one.
    per_record: u64,
    /// Number of the next sample.
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
        let (records, mut watched, grid) = (Records::new(watched), watched.clone(), grid.clone());
        for gauge in &mut watched.gauges {
            let sides = backend.crossed_sides(gauge.cell..gauge.cell + 1);
            gauge.crossed = sides.first().map_or_else(Default::default, |(_, sides)| *sides);
        }
        let dense = between_steps && !watched.sections.is_empty();
        let (least, most) = (SAMPLES_PER_RECORD.start(), SAMPLES_PER_RECORD.end());
        let per_record = if dense { watched.every.clamp(*least, *most) as u64 } else { 1 };
        let (next, before) = (1, None);
        let mut watch =
            Watch { watched, grid, grain, between_steps, per_record, next, before, records };
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
            self.records.add(self.sample(clock, backend)?, true);
        }
        Ok(())
    }

    /// Switches to other accounts; their number must not change.
    pub fn follow(&mut self, accounts: &Accounts) {
        self.watched.accounts = accounts.clone();
    }

    /// Returns the time of a sample (s, or steps).
    fn time_of(&self, number: u64) -> f64 {
        let [records, part] = [number / self.per_record, number % self.per_record];
        (records as f64 + part as f64 / self.per_record as f64) * self.watched.every
    }

    fn due(&self) -> f64 {
        self.time_of(self.next)
    }

    /// Adds the sample that is due.
    fn add(&mut self, sample: WatchSample) {
        self.records.add(sample, self.next.is_multiple_of(self.per_record));
        self.next += 1;
    }

    /// Records the samples at the sample times between two states.
    fn add_between(&mut self, before: &WatchSample, now: WatchSample) {
        while self.due() < now.time {
            self.add(before.between(&now, self.due(), &self.watched.accounts, self.grain));
        }
        if self.due() == now.time {
            self.add(now);
        }
    }
}

impl Observer for Watch {
    fn next_time(&self) -> Option<f64> {
        Some(self.due()).filter(|_| !self.between_steps)
    }

    fn next_sample_time(&self) -> Option<f64> {
        Some(self.due()).filter(|_| self.between_steps)
    }

    fn sample_request(&self) -> Option<SampleRequest> {
        Some(self.watched.wanted()).filter(|_| self.between_steps)
    }

    fn next_sample_times(&self, most: usize) -> Vec<f64> {
        (self.next..).take(most).map(|number| self.time_of(number)).collect()
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
        let interval = self.watched.every / self.per_record as f64;
        let sound = clock.is_next(next, interval) && records.end_by(clock.now());
        if !sound || !records.fits(&self.watched) {
            return Err(no_observer());
        }
        (self.next, self.records) = (next, records);
        Ok(())
    }
}
