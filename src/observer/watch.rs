//! Gauges, sections and the balance of the volume, at the times at which they are asked for.

use crate::engine::backend::{Backend, Sample, Wanted};
use crate::engine::clock::{Beat, Clock};
use crate::engine::grains::Grain;
use crate::engine::grid::Grid;
use crate::engine::simulation::{Observer, no_observer};
use crate::error::{Error, Result};
use crate::output::watch::{Accounts, Records, Sight, Watched};
use serde_json::Value;

/// Records what is watched at the start, at every multiple of an interval, and at the end. Where steps find their own
/// length none lands on those times: what is recorded lies on a straight line between the states before and after, so
/// that the run is the same however often one looks. Elsewhere it is that of the first step at or after them.
pub struct Watch {
    watched: Watched,
    grid: Grid,
    grain: Grain,
    /// Whether steps find their own length: then what is seen at a time lies between those before and after.
    between_steps: bool,
    /// Number of the next look, counted in intervals.
    next: u64,
    /// What was seen before the step within which that lies.
    before: Option<Sight>,
    /// What was recorded.
    pub records: Records,
}

impl Watch {
    /// A watch that has recorded the start.
    pub fn start(
        watched: &Watched,
        grid: &Grid,
        grain: Grain,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<Watch> {
        let mut records = Records::new(watched);
        records.record(watched, grain, grid, clock, backend)?;
        let between_steps = matches!(clock.beat, Beat::Adaptive { .. });
        let (watched, grid) = (watched.clone(), grid.clone());
        Ok(Watch { watched, grid, grain, between_steps, next: 1, before: None, records })
    }

    /// From now on those who bring and take water are these: as many, who bring something else.
    pub fn follow(&mut self, accounts: &Accounts) {
        self.watched.accounts = accounts.clone();
    }

    fn due(&self) -> f64 {
        self.next as f64 * self.watched.every
    }

    /// Adds what is seen at the times that have come between two sights.
    fn add_between(&mut self, before: &Sight, now: Sight) {
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

    fn wants(&self) -> Option<Wanted> {
        Some(self.watched.wanted()).filter(|_| self.between_steps)
    }

    fn next_looks(&self, most: usize) -> Vec<f64> {
        let times = (self.next..).take(most).map(|number| number as f64 * self.watched.every);
        times.collect()
    }

    fn seen(&mut self, before: &Sample, after: &Sample) -> Result<()> {
        let [before, after] =
            [before, after].map(|seen| Sight::of(&self.watched, self.grain, &self.grid, seen));
        self.add_between(&before, after);
        Ok(())
    }

    fn before_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        self.before = Some(Sight::now(&self.watched, self.grain, &self.grid, clock, backend)?);
        Ok(())
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if self.between_steps {
            if let Some(before) = self.before.take() {
                self.add_between(
                    &before,
                    Sight::now(&self.watched, self.grain, &self.grid, clock, backend)?,
                );
            }
            if !clock.is_over() {
                return Ok(());
            }
        } else if !clock.has_reached(self.due()) && !clock.is_over() {
            return Ok(());
        } else {
            // A step may go over several multiples.
            self.next = clock.multiples_of(self.watched.every).max(self.next).saturating_add(1);
        }
        self.records.record(&self.watched, self.grain, &self.grid, clock, backend)
    }

    fn save(&self) -> Result<Value> {
        serde_json::to_value((self.next, &self.records))
            .map_err(|error| Error::run("cannot save what was watched").because(error))
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
