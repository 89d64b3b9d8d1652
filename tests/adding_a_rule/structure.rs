//! Surroundings of the file in docs/adding_a_structure.md.

pub use inundate::engine::forcing::sites::InStep;
pub use inundate::engine::forcing::structures::{Heads, NUMBERS, OnEdge};
pub use inundate::engine::rule::CudaTwin;

#[path = "src/engine/forcing/structures/orifice.rs"]
pub mod orifice;
