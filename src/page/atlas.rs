//! The maps of a page: of the layers that the run wrote.

use super::Run;
use super::map::{Ground, Map};
use crate::error::Result;
use crate::layers::{ARRIVAL_TIME, DEPTH, Layer, MAX_AIDR, MAX_DEPTH, MAX_HAZARD, MAX_VELOCITY};
use crate::report::Report;
use crate::results::Map as Written;
use crate::words::capital;

/// The layers that are shown if the run wrote them, in the page's order. The depth at the end stands in for the greatest
/// depth that was not asked for.
const SHOWN: [&Layer; 6] =
    [&DEPTH, &MAX_DEPTH, &ARRIVAL_TIME, &MAX_VELOCITY, &MAX_HAZARD, &MAX_AIDR];

/// Whether a page may show a layer.
pub fn shows(layer: &Layer) -> bool {
    SHOWN.iter().any(|shown| shown.key == layer.key)
}

/// The maps, and what stands out on them.
pub struct Atlas {
    /// The maps.
    pub maps: Vec<Map>,
    /// The greatest depth (m), if a map tells it.
    pub deepest: Option<f64>,
}

/// Draws the maps of a run.
pub fn draw(report: &Report, run: &Run) -> Result<Atlas> {
    let Run { facts, bed, .. } = run;
    let ground = Ground::new(&facts.grid, bed.clone())?;
    let find = |layer: &&Layer| report.maps.iter().find(|map| map.name == layer.key);
    let most = find(&&MAX_DEPTH);
    let greatest = |map: &Written| map.statistics.map_or(0.0, |statistics| statistics.max);
    let mut atlas = Atlas { maps: Vec::new(), deepest: most.map(greatest) };
    let shown = SHOWN.iter().filter(|layer| layer.key != DEPTH.key || most.is_none());
    for map in shown.filter_map(find) {
        if let Some(picture) = &map.picture {
            let ramp = &report.styles[map.layer.key];
            atlas.maps.push(ground.map(&capital(&map.about), picture, ramp, &facts.watched)?);
        }
    }
    Ok(atlas)
}
