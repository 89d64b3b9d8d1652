//! Reading what the user gives: rasters and vector layers through GDAL, tables through the csv crate.

pub mod band_times;
pub mod bundled;
pub mod burn;
pub mod checksum;
pub mod class_table;
pub mod clip;
pub mod dem;
pub mod dialect;
pub mod frames;
pub mod layer;
pub mod loss_table;
mod on_earth;
pub mod pixels;
pub mod place;
pub mod raster;
pub mod rating;
pub mod remote;
pub mod table;
pub mod text;
pub mod vector;
mod vrt;
pub mod warp;
pub mod when;
