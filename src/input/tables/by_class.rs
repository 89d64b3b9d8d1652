//! Tables with one line per class: parsing, and looking up a raster value.

use crate::error::{Error, Result};
use crate::input::tables::records::Records;
use csv::StringRecord;

/// Reads the lines of a table and sorts them by class. `header` parses the first line into what
/// `parse` needs for the others; `number` returns the class of a line and its line number in the
/// file.
///
/// # Errors
/// Errors are made by `wrong`, with their line: a class that appears twice, a table without
/// classes, and the errors of `header` and `parse`.
pub(super) fn by_class<H, T>(
    text: &[u8],
    wrong: impl Fn(u64, String) -> Error,
    header: impl Fn(&StringRecord) -> std::result::Result<H, String>,
    parse: impl Fn(&H, &StringRecord, u64) -> Result<T>,
    number: impl Fn(&T) -> (i64, u64),
) -> Result<Vec<T>> {
    let records = Records::read(text).map_err(|fault| fault.error(&wrong))?;
    if records.header.is_empty() {
        return Err(wrong(1, "the file is empty".into()));
    }
    let head = header(&records.header).map_err(|what| wrong(records.header_line, what))?;
    let mut classes: Vec<T> = Vec::new();
    for (line, record) in records.rows {
        let class = parse(&head, &record, line).map_err(|error| match error.hint {
            Some(hint) => wrong(line, error.what).hint(hint),
            None => wrong(line, error.what),
        })?;
        let (own, _) = number(&class);
        if let Some((_, first)) = classes.iter().map(&number).find(|(known, _)| *known == own) {
            let what = format!("class {own} appears twice (first in line {first})");
            return Err(wrong(line, what));
        }
        classes.push(class);
    }
    if classes.is_empty() {
        return Err(wrong(records.header_line, "no class follows the header".into()));
    }
    classes.sort_by_key(|class| number(class).0);
    Ok(classes)
}

/// Parses the number of a class.
pub(super) fn whole(text: &str) -> Result<i64> {
    text.parse().map_err(|_| Error::input(format!("the class '{text}' is not a whole number")))
}

/// Returns the index of a raster's value in ascending classes; `None` if it is not a class.
pub(super) fn find<T>(classes: &[T], value: f64, number: fn(&T) -> i64) -> Option<usize> {
    // The conversion is exact far beyond any class number; fractions and huge values are not
    // classes.
    let class = value as i64;
    if class as f64 != value {
        return None;
    }
    classes.binary_search_by_key(&class, number).ok()
}
