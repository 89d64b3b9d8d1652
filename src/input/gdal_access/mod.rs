//! Access to files through GDAL: datasets, messages, options, and protection against other machines.

pub(crate) mod dataset;
pub mod gdal_log;
pub mod gdal_option;
mod network;
pub mod own_gdal;
pub mod remote;
pub(in crate::input) mod vrt;
