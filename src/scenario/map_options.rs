//! Options of maps: their grid, and the depths of arrivals and extents.

use super::options::{DEFAULT_ARRIVAL_DEPTH, Options, OutputGrid, Quantity};
use crate::error::{Error, Result};
use crate::measures;

/// Maximum number of arrival depths, and of depths of extents.
const MOST_DEPTHS: usize = 6;

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
