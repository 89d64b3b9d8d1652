//! Depth rasters on the way (`output_every`).

use crate::backend::Backend;
use crate::clock::Clock;
use crate::error::Result;
use crate::grains::Grain;
use crate::grid::Grid;
use crate::layers::{DEPTH, State};
use crate::output::folder::OutputFolder;
use crate::results::stage_layer;
use crate::simulation::{Observer, no_observer};
use serde_json::Value;

/// Writes `depth_<time>.tif` at the first step at or after every multiple of an interval.
pub struct DepthSeries<'a> {
    /// Interval (s, or steps).
    pub every: f64,
    /// Number of the next file, counted in intervals.
    pub next: u64,
    /// Where to write.
    pub folder: &'a OutputFolder,
    /// The raster's geometry.
    pub grid: &'a Grid,
    /// Grain of the water.
    pub grain: Grain,
}

impl Observer for DepthSeries<'_> {
    fn next_time(&self) -> Option<f64> {
        Some(self.next as f64 * self.every)
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if !clock.has_come(self.next as f64 * self.every) {
            return Ok(());
        }
        // A step may go over several multiples.
        self.next = clock.multiples_of(self.every).max(self.next).saturating_add(1);
        let name = format!("{}_{}", DEPTH.key, clock.file_stamp(clock.now()));
        let state = State { backend, grain: self.grain, clock };
        for file in stage_layer(self.folder, &DEPTH, &name, &state, self.grid)? {
            self.folder.publish(&file)?;
        }
        Ok(())
    }

    fn save(&self) -> Result<Value> {
        Ok(self.next.into())
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        self.next = saved.as_u64().ok_or_else(no_observer)?;
        Ok(())
    }
}
