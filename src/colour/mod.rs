//! Colours of values, as data: [`palette`] names them, [`classes`] chooses round values that follow the data, [`scale`]
//! puts the two together for the [`quantities`], and `qml` writes them as a style for QGIS, which the report reads, too.

pub mod classes;
pub mod palette;
mod qml;
pub mod quantities;
pub mod scale;
pub mod scales;
pub mod spread;

pub use scale::{Choice, Scale};
pub use scales::Scales;
pub use spread::Spread;

/// NoData of every output raster: it has no colour.
pub const NODATA: f32 = -9999.0;

/// Red, green, blue and opacity, 0 to 255.
pub type Colour = [u8; 4];

/// A colour at a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The value; the last one of classes may be infinite.
    pub value: f64,
    /// Its colour.
    pub colour: Colour,
    /// What the legend says.
    pub label: String,
}

/// What is between the stops of a ramp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// Colours that go over into each other; beyond the ends that of the end.
    Smooth,
    /// Classes: a stop colours the values up to it, down to the stop before.
    UpTo,
    /// Nothing: values are those of the stops.
    Exact,
}

/// The colours of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    /// What is between the stops.
    pub blend: Blend,
    /// Stops, their values ascending.
    pub stops: Vec<Stop>,
}
