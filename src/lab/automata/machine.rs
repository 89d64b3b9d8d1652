//! Interface of a running automaton, whose steps are taken by some technique.

use crate::grid::{Edges, Grid};
use crate::registry::Model;
use inundate_engine::error::Result;

/// Initial data of a technique.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// Automaton to run.
    pub model: Model,
    /// Boundary condition of the grid.
    pub edges: Edges,
    /// Initial states of the cells.
    pub grid: &'a Grid,
}

/// A grid that is stepped by a technique.
pub trait Machine {
    /// Takes `steps` steps and waits for their completion.
    ///
    /// # Errors
    /// If the device fails.
    fn step(&mut self, steps: u64) -> Result<()>;

    /// Returns the present states.
    ///
    /// # Errors
    /// If the device fails.
    fn read(&mut self) -> Result<Grid>;
}
