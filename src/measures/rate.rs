//! Rates of flow, rain, infiltration, evaporation and decay.

use super::per::Per;
use super::quantity::{CAPACITY, DECAY, EVAPORATION, FLOW, Quantity, finite_not_negative, is_bare};
use crate::error::{Error, Result};

/// A rate: m/s or m per step for rain, m³/s or m³ per step for inflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Amount per second or per step.
    pub value: f64,
    /// Time base: second or step.
    pub per: Per,
}

fn parse_rate(text: &str, quantity: &Quantity) -> Result<Rate> {
    let (value, size, per) = quantity.read(text, None)?;
    Ok(Rate { value: finite_not_negative(value * size, text)?, per })
}

/// Reads an infiltration or drainage capacity like `12 mm/h` (m/s); the unit is required.
pub fn parse_capacity(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, &CAPACITY)?)
}

/// Reads an evaporation rate like `5 mm/day` (m/s); the unit is required.
pub fn parse_evaporation(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, &EVAPORATION)?)
}

/// Returns a rate per second; refuses a rate per step.
fn lasting(text: &str, rate: Rate) -> Result<f64> {
    match rate.per {
        Per::Second => Ok(rate.value),
        Per::Step => Err(Error::input(format!("'{text}' is a rate per step"))
            .hint("give a rate in time, in mm/h for example")),
    }
}

/// Reads a decay rate like `4 1/h` (1/s); the unit is required.
pub fn parse_decay(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, &DECAY)?)
}

/// Reads an inflow like `20 m3/s` or `5 m3/step`; a bare number is in m³/s.
pub fn parse_flow(text: &str) -> Result<Rate> {
    let (value, size, per) = FLOW.read(text, is_bare(text).then_some(1.0))?;
    Ok(Rate { value: finite_not_negative(value * size, text)?, per })
}
