//! Durations.

use super::quantity::{finite_not_negative, not_a, number_and_rest, unknown_unit};
use crate::error::{Error, Result};
use crate::units::Second;

const DURATIONS: &[(&str, Second)] = &[
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("min", 60.0),
    ("mins", 60.0),
    ("minute", 60.0),
    ("m", 60.0),
    ("h", 3600.0),
    ("hr", 3600.0),
    ("hrs", 3600.0),
    ("hours", 3600.0),
    ("hour", 3600.0),
    ("d", 86400.0),
    ("day", 86400.0),
    ("days", 86400.0),
    ("seconds", 1.0),
    ("minutes", 60.0),
];

/// Units of the parts of a clock time (s), with the number of each in the next longer one.
const CLOCK: [(Second, u32); 4] = [(86_400.0, u32::MAX), (3600.0, 24), (60.0, 60), (1.0, 60)];

/// Reads a duration like `6h`, `90 min`, `1h30m`, `01:30`, `00:00:30` or a bare number of seconds;
/// ≥ 0. The form of a clock time may follow it: `60:30 mm:ss`.
pub fn parse_duration(text: &str) -> Result<Second> {
    let what = "a duration";
    if text.contains(':') {
        let (clock, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), "hh:mm"));
        let unit = unit.trim();
        let form = match DURATIONS.iter().find(|(name, _)| *name == unit) {
            Some((_, 3600.0)) => "hh:mm",
            Some(_) => {
                return Err(Error::input(format!(
                    "'{clock}' is a clock time, but its unit is {unit}; give its form instead: hh:mm, hh:mm:ss or mm:ss"
                )));
            }
            None => unit,
        };
        return parse_clock(clock, form).ok_or_else(|| not_a(what, text, "01:30:00"));
    }
    let mut rest = text.trim();
    let mut total = 0.0;
    let mut parts = 0;
    let mut before = f64::INFINITY;
    while !rest.is_empty() {
        let (value, after) = number_and_rest(rest).ok_or_else(|| not_a(what, text, "6h"))?;
        if after.is_empty() && parts == 0 {
            total = value;
            rest = after;
        } else {
            let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
            let unit = &after[..end];
            let seconds = DURATIONS.iter().find(|(name, _)| *name == unit).map(|(_, s)| s);
            let known: Vec<&str> = DURATIONS.iter().map(|(name, _)| *name).collect();
            let seconds =
                *seconds.ok_or_else(|| unknown_unit("time", text, unit, &known.join(", ")))?;
            // Units must descend (hours before minutes), each at most once.
            if seconds >= before {
                return Err(not_a(what, text, "1h30m"));
            }
            before = seconds;
            total += value * seconds;
            rest = after[end..].trim_start();
        }
        finite_not_negative(value, text)?;
        parts += 1;
    }
    if parts == 0 {
        return Err(not_a(what, text, "6h"));
    }
    finite_not_negative(total, text)
}

/// Returns the units of the parts of a clock time in a form like `hh:mm`, `mm:ss` or `min:sec`;
/// `None` if it is not such a form.
fn clock_units(form: &str) -> Option<&'static [(Second, u32)]> {
    let is_word = |part: &str| part.chars().all(char::is_alphabetic);
    let initials = form.split(':').map(|part| part.chars().next().filter(|_| is_word(part)));
    let initials = initials.collect::<Option<String>>()?.to_lowercase();
    let first = "dhms".find(&initials).filter(|_| initials.len() > 1)?;
    Some(&CLOCK[first..first + initials.len()])
}

/// Returns `true` if a text is the form of a clock time, such as `mm:ss`.
pub fn is_clock_form(text: &str) -> bool {
    clock_units(text).is_some()
}

/// Reads a clock time in a form like `mm:ss`. Three parts are `hh:mm:ss` if the form has two.
fn parse_clock(text: &str, form: &str) -> Option<Second> {
    let parts: Vec<u32> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let units = clock_units(form)?;
    let units = if (parts.len(), units.len()) == (3, 2) { &CLOCK[1..] } else { units };
    let pairs = || parts.iter().zip(units);
    let fits = parts.len() == units.len() && pairs().skip(1).all(|(part, (_, most))| part < most);
    fits.then(|| pairs().map(|(part, (seconds, _))| f64::from(*part) * seconds).sum())
}
