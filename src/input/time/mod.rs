//! Dates and times in input files.

pub mod declared_zone;
pub mod stamp;
pub mod wall_time;
