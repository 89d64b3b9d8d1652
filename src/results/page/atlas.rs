//! Maps of a page, one for each layer that the run wrote.

use super::PageInputs;
use super::map::{Marked, PageMap, Relief};
use crate::error::Result;
use crate::output::layers::{
    ARRIVAL_TIME, DEPTH, Layer, MAX_AIDR, MAX_DEPTH, MAX_HAZARD, MAX_VELOCITY,
};
use crate::output::results::Map;
use crate::output::small::Small;
use crate::output::symbols::KindSymbol;
use crate::results::report::Report;
use crate::words::capital;
use rayon::prelude::*;

/// Layers that are shown if the run wrote them, in page order. The final depth replaces the
/// greatest depth if that was not requested.
const SHOWN: [&Layer; 6] =
    [&DEPTH, &MAX_DEPTH, &ARRIVAL_TIME, &MAX_VELOCITY, &MAX_HAZARD, &MAX_AIDR];

/// Returns `true` if a page may show a layer.
pub fn shows(layer: &Layer) -> bool {
    SHOWN.iter().any(|shown| shown.key == layer.key)
}

/// The maps of a page, and their greatest depth.
#[derive(Debug)]
pub struct Atlas {
    /// Drawn maps, in page order.
    pub maps: Vec<PageMap>,
    /// The greatest depth (m), if a map has it.
    pub deepest: Option<f64>,
    /// Symbols of structures and links on the maps.
    pub symbols: Vec<&'static KindSymbol>,
}

/// Draws the maps of a run, without the ground if a picture of it lies below them.
pub fn draw(report: &Report, run: &PageInputs, has_ground: bool) -> Result<Atlas> {
    let PageInputs { facts, bed, .. } = run;
    let relief = Relief::new(facts.map_grid(), (*bed).clone())?;
    let relief = Relief { is_apart: has_ground, ..relief };
    let find = |layer: &&Layer| report.maps.iter().find(|map| map.name == layer.key);
    let most = find(&&MAX_DEPTH);
    let greatest = |map: &Map| map.statistics.map_or(0.0, |statistics| statistics.max);
    let shown = SHOWN.iter().filter(|layer| layer.key != DEPTH.key || most.is_none());
    let pictured: Vec<(&Map, &Small)> = shown
        .filter_map(find)
        .filter_map(|map| map.picture.as_ref().map(|picture| (map, picture)))
        .collect();
    let marked = Marked::of(facts);
    let draw = |(map, picture): (&Map, &Small)| {
        let ramp = &report.styles[map.layer.key];
        relief.map(&capital(&map.about), picture, ramp, &marked)
    };
    let maps = pictured.into_par_iter().map(draw).collect::<Result<_>>()?;
    Ok(Atlas { maps, deepest: most.map(greatest), symbols: marked.symbols() })
}
