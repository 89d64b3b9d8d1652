//! Values that a NetCDF variable declares as missing or as invalid (CF conventions 1.11, section
//! 2.5.1). GDAL passes on only one of them, and only ranges with both ends.

use super::attributes::Attributes;
use gdal::Dataset;

/// Valid range and missing codes of a band.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidValues {
    /// Least and greatest valid stored value.
    pub range: (f64, f64),
    /// Codes of missing values within the range.
    pub missing: Vec<f64>,
}

impl ValidValues {
    /// Reads the declarations of a band's variable (from 1). They apply to stored values, so they
    /// are ignored if `scale` (factor) is not the variable's own.
    pub fn of_band(dataset: &Dataset, number: usize, scale: f64) -> ValidValues {
        let mut found =
            ValidValues { range: (f64::NEG_INFINITY, f64::INFINITY), missing: Vec::new() };
        let Some(band) = Attributes::of(dataset, number) else { return found };
        // GDAL writes a list as {1,2}.
        let numbers = |name: &str| -> Vec<f64> {
            let text = band.of_variable(name).unwrap_or_default();
            let inside = text.trim().trim_start_matches('{').trim_end_matches('}');
            inside.split(',').filter_map(|number| number.trim().parse().ok()).collect()
        };
        if numbers("scale_factor").first().is_some_and(|&own| own != scale) {
            return found;
        }
        found.missing = numbers("missing_value");
        let (least, most) = match numbers("valid_range")[..] {
            [least, most] => (Some(least), Some(most)),
            _ => (numbers("valid_min").first().copied(), numbers("valid_max").first().copied()),
        };
        found.range = (least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY));
        found
    }
}
