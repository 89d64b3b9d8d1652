//! Surroundings of the file in docs/adding_a_site.md.

pub use inundate::engine::forcing::sites::{Given, InStep, Seen, Site};
pub use inundate::engine::rule::CudaTwin;

#[path = "src/engine/forcing/sites/weir.rs"]
pub mod weir;
