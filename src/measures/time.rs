//! Durations.

use super::quantity::{finite_not_negative, not_a, number_and_rest, unknown_unit};
use crate::error::Result;
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

/// Reads a duration like `6h`, `90 min`, `1h30m`, `01:30`, `00:00:30` or a bare number of seconds;
/// ≥ 0.
pub fn parse_duration(text: &str) -> Result<Second> {
    let what = "a duration";
    if text.contains(':') {
        return parse_clock(text).ok_or_else(|| not_a(what, text, "01:30:00"));
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

/// Reads `hh:mm` or `hh:mm:ss`.
fn parse_clock(text: &str) -> Option<Second> {
    let parts: Vec<u32> =
        text.trim().split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [h, m] if m < 60 => Some(f64::from(h) * 3600.0 + f64::from(m) * 60.0),
        [h, m, s] if m < 60 && s < 60 => {
            Some(f64::from(h) * 3600.0 + f64::from(m) * 60.0 + f64::from(s))
        }
        _ => None,
    }
}
