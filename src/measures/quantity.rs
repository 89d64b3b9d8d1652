//! Physical quantities: name, unit of storage, and accepted units of an input.

use super::per::Per;
use super::unit::{Dimensions, Unit};
use crate::error::{Error, Result};

/// A physical quantity.
#[derive(Debug, PartialEq)]
pub struct Quantity {
    /// Name with an article, for messages.
    called: &'static str,
    /// Name in `units of …`.
    pub of: &'static str,
    /// Unit in which rasters are held, and which is assumed if none is declared.
    pub unit: &'static str,
    /// Example value with its unit, for messages.
    example: &'static str,
    /// Units listed in messages; other spellings and other units of the same dimensions are
    /// accepted too.
    accepted: &'static str,
}

const LENGTHS: &str = "m, cm, mm, in, ft";
const RATES: &str = "mm/h, mm/min, mm/day, in/h, cm/h, m/s, kg m-2 s-1";

/// Height of the ground, or level above the DEM's zero.
pub static HEIGHT: Quantity = Quantity {
    called: "a height",
    of: "height",
    unit: "m",
    example: "0.5 m",
    accepted: "m, dm, cm, mm, ft, us-ft, in",
};
/// Level above the DEM's zero.
pub static LEVEL: Quantity =
    Quantity { called: "a level", of: "level", unit: "m", example: "0.5 m", accepted: LENGTHS };
/// Depth of water, or a length.
pub static DEPTH: Quantity =
    Quantity { called: "a depth", of: "depth", unit: "m", example: "0.5 m", accepted: LENGTHS };
/// Depth lost to the ground or to storage, or a suction head.
pub static LOSS: Quantity =
    Quantity { called: "a depth", of: "depth", unit: "mm", example: "5 mm", accepted: LENGTHS };
/// Infiltration or drainage capacity.
pub static CAPACITY: Quantity = Quantity {
    called: "a rate of infiltration",
    of: "infiltration",
    unit: "mm/h",
    example: "12 mm/h",
    accepted: RATES,
};
/// Evaporation.
pub static EVAPORATION: Quantity = Quantity {
    called: "a rate of evaporation",
    of: "evaporation",
    unit: "mm/day",
    example: "5 mm/day",
    accepted: RATES,
};
/// Decay rate.
pub static DECAY: Quantity = Quantity {
    called: "a decay",
    of: "decay",
    unit: "1/h",
    example: "4 1/h",
    accepted: "1/h, 1/min, 1/day, 1/s",
};
/// Flow rate.
pub static FLOW: Quantity = Quantity {
    called: "a rate of flow",
    of: "flow",
    unit: "m3/s",
    example: "20 m3/s",
    accepted: "m3/s, l/s, m3/h, ft3/s, cfs, m3/step",
};
/// Flow per step, for steps without a duration.
pub static FLOW_PER_STEP: Quantity = Quantity {
    called: "a flow per step",
    of: "flow per step",
    unit: "m3/step",
    example: "5 m3/step",
    accepted: "m3/step",
};
/// Volume of water.
pub static VOLUME: Quantity = Quantity {
    called: "a volume",
    of: "volume",
    unit: "m3",
    example: "2.5e6 m3",
    accepted: "m3, hm3, km3, Ml, acre-ft",
};
/// Manning's roughness coefficient n.
pub static ROUGHNESS: Quantity = Quantity {
    called: "a Manning's n",
    of: "Manning's n",
    unit: "s/m^(1/3)",
    example: "0.03",
    accepted: "s/m^(1/3)",
};
/// A number without a unit, such as a porosity or a curve number.
pub static NUMBER: Quantity = Quantity {
    called: "a number",
    of: "a plain number",
    unit: "1",
    example: "0.3",
    accepted: "1, %",
};

impl Quantity {
    fn own(&self) -> Unit {
        Unit::parse(self.unit).expect("a quantity's own unit is known").as_water()
    }

    /// Returns the size of a unit of this quantity in SI, and whether it is per second or per step;
    /// `None` if the unit measures another quantity.
    pub(super) fn size(&self, unit: &str) -> Option<(f64, Per)> {
        let unit = Unit::parse(unit)?.as_water();
        let in_time = |of: Dimensions| Dimensions { time: of.time + of.steps, steps: 0, ..of };
        let per = if unit.of.steps == 0 { Per::Second } else { Per::Step };
        (in_time(unit.of) == in_time(self.own().of)).then_some((unit.size, per))
    }

