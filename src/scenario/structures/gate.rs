//! Gates with underflow.

use super::kind::{BuiltStructure, Crest, StructureReader};
use crate::engine::forcing::structures::StructureKind;
use crate::engine::forcing::structures::gate::{ENDLESS, FREE, Gate};
use crate::engine::forcing::table::Table;
use crate::error::Result;
use crate::input::tables::series_table::OPENING;
use crate::units::Metre;

pub fn read(reader: &mut StructureReader) -> Result<BuiltStructure> {
    let line = reader.line;
    let crest = reader.line.level("sill")?.map_or(Crest::Height(0.0), Crest::Level);
    let openings = openings(reader)?;
    let coefficient = reader.number("coefficient", 0.01..1.0, FREE)?;
    let top = reader.line.level("top")?;
    let sill = crest.over(reader.edge_line.ground().0);
    let widest = widest(&openings, reader.time.elapsed as f32);
    if let Some(top) = top {
        if top <= sill {
            return Err(line
                .wrong(format_args!(
                    "the gate's top at {top} m is not above its sill at {sill:.2} m"
                ))
                .hint(
                    "give the level of its upper edge, over which water flows, or leave it out",
                ));
        }
        if widest > top - sill {
            reader.notices.warn(line.notice(format_args!(
                "a gate opens by up to {widest:.2} m, more than the {:.2} m from its sill to its top",
                top - sill
            )));
        }
    }
    if widest == 0.0 {
        reader.notices.warn(line.notice("a gate does not open during the run"));
    }
    let at = Gate::table(reader.tables, coefficient, &openings);
    let height = move |crest: Metre| top.map_or(ENDLESS, |top| (top - crest).max(0.0) as f32);
    let width = reader.width()?;
    let numbers = |share, crest| [share, at, height(crest)];
    let edges = reader.each(StructureKind::Gate, crest, width, numbers);
    Ok(BuiltStructure { name: "gate", width, crest, edges, breach: None })
}

/// Returns pairs of time as the engine counts it (s, ascending) and opening (m).
fn openings(reader: &mut StructureReader) -> Result<Vec<(f32, f32)>> {
    let line = reader.line;
    let constant = line.parsed("opening", crate::measures::parse_depth)?;
    let file = match (constant, line.text("opening_series")) {
        (Some(opening), None) => return Ok(vec![(0.0, opening as f32)]),
        (None, Some(file)) => line.folder.join(file),
        (first, _) => {
            let is = if first.is_some() { "defined twice" } else { "not defined" };
            return Err(line.wrong(format_args!("the opening of this gate is {is}")).hint(
                "give opening, a height, or opening_series, the path of a CSV of time [h],opening [m]",
            ));
        }
    };
    let course = OPENING.read(&file, reader.time.clock)?;
    reader.time.check_times("structures", &file.to_string_lossy(), course.per)?;
    if !reader.notices.have_read(&file) {
        reader.time.note("structures", &file, &course, Some("opening"), reader.notices)?;
    }
    let elapsed = reader.time.elapsed;
    Ok(course.series.pieces().iter().fold(Vec::new(), |mut pairs, piece| {
        let (time, opening) = ((piece.time + elapsed) as f32, piece.value as f32);
        // Times that are equal after rounding make a jump.
        match pairs.last_mut() {
            Some((before, last)) if time <= *before => *last = opening,
            _ => pairs.push((time, opening)),
        }
        pairs
    }))
}

/// Returns the widest opening of a table from a time on (m).
fn widest(openings: &[(f32, f32)], from: f32) -> f64 {
    let later = openings.iter().filter(|pair| pair.0 >= from).map(|pair| pair.1);
    let now = Table::value(openings, from);
    f64::from(later.fold(now, f32::max))
}
