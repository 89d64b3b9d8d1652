//! A rating: a CSV of the difference of levels and the flow that goes with it.

use super::table::unit_of;
use crate::error::{Error, Result};
use crate::input::{dialect, text};
use crate::measures::{self, Per};
use std::path::Path;

/// Reads a rating: a header with the units, `head [m],flow [m3/s]`, then a line a head, rising; straight lines
/// between them, nothing at 0 unless it is said, the last flow beyond. Pairs of head (m) and flow (m³/s).
pub fn read(path: &Path) -> Result<Vec<(f64, f64)>> {
    let shown = path.display();
    let text = text::bytes(path, text::TABLE).map_err(|error| {
        Error::input(format!("links: cannot open the rating '{shown}'"))
            .because(error)
            .hint("its path is relative to the file that names it")
    })?;
    let wrong = |line: u64, what: String| {
        Error::input(format!("links: '{shown}', line {line}: {what}"))
            .hint("the file starts like this:\n    head [m],flow [m3/s]\n    0.2,0.4\n    1,1.1")
    };
    let mut reader = dialect::reader(&text);
    let header = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    if header.len() != 2 {
        return Err(wrong(
            1,
            format!("expected 2 columns, head and flow, but found {}", header.len()),
        ));
    }
    if header[0].parse::<f64>().is_ok() {
        return Err(wrong(1, "the header line is missing".into()));
    }
    let head_unit = unit_of(&header[0], |word| measures::parse_depth(&format!("1 {word}")).is_ok());
    let flow_unit = unit_of(&header[1], |word| measures::parse_flow(&format!("1 {word}")).is_ok());
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            wrong(error.position().map_or(0, csv::Position::line), error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let with = |text: &str, unit: &str| match text.parse::<f64>() {
            Ok(_) => format!("{text} {unit}"),
            Err(_) => text.to_string(),
        };
        let head = measures::parse_depth(&with(&record[0], &head_unit));
        let head = head.map_err(|error| wrong(line, error.what))?;
        let flow = measures::parse_flow(&with(&record[1], &flow_unit));
        let flow = flow.map_err(|error| wrong(line, error.what))?;
        if flow.per == Per::Step {
            return Err(wrong(line, "a flow per step; a link's flow is in time (m3/s)".into()));
        }
        if pairs.last().is_some_and(|&(before, _)| head <= before) {
            return Err(wrong(line, format!("the head {} does not rise", &record[0])));
        }
        pairs.push((head, flow.value));
    }
    match pairs.first() {
        None => return Err(wrong(2, "there is no line of data".into())),
        Some(&(head, _)) if head > 0.0 => pairs.insert(0, (0.0, 0.0)),
        Some(_) => {}
    }
    Ok(pairs)
}
