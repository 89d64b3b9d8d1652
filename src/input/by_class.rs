//! Tables with a line a class: how they are read, and how a raster's value finds its line.

use super::records::Records;
use crate::error::{Error, Result};
use csv::StringRecord;

/// The lines of a table, ascending by class. `header` makes of the first line what `parse` needs for the others; `number` is the class of one,
/// and the line of the file that it stands in.
///
/// # Errors
/// As `wrong` has them, with the line: a class that is there twice, or none at all, and what `header` and `parse` find.
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
            let what = format!("class {own} is there twice (first in line {first})");
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

/// The number of a class.
pub(super) fn whole(text: &str) -> Result<i64> {
    text.parse().map_err(|_| Error::input(format!("the class '{text}' is not a whole number")))
}

/// Where in classes that ascend a value of a raster is; `None` if it is none of them.
pub(super) fn find<T>(classes: &[T], value: f64, number: fn(&T) -> i64) -> Option<usize> {
    // Exact far beyond any class; what is not whole or not small is none.
    let class = value as i64;
    if class as f64 != value {
        return None;
    }
    classes.binary_search_by_key(&class, number).ok()
}
