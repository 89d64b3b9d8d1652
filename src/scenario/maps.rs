//! Layers that a scenario writes, and the diagnostics that they need.

use super::options::{DEFAULT_ARRIVAL_DEPTH, Options, OutputGrid, Quantity};
use super::validated::ValidatedOptions;
use crate::engine::cell_diagnostics::{CellDiagnostic, ticks_until};
use crate::engine::grains::Grain;
use crate::engine::hazard::SHALLOW;
use crate::engine::losses::Losses;
use crate::error::{Error, Result};
use crate::measures;
use crate::output::layers::{self, Chosen, DEPTH, DepthThresholds, Layer, MAX_DEPTH};

/// Maximum number of arrival depths, and of depths of extents.
const MOST_DEPTHS: usize = 6;

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

/// Returns true if maps are on the fine grid, which only a run `with_subgrid` has.
///
/// # Errors
/// If `output_grid` or `output_surface` is given but the run has only one grid.
pub fn draws_fine(options: &Options, with_subgrid: bool) -> Result<bool> {
    let given = [
        ("output_grid", options.output_grid.is_some()),
        ("output_surface", options.output_surface.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given && !with_subgrid) {
        Some((option, _)) => {
            Err(Error::input(format!("{option}: the cells of this run are the pixels of the DEM"))
                .hint(format!("compute on coarser cells with --subgrid 8, or leave {option} out")))
        }
        None => Ok(with_subgrid && options.output_grid.unwrap_or_default() == OutputGrid::Fine),
    }
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
        let hazard_depth = match &options.hazard_depth {
            None => SHALLOW,
            Some(Quantity(text)) => {
                measures::parse_depth(text).map_err(|e| e.of("hazard_depth"))?
            }
        };
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

/// Parses the arrival depths (m): at least one, all different.
pub fn arrival_depths(options: &Options) -> Result<Vec<f64>> {
    match &options.arrival_depth {
        Some(text) => depths("arrival_depth", text),
        None => Ok(vec![DEFAULT_ARRIVAL_DEPTH]),
    }
}

/// Parses the depths of the extents (m): all different, none without the option.
///
/// # Errors
/// If a depth is invalid, or if extents of a series are requested that does not exist.
pub fn extent_depths(options: &Options, has_series: bool) -> Result<Vec<f64>> {
    if options.extent_series && options.extents.is_none() {
        return Err(Error::input("extent_series: no depth is given for the extents")
            .hint("give one with --extents \"0.1 m\", or leave extent_series out"));
    }
    if options.extent_series && !has_series {
        return Err(Error::input("extent_series: the run writes no maps during the simulation")
            .hint("give --output-every \"15 min\", or leave extent_series out"));
    }
    options.extents.as_ref().map_or(Ok(Vec::new()), |text| depths("extents", text))
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

/// Parses the depths of an option (m): at least one, all different.
fn depths(option: &str, Quantity(text): &Quantity) -> Result<Vec<f64>> {
    let mut depths = Vec::new();
    for part in text.split(',') {
        let depth = measures::parse_depth(part).map_err(|error| error.of(option))?;
        if depths.contains(&depth) {
            return Err(Error::input(format!("{option}: {depth} m is given twice"))
                .hint("give each depth once"));
        }
        depths.push(depth);
    }
    if depths.len() > MOST_DEPTHS {
        let count = depths.len();
        return Err(Error::input(format!("{option}: {count} depths are too many"))
            .hint(format!("give up to {MOST_DEPTHS}")));
    }
    Ok(depths)
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
