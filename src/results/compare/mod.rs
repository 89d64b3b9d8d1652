//! Comparison of a result with another result or with observations: `inundate compare`.
//!
//! [`raster`] reads depths, [`extent`] and [`observed`] read observations, all mapped onto the
//! result's grid; [`levels`] finds the result's water levels; [`maps`], [`points`] and [`series`] compute the [`metrics`]; [`difference`]
//! writes a map of the differences.

pub mod difference;
pub mod extent;
pub mod levels;
pub mod maps;
pub mod metrics;
pub mod observed;
pub mod points;
pub mod raster;
pub mod series;
pub mod vector;
