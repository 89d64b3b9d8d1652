//! Wording and number formatting for messages, titles and reports.

use std::borrow::Cow;

/// Capitalizes the first letter of a text.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Formats a count with its noun: `counted(2, "cell", "cells")` is `2 cells`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Returns a regular verb for a number of things: `verb(1, "hold")` is `holds`.
pub fn verb(number: usize, plural: &str) -> String {
    format!("{plural}{}", if number == 1 { "s" } else { "" })
}

/// Lists at most `most` names and counts the rest: `a, b and 3 more`.
pub fn and_more<T: ToString>(all: impl ExactSizeIterator<Item = T>, most: usize) -> String {
    match first(all, most) {
        (names, 0) => names,
        (names, more) => format!("{names} and {more} more"),
    }
}

/// Lists at most `most` names, ending in an ellipsis if there are more: `a, b, …`.
pub fn and_so_on<T: ToString>(all: impl ExactSizeIterator<Item = T>, most: usize) -> String {
    match first(all, most) {
        (names, 0) => names,
        (names, _) => format!("{names}, …"),
    }
}

fn first<T: ToString>(all: impl ExactSizeIterator<Item = T>, most: usize) -> (String, usize) {
    let more = all.len().saturating_sub(most);
    let names: Vec<String> = all.take(most).map(|name| name.to_string()).collect();
    (names.join(", "), more)
}

/// Names a cell of a grid, with columns counted from the west and rows from the north, each from 0.
pub fn place(column: usize, row: usize) -> String {
    format!("column {column}, row {row}")
}

/// Returns the suffix for a solver's name if it is not of first order in space: `, order 2`.
pub fn in_order(order: u32) -> String {
    if order == 1 { String::new() } else { format!(", order {order}") }
}

/// Escapes control characters and characters that change the writing direction, except line breaks
/// and tabs, so that a terminal shows the text literally.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let harms = |c: char| (c.is_control() && c != '\n' && c != '\t') || turns(c);
    if !text.contains(harms) {
        return Cow::Borrowed(text);
    }
    let escaped = |c: char| if harms(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Number of digits from which a number is shortened.
const LONG: usize = 25;

/// Shortens very long numbers in a text: `1e300` instead of 301 digits.
pub fn short(text: &str) -> Cow<'_, str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut shortened = String::new();
    let (mut from, mut rest) = (0, 0);
    while let Some(start) = text[rest..].find(|c: char| c.is_ascii_digit()).map(|at| rest + at) {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |at| start + at);
        let number = text[start..end].trim_end_matches('.');
        let in_a_word = text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            || text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if number.len() >= LONG
            && !in_a_word
            && let Ok(value) = number.parse::<f64>()
        {
            shortened += &text[from..start];
            shortened += &brief(value);
            from = start + number.len();
        }
        rest = end;
    }
    if from == 0 { Cow::Borrowed(text) } else { Cow::Owned(shortened + &text[from..]) }
}

/// Formats a number in a few digits.
fn brief(value: f64) -> String {
    let text = format!("{value:.3e}");
    let (digits, power) = text.split_once('e').expect("a number in that form has a power");
    format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Replaces characters that are invalid in XML and in most other text files: control characters
/// other than tabs and line breaks, U+FFFE and U+FFFF.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_none = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    match text.contains(is_none) {
        true => Cow::Owned(text.replace(is_none, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

/// Formats a text as a table cell for spreadsheets: a text that would be read as a formula, and is
/// not a number, is prefixed with an apostrophe.
pub fn cell(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{}", printable(text))),
        false => printable(text),
    }
}

/// Returns the original text of a cell written by [`cell`].
pub fn plain(cell: &str) -> &str {
    let bare = cell.strip_prefix('\'').unwrap_or(cell);
    if matches!(self::cell(bare), Cow::Owned(_)) { bare } else { cell }
}

/// Formats bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_short_and_the_rest_stays() {
        let large = 1e300;
        assert_eq!(short(&format!("a rain of {large} mm, {large}.")), "a rain of 1e300 mm, 1e300.");
        assert_eq!(short(&format!("{:?} and {}", 7, -1.25e-30)), "7 and -1.25e-30");
        for text in ["12 of 0.1234567890123456789", "", "sha a1234567890123456789012345678901234b"]
        {
            assert_eq!(short(text), text);
        }
    }

    #[test]
    fn what_commands_a_terminal_or_a_spreadsheet_is_made_harmless() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{9b}\u{202e}\tü\n"),
            "a\\u{1b}[31mb\\u{9b}\\u{202e}\tü\n"
        );
        assert_eq!(cell("=1+1 depth [m]"), "'=1+1 depth [m]");
        assert_eq!((cell("bridge"), cell("-1.5e3")), ("bridge".into(), "-1.5e3".into()));
        assert_eq!(cell("a\u{0}b\u{fffe}"), "a\u{fffd}b\u{fffd}");
        assert_eq!((plain("'=1+1"), plain("'s weir"), plain("-")), ("=1+1", "'s weir", "-"));
    }
}
