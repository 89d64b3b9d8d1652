//! Bridges with soffit and deck.

use super::kind::{BuiltStructure, Crest, StructureReader};
use crate::engine::forcing::structures::StructureKind;
use crate::engine::forcing::structures::bridge::{Bridge, CONTRACTION};
use crate::engine::forcing::structures::gate::ENDLESS;
use crate::error::Result;
use crate::units::Metre;

pub fn read(reader: &mut StructureReader) -> Result<BuiltStructure> {
    let line = reader.line;
    let soffit = reader.line.level("soffit")?.ok_or_else(|| {
        line.wrong("the bridge has no soffit")
            .hint("give the level of its underside above the DEM's zero: soffit = 12.4 m")
    })?;
    let deck = reader.line.level("deck")?;
    if let Some(deck) = deck.filter(|deck| *deck < soffit) {
        return Err(line
            .wrong(format_args!("the deck at {deck} m is below the soffit at {soffit} m"))
            .hint("give the level of the road or of a closed parapet, over which water flows"));
    }
    let low = reader.edge_line.ground().0;
    let high = soffit - low;
    let message =
        |what: String| line.notice(format_args!("the soffit of a bridge at {soffit} m {what}"));
    if high <= 0.0 {
        reader.notices.warn(message(format!(
            "is below the whole bed (at least {low:.2} m), so the bridge is closed"
        )));
    } else if high > super::HIGH {
        reader
            .notices
            .warn(message(format!("is {high:.1} m above the bed; check its level and its unit")));
    }
    let contraction = reader.number("coefficient", 0.3..1.0, CONTRACTION)?;
    let thickness = deck.map_or(ENDLESS, |deck| (deck - soffit) as f32);
    let at = Bridge::table(reader.tables, contraction, thickness);
    let height = move |crest: Metre| (soffit - crest).max(0.0) as f32;
    let (width, crest) = (reader.width()?, Crest::Height(0.0));
    let numbers = |share, crest| [share, height(crest), at];
    let edges = reader.each(StructureKind::Bridge, crest, width, numbers);
    Ok(BuiltStructure { name: "bridge", width, crest, edges, breach: None })
}
