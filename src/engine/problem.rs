//! What is to be computed.

use crate::boundary::OpenEdges;
use crate::error::{Error, Result};
use crate::forcing::Forcing;
use crate::forcing::bounds::Law;
use crate::forcing::timeline::Timeline;
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::losses::Losses;
use crate::neighbourhood::Neighbourhood;
use crate::roughness::Roughness;
use crate::rule::edge::EdgeField;
use crate::rule::{AnyRule, RULES};
use crate::subgrid::tables::Tables;
use crate::track::Track;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything a backend needs to set up its state.
#[derive(Clone, Debug, Deserialize, Serialize)]
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
    /// Tables of the finer ground in cells and edges, if they have it.
    pub subgrid: Option<Arc<Tables>>,
    /// What ground, sewers and air take, if anything.
    pub losses: Option<Losses>,
    /// What is recorded for every cell in every step.
    pub tracks: Vec<Track>,
    /// Cells of the grid, row-major, of which the greatest depth and speed and the time of the depth are recorded.
    pub gauges: Vec<usize>,
    /// Whether discharges and velocities can be read, also where the rule itself does not remember them.
    pub keeps_discharge: bool,
}

impl Problem {
    /// That its rule knows the ground in its cells.
    ///
    /// # Errors
    /// If they have tables of finer ground, and it does not.
    pub fn check_rule(&self) -> Result<()> {
        let rule = self.rule.info();
        if self.subgrid.is_none() || rule.knows_tables() {
            return Ok(());
        }
        let knowing = RULES.iter().filter(|rule| rule.knows_tables());
        let names: Vec<&str> = knowing.map(|rule| rule.name).collect();
        Err(Error::input(format!(
            "subgrid: {} does not know cells with finer ground in them",
            rule.label()
        ))
        .hint(format!("take one of the rules {}, at first order", names.join(" and "))))
    }

    /// The level of a cell with so much water (m): of its bed where it is dry, NaN outside the domain.
    pub fn level_of(&self, cell: usize, grains: i32) -> f64 {
        let (bed, metres) = (self.bed.levels[cell], self.grain.metres());
        match &self.subgrid {
            _ if bed == Bed::OUTSIDE => f64::NAN,
            Some(tables) => f64::from(tables.level_of(cell, grains, metres)) / Bed::PER_METRE,
            None => f64::from(bed) / Bed::PER_METRE + f64::from(grains) * f64::from(metres),
        }
    }

    /// What its forcing brings when.
    pub fn timeline(&self) -> Timeline {
        let law = Law {
            rule: self.rule,
            length: self.grid.dx.min(self.grid.dy) as f32,
            roughness: self.roughness.range(&self.bed).0,
        };
        Timeline::of(&self.forcing, self.grain, &self.bed, law)
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

    /// Whether steps go on from it. Where velocities are updated by tables, so that these are looked up once a step, they say with what
    /// discharge the water moves next, too.
    pub fn goes_on_from(&self, field: EdgeField) -> bool {
        let told = self.rule.has_momentum() && self.subgrid.is_some();
        self.rule.remembers() == Some(field) || (told && field == EdgeField::Discharge)
    }

    /// Whether a run goes on from it, or someone reads it.
    pub fn saves(&self, field: EdgeField) -> bool {
        self.goes_on_from(field) || self.asks_flow()
    }
}

/// What other modules' tests lay out.
#[cfg(test)]
pub mod tests {
    use super::*;

    /// A closed, dry plain of `size` × `size` cells of 10 m.
    pub fn plain(size: usize) -> Problem {
        let neighbourhood = Neighbourhood::VonNeumann;
        Problem {
            grid: Grid::plain(size, size, 10.0),
            bed: Bed::from_metres(vec![0.0; size * size]),
            initial: Vec::new(),
            rule: crate::rule::aqua_graph::INFO.rule(neighbourhood, None),
            neighbourhood,
            open: OpenEdges::CLOSED,
            forcing: Forcing::default(),
            grain: Grain::Fine,
            arrival: 0,
            roughness: Roughness::default(),
            subgrid: None,
            losses: None,
            tracks: Vec::new(),
            gauges: Vec::new(),
            keeps_discharge: false,
        }
    }
}
