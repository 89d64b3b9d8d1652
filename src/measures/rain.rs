//! Rain, as a rate or as a depth per interval.

use super::per::Per;
use super::quantity::{finite_not_negative, not_a, number_and_rest, unknown_unit};
use super::rate::Rate;
use super::unit::{Dimensions, Unit};
use crate::error::{Error, Result};
use crate::units::Metre;

/// Rain units listed in messages: rates, and depths.
const RATES: &str = "mm/h, mm/min, mm/day, mm/15min, in/h, cm/h, m/s, kg m-2 s-1, mm/step";
const DEPTHS: &str = "mm, cm, m, in, kg m-2";

/// Unit of rain: a rate, or a depth per interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RainUnit {
    /// A rate: factor to m per second or per step.
    Rate(Rate),
    /// A depth per interval: factor to metres.
    Depth(Metre),
}

/// Reads a unit of rain: a rate like `mm/h`, `in/h` or `mm/15min`, or a depth like `mm` per
/// interval. One kilogram of water per square metre is one millimetre.
pub fn parse_rain_unit(unit: &str) -> Result<RainUnit> {
    const DEPTH: Dimensions = Dimensions { length: 3, mass: 0, time: 0, steps: 0 };
    let found = Unit::parse(unit).map(Unit::as_water);
    let rate = |value, per| Some(RainUnit::Rate(Rate { value, per }));
    let counted = found.and_then(|Unit { size, of }| match of {
        DEPTH => Some(RainUnit::Depth(size)),
        Dimensions { time: -3, steps: 0, .. } if (Dimensions { time: 0, ..of }) == DEPTH => {
            rate(size, Per::Second)
        }
        Dimensions { time: 0, steps: -3, .. } if (Dimensions { steps: 0, ..of }) == DEPTH => {
            rate(size, Per::Step)
        }
        _ => None,
    });
    counted
        .ok_or_else(|| Error::input(format!("'{unit}' is not a unit of rain")).hint(rain_units()))
}

/// Lists the units of rain, for hints.
pub fn rain_units() -> String {
    format!("units of rain: {RATES}; of depths in an interval: {DEPTHS}")
}

/// Reads rain like `50 mm/h`, `4 mm/15min` or, as a depth per interval, `4 mm`; the unit is
/// required.
pub fn parse_rain_amount(text: &str) -> Result<RainUnit> {
    let (value, unit) = number_and_rest(text)
        .ok_or_else(|| not_a("a rate of rain", text, "50 mm/h").hint_also(rain_units()))?;
    let counted = parse_rain_unit(unit).map_err(|_| unknown_unit("rain", text, unit, RATES))?;
    Ok(match counted {
        RainUnit::Rate(Rate { value: factor, per }) => {
            RainUnit::Rate(Rate { value: finite_not_negative(value * factor, text)?, per })
        }
        RainUnit::Depth(factor) => RainUnit::Depth(finite_not_negative(value * factor, text)?),
    })
}

/// Reads a rain rate like `50 mm/h`, `4 mm/15min` or `0.2 mm/step`; the unit is required.
pub fn parse_rain(text: &str) -> Result<Rate> {
    match parse_rain_amount(text)? {
        RainUnit::Rate(rate) => Ok(rate),
        RainUnit::Depth(_) => {
            let text = text.trim();
            Err(Error::input(format!("'{text}' is a depth, without the time in which it falls"))
                .hint(format!(
                    "give a rate, \"{text}/h\", or for a depth in 6 hours \"{text}/6h\"; a storm that lasts 6 hours: \"design:{text}/6h/chicago:0.4\""
                )))
        }
    }
}
