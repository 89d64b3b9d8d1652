//! Colours of values, as data: [`palette`] names them, [`classes`] chooses round values that follow the data, `breaks` those
//! that part amounts, [`scale`] puts them together for the [`quantities`], `qml` writes them as a style for QGIS, and `paint` gives values their colours.

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

/// NoData of every output raster: it has no colour.
pub const NODATA: f32 = -9999.0;

/// Red, green, blue and opacity, 0 to 255.
pub type Colour = [u8; 4];

/// A colour at a value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Stop {
    /// The value; the last one of classes may be infinite, which is `null` in JSON.
    #[serde(deserialize_with = "or_infinite")]
    pub value: f64,
    /// Its colour.
    pub colour: Colour,
    /// What the legend says.
    pub label: String,
}

/// What is between the stops of a ramp.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blend {
    /// Colours that go over into each other; beyond the ends that of the end.
    Smooth,
    /// Classes: a stop colours the values up to it, down to the stop before.
    UpTo,
    /// Nothing: values are those of the stops.
    Exact,
}

/// The colours of values.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Ramp {
    /// What is between the stops.
    pub blend: Blend,
    /// Stops, their values ascending.
    pub stops: Vec<Stop>,
}

fn or_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
