//! What is to be computed.

use crate::arrays::zeros;
use crate::boundary::OpenEdges;
use crate::field::{bits, bits_mut};
use crate::forcing::Forcing;
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::losses::Losses;
use crate::neighbourhood::Neighbourhood;
use crate::roughness::Roughness;
use crate::rule::AnyRule;
use crate::rule::edge::EdgeField;
use crate::track::Track;
use serde::{Deserialize, Serialize};

/// Everything a backend needs to set up its state.
#[derive(Debug, Deserialize, Serialize)]
pub struct Problem {
    /// The raster's geometry.
    pub grid: Grid,
    /// The bed on it.
    pub bed: Bed,
    /// Water at the start per cell (grains); empty for a dry start.
    pub initial: Vec<i32>,
    /// The flow rule.
    pub rule: AnyRule,
    /// Who exchanges water with whom.
    pub neighbourhood: Neighbourhood,
    /// Open sides of the raster.
    pub open: OpenEdges,
    /// What brings and takes water.
    pub forcing: Forcing,
    /// Grain of the water.
    pub grain: Grain,
    /// Depth above which water counts as arrived (grains).
    pub arrival: i32,
    /// Manning's n, for the rules that have friction.
    pub roughness: Roughness,
    /// What ground, sewers and air take, if anything.
    pub losses: Option<Losses>,
    /// What is noted of every cell in every step.
    pub tracks: Vec<Track>,
    /// Cells of the grid, row-major, of which the greatest depth and speed and the time of the depth are noted.
    pub gauges: Vec<usize>,
    /// Whether discharges and velocities can be read, also where the rule itself does not remember them.
    pub keeps_discharge: bool,
}

/// The rasters of a problem, row-major over the grid; those that it does not have are empty.
#[derive(Debug, Default)]
pub struct Rasters {
    /// The bed's levels.
    pub levels: Vec<i32>,
    /// Water at the start.
    pub initial: Vec<i32>,
    /// Manning's n.
    pub roughness: Vec<f32>,
    /// Kinds of ground.
    pub grounds: Vec<u32>,
}

impl Rasters {
    /// All of them (bits), in one order.
    pub fn each(&self) -> [&[u32]; 4] {
        [bits(&self.levels), bits(&self.initial), bits(&self.roughness), &self.grounds]
    }

    /// Those that there are, by that order, of so many cells, of which no memory is touched.
    pub fn blank(there: [bool; 4], cells: usize) -> Rasters {
        let [levels, initial, roughness, grounds] = there.map(|is| if is { cells } else { 0 });
        Rasters {
            levels: zeros(levels),
            initial: zeros(initial),
            roughness: zeros(roughness),
            grounds: zeros(grounds),
        }
    }

    /// All of them (bits), to be written.
    pub fn each_mut(&mut self) -> [&mut [u32]; 4] {
        let Rasters { levels, initial, roughness, grounds } = self;
        [bits_mut(levels), bits_mut(initial), bits_mut(roughness), grounds]
    }
}

impl Problem {
    /// Takes the rasters out; that there is roughness by cell, and that kinds of ground differ, can still be told.
    pub fn take_rasters(&mut self) -> Rasters {
        let roughness = match &mut self.roughness {
            Roughness::Cells(cells) => std::mem::take(cells),
            Roughness::Uniform(_) => Vec::new(),
        };
        let grounds = self.losses.as_mut().map(|losses| {
            let first = losses.of_cell.first().copied().into_iter().collect();
            std::mem::replace(&mut losses.of_cell, first)
        });
        Rasters {
            levels: std::mem::take(&mut self.bed.levels),
            initial: std::mem::take(&mut self.initial),
            roughness,
            grounds: grounds.unwrap_or_default(),
        }
    }

    /// Puts them back.
    pub fn put_rasters(&mut self, rasters: Rasters) {
        (self.bed.levels, self.initial) = (rasters.levels, rasters.initial);
        if let Roughness::Cells(cells) = &mut self.roughness {
            *cells = rasters.roughness;
        }
        if let Some(losses) = &mut self.losses {
            losses.of_cell = rasters.grounds;
        }
    }

    /// Whether discharges and velocities over the edges are to be read, by people or by tracks.
    pub fn asks_flow(&self) -> bool {
        let asked = self.keeps_discharge || self.tracks.iter().any(|track| track.flows().is_some());
        asked && self.rule.info().is_timed()
    }

    /// Whether there is such a number of every edge. A rule that remembers velocities has their discharges
    /// while it steps.
    pub fn has(&self, field: EdgeField) -> bool {
        let remembered = self.rule.remembers();
        let flows = field == EdgeField::Discharge && remembered.is_some();
        flows || remembered == Some(field) || self.asks_flow()
    }

    /// Whether a run goes on from it, or someone reads it.
    pub fn saves(&self, field: EdgeField) -> bool {
        self.rule.remembers() == Some(field) || self.asks_flow()
    }
}
