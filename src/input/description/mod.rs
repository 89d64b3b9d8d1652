//! Metadata that inputs declare about themselves.

pub mod gaps;
pub mod mass_curve;
pub mod missing;
pub mod rain_values;
