//! The problem to solve: grid, bed, initial water, solver, forcing and diagnostics of a run.

use crate::boundary::OpenSides;
use crate::cell_diagnostics::CellDiagnostic;
use crate::error::{Error, Result};
use crate::forcing::Forcing;
use crate::forcing::bounds::Law;
use crate::forcing::timeline::Timeline;
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::losses::Losses;
use crate::neighbourhood::Neighbourhood;
use crate::roughness::Roughness;
use crate::solver::edge::EdgeField;
use crate::solver::{AnySolver, SOLVERS};
use crate::subgrid::lookup::fall_to_edge;
use crate::subgrid::tables::Tables;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything a backend needs to set up its state.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Problem {
    /// Geometry of the raster.
    pub grid: Grid,
    /// Bed level of each cell.
    pub bed: Bed,
    /// Initial water per cell (grains); empty for a dry start.
    pub initial: Vec<i32>,
    /// Solver of the run.
    pub solver: AnySolver,
    /// Cells with which a cell exchanges water.
    pub neighbourhood: Neighbourhood,
    /// Sides of the raster that are open.
    pub open: OpenSides,
    /// Source terms and boundary conditions.
    pub forcing: Forcing,
    /// Grain in which water is counted.
    pub grain: Grain,
    /// Depth above which water counts as arrived (grains).
    pub arrival: i32,
    /// Manning's n, for solvers with friction.
    pub roughness: Roughness,
    /// Subgrid tables of cells and edges, if any.
    pub subgrid: Option<Arc<Tables>>,
    /// Loss terms (ground, sewers, evaporation), if any.
    pub losses: Option<Losses>,
    /// Diagnostics recorded for every cell in every step.
    pub cell_diagnostics: Vec<CellDiagnostic>,
    /// Cells (row-major) whose greatest depth, its time and greatest speed are recorded.
    pub gauges: Vec<usize>,
    /// Makes discharges and velocities readable even if the solver does not keep them.
    pub keeps_discharge: bool,
}

impl Problem {
    /// Returns the [`fall_to_edge`] of its cells; 0 without subgrid tables.
    pub fn fall_to_edge(&self) -> f32 {
        self.subgrid.as_ref().map_or(0.0, |tables| fall_to_edge(tables.ratio))
    }

    /// Checks that the solver can use subgrid tables if the problem has them.
    ///
    /// # Errors
    /// If the problem has subgrid tables and the solver does not support them.
    pub fn check_solver(&self) -> Result<()> {
        let solver = self.solver.info();
        if self.subgrid.is_none() || solver.knows_tables() {
            return Ok(());
        }
        let knowing = SOLVERS.iter().filter(|solver| solver.knows_tables());
        let names: Vec<&str> = knowing.map(|solver| solver.name).collect();
        Err(Error::input(format!(
            "subgrid: {} does not support cells with finer ground",
            solver.label()
        ))
        .hint(format!("take one of the solvers {}, at first order", names.join(" and "))))
    }

    /// Returns the water level (m) of a cell holding `grains`: the bed level if dry, NaN outside
    /// the domain.
    pub fn level_of(&self, cell: usize, grains: i32) -> f64 {
        let (bed, metres) = (self.bed.levels[cell], self.grain.metres());
        match &self.subgrid {
            _ if bed == Bed::OUTSIDE => f64::NAN,
            Some(tables) => f64::from(tables.level_of(cell, grains, metres)) / Bed::PER_METRE,
            None => f64::from(bed) / Bed::PER_METRE + f64::from(grains) * f64::from(metres),
        }
    }

    /// Returns the relation of the depth gained in a step to the step length.
    pub fn law(&self) -> Law {
        Law {
            solver: self.solver,
            length: self.grid.dx.min(self.grid.dy) as f32,
            roughness: self.roughness.range(&self.bed).0,
        }
    }

    /// Returns the timeline of the forcing.
    pub fn timeline(&self) -> Timeline {
        Timeline::of(&self.forcing, self.grain, &self.bed, self.law())
    }

    /// Returns `true` if users or cell diagnostics read discharges and velocities across edges.
    pub fn asks_flow(&self) -> bool {
        let requested = self.keeps_discharge
            || self.cell_diagnostics.iter().any(|diagnostic| diagnostic.flows().is_some());
        requested && self.solver.info().is_timed()
    }

    /// Returns `true` if a run keeps this quantity for every edge. Solvers that remember velocities
    /// also have discharges while they step.
    pub fn has(&self, field: EdgeField) -> bool {
        let remembered = self.solver.remembers();
        let flows = field == EdgeField::Discharge && remembered.is_some();
        flows || remembered == Some(field) || self.asks_flow()
    }

    /// Returns `true` if steps continue from this quantity. With subgrid tables, solvers with
    /// momentum update velocities from table look-ups made once per step, so the discharge of the
    /// next step is part of the state too.
    pub fn goes_on_from(&self, field: EdgeField) -> bool {
        let stores_discharge = self.solver.has_momentum() && self.subgrid.is_some();
        self.solver.remembers() == Some(field)
            || (stores_discharge && field == EdgeField::Discharge)
    }

    /// Returns `true` if the quantity is saved: either steps continue from it or someone reads it.
    pub fn saves(&self, field: EdgeField) -> bool {
        self.goes_on_from(field) || self.asks_flow()
    }
}

/// Problems that the tests of other modules use.
#[cfg(test)]
pub mod tests {
    use super::*;

    /// Builds a closed, dry plain of `size` × `size` cells of 10 m.
    pub fn plain(size: usize) -> Problem {
        let neighbourhood = Neighbourhood::VonNeumann;
        Problem {
            grid: Grid::plain(size, size, 10.0),
            bed: Bed::from_metres(vec![0.0; size * size]),
            initial: Vec::new(),
            solver: crate::solver::aqua_graph::INFO.solver(neighbourhood, None),
            neighbourhood,
            open: OpenSides::CLOSED,
            forcing: Forcing::default(),
            grain: Grain::Fine,
            arrival: 0,
            roughness: Roughness::default(),
            subgrid: None,
            losses: None,
            cell_diagnostics: Vec::new(),
            gauges: Vec::new(),
            keeps_discharge: false,
        }
    }
}
