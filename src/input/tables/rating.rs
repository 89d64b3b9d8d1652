//! Ratings: a CSV of heads, levels or depths, and the corresponding flows.

use crate::error::Result;
use crate::input::notice::Notice;
use crate::input::tables::columns::CsvTable;
use crate::input::tables::series_table::{check_difference, names_depths, unit_of};
use crate::measures::quantity::is_bare;
use crate::measures::{self, Per};
use crate::units::Metre;
use std::path::Path;

/// Example of a culvert's rating, for hints.
const OF_HEADS: &str =
    "the file starts like this:\n    head [m],flow [m3/s]\n    0.2,0.4\n    1,1.1";
/// Example of a rating curve, for hints.
const OF_LEVELS: &str = "the file starts like this, with levels above the DEM's zero (or depths, if the first column is called depth):\n    level [m],flow [m3/s]\n    212.4,0\n    213,8.5";

/// Pairs of head, level or depth (m) and flow (m³/s), and the assumptions about their units.
type Pairs = (Vec<(Metre, f64)>, Vec<Notice>);

/// Stage-discharge relation.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingCurve {
    /// Pairs of level, or depth, and flow (m, m³/s); levels increase, flows do not decrease.
    pub pairs: Vec<(Metre, f64)>,
    /// `true` if the pairs hold depths instead of levels above the DEM's zero.
    pub by_depth: bool,
    /// Assumptions about columns without a unit.
    pub assumed: Vec<Notice>,
}

/// Reads a rating: a header with the units, `head [m],flow [m3/s]`, then one line per head,
/// ascending. Flows are linear between heads, 0 at head 0 unless given, and constant beyond the
/// last. Returns pairs of head (m) and flow (m³/s), and the assumptions about their units.
pub fn read(path: &Path) -> Result<Pairs> {
    let table = CsvTable::read(path, "links", OF_HEADS)?;
    let differs = check_difference(&table.header[0], "heads");
    differs.map_err(|error| {
        table.wrong_header(error.what).hint_also(error.hint.unwrap_or_default())
    })?;
    let (mut pairs, assumed) = pairs(&table, ["head", "head"], measures::parse_depth)?;
    if pairs[0].0 > 0.0 {
        pairs.insert(0, (0.0, 0.0));
    }
    Ok((pairs, assumed))
}

/// Reads a rating curve: `level [m],flow [m3/s]` or `depth [m],flow [m3/s]`, then one line per
/// level, ascending.
///
/// # Errors
/// If it cannot be read, has only one line, or its flow decreases.
pub fn read_curve(path: &Path) -> Result<RatingCurve> {
    let table = CsvTable::read(path, "rating", OF_LEVELS)?;
    let by_depth = names_depths(&table.header[0]);
    let parse = if by_depth { measures::parse_depth } else { measures::parse_level };
    let (pairs, assumed) = pairs(&table, ["level", "level or depth"], parse)?;
    if pairs.len() < 2 {
        return Err(table.wrong_header("a rating curve needs two lines or more"));
    }
    if let Some(at) = pairs.windows(2).position(|pair| pair[1].1 < pair[0].1) {
        let line = table.rows[at + 1].0;
        return Err(table.wrong(line, "the flow falls while the level rises"));
    }
    Ok(RatingCurve { pairs, by_depth, assumed })
}

/// Reads the pairs of a table; `named` is the name of its first quantity, for a value and for the
/// column.
fn pairs(
    table: &CsvTable,
    named: [&str; 2],
    parse: impl Fn(&str) -> Result<Metre>,
) -> Result<Pairs> {
    let (header, wrong) = (&table.header, |line, what: String| table.wrong(line, what));
    if header.len() != 2 {
        let what = format!("expected 2 columns, {} and flow, but found {}", named[1], header.len());
        return Err(table.wrong_header(what));
    }
    let first_unit =
        unit_of(&header[0], |word| measures::parse_depth(&format!("1 {word}")).is_ok());
    let flow_unit = unit_of(&header[1], |word| measures::parse_flow(&format!("1 {word}")).is_ok());
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for &(line, ref record) in &table.rows {
        let with = |text: &str, unit: &str| match text.parse::<f64>() {
            Ok(_) => format!("{text} {unit}"),
            Err(_) => text.to_string(),
        };
        let first = parse(&with(&record[0], &first_unit));
        let first = first.map_err(|error| wrong(line, error.what))?;
        let flow = measures::parse_flow(&with(&record[1], &flow_unit));
        let flow = flow.map_err(|error| wrong(line, error.what))?;
        if flow.per == Per::Step {
            return Err(wrong(
                line,
                "the flow is per step, but a rating needs a flow in time (m3/s)".into(),
            ));
        }
        if pairs.last().is_some_and(|&(before, _)| first <= before) {
            return Err(wrong(line, format!("the {} {} does not rise", named[0], &record[0])));
        }
        pairs.push((first, flow.value));
    }
    let bare = |column: usize| table.rows.iter().any(|(_, record)| is_bare(&record[column]));
    let assumed = [(0, &first_unit, "m"), (1, &flow_unit, "m3/s")].into_iter();
    let assumed = assumed.filter(|(column, unit, _)| unit.is_empty() && bare(*column));
    let assumed = assumed.map(|(column, _, unit)| {
        table.notice(format_args!("column '{}' declares no unit; taken in {unit}", &header[column]))
    });
    Ok((pairs, assumed.collect()))
}
