//! Quality checks of runs with timed solvers: the greatest speed and its place, the share of
//! supercritical flow, the greatest rise of a level in one step, and oscillations.

pub mod beforehand;
pub mod cfl_rates;
mod divided_cells;
pub mod figure;
pub mod judge;
pub mod limits;
mod oscillation;
mod ripples;
pub mod steady;

pub use crate::engine::run_diagnostics::{DEEP, FAST};
