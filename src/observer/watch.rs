//! Gauges, sections and the balance of the volume, at the times at which they are asked for.

use crate::backend::Backend;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::grains::Grain;
use crate::grid::Grid;
use crate::simulation::{Observer, no_observer};
use crate::watch::{Records, Watched};
use serde_json::Value;

/// Notes what is watched at the start, at the first step at or after every multiple of an interval, and at
/// the end.
pub struct Watch<'a> {
    watched: &'a Watched,
    grid: &'a Grid,
    grain: Grain,
    /// Number of the next look, counted in intervals.
    next: u64,
    /// What was noted.
    pub records: Records,
}

impl<'a> Watch<'a> {
    /// A watch that has noted the start.
    pub fn start(
        watched: &'a Watched,
        grid: &'a Grid,
        grain: Grain,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<Watch<'a>> {
        let mut records = Records::new(watched);
        records.note(watched, grain, grid, clock, backend)?;
        Ok(Watch { watched, grid, grain, next: 1, records })
    }

    fn due(&self) -> f64 {
        self.next as f64 * self.watched.every
    }
}

impl Observer for Watch<'_> {
    fn next_time(&self) -> Option<f64> {
        Some(self.due())
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if !clock.has_come(self.due()) && !clock.is_over() {
            return Ok(());
        }
        // A step may go over several multiples.
        self.next = clock.multiples_of(self.watched.every).max(self.next).saturating_add(1);
        self.records.note(self.watched, self.grain, self.grid, clock, backend)
    }

    fn save(&self) -> Result<Value> {
        serde_json::to_value((self.next, &self.records))
            .map_err(|error| Error::run(format!("cannot save what was watched: {error}")))
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        let (next, records): (u64, Records) =
            serde_json::from_value(saved).map_err(|_| no_observer())?;
        if !records.fits(self.watched) {
            return Err(no_observer());
        }
        (self.next, self.records) = (next, records);
        Ok(())
    }
}
