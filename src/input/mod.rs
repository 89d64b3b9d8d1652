//! Reading of user input: rasters and vector layers through GDAL, tables through the csv crate.

pub mod background;
pub mod checksum;
pub mod dem;
pub mod description;
pub mod endless;
pub mod file;
pub mod gdal_access;
pub mod logo;
pub mod notice;
pub mod raster;
pub mod sewer_file;
pub mod tables;
pub mod text;
pub mod time;
pub mod vector;
