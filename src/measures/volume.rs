//! Volumes, of reservoirs.

use super::kind::{Kind, finite_not_negative};
use super::length::FOOT;
use crate::error::Result;
use crate::units::CubicMetre;

const VOLUMES: &[(&str, CubicMetre)] = &[
    ("m3", 1.0),
    ("m³", 1.0),
    ("hm3", 1e6),
    ("hm³", 1e6),
    ("km3", 1e9),
    ("Ml", 1e3),
    ("acre-ft", 43_560.0 * FOOT * FOOT * FOOT),
];

/// A volume like `2.5e6 m3`, `2.5 hm3` or a bare number of cubic metres; ≥ 0.
pub fn parse_volume(text: &str) -> Result<CubicMetre> {
    let example = "2.5e6 m3";
    let kind = Kind { called: "a volume", of: "volume", example, units: VOLUMES, bare: Some(1.0) };
    let (value, unit) = kind.split(text)?;
    finite_not_negative(value * unit, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_have_units_and_become_cubic_metres() {
        for (text, volume) in [
            ("2.5e6", 2.5e6),
            ("2.5 hm3", 2.5e6),
            ("3 m³", 3.0),
            ("1 acre-ft", 1_233.481_837_547_52),
        ] {
            assert!((parse_volume(text).unwrap() / volume - 1.0).abs() < 1e-12, "{text}");
        }
        assert!(parse_volume("-1 m3").is_err() && parse_volume("3 m2").is_err());
    }
}
