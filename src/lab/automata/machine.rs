//! A grid on its way: some technique takes its steps.

use crate::grid::{Edges, Grid};
use crate::registry::Model;
use inundate_engine::error::Result;

/// What a technique starts with.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The automaton.
    pub model: Model,
    /// What lies beyond the edge.
    pub edges: Edges,
    /// The states.
    pub grid: &'a Grid,
}

/// A grid to which a technique is applied.
pub trait Machine {
    /// Takes so many steps, and waits for them.
    ///
    /// # Errors
    /// If the device fails.
    fn step(&mut self, steps: u64) -> Result<()>;

    /// The states now.
    ///
    /// # Errors
    /// If the device fails.
    fn read(&mut self) -> Result<Grid>;
}
