//! Amounts of memory.

use super::quantity::{finite_not_negative, not_a, number_and_rest, unknown_unit};
use crate::error::Result;

const BYTES: [(&str, f64); 7] = [
    ("GiB", 1_073_741_824.0),
    ("MiB", 1_048_576.0),
    ("KiB", 1024.0),
    ("GB", 1e9),
    ("MB", 1e6),
    ("kB", 1e3),
    ("B", 1.0),
];

/// Reads an amount of memory like `2GiB`, `500 MB` or a bare number of bytes; more than 0.
pub fn parse_bytes(text: &str) -> Result<u64> {
    let what = "an amount of memory";
    let (value, unit) = number_and_rest(text).ok_or_else(|| not_a(what, text, "2GiB"))?;
    let known = BYTES.map(|(name, _)| name);
    let factor = match unit {
        "" => 1.0,
        unit => BYTES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))
            .map(|(_, bytes)| *bytes)
            .ok_or_else(|| unknown_unit("memory", text, unit, &known.join(", ")))?,
    };
    let bytes = finite_not_negative(value * factor, text)?;
    if bytes < 1.0 { Err(not_a(what, text, "2GiB")) } else { Ok(bytes as u64) }
}
