//! A rating: a CSV of the difference of levels and the flow that goes with it.

use super::columns::Table;
use super::table::unit_of;
use crate::error::Result;
use crate::measures::{self, Per};
use std::path::Path;

/// What such a file looks like.
const EXAMPLE: &str =
    "the file starts like this:\n    head [m],flow [m3/s]\n    0.2,0.4\n    1,1.1";

/// Reads a rating: a header with the units, `head [m],flow [m3/s]`, then a line a head, rising; straight lines
/// between them, nothing at 0 unless it is said, the last flow beyond. Pairs of head (m) and flow (m³/s).
pub fn read(path: &Path) -> Result<Vec<(f64, f64)>> {
    let table = Table::read(path, "links", EXAMPLE)?;
    let (header, wrong) = (&table.header, |line, what: String| table.wrong(line, what));
    if header.len() != 2 {
        let what = format!("expected 2 columns, head and flow, but found {}", header.len());
        return Err(wrong(1, what));
    }
    let head_unit = unit_of(&header[0], |word| measures::parse_depth(&format!("1 {word}")).is_ok());
    let flow_unit = unit_of(&header[1], |word| measures::parse_flow(&format!("1 {word}")).is_ok());
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for &(line, ref record) in &table.rows {
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
    if pairs[0].0 > 0.0 {
        pairs.insert(0, (0.0, 0.0));
    }
    Ok(pairs)
}
