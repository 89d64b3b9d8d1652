//! What input files declare about themselves: units, vertical references and the like. Nothing else
//! in the program looks into a file's metadata for these.

pub mod attributes;
pub mod axes;
mod bounds;
mod cf_time;
pub mod fields;
pub mod gaps;
pub mod grib;
pub mod interval;
pub mod mass_curve;
pub mod meaning;
pub mod missing;
pub mod order;
pub mod rain_values;
pub mod unit;
pub mod vertical;
