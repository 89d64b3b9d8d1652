//! Surroundings of the file in docs/adding_a_site.md.

pub use inundate::engine::forcing::sites::{CellView, Site, SiteParameters, StepContext};
pub use inundate::engine::solver::CudaTwin;

#[path = "src/engine/forcing/sites/weir.rs"]
pub mod weir;
