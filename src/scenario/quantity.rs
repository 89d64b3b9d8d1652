//! A quantity as it is written, and the key that it stands under.

use super::options::Quantity;
use crate::error::Result;

/// Parses an optional quantity and names its key in the error.
pub(super) fn named<T>(
    key: &str,
    quantity: &Option<Quantity>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let parsed = quantity.as_ref().map(|Quantity(text)| parse(text)).transpose();
    parsed.map_err(|error| error.of(key))
}
