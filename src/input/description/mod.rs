//! What input files declare about themselves: units, vertical references and the like. Nothing else in the program
//! looks into a file's metadata for these.

pub mod rain_values;
pub mod unit;
pub mod vertical;
