//! Transformation of geometries to the grid's CRS. An edge that is straight in the geometry's own CRS
//! is curved in the grid's, so long edges get further points.

use super::burn::{Shape, shape};
use super::clip;
use crate::engine::grid::Grid;
use crate::engine::range::range;
use crate::input::gdal_access::gdal_log;
use crate::input::raster::place::{is_in_degrees, projection, transform_all};
use gdal::errors::Result;
use gdal::spatial_ref::CoordTransform;
use gdal::vector::{Envelope, Geometry};

/// Number of intervals in which the surroundings of the grid are sampled, in each direction.
const SAMPLES: usize = 32;
/// Minimum number of edges along the surroundings of the grid: an edge then deviates from the curve
/// by less than a hundredth of a cell, on grids of up to 50 000 cells in a row.
const EDGES: f64 = 512.0;
/// Maximum number of edges along the extent of a geometry.
const MOST_EDGES: f64 = 1e5;
/// Extent from which a geometry is clipped before it is transformed: a quarter of the Earth (°, m).
const WIDE: [f64; 2] = [90.0, 1e7];

/// Transformation of geometries to the grid's CRS.
pub struct Reprojection {
    to_grid: CoordTransform,
    /// Surroundings of the grid in the other CRS (west, south, east and north limit), if they are a
    /// rectangle there.
    near: Option<[f64; 4]>,
    /// `true` if the other CRS is in degrees.
    degrees: bool,
}

impl Reprojection {
    /// Creates the transformation from a CRS; `None` if it is the grid's, or none is known.
    pub fn new(own: Option<&str>, grid: &Grid) -> Option<Reprojection> {
        let to_grid = projection(own, grid.crs.as_deref())?;
        let degrees = own.is_some_and(is_in_degrees);
        let near = projection(grid.crs.as_deref(), own).and_then(|to_own| near(grid, &to_own));
        let near = near.filter(|[west, _, east, _]| !degrees || east - west < 180.0);
        Some(Reprojection { to_grid, near, degrees })
    }

    /// Transforms a point.
    pub fn point(&self) -> &CoordTransform {
        &self.to_grid
    }

    /// Transforms a whole geometry.
    ///
    /// # Errors
    /// If a point cannot be transformed.
    pub fn whole(&self, geometry: &Geometry) -> Result<Geometry> {
        let mut geometry = geometry.clone();
        if shape(&geometry) != Some(Shape::Points) {
            let own = size(&geometry.envelope());
            let near = self.near.map_or(own, |[w, s, e, n]| [e - w, n - s]);
            let diagonal = |[width, height]: [f64; 2]| width.hypot(height);
            let longest = (diagonal(near) / EDGES).max(diagonal(own) / MOST_EDGES);
            if longest > 0.0 {
                // SAFETY: `geometry` is owned here, so its handle is valid and nothing else uses it.
                unsafe { gdal_sys::OGR_G_Segmentize(geometry.c_geometry(), longest) };
            }
        }
        geometry.transform_inplace(&self.to_grid)?;
        Ok(geometry)
    }

    /// Transforms a geometry: all of it, or only its part near the grid if it extends around the
    /// Earth. `None` if it is so far from the grid that it has no place in the grid's CRS.
    ///
    /// # Errors
    /// If it cannot be transformed, and is not a place on the Earth in degrees.
    pub fn near(&self, geometry: &Geometry) -> Result<Option<Geometry>> {
        let envelope = geometry.envelope();
        let is_wide =
            size(&envelope).into_iter().any(|size| size > WIDE[usize::from(!self.degrees)]);
        let whole = (!is_wide || self.near.is_none()).then(|| self.whole(geometry));
        let error = match whole {
            Some(Ok(whole)) => return Ok(Some(whole)),
            Some(Err(error)) => Some(error),
            None => None,
        };
        // Longitudes may run from 0 to 360.
        let turns: &[f64] = match (shape(geometry), self.degrees) {
            (Some(Shape::Points), _) => &[],
            (_, true) => &[0.0, 360.0, -360.0],
            (_, false) => &[0.0],
        };
        for (turn, [west, south, east, north]) in
            turns.iter().flat_map(|turn| Some((turn, self.near?)))
        {
            let part = clip::to_rectangle(geometry, [west + turn, south, east + turn, north])?;
            if part.as_ref().is_none_or(|part| !part.is_empty()) {
                gdal_log::take();
                return self.whole(part.as_ref().unwrap_or(geometry)).map(Some);
            }
        }
        let is_on_earth = self.degrees
            && envelope.MinY.abs().max(envelope.MaxY.abs()) <= 90.0
            && envelope.MinX.abs().max(envelope.MaxX.abs()) <= 360.0;
        match error {
            Some(error) if !is_on_earth => Err(error),
            _ => {
                gdal_log::take();
                Ok(None)
            }
        }
    }
}

/// Returns the width and height of an envelope.
fn size(envelope: &Envelope) -> [f64; 2] {
    [envelope.MaxX - envelope.MinX, envelope.MaxY - envelope.MinY]
}

/// Returns the surroundings of a grid in another CRS, with a margin; `None` if they have no place
/// there.
fn near(grid: &Grid, to_own: &CoordTransform) -> Option<[f64; 4]> {
    let [west, south, east, north] = clip::surroundings(grid);
    let part = |at: usize, low: f64, high: f64| low + (high - low) * at as f64 / SAMPLES as f64;
    let points = (0..=SAMPLES).flat_map(|i| (0..=SAMPLES).map(move |j| (i, j)));
    let (mut x, mut y): (Vec<f64>, Vec<f64>) =
        points.map(|(i, j)| (part(i, west, east), part(j, south, north))).unzip();
    if !transform_all(to_own, &mut x, &mut y) || !x.iter().chain(&y).all(|at| at.is_finite()) {
        return None;
    }
    let wider = |(low, high): (f64, f64)| (low - 0.1 * (high - low), high + 0.1 * (high - low));
    let ((west, east), (south, north)) = (wider(range(x)), wider(range(y)));
    Some([west, south, east, north])
}
