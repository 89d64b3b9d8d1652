//! Surroundings of the file in docs/adding_a_structure.md.

pub use inundate::engine::forcing::sites::StepContext;
pub use inundate::engine::forcing::structures::{FaceHeads, NUMBERS, StructureLaw};
pub use inundate::engine::solver::CudaTwin;

#[path = "src/engine/forcing/structures/orifice.rs"]
pub mod orifice;
