//! Optional quantities as text, parsed with their key in the error message.

use super::options::Quantity;
use crate::error::Result;

/// Parses an optional quantity; an error names its key.
pub(super) fn named<T>(
    key: &str,
    quantity: &Option<Quantity>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let parsed = quantity.as_ref().map(|Quantity(text)| parse(text)).transpose();
    parsed.map_err(|error| error.of(key))
}
