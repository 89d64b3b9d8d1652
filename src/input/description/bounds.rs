//! Bounds of the intervals of a NetCDF time axis (CF conventions 1.11, section 7.1).

use super::netcdf::Groups;
use crate::input::gdal_access::{dataset, gdal_log};
use std::path::Path;

/// Coordinates of an axis, ascending, and the first and last coordinate of each interval.
pub struct Bounds {
    coordinates: Vec<f64>,
    pairs: Vec<(f64, f64)>,
    /// Units of the pairs; empty if they are those of the axis, as they should be.
    pub units: String,
}

impl Bounds {
    /// Reads the bounds variable `name` of the dimension `dimension` of a variable of a NetCDF
    /// file; `None` if it does not exist.
    pub fn read(path: &Path, variable: &str, dimension: &str, name: &str) -> Option<Bounds> {
        gdal_log::install();
        let read =
            || {
                let whole = dataset::multidimensional(path).ok()?;
                let groups = Groups::of(&whole, variable)?;
                let coordinates = values(&groups, dimension)?;
                let flat = values(&groups, name)?;
                let pairs: Vec<(f64, f64)> =
                    flat.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
                let units = groups.array(name)?.unit();
                (pairs.len() == coordinates.len() && flat.len() == 2 * pairs.len())
                    .then_some(Bounds { coordinates, pairs, units })
            };
        let bounds = read();
        gdal_log::take();
        bounds
    }

    /// Returns the ends of the interval of a coordinate, in [`Bounds::units`].
    pub fn of(&self, coordinate: f64) -> Option<(f64, f64)> {
        let tolerance = 1e-9 * coordinate.abs().max(1.0);
        let at = self.coordinates.partition_point(|&known| known < coordinate - tolerance);
        let (known, &(first, last)) = (self.coordinates.get(at)?, self.pairs.get(at)?);
        if (known - coordinate).abs() > tolerance {
            return None;
        }
        Some((first.min(last), first.max(last))).filter(|(first, last)| last > first)
    }
}

/// Reads all values of an array of one or two dimensions.
fn values(groups: &Groups, name: &str) -> Option<Vec<f64>> {
    let array = groups.array(name)?;
    let sizes: Vec<usize> = array.dimensions().ok()?.iter().map(|one| one.size()).collect();
    if !array.datatype().class().is_numeric() || !matches!(sizes.len(), 1 | 2) {
        return None;
    }
    array.read_as(vec![0; sizes.len()], sizes).ok()
}
