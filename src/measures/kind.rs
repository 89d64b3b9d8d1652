//! A kind of quantity: what it is called and which units it has.

use crate::error::{Error, Result};

/// A kind of quantity, with what its units stand for.
pub(super) struct Kind<'a, U> {
    /// With its article, for messages.
    pub called: &'a str,
    /// What its units are of.
    pub of: &'a str,
    /// How one is written.
    pub example: &'a str,
    /// Its units.
    pub units: &'a [(&'a str, U)],
    /// What a number without a unit is counted in, if that may be.
    pub bare: Option<U>,
}

impl<U: Copy> Kind<'_, U> {
    /// The number in a text, and what its unit stands for.
    pub fn split(&self, text: &str) -> Result<(f64, U)> {
        let known: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        let (value, unit) = number_and_rest(text).ok_or_else(|| {
            let error = not_a(self.called, text, self.example);
            match self.bare {
                Some(_) => error,
                None => {
                    error.hint_also(format_args!("; units of {}: {}", self.of, known.join(", ")))
                }
            }
        })?;
        let found = self.units.iter().find(|(name, _)| *name == unit).map(|(_, of)| *of);
        let found = found.or(self.bare.filter(|_| unit.is_empty()));
        Ok((value, found.ok_or_else(|| unknown_unit(self.of, text, unit, &known))?))
    }
}

/// Splits a text into its leading number and the rest, trimmed.
pub(super) fn number_and_rest(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let like_a_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let longest = text.find(|c| !like_a_number(c)).unwrap_or(text.len());
    (1..=longest).rev().find_map(|end| {
        let value = text[..end].parse::<f64>().ok()?;
        Some((value, text[end..].trim_start()))
    })
}

/// Of a text that is none of a kind.
pub(super) fn not_a(what: &str, text: &str, example: &str) -> Error {
    Error::input(format!("'{text}' is not {what}")).hint(format!("write it like \"{example}\""))
}

/// Of a number with a unit of another kind, or none.
pub(super) fn unknown_unit(what: &str, text: &str, unit: &str, known: &[&str]) -> Error {
    let problem = if unit.is_empty() {
        format!("'{text}' has no unit")
    } else {
        format!("'{text}': '{unit}' is not a unit of {what}")
    };
    Error::input(problem).hint(format!("units of {what}: {}", known.join(", ")))
}

/// The value of a text, if there can be one.
pub(super) fn finite_not_negative(value: f64, text: &str) -> Result<f64> {
    if !value.is_finite() {
        return Err(Error::input(format!("'{text}' is not a finite number")));
    }
    // -0 as well.
    if value.is_sign_negative() {
        return Err(Error::input(format!("'{text}' is negative")).hint("give a value of 0 or more"));
    }
    Ok(value)
}
