//! Optional quantities as text, parsed with their key in the error message.

use super::options::Quantity;
use crate::engine::clock::TimeUnit;
use crate::error::{Error, Result};
use crate::measures::parse_duration;

/// Parses an optional quantity; an error names its key.
pub(super) fn named<T>(
    key: &str,
    quantity: &Option<Quantity>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let parsed = quantity.as_ref().map(|Quantity(text)| parse(text)).transpose();
    parsed.map_err(|error| error.of(key))
}

/// Parses the interval of an option: a time (s), or steps if the run counts steps.
pub(super) fn interval(key: &str, text: &str, unit: TimeUnit, example: u32) -> Result<f64> {
    match unit {
        TimeUnit::Seconds => parse_duration(text).map_err(|error| error.of(key)),
        TimeUnit::Steps => text.trim().parse::<u32>().map(f64::from).map_err(|_| {
            Error::input(format!("{key}: '{text}' is not a whole number of steps"))
                .hint(format!("this run counts steps: give a number like {example}"))
        }),
    }
}
