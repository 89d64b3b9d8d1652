//! Overlay of buildings and walls on a page's maps, drawn from their geometries and not from the
//! cells that they raise.

use super::map::plate_pixels;
use super::picture::{failed, indexed_uri};
use crate::engine::grid::{Grid, beside};
use crate::error::Result;
use crate::input::gdal_access::{dataset, gdal_log};
use crate::input::vector::reprojection::Reprojection;
use crate::input::vector::{burn, clip};
use crate::output::colour::Colour;
use crate::scenario::Facts;
use gdal::vector::{Geometry, LayerAccess};
use std::path::Path;

/// Pixels per unit of a page.
const FINE: f64 = 2.0;

/// Colours of nothing, a building, its outline, and a wall.
const COLOURS: [Colour; 4] =
    [[0; 4], [0xa8, 0x9f, 0x96, 0xff], [0x4f, 0x48, 0x42, 0xff], [0x3c, 0x1e, 0x0a, 0xff]];
const BUILDING: u8 = 1;
const OUTLINE: u8 = 2;
const WALL: u8 = 3;

/// Number of distinct numbers for buildings.
const NUMBERS: usize = 200;

/// Overlay shared by all maps of a page.
#[derive(Debug)]
pub struct Overlay {
    /// The picture, as a `data:` URI.
    pub picture: String,
    /// Colours (CSS) with their meaning.
    pub legend: Vec<(String, String)>,
}

/// Draws the buildings and walls of a run, if it has any.
pub fn draw(facts: &Facts) -> Result<Option<Overlay>> {
    let [buildings, walls] = ["buildings", "walls"].map(|role| {
        let input = facts.inputs.iter().find(|input| input.role == role);
        input.and_then(|input| shapes(Path::new(&input.path), facts.map_grid())).unwrap_or_default()
    });
    // Files that can no longer be read are left out.
    gdal_log::take();
    if buildings.is_empty() && walls.is_empty() {
        return Ok(None);
    }
    let size = plate_pixels(facts.map_grid(), FINE);
    let numbers = (0..buildings.len()).map(|at| (1 + at % NUMBERS) as f64).collect();
    let built = numbered(buildings, numbers, facts.map_grid(), size)?;
    let marks = vec![1.0; walls.len()];
    let walled = thicker(&numbered(walls, marks, facts.map_grid(), size)?, size.0);
    let pixel = |at: usize| {
        let ends = || beside(at, size).any(|other| built[other] != built[at]);
        match (walled[at] > 0, built[at] > 0) {
            (true, _) => WALL,
            (_, false) => 0,
            _ if ends() => OUTLINE,
            _ => BUILDING,
        }
    };
    let pixels: Vec<u8> = (0..size.0 * size.1).map(pixel).collect();
    let entry = |(colour, what): (u8, &str)| {
        let [red, green, blue, _] = COLOURS[usize::from(colour)];
        pixels.contains(&colour).then(|| (format!("rgb({red},{green},{blue})"), what.to_string()))
    };
    let legend = [(BUILDING, "buildings"), (WALL, "walls")].into_iter().filter_map(entry).collect();
    Ok(Some(Overlay { picture: indexed_uri(size, &pixels, &COLOURS)?, legend }))
}

/// Thickens the marks of a picture with `columns` columns: lines of a single pixel are hardly
/// visible.
fn thicker(marks: &[u8], columns: usize) -> Vec<u8> {
    let mut thick = vec![0; marks.len()];
    for at in (0..marks.len()).filter(|at| marks[*at] > 0) {
        let (row, column) = (at / columns, at % columns);
        let lines = row.saturating_sub(1)..(row + 2).min(marks.len() / columns);
        for line in lines {
            let around = column.saturating_sub(1)..(column + 2).min(columns);
            thick[line * columns..][around].fill(1);
        }
    }
    thick
}

/// Reads the geometries of a layer in the CRS of a grid.
fn shapes(path: &Path, grid: &Grid) -> Option<Vec<Geometry>> {
    let file = dataset::vectors(path).ok()?;
    let mut layers = file.layers();
    let mut layer = layers.find(|layer| layer.defn().geom_fields().next().is_some())?;
    let own = layer.spatial_ref().and_then(|srs| srs.to_wkt().ok());
    let to_grid = Reprojection::new(own.as_deref(), grid);
    let shape = |feature: gdal::vector::Feature| {
        let own = feature.geometry()?;
        let shape = match &to_grid {
            Some(to_grid) => to_grid.near(own).ok()??,
            None => own.clone(),
        };
        // The rasterizer would follow a line around the Earth if a coordinate is mistyped.
        let near = clip::is_finite(&shape).then(|| clip::about(&shape, grid).ok())??;
        Some(near.unwrap_or(shape)).filter(|shape| !shape.is_empty())
    };
    Some(layer.features().filter_map(shape).collect())
}

/// Rasterizes shapes onto a grid; each pixel gets the number of the last shape that touches it.
fn numbered(
    shapes: Vec<Geometry>,
    numbers: Vec<f64>,
    grid: &Grid,
    size: (usize, usize),
) -> Result<Vec<u8>> {
    let [west, south, east, north] = grid.extent();
    let (dx, dy) = ((east - west) / size.0 as f64, (north - south) / size.1 as f64);
    let transform = [west, dx, 0.0, north, 0.0, -dy];
    burn::picture(size, &transform, (&shapes, &numbers), true).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::thicker;

    #[test]
    fn marks_grow_to_all_sides_and_not_around_the_edges() {
        let marks = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(thicker(&marks, 4), [1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1]);
    }
}
