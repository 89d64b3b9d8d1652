//! Self-descriptions of input files: units, vertical references and other metadata. No other module
//! reads these from a file's metadata.

pub mod attributes;
pub mod axes;
mod bounds;
mod cf_time;
pub mod esri_corner;
pub mod fields;
pub mod gaps;
pub mod grib;
pub mod interval;
pub mod mass_curve;
pub mod meaning;
pub mod missing;
pub mod netcdf;
pub mod order;
pub mod rain_values;
mod sources;
pub mod spacing;
pub mod unit;
pub mod valid_values;
pub mod vertical;
