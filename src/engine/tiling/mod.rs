//! Cutting the grid into tiles, and keeping their halos up to date.

pub mod halo;
pub mod plan;
pub mod visit;
