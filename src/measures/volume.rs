//! Volumes of reservoirs.

use super::quantity::{VOLUME, finite_not_negative};
use crate::error::Result;
use crate::units::CubicMetre;

/// Reads a volume like `2.5e6 m3`, `2.5 hm3` or a bare number of cubic metres; ≥ 0.
pub fn parse_volume(text: &str) -> Result<CubicMetre> {
    let (value, cubic_metres, _) = VOLUME.read(text, Some(1.0))?;
    finite_not_negative(value * cubic_metres, text)
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
