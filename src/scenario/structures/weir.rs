//! Weirs, and the crests of levees and roads.

use super::kind::{BuiltStructure, Crest, StructureReader};
use crate::engine::forcing::structures::StructureKind;
use crate::engine::forcing::structures::weir::{COEFFICIENT, MODULAR};
use crate::error::Result;
use crate::measures;

/// A coefficient above this is probably in US units (in m^(1/2)/s, a sharp crest has 1.84, an ogee
/// 2.2).
const SHARP: f32 = 2.5;

pub fn read(reader: &mut StructureReader) -> Result<BuiltStructure> {
    let line = reader.line;
    let height = line.parsed("height", measures::parse_depth)?;
    let crest = match (reader.line.level("crest")?, height) {
        (Some(level), None) => Crest::Level(level),
        (None, Some(height)) => Crest::Height(height),
        (first, _) => {
            let is = if first.is_some() { "defined twice" } else { "not defined" };
            return Err(line.wrong(format_args!("the crest of this weir is {is}")).hint(
                "give crest, a level above the DEM's zero, or height, above the ground of each edge",
            ));
        }
    };
    let coefficient = reader.number("coefficient", 0.01..10.0, COEFFICIENT)?;
    let modular = reader.number("modular_limit", 0.0..0.999, MODULAR)?;
    if coefficient > SHARP {
        reader.notices.warn(line.notice(format_args!(
            "a weir's coefficient of {coefficient} may be in US units; in m and s a broad crest has 1.7, a sharp one 1.84"
        )));
    }
    let width = reader.width()?;
    let numbers = |share, _| [share * coefficient, modular, 0.0];
    let edges = reader.each(StructureKind::Weir, crest, width, numbers);
    Ok(BuiltStructure { name: "weir", width, crest, edges, breach: None })
}
