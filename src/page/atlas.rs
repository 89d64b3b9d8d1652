//! The maps of a page: of the layers that the run wrote.

use super::Run;
use super::map::{Ground, Map};
use super::picture::Small;
use super::ramp::Ramp;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::layers::{ARRIVAL_TIME, DEPTH, Layer, MAX_AIDR, MAX_DEPTH, MAX_HAZARD, MAX_VELOCITY};
use crate::output::folder::OutputFolder;
use crate::words::capital;

/// The layers that are shown if the run wrote them, in the page's order.
const SHOWN: [&Layer; 5] = [&MAX_DEPTH, &ARRIVAL_TIME, &MAX_VELOCITY, &MAX_HAZARD, &MAX_AIDR];

/// The maps, and what stands out on them.
pub struct Atlas {
    /// The maps.
    pub maps: Vec<Map>,
    /// The greatest depth (m), if a map tells it.
    pub deepest: Option<f64>,
}

/// Draws the maps of a run; the depth at the end stands in for the greatest depth that was not asked for.
///
/// # Errors
/// If a layer cannot be read again.
pub fn draw(run: &Run) -> Result<Atlas> {
    let Run { facts, clock, bed, folder, .. } = run;
    let ground = Ground::new(&facts.grid, bed.clone())?;
    let has = |layer: &Layer| facts.layers.layers.iter().any(|chosen| chosen.key == layer.key);
    let mut atlas = Atlas { maps: Vec::new(), deepest: None };
    let instead = (!has(&MAX_DEPTH)).then_some(&DEPTH);
    for layer in instead.into_iter().chain(SHOWN).filter(|layer| has(layer)) {
        let (ramp, values, greatest) = read(folder, layer, &facts.grid)?;
        if layer.key == MAX_DEPTH.key {
            atlas.deepest = Some(greatest.unwrap_or(0.0));
        }
        let title = capital((layer.long_name)(clock));
        atlas.maps.push(ground.map(&title, &values, &ramp, &facts.watched)?);
    }
    Ok(atlas)
}

/// The ramp of a layer and its values as they were written, and the greatest of them.
fn read(folder: &OutputFolder, layer: &Layer, grid: &Grid) -> Result<(Ramp, Small, Option<f64>)> {
    let style = folder.find(&format!("{}.qml", layer.key));
    let style = std::fs::read_to_string(&style)
        .map_err(|error| Error::run(format!("cannot read '{}': {error}", style.display())))?;
    let raster = folder.find(&format!("{}.tif", layer.key));
    let (small, greatest) = Small::read(&raster, grid, layer.averages)?;
    Ok((Ramp::of_style(&style)?, small, greatest))
}
