//! Layers that a scenario writes, and the diagnostics that they need.

use super::options::Options;
use super::quantity::named;
use super::validated::ValidatedOptions;
use crate::engine::cell_diagnostics::{CellDiagnostic, ticks_until};
use crate::engine::grains::Grain;
use crate::engine::hazard::SHALLOW;
use crate::engine::losses::Losses;
use crate::error::{Error, Result};
use crate::measures;
use crate::output::layers::{self, Chosen, DEPTH, DepthThresholds, Layer, MAX_DEPTH};

/// Layers to write and the diagnostics that they need.
pub struct ChosenMaps {
    /// Layers to write.
    pub chosen: Chosen,
    /// Cell diagnostics that the layers need.
    pub cell_diagnostics: Vec<CellDiagnostic>,
    /// Depth of arrival (grains).
    pub arrival: i32,
    /// Depth up to which water is not a hazard (m).
    pub hazard_depth: f64,
}

/// Outputs that are on the fine grid of a run with subgrid tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grids {
    /// True if maps are on the fine grid.
    pub draws_fine: bool,
    /// True if there are gauges.
    pub has_gauges: bool,
    /// True if there are points, which have values of the whole run.
    pub has_points: bool,
    /// True if cells have subgrid tables.
    pub has_tables: bool,
}

impl ChosenMaps {
    /// Chooses the layers and their diagnostics.
    pub fn of(
        options: &Options,
        validated: &ValidatedOptions,
        losses: &Option<Losses>,
        grain: Grain,
        grids: Grids,
    ) -> Result<ChosenMaps> {
        let (solver, arrivals) = (validated.solver.info, &validated.arrivals);
        let arrival = self::grains("arrival_depth", arrivals[0], grain)?;
        let layers = layers::choose(&options.layers, solver.is_timed(), losses.is_some())?;
        check_extents(options, &layers)?;
        let above = arrivals.iter().map(|depth| arrival_grains(*depth, grain));
        let above = above.collect::<Result<Vec<i32>>>()?;
        let hazard_depth = named("hazard_depth", &options.hazard_depth, measures::parse_depth)?;
        let hazard_depth = hazard_depth.unwrap_or(SHALLOW);
        let hazard = grains("hazard_depth", hazard_depth, grain)?;
        let depths =
            DepthThresholds { wet: above[0], hazard, ticks: ticks_until(validated.clock.end()) };
        let mut cell_diagnostics = match grids.draws_fine {
            true => layers::fine_cell_diagnostics(&layers, depths, &above),
            false => layers::cell_diagnostics(&layers, depths, &above[1..]),
        };
        if grids.has_points {
            let at_points = layers::at_points(solver.is_timed(), &layers);
            let more = match grids.has_tables {
                true => layers::fine_cell_diagnostics(&at_points, depths, &above),
                false => layers::cell_diagnostics(&at_points, depths, &[]),
            };
            let more: Vec<CellDiagnostic> = more
                .into_iter()
                .filter(|diagnostic| !cell_diagnostics.contains(diagnostic))
                .collect();
            cell_diagnostics.extend(more);
        }
        let records_rises = cell_diagnostics
            .iter()
            .any(|diagnostic| matches!(diagnostic, CellDiagnostic::LevelArrivals { .. }));
        if grids.has_gauges && !records_rises {
            cell_diagnostics.push(CellDiagnostic::LevelArrivals { above: above[0] });
        }
        let chosen = Chosen { layers, arrivals: arrivals[1..].to_vec() };
        Ok(ChosenMaps { chosen, cell_diagnostics, arrival, hazard_depth })
    }
}

/// Checks that the chosen layers include the maps from which extents are drawn.
fn check_extents(options: &Options, layers: &[&Layer]) -> Result<()> {
    let needed = [
        ("extents", options.extents.is_some(), &MAX_DEPTH),
        ("extent_series", options.extent_series, &DEPTH),
    ];
    let lacks = |layer: &Layer| layers.iter().all(|chosen| chosen.key != layer.key);
    match needed.into_iter().find(|(_, is_set, layer)| *is_set && lacks(layer)) {
        Some((option, _, Layer { key, .. })) => {
            Err(Error::input(format!("{option}: the layer '{key}' is not written"))
                .hint(format!("extents are drawn from that map: add {key} to the layers")))
        }
        None => Ok(()),
    }
}

/// Converts an arrival depth (m) into grains.
///
/// # Errors
/// If it exceeds the greatest possible depth, or is above 0 but less than a grain.
fn arrival_grains(depth: f64, grain: Grain) -> Result<i32> {
    match grains("arrival_depth", depth, grain)? {
        0 if depth > 0.0 => Err(Error::input(format!(
            "arrival_depth: {depth} m is less than the resolution of the water depth, {:.0e} m",
            grain.metres()
        ))
        .hint("give a greater depth, or 0 for any water")),
        grains => Ok(grains),
    }
}

/// Converts a depth (m) of an option into grains.
pub fn grains(of: &str, depth: f64, grain: Grain) -> Result<i32> {
    grain
        .from_depth(depth)
        .ok_or_else(|| Error::input(format!("{of}: {depth} m is deeper than any water can get")))
}
