//! Reading what the user gives: rasters and vector layers through GDAL, tables through the csv crate.

mod axes;
pub mod band_times;
pub mod bundled;
pub mod burn;
pub mod checksum;
pub mod class_table;
pub mod dem;
pub mod dialect;
mod distortion;
pub mod frames;
pub mod layer;
pub mod loss_table;
mod marker;
mod mend;
mod on_earth;
pub mod pixels;
pub mod place;
pub mod raster;
pub mod rating;
pub mod table;
pub mod vector;
pub mod warp;
pub mod when;
pub mod whereabouts;
