//! Colours of values, as data: [`palette`] defines them, [`classes`] chooses round values that fit
//! the data, `breaks` the class breaks of amounts, [`scale`] combines them for the [`quantities`],
//! `qml` writes QGIS styles, and `paint` colours values.

mod both_ways;
mod breaks;
pub mod classes;
mod fixed;
mod paint;
pub mod palette;
mod qml;
pub mod quantities;
pub mod scale;
pub mod scales;
pub mod spread;

pub use scale::{Choice, Scale};
pub use scales::Scales;
pub use spread::Spread;

use serde::{Deserialize, Deserializer, Serialize};

/// NoData value of every output raster; it has no colour.
pub const NODATA: f32 = -9999.0;

/// Red, green, blue and opacity, 0 to 255.
pub type Colour = [u8; 4];

/// A colour at a value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Stop {
    /// Value; the last one of classes may be infinite, which is `null` in JSON.
    #[serde(deserialize_with = "or_infinite")]
    pub value: f64,
    /// Colour at the value.
    pub colour: Colour,
    /// Label in the legend.
    pub label: String,
}

/// Interpolation between the stops of a ramp.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blend {
    /// Colours are interpolated; values beyond the ends have the colour of the end.
    Smooth,
    /// Classes: a stop colours the values above the previous stop, up to its own.
    UpTo,
    /// No interpolation: only the values of the stops occur.
    Exact,
}

/// Colours of a range of values.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Ramp {
    /// Interpolation between the stops.
    pub blend: Blend,
    /// Stops in ascending order of their values.
    pub stops: Vec<Stop>,
}

fn or_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
