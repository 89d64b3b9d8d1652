//! Times of GRIB messages, as GDAL's driver passes them on.

use super::attributes::Attributes;
use crate::units::Second;

/// Number of template fields before the time range, for templates of products processed over a time
/// range (GRIB2, code table 4.0).
const BEFORE_RANGE: [(&str, usize); 3] = [("8", 15), ("11", 18), ("12", 17)];
/// Index of the type of statistical processing in the time range fields (GRIB2, template 4.8).
const PROCESSING: usize = 8;

/// Names of accumulations, to which GDAL appends the length in hours.
const ACCUMULATIONS: [&str; 3] = ["APCP", "NCPCP", "ACPCP"];

/// Times of a message (s since 1970-01-01 UTC).
pub struct GribTimes {
    /// Start of the forecast or analysis.
    pub reference: Option<Second>,
    /// Time for which the message is valid; the end, if it is for an interval.
    pub valid: Second,
    /// Start of the interval of the message; `None` for an instant, and in GRIB1, where GDAL does
    /// not provide it.
    pub start: Option<Second>,
}

impl GribTimes {
    /// Reads the times of the message in a band; `None` if it is not GRIB.
    pub fn of(band: &Attributes) -> Option<GribTimes> {
        let seconds = |name: &str| -> Option<f64> {
            band.item(name)?.split_whitespace().next()?.parse().ok()
        };
        let valid = seconds("GRIB_VALID_TIME")?;
        let reference = seconds("GRIB_REF_TIME");
        let from = reference.zip(seconds("GRIB_FORECAST_SECONDS")).map(|(time, lead)| time + lead);
        let named =
            || hours_in_name(&band.item("GRIB_ELEMENT")?).map(|hours| valid - 3600.0 * hours);
        let start = from.filter(|&from| from < valid).or_else(named);
        Some(GribTimes { reference, valid, start })
    }
}

/// Returns the length of the interval (h) from GDAL's name of an accumulation, such as `APCP06`.
fn hours_in_name(element: &str) -> Option<f64> {
    let digits = ACCUMULATIONS.iter().find_map(|name| element.strip_prefix(name))?;
    digits.parse().ok().filter(|&hours: &f64| hours > 0.0)
}

/// Returns `true` if a GRIB2 message is a sum over its interval, whatever the unit of the summed
/// quantity.
pub fn is_sum(band: &Attributes) -> bool {
    let sum = || {
        let template = band.item("GRIB_PDS_PDTN")?;
        let fields = band.item("GRIB_PDS_TEMPLATE_ASSEMBLED_VALUES")?;
        let (_, before) = BEFORE_RANGE.iter().find(|(known, _)| *known == template.trim())?;
        Some(fields.split_whitespace().nth(before + PROCESSING)? == "1")
    };
    sum().unwrap_or(false)
}
