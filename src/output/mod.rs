//! Writing results: each file whole or not at all.

pub mod compression;
pub mod features;
pub mod folder;
pub mod geotiff;
pub mod overviews;
pub mod project;
pub mod small;
pub mod statistics;
pub mod style;
pub mod tables;
pub mod wall;
