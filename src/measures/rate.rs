//! Rates: of flow, of rain and what takes it up, of decay.

use super::kind::{Kind, finite_not_negative, number_and_rest};
use super::length::{FOOT, INCH};
use crate::error::{Error, Result};

/// What a rate is counted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Per second; needs steps with a duration.
    Second,
    /// Per step of an automaton without a duration.
    Step,
}

/// A rate: m/s or m per step for rain, m³/s or m³ per step for inflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Amount per second or per step.
    pub value: f64,
    /// Second or step.
    pub per: Per,
}

const fn in_time(value: f64) -> Rate {
    Rate { value, per: Per::Second }
}

const fn in_steps(value: f64) -> Rate {
    Rate { value, per: Per::Step }
}

/// Depths per time or step, of rain and what becomes of it.
pub(super) const RAINS: &[(&str, Rate)] = &[
    ("mm/h", in_time(0.001 / 3600.0)),
    ("mm/hr", in_time(0.001 / 3600.0)),
    ("mm/min", in_time(0.001 / 60.0)),
    ("mm/day", in_time(0.001 / 86400.0)),
    ("mm/d", in_time(0.001 / 86400.0)),
    ("in/h", in_time(INCH / 3600.0)),
    ("in/hr", in_time(INCH / 3600.0)),
    ("cm/h", in_time(0.01 / 3600.0)),
    ("in/day", in_time(INCH / 86400.0)),
    ("m/s", in_time(1.0)),
    ("mm/s", in_time(0.001)),
    ("mm/step", in_steps(0.001)),
    ("m/step", in_steps(1.0)),
];
const FLOWS: &[(&str, Rate)] = &[
    ("m3/s", in_time(1.0)),
    ("m³/s", in_time(1.0)),
    ("l/s", in_time(0.001)),
    ("m3/h", in_time(1.0 / 3600.0)),
    ("ft3/s", in_time(FOOT * FOOT * FOOT)),
    ("cfs", in_time(FOOT * FOOT * FOOT)),
    ("m3/step", in_steps(1.0)),
    ("m³/step", in_steps(1.0)),
];

/// Rates of decay (1/s).
const DECAYS: &[(&str, f64)] = &[
    ("1/h", 1.0 / 3600.0),
    ("/h", 1.0 / 3600.0),
    ("1/min", 1.0 / 60.0),
    ("/min", 1.0 / 60.0),
    ("1/day", 1.0 / 86400.0),
    ("/day", 1.0 / 86400.0),
    ("1/s", 1.0),
    ("/s", 1.0),
];

fn parse_rate(text: &str, of: &str, example: &str, units: &[(&str, Rate)]) -> Result<Rate> {
    let kind = Kind { called: &format!("a rate of {of}"), of, example, units, bare: None };
    let (value, unit) = kind.split(text)?;
    Ok(Rate { value: finite_not_negative(value * unit.value, text)?, per: unit.per })
}

/// What the ground or sewers can take, like `12 mm/h` (m/s); the unit is required.
pub fn parse_capacity(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, "infiltration", "12 mm/h", RAINS)?)
}

/// What evaporates, like `5 mm/day` (m/s); the unit is required.
pub fn parse_evaporation(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, "evaporation", "5 mm/day", RAINS)?)
}

/// A rate that cannot be one per step.
fn lasting(text: &str, rate: Rate) -> Result<f64> {
    match rate.per {
        Per::Second => Ok(rate.value),
        Per::Step => Err(Error::input(format!("'{text}' is a rate per step"))
            .hint("give a rate in time, in mm/h for example")),
    }
}

/// How fast something decays, like `4 1/h` (1/s); the unit is required.
pub fn parse_decay(text: &str) -> Result<f64> {
    let (called, of, example) = ("a decay", "decay", "4 1/h");
    let kind = Kind { called, of, example, units: DECAYS, bare: None };
    let (value, factor) = kind.split(text)?;
    finite_not_negative(value * factor, text)
}

/// An inflow like `20 m3/s` or `5 m3/step`; a bare number is m³/s.
pub fn parse_flow(text: &str) -> Result<Rate> {
    if let Some((value, "")) = number_and_rest(text) {
        return Ok(Rate { value: finite_not_negative(value, text)?, per: Per::Second });
    }
    parse_rate(text, "flow", "20 m3/s", FLOWS)
}
