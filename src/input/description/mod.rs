//! Metadata that inputs declare about themselves.

pub mod rain_values;
