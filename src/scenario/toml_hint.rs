//! Hints for scenario files that cannot be read: the TOML crate describes the error, the hint the
//! fix.

use crate::error::Error;
use std::path::Path;

/// Names of types in messages of the TOML crate, and their plain words.
const TYPES: [(&str, &str); 6] = [
    ("expected u64", "expected a whole number"),
    ("expected usize", "expected a whole number"),
    ("expected u32", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected path string", "expected text"),
    ("expected a boolean", "expected true or false"),
];

/// Returns a message of the TOML crate with plain words for types.
pub fn plain(message: &str) -> String {
    TYPES.iter().fold(message.to_string(), |text, (name, plain)| text.replace(name, plain))
}

/// Returns the hint for a message of the TOML crate about a line.
pub fn of_message(message: &str, line: &str) -> String {
    let says = |part: &str| message.contains(part);
    if says("duplicate key") {
        "leave one of the two out".into()
    } else if line.contains('\\') && (says("escape") || says("unicode")) {
        "write paths with forward slashes, \"data/dem.tif\", or in single quotes, 'data\\dem.tif'"
            .into()
    } else if line.contains(['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}']) {
        "use straight quotes: rain = \"50 mm/h\"".into()
    } else if line.trim_start().starts_with(['{', '}'])
        || line.split('=').count() == 1 && line.contains(':')
    {
        "a scenario is TOML: lines like key = \"value\", dem = \"dem.tif\"".into()
    } else if says("must be quoted") {
        "put texts in quotes: rain = \"50 mm/h\", open = \"all\"".into()
    } else if says("invalid type: map") {
        "write one value, without a section: rain = \"50 mm/h\"".into()
    } else if says("invalid type: sequence") {
        "write one value, without brackets: rain = \"50 mm/h\"".into()
    } else if says("invalid type") && says("expected a boolean") {
        "write it without quotes: keep_state = true".into()
    } else if says("invalid type: string") {
        "write a number without quotes: steps = 100".into()
    } else if says("invalid type") {
        "write the value as in: rain = \"50 mm/h\", steps = 100, keep_state = true".into()
    } else if says("string") && (line.contains('"') || line.contains('\'')) {
        "close the text with the quote that opens it: rain = \"50 mm/h\"".into()
    } else {
        "lines look like rain = \"50 mm/h\" or steps = 100; `inundate new dem.tif` prints every key with an example".into()
    }
}

/// Creates the error for a scenario file that cannot be opened or is not text.
pub fn of_file(path: &Path, error: std::io::Error) -> Error {
    let shown = path.display();
    let make = "make one with: inundate new dem.tif > scenario.toml";
    if path.is_dir() {
        return Error::input(format!("cannot open the scenario '{shown}': it is a folder"))
            .hint("give the file in it, for example scenario.toml");
    }
    if error.kind() == std::io::ErrorKind::InvalidData {
        let what = Error::input(format!("the scenario '{shown}' is not text in UTF-8"));
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        return match ending.as_deref() {
            Some("toml" | "txt") | None => what.hint("save it in UTF-8"),
            _ => what.hint(format!("is it the DEM? Then say so: --dem {shown}; else {make}")),
        };
    }
    Error::input(format!("cannot open the scenario '{shown}'")).because(error).hint(make)
}
