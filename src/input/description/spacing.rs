//! Spacing of the axes of NetCDF variables. GDAL places cells by the first and the last coordinate
//! alone, or not at all.

use super::axes::Role;
use super::netcdf::{Dimension, Layout};
use crate::engine::range::range;
use std::path::Path;

/// Maximum distance of a coordinate from its place on an evenly spaced axis, as a share of the
/// spacing. Coordinates are often rounded.
const TOLERANCE: f64 = 0.1;
/// Maximum number of coordinates in a suggested axis.
const MOST: f64 = 1e5;

/// Returns a description of a horizontal axis of a NetCDF variable that is not evenly spaced, and
/// the command that resamples the variable; `None` if both axes are.
pub fn uneven(layout: &Layout, path: &Path) -> Option<(String, String)> {
    let axes = [layout.with(Role::X)?, layout.with(Role::Y)?];
    axes.into_iter().find_map(|at| {
        let Dimension { name, unit, coordinates, .. } = &layout.dimensions[at];
        let [first, .., last] = coordinates[..] else { return None };
        let mean = (last - first) / (coordinates.len() - 1) as f64;
        let is_placed = |(at, &place): (usize, &f64)| {
            (place - (first + at as f64 * mean)).abs() <= TOLERANCE * mean.abs()
        };
        if coordinates.iter().enumerate().all(is_placed) {
            return None;
        }
        let (least, most) = range(coordinates.windows(2).map(|pair| (pair[1] - pair[0]).abs()));
        // Coordinates in 32 bits have few digits.
        let short = |number: f64| number as f32;
        let what = format!(
            "has an axis that is not evenly spaced: '{name}', with {} to {} {} between its coordinates",
            short(least),
            short(most),
            if unit.is_empty() { "units" } else { unit }
        );
        let count = ((last - first).abs() / least).round() + 1.0;
        let count = if count <= MOST { count.to_string() } else { "COUNT".into() };
        let fix = format!(
            "resample it evenly, in Python with xarray: xarray.open_dataset('{}').interp({name}=numpy.linspace({}, {}, {count})).to_netcdf('even.nc')",
            path.display(),
            short(first),
            short(last)
        );
        Some((what, fix))
    })
}
