//! `src/engine/solver/mod.rs` after the changes of docs/adding_a_solver.md, with only the page's solver
//! in the registry.
#![allow(dead_code)]

#[macro_use]
#[path = "../../src/engine/solver/registry.rs"]
mod registry;

#[path = "src/engine/solver/linear.rs"]
pub mod linear;

pub use inundate::engine::solver::{CellSolver, G, Solver, cfl, edge, momentum};
pub(crate) use registry::cuda_twin;
pub use registry::{CudaTwin, SolverInfo, SolverKind, WithSolver};

registry! {
    Linear: linear::Linear, cell, linear::INFO;
}
