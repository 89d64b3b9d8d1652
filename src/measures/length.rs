//! Depths, and levels above the DEM's zero.

use super::quantity::{DEPTH, LEVEL, Quantity, finite_not_negative, is_bare};
use crate::error::{Error, Result};
use crate::units::{HIGHEST, Metre};

/// Reads a depth like `0.5 m`, `20 cm` or a bare number of metres; ≥ 0.
pub fn parse_depth(text: &str) -> Result<Metre> {
    finite_not_negative(parse_length(text, &DEPTH)?, text)
}

/// Reads a water level above the DEM's zero like `2.4 m`, `-3 ft` or a bare number of metres.
pub fn parse_level(text: &str) -> Result<Metre> {
    let level = parse_length(text, &LEVEL)?;
    if level.abs() > HIGHEST {
        return Err(Error::input(format!("'{text}' is not a height on Earth")));
    }
    Ok(level)
}

/// Reads a loss depth or a suction head like `5 mm` (m). The unit is required: reading millimetres
/// as metres would overestimate the loss a thousandfold.
pub fn parse_loss(text: &str) -> Result<Metre> {
    if is_bare(text) {
        return Err(Error::input(format!("'{text}' has no unit")).hint("write it like \"5 mm\""));
    }
    parse_depth(text)
}

fn parse_length(text: &str, quantity: &Quantity) -> Result<Metre> {
    quantity.read(text, Some(1.0)).map(|(value, metres, _)| value * metres)
}
