//! Solvers: how water moves in one step.
//!
//! There are three kinds. A *cell solver* ([`CellSolver`]) computes the transfers from a cell to
//! its neighbours: the automata of the papers, whose steps have no physical duration. An *edge
//! solver* ([`edge::EdgeSolver`]) computes the flux across the edge between two cells in a step of
//! known duration, and the longest step that the edge allows. A solver *with momentum*
//! ([`momentum::MomentumSolver`]) computes the flux from the velocity on the edge, and then updates
//! that velocity.
//!
//! A solver works on two or three cells; it does not depend on the raster, the device or files. It
//! consists of f32 operations that are correctly rounded (+ − × ÷ √, explicit fused multiply-adds,
//! comparisons, selects), so that every processor computes identical bits, for any number of lanes
//! ([`crate::lanes`]). The backend rounds to whole grains and conserves volume, in the same way for
//! all solvers ([`crate::grains`]).
//!
//! To add a solver: one file here, its twin in `kernels/solvers/`, one line in the registry at the
//! end of this file (docs/adding_a_solver.md).

use crate::lanes::Real;

#[macro_use]
mod registry;

pub mod aqua_graph;
pub mod aqua_manning;
pub mod cfl;
pub mod edge;
pub mod ground;
pub mod inertial;
pub mod level_minimization;
pub mod momentum;
pub mod roots;
pub mod shallow_water;
pub mod water_filling;

pub(crate) use registry::cuda_twin;
pub use registry::{CudaTwin, SolverInfo, SolverKind, WithSolver};

/// Minimum relaxation α. Below it a drop of a metre moves only a few grains, and the kernels'
/// quotient would leave the range in which it is correctly rounded (kernels/arithmetic.cuh).
pub const LEAST_ALPHA: f64 = 1e-6;

/// Acceleration of gravity (m/s²).
pub const G: f32 = 9.81;

/// √g (m^½/s): the wave celerity on water 1 m deep.
pub const ROOT_G: f32 = 3.132_092;

/// Base trait of all solvers.
pub trait Solver: Copy + Send + Sync {
    /// Returns the solver's parameters, in the order in which its CUDA twin reads them.
    fn parameters(self) -> [f32; 4];
}

/// A solver without memory that computes the transfers from a cell: depths in, transfers out.
///
/// All lengths share one unit; the solver must not depend on it (the engine uses grains).
pub trait CellSolver: Solver {
    /// Set if the solver uses [`CellSolver::edge`]; otherwise the engine skips it.
    const NEEDS_EDGE: bool;

    /// Computes a quantity of an edge that both its cells use, from the level difference
    /// `difference` (length) between the two cells, of either sign. It must be odd in the
    /// difference: the cell on the other side sees its negative.
    fn edge<V: Real>(self, difference: V) -> V;

    /// Computes the depth of water (length) given to each of the `K` neighbours (4 or 8, in the
    /// order of [`crate::neighbourhood::offset`]) by a cell of depth `depth` (length). `drop`
    /// (length) is the level difference down to each neighbour (0 if it is not lower); `edge` is
    /// [`CellSolver::edge`] of each, seen from the cell. The result must be ≥ 0, and 0 for a drop
    /// of 0 or a dry cell; its sum must not exceed `depth`.
    fn give<V: Real, const K: usize>(self, depth: V, drop: [V; K], edge: [V; K]) -> [V; K];
}

// The registry: one line per solver.
registry! {
    ShallowWater: shallow_water::ShallowWater<1>, momentum, shallow_water::INFO;
    ShallowWater2: shallow_water::ShallowWater<2>, momentum, shallow_water::SECOND;
    Inertial: inertial::Inertial, edge, inertial::INFO;
    AquaManning: aqua_manning::AquaManning, edge, aqua_manning::INFO;
    AquaGraph: aqua_graph::AquaGraph, cell, aqua_graph::INFO;
    LevelMinimization: level_minimization::LevelMinimization, cell, level_minimization::INFO;
}

/// Finds the solver of that name, at first order in space if it has several orders.
pub fn find(name: &str) -> Option<&'static SolverInfo> {
    find_order(name, 1)
}

/// Finds the solver of that name and order in space.
pub fn find_order(name: &str, order: u32) -> Option<&'static SolverInfo> {
    SOLVERS.iter().copied().find(|solver| solver.name == name && solver.order == order)
}

/// Returns the names of all solvers, each once.
pub fn names() -> Vec<&'static str> {
    SOLVERS.iter().filter(|solver| solver.order == 1).map(|solver| solver.name).collect()
}
