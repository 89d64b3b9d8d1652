//! Assignment of DEM cells to the pixels of a coarse raster: a radar's pixels as zones of the grid.

use crate::engine::forcing::zones::Zones;
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::raster::layer::lies_on;
use crate::input::raster::place::{Alignment, same_crs};
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::vector::point_position::misses;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of pixels of a coarse raster, as a share of the grid's cells.
const COARSE: f64 = 0.25;

/// Tolerance of positions (pixels): of interpolated cells, where only some are projected, and of the
/// corners of equal grids.
const TOLERANCE: f64 = 0.01;

/// Zone of cells outside all pixels or outside the domain.
const NOWHERE: u32 = 0;

/// Pixels of a raster that contain cells of the domain.
pub struct Pixels {
    /// Zones: zone 0 is nowhere, the others are pixels.
    pub zones: Arc<Zones>,
    /// Window of the raster that contains all pixels: first column and row, number of columns and
    /// rows.
    window: ((usize, usize), (usize, usize)),
    /// Index in the window of each zone's pixel, from zone 1.
    places: Vec<usize>,
}

/// Grid of a raster, for comparison with other rasters.
pub struct PixelGrid {
    size: [usize; 2],
    transform: Option<[f64; 6]>,
    crs: Option<String>,
}

impl PixelGrid {
    /// Returns the grid of a raster.
    pub fn of(file: &RasterFile) -> PixelGrid {
        let size = [file.columns, file.rows];
        PixelGrid { size, transform: file.transform(), crs: file.crs() }
    }

    /// Returns `true` if another raster is on this grid: no corner is off by more than a hundredth
    /// of a pixel.
    pub fn is_that_of(&self, file: &RasterFile) -> bool {
        let other = PixelGrid::of(file);
        let are_near = match (self.transform, other.transform) {
            (Some(own), Some(other)) => {
                let pixel = (own[1] * own[5] - own[2] * own[4]).abs().sqrt();
                let [columns, rows] = self.size.map(|count| count as f64);
                let corners = [(0.0, 0.0), (columns, 0.0), (0.0, rows), (columns, rows)];
                corners.iter().all(|(i, j)| {
                    let off = |at: usize| {
                        let [x, dx, dy] = [0, 1, 2].map(|term| other[at + term] - own[at + term]);
                        (x + i * dx + j * dy).abs()
                    };
                    off(0).max(off(3)) <= TOLERANCE * pixel
                })
            }
            (own, other) => own == other,
        };
        self.size == other.size && are_near && same_crs(self.crs.as_deref(), other.crs.as_deref())
    }
}

/// Returns `true` if a raster's pixels are large enough for zones: at most a quarter as many as
/// grid cells.
pub fn is_coarse(file: &RasterFile, grid: &Grid) -> bool {
    let Some(own) = file.transform() else { return false };
    let place = Alignment::new(file, &own, grid);
    // Area of a cell in pixels, in the middle of the grid.
    let (column, row) = (grid.columns as f64 / 2.0, grid.rows as f64 / 2.0);
    let at = |i: f64, j: f64| spot(&place, grid, (i, j));
    let (Some(here), Some(along), Some(down)) =
        (at(column, row), at(column + 1.0, row), at(column, row + 1.0))
    else {
        return true;
    };
    let (a, b) = (along.0 - here.0, along.1 - here.1);
    let (c, d) = (down.0 - here.0, down.1 - here.1);
    let area = (a * d - b * c).abs();
    area.is_nan() || area <= COARSE
}

/// Returns the position in the raster of a point given in columns and rows of the grid; `None` if
/// it cannot be projected.
fn spot(place: &Alignment, grid: &Grid, (i, j): (f64, f64)) -> Option<(f64, f64)> {
    let [west, dx, _, north, _, dy] = grid.transform;
    let spot = place.cell_below((west + i * dx, north + j * dy));
    spot.filter(|(i, j)| i.is_finite() && j.is_finite())
}

