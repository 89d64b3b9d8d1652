//! Terrain to run whole models on: made up, the same on every machine.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::output::format::{Labels, Sheet, USUAL};
use gdal::spatial_ref::SpatialRef;
use rayon::prelude::*;
use std::path::Path;

/// Height of a terrain (m) at a column and a row of a grid with so many columns and rows.
pub type Terrain = fn((usize, usize), (usize, usize)) -> f64;

/// Mountains with valleys of all sizes that fall to the south.
pub fn mountains(at: (usize, usize), (_, rows): (usize, usize)) -> f64 {
    hills(at, 160.0) + 300.0 * (rows - at.1) as f64 / rows as f64
}

/// A valley that falls to the east, with a river that winds on its floor.
pub fn valley(at: (usize, usize), (columns, rows): (usize, usize)) -> f64 {
    let (x, y) = (at.0 as f64, at.1 as f64);
    let middle = rows as f64 / 2.0 * (1.0 + 0.3 * (x / columns as f64 * 12.0).sin());
    let off = (y - middle).abs() / rows as f64;
    let bed = if off * rows as f64 <= 2.0 { -3.0 } else { 0.0 };
    200.0 - 0.015 * x + 600.0 * off * off + 0.02 * hills(at, 20.0) + bed
}

/// Half the width of the town's river (cells), in a map of so many rows.
pub fn half_channel(rows: usize) -> usize {
    (rows * 12 / 560).max(1)
}

/// A plain that falls gently to the east, with a town on both banks of a wide and shallow river that winds through it: houses
/// between streets.
pub fn town(at: (usize, usize), (columns, rows): (usize, usize)) -> f64 {
    let (x, y) = (at.0 as f64, at.1 as f64);
    let middle = rows as f64 / 2.0 * (1.0 + 0.3 * (x / columns as f64 * 9.0).sin());
    let away = (y - middle).abs();
    let off = away / rows as f64;
    let bed = if away <= half_channel(rows) as f64 { -1.4 } else { 0.0 };
    let is_house = at.0 % 16 < 10 && at.1 % 14 < 9 && (0.03..0.35).contains(&off);
    let house = if is_house { 6.0 } else { 0.0 };
    50.0 - 0.002 * x + 9.0 * off * off + 0.005 * hills(at, 20.0) + bed + house
}

/// Octaves of smooth noise, the longest of `size` m of height.
fn hills((column, row): (usize, usize), size: f64) -> f64 {
    let (mut height, mut size, mut cells) = (0.0, size, 512.0);
    while cells >= 4.0 {
        height += size * smooth(column as f64 / cells, row as f64 / cells);
        (size, cells) = (size / 2.0, cells / 2.0);
    }
    height
}

/// Noise between 0 and 1 that is smooth between whole numbers.
fn smooth(x: f64, y: f64) -> f64 {
    let (left, top) = (x.floor(), y.floor());
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (across, down) = (ease(x - left), ease(y - top));
    let at = |dx: f64, dy: f64| noise((left + dx) as u32, (top + dy) as u32);
    let row = |dy: f64| at(0.0, dy) * (1.0 - across) + at(1.0, dy) * across;
    row(0.0) * (1.0 - down) + row(1.0) * down
}

/// A fixed pseudorandom number in 0..1 (Knuth's multiplicative hash, twice).
fn noise(x: u32, y: u32) -> f64 {
    let mixed = (x.wrapping_mul(2_654_435_761) ^ y).wrapping_mul(2_246_822_519);
    f64::from((mixed ^ mixed >> 15).wrapping_mul(2_654_435_761) >> 8) / 16_777_216.0
}

/// The heights of a terrain, to the centimetre, as DEMs have them.
pub fn heights(terrain: Terrain, size: (usize, usize)) -> Vec<f32> {
    let height = |cell: usize| {
        let height = terrain((cell % size.0, cell / size.0), size);
        ((height * 100.0).round() / 100.0) as f32
    };
    (0..size.0 * size.1).into_par_iter().map(height).collect()
}

/// Writes heights as a GeoTIFF with square cells (m).
pub fn write(
    path: &Path,
    heights: &[f32],
    (columns, rows): (usize, usize),
    cell: f64,
) -> Result<()> {
    let crs = SpatialRef::from_epsg(32632).and_then(|crs| crs.to_wkt());
    let crs = crs.map_err(|error| Error::run("GDAL knows no EPSG:32632").because(error))?;
    let transform = [500_000.0, cell, 0.0, 5_000_000.0, 0.0, -cell];
    let grid = Grid { columns, rows, transform, dx: cell, dy: cell, crs: Some(crs) };
    USUAL.write(Sheet::new(path, &grid, &Labels::of("height", "m")), heights).map(|_| ())
}
