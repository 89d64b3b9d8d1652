//! Rain: as a rate, or as a depth that falls in an interval.

use super::kind::{finite_not_negative, not_a, number_and_rest, unknown_unit};
use super::length::DEPTHS;
use super::rate::{Per, RAINS, Rate};
use super::time::parse_duration;
use crate::error::{Error, Result};
use crate::units::Metre;

/// Units of rain as NetCDF and GRIB files spell them; a kilogram of water on a square metre is a millimetre.
const SPELLINGS: &[(&str, &str)] = &[
    ("mm h-1", "mm/h"),
    ("mm hr-1", "mm/h"),
    ("mm h^-1", "mm/h"),
    ("mm/hour", "mm/h"),
    ("mm s-1", "mm/s"),
    ("mm d-1", "mm/day"),
    ("mm day-1", "mm/day"),
    ("m s-1", "m/s"),
    ("kg m-2", "mm"),
    ("kg/m2", "mm"),
    ("kg/m^2", "mm"),
    ("kg m**-2", "mm"),
    ("kg m-2 s-1", "mm/s"),
    ("kg/m2/s", "mm/s"),
    ("kg m**-2 s**-1", "mm/s"),
    ("inches", "in"),
    ("millimeter", "mm"),
    ("millimeters", "mm"),
];
/// Depths in which rain is counted.
const RAIN_DEPTHS: [&str; 4] = ["mm", "cm", "m", "in"];

/// Rain as it is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RainUnit {
    /// A rate: the factor to m per second or step.
    Rate(Rate),
    /// A depth that falls in an interval: the factor to metres.
    Depth(Metre),
}

/// A unit of rain: a rate like `mm/h`, `in/h` or `mm/15min`, or a depth like `mm` per interval.
pub fn parse_rain_unit(unit: &str) -> Result<RainUnit> {
    let plain = unit.trim();
    let spelled = SPELLINGS.iter().find(|(name, _)| *name == plain);
    let plain = spelled.map_or(plain, |(_, unit)| unit);
    if let Some((_, rate)) = RAINS.iter().find(|(name, _)| *name == plain) {
        return Ok(RainUnit::Rate(*rate));
    }
    let depth = |name: &str| {
        let known = DEPTHS.iter().find(|(known, _)| *known == name && RAIN_DEPTHS.contains(&name));
        known.map(|(_, metres)| *metres)
    };
    if let Some(metres) = depth(plain) {
        return Ok(RainUnit::Depth(metres));
    }
    // A depth in an interval: mm/15min, in/6h.
    let rate = plain.split_once('/').and_then(|(length, interval)| {
        let metres = depth(length.trim())?;
        let interval = interval.trim();
        let seconds = match interval.starts_with(|c: char| c.is_ascii_digit()) {
            true if interval.ends_with(char::is_alphabetic) => parse_duration(interval).ok()?,
            true => return None,
            false => parse_duration(&format!("1 {interval}")).ok()?,
        };
        (seconds > 0.0).then_some(Rate { value: metres / seconds, per: Per::Second })
    });
    rate.map(RainUnit::Rate).ok_or_else(|| {
        Error::input(format!("'{unit}' is not a unit of rain")).hint(format!(
            "units of rain: {}; {} in an interval",
            rain_units().join(", "),
            RAIN_DEPTHS.join(", ")
        ))
    })
}

/// The units of rates of rain, for messages.
pub fn rain_units() -> Vec<&'static str> {
    RAINS.iter().map(|(name, ..)| *name).chain(["mm/15min"]).collect()
}

/// Rain like `50 mm/h`, `4 mm/15min` or, in an interval that is not said, `4 mm`; the unit is required.
pub fn parse_rain_amount(text: &str) -> Result<RainUnit> {
    let (value, unit) = number_and_rest(text).ok_or_else(|| {
        let units = format_args!("; units of rain: {}", rain_units().join(", "));
        not_a("a rate of rain", text, "50 mm/h").hint_also(units)
    })?;
    let known = rain_units();
    let counted = parse_rain_unit(unit).map_err(|_| unknown_unit("rain", text, unit, &known))?;
    Ok(match counted {
        RainUnit::Rate(Rate { value: factor, per }) => {
            RainUnit::Rate(Rate { value: finite_not_negative(value * factor, text)?, per })
        }
        RainUnit::Depth(factor) => RainUnit::Depth(finite_not_negative(value * factor, text)?),
    })
}

/// A rain rate like `50 mm/h`, `4 mm/15min` or `0.2 mm/step`; the unit is required.
pub fn parse_rain(text: &str) -> Result<Rate> {
    match parse_rain_amount(text)? {
        RainUnit::Rate(rate) => Ok(rate),
        RainUnit::Depth(_) => {
            let (_, unit) = number_and_rest(text).unwrap_or_default();
            Err(unknown_unit("rain", text, unit, &rain_units()))
        }
    }
}