/// Finds the positions in the raster of the centres of a row's cells from `first` to `last`, whose
/// positions are given: linear if the middle is on the straight line, else by bisection.
fn fill(
    place: &Alignment,
    grid: &Grid,
    row: f64,
    first: usize,
    last: usize,
    spots: &mut [(f64, f64)],
) {
    if last - first < 2 {
        return;
    }
    let middle = usize::midpoint(first, last);
    let part = (middle - first) as f64 / (last - first) as f64;
    let between = |part: f64, spots: &[(f64, f64)]| {
        let (a, b) = (spots[first], spots[last]);
        (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part)
    };
    let guess = between(part, spots);
    let found = spot(place, grid, (middle as f64 + 0.5, row)).unwrap_or((f64::NAN, f64::NAN));
    if (found.0 - guess.0).abs() + (found.1 - guess.1).abs() < TOLERANCE {
        for column in first + 1..last {
            let part = (column - first) as f64 / (last - first) as f64;
            spots[column] = between(part, spots);
        }
    } else {
        spots[middle] = found;
        fill(place, grid, row, first, middle, spots);
        fill(place, grid, row, middle, last, spots);
    }
}

impl Pixels {
    /// Finds the pixels of a raster under the domain. It is an error if there are none.
    pub fn under(file: &RasterFile, ground: Topography) -> Result<Pixels> {
        let Topography { grid, bed, .. } = ground;
        // Without a georeference the raster must have the grid's shape, which this call checks.
        lies_on(file, grid)?;
        let own = file.transform().unwrap_or(grid.transform);
        let place = Alignment::new(file, &own, grid);
        let mut known: HashMap<usize, u32> = HashMap::new();
        let mut pixels: Vec<(usize, usize)> = Vec::new();
        let mut of = vec![NOWHERE; grid.cells()];
        let last = grid.columns - 1;
        let mut spots = vec![(f64::NAN, f64::NAN); grid.columns];
        for row in 0..grid.rows {
            let middle = row as f64 + 0.5;
            spots.fill((f64::NAN, f64::NAN));
            for end in [0, last] {
                let found = spot(&place, grid, (end as f64 + 0.5, middle));
                spots[end] = found.unwrap_or((f64::NAN, f64::NAN));
            }
            fill(&place, grid, middle, 0, last, &mut spots);
            let mut before = (usize::MAX, NOWHERE);
            for (column, &(i, j)) in spots.iter().enumerate() {
                let cell = row * grid.columns + column;
                let (columns, rows) = (file.columns as f64, file.rows as f64);
                // Longitudes may run from 0 to 360 or from −180 to 180.
                let round = if place.degrees { 360.0 / own[1] } else { 0.0 };
                let turned = [i, i + round, i - round];
                let i = turned.into_iter().find(|i| (0.0..columns).contains(i)).unwrap_or(i);
                let on_it = (0.0..columns).contains(&i) && (0.0..rows).contains(&j);
                if !on_it || !ground.is_inside(cell) {
                    continue;
                }
                let (i, j) = (i as usize, j as usize);
                let pixel = j * file.columns + i;
                if pixel != before.0 {
                    let zone = *known.entry(pixel).or_insert_with(|| {
                        pixels.push((i, j));
                        pixels.len() as u32
                    });
                    before = (pixel, zone);
                }
                of[cell] = before.1;
            }
        }
        if pixels.is_empty() {
            return Err(misses(file, grid, ": it contains none of the domain's cells"));
        }
        let span = |at: &dyn Fn(&(usize, usize)) -> usize| {
            let first = pixels.iter().map(at).min().unwrap_or(0);
            (first, pixels.iter().map(at).max().unwrap_or(0) + 1 - first)
        };
        let ((column, columns), (row, rows)) = (span(&|pixel| pixel.0), span(&|pixel| pixel.1));
        let places = pixels.iter().map(|(i, j)| (j - row) * columns + i - column).collect();
        let zones = Arc::new(Zones::new(of, pixels.len() + 1, bed));
        let window = ((column, row), (columns, rows));
        Ok(Pixels { zones, window, places })
    }

    /// Reads the value of every zone from the current band, NaN where there is none; zone 0 has
    /// none.
    pub fn values(&self, file: &RasterFile, undeclared: &mut Undeclared) -> Result<Vec<f64>> {
        let (corner, size) = self.window;
        let mut values = file.buffer(0.0, size.0.saturating_mul(size.1))?;
        file.read_window(corner, size, &mut values, undeclared)?;
        let of_pixels = self.places.iter().map(|&place| values[place]);
        Ok(std::iter::once(f64::NAN).chain(of_pixels).collect())
    }

    /// Returns column and row in the raster of a zone's pixel.
    pub fn pixel(&self, zone: usize) -> (usize, usize) {
        let ((column, row), (columns, _)) = self.window;
        let place = self.places[zone - 1];
        (column + place % columns, row + place / columns)
    }
}