    /// Iterates over the units listed in messages.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.accepted.split(", ")
    }

    /// Returns `true` if a text is a unit of this quantity.
    pub fn has(&self, unit: &str) -> bool {
        self.size(unit).is_some()
    }

    /// Returns the factor from a unit to the unit in which the quantity is held; exactly 1 for that
    /// unit itself.
    ///
    /// # Errors
    /// If it is not a unit of this quantity; the hint lists the accepted units.
    pub fn factor(&self, unit: &str) -> Result<f64> {
        let own = self.own();
        let counts_like_own = |(_, per): &(f64, Per)| (*per == Per::Step) == (own.of.steps != 0);
        let (size, _) = self.size(unit).filter(counts_like_own).ok_or_else(|| {
            Error::input(format!("'{unit}' is not a unit of {}", self.of)).hint(self.units())
        })?;
        Ok(size / own.size)
    }

    /// Lists the accepted units, for hints.
    pub fn units(&self) -> String {
        format!("units of {}: {}", self.of, self.accepted)
    }

    /// Reads a number with its unit. Returns the number, the unit's size in SI, and whether it is
    /// per second or per step. A number without a unit is in `bare`.
    pub(super) fn read(&self, text: &str, bare: Option<f64>) -> Result<(f64, f64, Per)> {
        let (value, unit) = number_and_rest(text).ok_or_else(|| {
            let error = not_a(self.called, text, self.example);
            match bare {
                Some(_) => error,
                None => error.hint_also(self.units()),
            }
        })?;
        let found = match bare.filter(|_| unit.is_empty()) {
            Some(size) => Some((size, Per::Second)),
            None => self.size(unit),
        };
        let (size, per) = found.ok_or_else(|| unknown_unit(self.of, text, unit, self.accepted))?;
        Ok((value, size, per))
    }
}

/// Returns the size of one unit in terms of another; `None` if either is not a unit, or they
/// measure different quantities.
pub fn ratio(unit: &str, other: &str) -> Option<f64> {
    let [unit, other] = [Unit::parse(unit)?.as_water(), Unit::parse(other)?.as_water()];
    (unit.of == other.of).then_some(unit.size / other.size)
}

/// Splits a text into its leading number and the rest, trimmed.
pub fn number_and_rest(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let like_a_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let longest = text.find(|c| !like_a_number(c)).unwrap_or(text.len());
    (1..=longest).rev().find_map(|end| {
        let value = text[..end].parse::<f64>().ok()?;
        Some((value, text[end..].trim_start()))
    })
}

/// Returns a text that is equal for equal quantities in any units, to 9 digits: `30 mm/h` and
/// `0.5 mm/min`; `None` if the text does not start with a number.
pub fn normalized(text: &str) -> Option<String> {
    let (number, unit) = number_and_rest(text)?;
    Some(match Unit::parse(unit).map(Unit::as_water) {
        Some(Unit { size, of }) => format!("{:.8e} {of:?}", number * size),
        None => format!("{number} {unit}"),
    })
}

/// Returns `true` if a text is a number without a unit.
pub fn is_bare(text: &str) -> bool {
    number_and_rest(text).is_some_and(|(_, unit)| unit.is_empty())
}

/// Returns the error for a text that is not a quantity.
pub(super) fn not_a(what: &str, text: &str, example: &str) -> Error {
    Error::input(format!("'{text}' is not {what}")).hint(format!("write it like \"{example}\""))
}

/// Returns the error for a number without a unit or with a unit of another quantity.
pub(super) fn unknown_unit(what: &str, text: &str, unit: &str, accepted: &str) -> Error {
    let problem = if unit.is_empty() {
        format!("'{text}' has no unit")
    } else {
        format!("'{text}': '{unit}' is not a unit of {what}")
    };
    Error::input(problem).hint(format!("units of {what}: {accepted}"))
}

/// Checks that a value is finite and not negative; `text` is quoted in errors.
pub(super) fn finite_not_negative(value: f64, text: &str) -> Result<f64> {
    if !value.is_finite() {
        return Err(Error::input(format!("'{text}' is not a finite number")));
    }
    // Negative zero is refused too.
    if value.is_sign_negative() {
        return Err(Error::input(format!("'{text}' is negative")).hint("give a value of 0 or more"));
    }
    Ok(value)
}
