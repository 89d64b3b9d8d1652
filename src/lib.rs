//! Flood model on rasters.
pub mod backend;
pub mod boundary;
pub mod clock;
pub mod error;
pub mod forcing;
pub mod gdal_log;
pub mod grains;
pub mod grid;
pub mod input;
pub mod lanes;
pub mod layers;
pub mod ledger;
pub mod neighbourhood;
pub mod rule;
pub mod simulation;
pub mod tiling;
pub mod units;
