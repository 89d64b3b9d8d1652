//! Tables with a line a class: how they are read, and how a raster's value finds its line.

use super::dialect;
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
    let mut reader = dialect::headless(text);
    let mut head: Option<(H, u64)> = None;
    let mut classes: Vec<T> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            wrong(error.position().map_or(1, |place| line_of(text, place)), plain(&error))
        })?;
        let line = record.position().map_or(1, |place| line_of(text, place));
        let Some((head, _)) = &head else {
            head = Some((header(&record).map_err(|what| wrong(line, what))?, line));
            continue;
        };
        let class = parse(head, &record, line).map_err(|error| match error.hint {
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
    match head {
        None => return Err(wrong(1, "the file is empty".into())),
        Some((_, line)) if classes.is_empty() => {
            return Err(wrong(line, "no class follows the header".into()));
        }
        Some(_) => {}
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

/// The line of a record: that of its first byte, after the comments and empty lines that the reader
/// counts to it.
fn line_of(text: &[u8], place: &csv::Position) -> u64 {
    let mut line = place.line();
    let rest = text.get(place.byte() as usize..).unwrap_or_default();
    for content in rest.split(|&byte| byte == b'\n') {
        let empty = content.iter().all(|&byte| byte == b'\r');
        if !empty && !content.starts_with(b"#") {
            break;
        }
        line += 1;
    }
    line
}

/// What the reader says, without the places that it counts otherwise than people.
fn plain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!(
                "{len} columns, but the header has {expected_len} (put a name with a comma in double quotes)"
            )
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8".into(),
        _ => error.to_string(),
    }
}
