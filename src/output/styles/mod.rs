//! The style of each quantity, by its name.

use crate::layers::Style;

/// Depths: blues, dry cells transparent.
pub const DEPTH: Style = Style::Fixed(include_str!("depth.qml"));
/// Arrival times, from dark (early) to light (late).
pub const ARRIVAL: Style = Style::Ranged(include_str!("arrival.qml"));
/// Levels of the water surface, over what is there.
pub const LEVEL: Style = Style::Between(include_str!("level.qml"));
/// When the water was deepest, from blue (early) to yellow (late).
pub const TIME_OF_MAX: Style = Style::Ranged(include_str!("time_of_max.qml"));
/// How long cells were wet.
pub const DURATION: Style = Style::Ranged(include_str!("duration.qml"));
/// Speeds (m/s).
pub const VELOCITY: Style = Style::Fixed(include_str!("velocity.qml"));
/// Velocities (m/s), east positive.
pub const VELOCITY_X: Style = Style::Fixed(include_str!("velocity_x.qml"));
/// Velocities (m/s), north positive.
pub const VELOCITY_Y: Style = Style::Fixed(include_str!("velocity_y.qml"));
/// Discharges per metre of width (m²/s).
pub const UNIT_DISCHARGE: Style = Style::Fixed(include_str!("unit_discharge.qml"));
/// Hazard ratings in the classes of DEFRA and Environment Agency, FD2320/TR2 (2005), table 13.1.
pub const HAZARD: Style = Style::Fixed(include_str!("hazard.qml"));
/// Hazard classes H1 to H6 of the Australian Institute for Disaster Resilience, Guideline 7-3 (2017).
pub const AIDR: Style = Style::Fixed(include_str!("aidr.qml"));
/// Depths that went into the ground.
pub const INFILTRATION: Style = Style::Ranged(include_str!("infiltration.qml"));
