//! Depths, and levels above the DEM's zero.

use super::kind::{Kind, finite_not_negative, number_and_rest};
use crate::error::{Error, Result};
use crate::units::{HIGHEST, Metre};

pub(super) const INCH: Metre = 0.0254;
pub(super) const FOOT: Metre = 0.3048;

pub(super) const DEPTHS: &[(&str, Metre)] =
    &[("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", INCH), ("ft", FOOT)];

/// A depth like `0.5 m`, `20 cm` or a bare number of metres; ≥ 0.
pub fn parse_depth(text: &str) -> Result<Metre> {
    finite_not_negative(parse_length(text, "a depth", "depth")?, text)
}

/// A water level above the DEM's zero like `2.4 m`, `-3 ft` or a bare number of metres.
pub fn parse_level(text: &str) -> Result<Metre> {
    let level = parse_length(text, "a level", "level")?;
    if level.abs() > HIGHEST {
        return Err(Error::input(format!("'{text}' is no height on Earth")));
    }
    Ok(level)
}

/// A depth that is lost, or a suction head, like `5 mm` (m); the unit is required, since a forgotten one
/// would lose thousands of times too much.
pub fn parse_loss(text: &str) -> Result<Metre> {
    if let Some((_, "")) = number_and_rest(text) {
        return Err(Error::input(format!("'{text}' has no unit")).hint("write it like \"5 mm\""));
    }
    finite_not_negative(parse_length(text, "a depth", "depth")?, text)
}

fn parse_length(text: &str, called: &str, of: &str) -> Result<Metre> {
    let kind = Kind { called, of, example: "0.5 m", units: DEPTHS, bare: Some(1.0) };
    kind.split(text).map(|(value, metres)| value * metres)
}
