//! Rasters written during the run (`output_every`).

use crate::engine::backend::Backend;
use crate::engine::clock::Clock;
use crate::engine::simulation::{Observer, no_observer};
use crate::error::Result;
use crate::output::folder::OutputFolder;
use crate::output::layers::{Chosen, DEPTH, LAYERS, Layer, Maps, Now, TimeScope};
use crate::output::results::{Map, NewMap, Results, Writing};
use crate::output::small::Small;
use serde_json::{Value, from_value, json};
use std::sync::Arc;

/// Number of times of a series with pictures, at most, and their longer side (pixels): the page
/// should be small enough to mail.
const MOST: u64 = 60;
const LONGEST: usize = 640;

/// Writes `<layer>_<time>.tif` of every layer that describes a single time, at the first step at or
/// after each multiple of an interval.
pub struct MapSeries {
    /// Interval (s, or steps).
    every: f64,
    /// Number of the next maps, counted in intervals.
    next: u64,
    /// Total number of times.
    times: u64,
    layers: Vec<&'static Layer>,
    /// Dropped before `folder`, into which it writes.
    writing: Writing,
    folder: Arc<OutputFolder>,
    maps: Arc<Maps>,
    /// Maps published so far.
    pub results: Results,
}

impl MapSeries {
    /// Creates a series of the chosen layers that describe a single time, up to the clock's end.
    pub fn new(
        every: f64,
        chosen: &Chosen,
        folder: Arc<OutputFolder>,
        maps: Arc<Maps>,
        clock: &Clock,
        writing: Writing,
        results: Results,
    ) -> MapSeries {
        let layers = chosen.layers.iter().copied().filter(|layer| layer.scope == TimeScope::Now);
        // Tolerate rounding if the end is a multiple of the interval.
        let times = (clock.end() / every + 1e-9).floor() as u64;
        let layers = layers.collect();
        MapSeries { every, next: 1, times, layers, folder, maps, writing, results }
    }

    /// Publishes the maps beyond the first `known`, with the colour scales so far.
    fn publish(&self, known: usize) -> Result<()> {
        for map in &self.results.maps[known..] {
            self.results.stage_style(&self.folder, map)?;
            self.folder.publish(&map.raster())?;
            self.folder.publish(&map.style())?;
        }
        Ok(())
    }

    /// Runs an action that may finish maps, and publishes these.
    fn and_publish(
        &mut self,
        what: impl FnOnce(&mut Writing, &mut Results) -> Result<()>,
    ) -> Result<()> {
        let known = self.results.maps.len();
        let done = what(&mut self.writing, &mut self.results);
        // Maps before the failed one are complete.
        self.publish(known).and(done)
    }
}

/// Returns how many of the first `number` times of a series of `all` have pictures: all of them, or
/// [`MOST`] at even intervals including the last.
fn pictures(number: u64, all: u64) -> u64 {
    let (number, all) = (u128::from(number.min(all)), u128::from(all.max(1)));
    (((number + 1) * all.min(MOST.into()) - 1) / all) as u64
}

impl Observer for MapSeries {
    fn next_time(&self) -> Option<f64> {
        Some(self.next as f64 * self.every)
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        self.and_publish(Writing::collect_finished)?;
        if !clock.has_reached(self.next as f64 * self.every) {
            return Ok(());
        }
        // A step may pass several multiples.
        let before = self.next - 1;
        self.next = clock.multiples_of(self.every).max(self.next).saturating_add(1);
        let is_shown = pictures(self.next - 1, self.times) > pictures(before, self.times);
        let maps = self.maps.clone();
        let now = Now { maps: &maps, backend, clock, above: 0 };
        for layer in self.layers.clone() {
            let sheet = NewMap {
                layer,
                name: format!("{}_{}", layer.key, clock.file_stamp(clock.now())),
                about: (layer.long_name)(clock),
                time: Some(clock.now()),
                picture: (is_shown && layer.key == DEPTH.key).then_some(LONGEST),
                above: None,
            };
            let folder = self.folder.clone();
            self.and_publish(|writing, results| writing.stage(results, &folder, &now, sheet))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.and_publish(Writing::finish)
    }

    fn save(&self) -> Result<Value> {
        let Results { maps, scales } = &self.results;
        let pictured = maps.iter().filter(|map| map.picture.is_some()).map(|map| &map.name);
        let pictured: Vec<&String> = pictured.collect();
        Ok(json!({
            "next": self.next, "scales": scales.save(), "maps": maps, "pictured": pictured,
        }))
    }

    fn restore(&mut self, mut saved: Value, clock: &Clock) -> Result<()> {
        let next = saved["next"].as_u64().filter(|&next| clock.is_next(next, self.every));
        self.next = next.ok_or_else(no_observer)?;
        let known = LAYERS.iter().map(|layer| layer.scale);
        let Results { maps, scales } = &mut self.results;
        scales.restore(&saved["scales"], known).ok_or_else(no_observer)?;
        let mut take = |key: &str| saved[key].take();
        let before: Vec<Map> = from_value(take("maps")).map_err(|_| no_observer())?;
        let pictured: Vec<String> = from_value(take("pictured")).map_err(|_| no_observer())?;
        // Files that no longer exist, or that this run has not written, are not listed.
        let published = self.folder.published();
        *maps = before.into_iter().filter(|map| published.contains(&map.raster())).collect();
        for map in maps.iter_mut().filter(|map| pictured.contains(&map.name)) {
            // Read the pictures of maps that an earlier process wrote from their files.
            let file = self.folder.path().join(map.raster());
            map.picture =
                Small::read(&file, self.maps.raster_grid(), map.layer.downsampling, LONGEST).ok();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_chosen_evenly_and_the_last_is_among_them() {
        for all in [1, 3, 60, 61, 119, 1000] {
            let shown = |number: &u64| pictures(*number, all) > pictures(number - 1, all);
            let times: Vec<u64> = (1..=all).filter(shown).collect();
            assert_eq!((times.len() as u64, times.last()), (all.min(60), Some(&all)));
            assert_eq!(pictures(0, all), 0);
        }
    }
}
