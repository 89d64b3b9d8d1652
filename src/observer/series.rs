//! Rasters on the way (`output_every`).

use crate::colour::Scales;
use crate::engine::backend::{Backend, Problem};
use crate::engine::clock::Clock;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::simulation::{Observer, no_observer};
use crate::engine::track::Track;
use crate::error::Result;
use crate::layers::{Chosen, LAYERS, Layer, State, Tells};
use crate::output::folder::OutputFolder;
use crate::results::{stage_layer, stage_style};
use crate::scenario::Facts;
use serde_json::{Value, json};

/// What a run's maps are read with, beside its state.
#[derive(Debug)]
pub struct Maps {
    grid: Grid,
    grain: Grain,
    bed: Option<Bed>,
    tracks: Vec<Track>,
}

impl Maps {
    /// Keeps what the maps of a run need of its problem.
    pub fn of(problem: &Problem, facts: &Facts) -> Maps {
        Maps {
            grid: facts.grid.clone(),
            grain: facts.grain,
            bed: facts.layers.needs_bed().then(|| problem.bed.clone()),
            tracks: problem.tracks.clone(),
        }
    }

    /// A state to read layers from.
    pub fn state<'a>(&'a self, backend: &'a dyn Backend, clock: &'a Clock) -> State<'a> {
        let Maps { grain, bed, tracks, .. } = self;
        State { backend, grain: *grain, clock, bed: bed.as_ref(), tracks, above: 0 }
    }
}

/// Writes `<layer>_<time>.tif` of every layer that tells of one time, at the first step at or after every multiple of an
/// interval.
pub struct MapSeries<'a> {
    /// Interval (s, or steps).
    every: f64,
    /// Number of the next maps, counted in intervals.
    next: u64,
    layers: Vec<&'static Layer>,
    folder: &'a OutputFolder,
    maps: &'a Maps,
    /// What the colours follow: all that was written so far.
    pub scales: Scales,
}

impl<'a> MapSeries<'a> {
    /// A series of those of some layers that tell of one time.
    pub fn new(
        every: f64,
        chosen: &Chosen,
        folder: &'a OutputFolder,
        maps: &'a Maps,
        scales: Scales,
    ) -> MapSeries<'a> {
        let layers = chosen.layers.iter().copied().filter(|layer| layer.tells == Tells::Now);
        MapSeries { every, next: 1, layers: layers.collect(), folder, maps, scales }
    }
}

impl Observer for MapSeries<'_> {
    fn next_time(&self) -> Option<f64> {
        Some(self.next as f64 * self.every)
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if !clock.has_come(self.next as f64 * self.every) {
            return Ok(());
        }
        // A step may go over several multiples.
        self.next = clock.multiples_of(self.every).max(self.next).saturating_add(1);
        for layer in &self.layers {
            let name = format!("{}_{}", layer.key, clock.file_stamp(clock.now()));
            let state = self.maps.state(backend, clock);
            let about = (layer.long_name)(clock);
            let grid = &self.maps.grid;
            let raster =
                stage_layer(self.folder, layer, &name, about, &state, grid, &mut self.scales)?;
            let style = stage_style(self.folder, layer, &name, &self.scales, clock)?;
            for file in [raster, style] {
                self.folder.publish(&file)?;
            }
        }
        Ok(())
    }

    fn save(&self) -> Result<Value> {
        Ok(json!({ "next": self.next, "scales": self.scales.save() }))
    }

    fn restore(&mut self, saved: Value, clock: &Clock) -> Result<()> {
        let next = saved["next"].as_u64().filter(|&next| clock.is_next(next, self.every));
        self.next = next.ok_or_else(no_observer)?;
        let known = LAYERS.iter().map(|layer| layer.scale);
        self.scales.restore(&saved["scales"], known).ok_or_else(no_observer)
    }
}
