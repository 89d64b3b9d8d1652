//! Writing results: each file whole or not at all.

pub mod features;
pub mod folder;
pub mod geotiff;
pub mod project;
pub mod small;
pub mod style;
pub mod tables;
pub mod wall;
