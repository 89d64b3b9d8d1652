//! How well a result fits another result or what was observed: `inundate compare`.
//!
//! [`raster`] reads depths, [`extent`] and [`observed`] what was observed, all brought onto the
//! result's grid; [`maps`], [`points`] and [`series`] take the figures of [`metrics`]; [`difference`] writes a
//! map of where the two part.

pub mod difference;
pub mod extent;
pub mod maps;
pub mod metrics;
pub mod observed;
pub mod points;
pub mod raster;
pub mod series;
pub mod vector;
