//! Heights that do not exist on Earth, most likely because their unit is wrong.

/// Highest and lowest ground on Earth (m).
pub const HIGHEST: f64 = 8849.0;
pub const LOWEST: f64 = -11_000.0;

/// Units in which heights are stored, in metres.
const UNITS: [(&str, f64); 5] =
    [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("dm", 0.1), ("ft", 0.3048)];
/// Minimum magnitude of heights in the right unit (m).
const LEAST: f64 = 1.0;

/// Returns `true` if ground on Earth can have this lowest and highest height (m).
pub fn fits(lowest: f64, highest: f64) -> bool {
    lowest >= LOWEST && highest <= HIGHEST
}

/// Lists the units in which these heights, as stored, would be plausible, for the hint of an error;
/// empty if there are none.
pub fn how_to_name_the_unit(lowest: f64, highest: f64) -> String {
    let units = UNITS.iter().filter_map(|&(unit, metres)| {
        let (low, high) = (lowest * metres, highest * metres);
        let furthest = if high.abs() >= low.abs() { high } else { low };
        let fits = fits(low, high) && furthest.abs() >= LEAST;
        fits.then(|| format!("--height-unit {unit} (they then reach {} m)", rounded(furthest)))
    });
    units.collect::<Vec<_>>().join(", ")
}

/// Rounds a height for display.
pub fn rounded(height: f64) -> f64 {
    (height * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_make_ground_of_the_heights_are_named() {
        assert_eq!(
            how_to_name_the_unit(9800.0, 10_075.0),
            "--height-unit cm (they then reach 100.75 m), --height-unit mm (they then reach 10.08 m), \
             --height-unit dm (they then reach 1007.5 m), --height-unit ft (they then reach 3070.86 m)"
        );
        assert_eq!(
            how_to_name_the_unit(-2_000_000.0, 0.0),
            "--height-unit mm (they then reach -2000 m)"
        );
        assert_eq!(how_to_name_the_unit(0.0, 1e9), "");
    }
}
