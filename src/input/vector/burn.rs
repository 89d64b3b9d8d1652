//! Cells of the DEM touched by a point, line or polygon, found with GDAL's rasterizer.

use crate::engine::grid::Grid;
use crate::input::gdal_access::dataset::in_memory;
use crate::input::raster::place::moved;
use crate::input::vector::clip;
use crate::input::vector::validity::Validity;
use gdal::errors::GdalError;
use gdal::raster::{RasterizeOptions, rasterize};
use gdal::vector::{Geometry, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType as Type;

/// Kind of a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One or more points.
    Points,
    /// One or more lines.
    Lines,
    /// One or more polygons.
    Polygons,
}

impl Shape {
    /// Returns its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Points => "points",
            Shape::Lines => "lines",
            Shape::Polygons => "polygons",
        }
    }
}

/// Cells covered by a geometry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoveredCells {
    /// Cell indices, ascending.
    pub cells: Vec<usize>,
    /// `true` if part of the geometry is outside the grid.
    pub beyond: bool,
}

/// Returns the kind of a geometry; `None` if it is not a point, line or polygon.
pub fn shape(geometry: &Geometry) -> Option<Shape> {
    match geometry_type_flatten(geometry.geometry_type()) {
        Type::wkbPoint | Type::wkbMultiPoint => Some(Shape::Points),
        Type::wkbLineString | Type::wkbMultiLineString => Some(Shape::Lines),
        Type::wkbPolygon | Type::wkbMultiPolygon => Some(Shape::Polygons),
        _ => None,
    }
}

/// First and last point of a line.
pub type Ends = [(f64, f64); 2];

/// Returns the first and the last point of a line that has a single part.
pub fn ends(geometry: &Geometry) -> Option<Ends> {
    // Many programs write layers of multi-lines with one part each.
    let is_multi = geometry_type_flatten(geometry.geometry_type()) == Type::wkbMultiLineString;
    if is_multi && geometry.geometry_count() == 1 {
        return ends(&geometry.get_geometry(0));
    }
    if geometry_type_flatten(geometry.geometry_type()) != Type::wkbLineString {
        return None;
    }
    let last = geometry.point_count() as i32 - 1;
    (last > 0).then(|| {
        [0, last].map(|at| {
            let (x, y, _) = geometry.get_point(at);
            (x, y)
        })
    })
}

/// Finds the cells of a geometry in the grid's CRS: the cells that contain its points, the cells
/// that its lines touch, or the cells whose centres are inside its polygons (if there are none, the
/// cells that the polygons touch; invalid polygons are repaired first). `None` if it is not a point, line or polygon.
pub fn burn(geometry: &Geometry, grid: &Grid) -> Result<Option<CoveredCells>, GdalError> {
    let Some(shape) = shape(geometry) else { return Ok(None) };
    let mut burnt = CoveredCells::default();
    if geometry.is_empty() {
        return Ok(Some(CoveredCells { beyond: true, ..burnt }));
    }
    match shape {
        Shape::Points => points(geometry, grid, &mut burnt),
        Shape::Lines => burnt = window(geometry, grid, true)?,
        Shape::Polygons => {
            let validity = Validity::of(geometry);
            let geometry = validity.repaired().unwrap_or(geometry);
            burnt = window(geometry, grid, false)?;
            if burnt.cells.is_empty() {
                burnt = window(geometry, grid, true)?;
            }
        }
    }
    burnt.cells.sort_unstable();
    burnt.cells.dedup();
    Ok(Some(burnt))
}

fn points(geometry: &Geometry, grid: &Grid, burnt: &mut CoveredCells) {
    for part in 0..geometry.geometry_count() {
        points(&geometry.get_geometry(part), grid, burnt);
    }
    if geometry.geometry_count() == 0 {
        let (x, y, _) = geometry.get_point(0);
        match grid.cell_at(x, y) {
            Some((column, row)) => burnt.cells.push(row * grid.columns + column),
            None => burnt.beyond = true,
        }
    }
}

/// Rasterizes lines or polygons in the part of the grid around them.
fn window(geometry: &Geometry, grid: &Grid, all_touched: bool) -> Result<CoveredCells, GdalError> {
    let near = clip::about(geometry, grid)?;
    let reaches_far = near.is_some();
    let geometry = near.as_ref().unwrap_or(geometry);
    if geometry.is_empty() {
        return Ok(CoveredCells { cells: Vec::new(), beyond: true });
    }
    let inside = if all_touched { clip::pull_in(geometry, grid)? } else { None };
    let geometry = inside.as_ref().unwrap_or(geometry);
    let envelope = geometry.envelope();
    // In cells, with one more cell on every side to allow for the rasterizer's rounding.
    let cut = |low: f64, high: f64, size: usize| {
        let first = (low.floor() - 1.0).clamp(0.0, size as f64) as usize;
        let last = (high.ceil() + 1.0).clamp(0.0, size as f64) as usize;
        (first, last.saturating_sub(first))
    };
    let (first, last) =
        (grid.place_of(envelope.MinX, envelope.MaxY), grid.place_of(envelope.MaxX, envelope.MinY));
    let (columns, rows) = ((first.0, last.0), (first.1, last.1));
    let out = |(low, high): (f64, f64), size: usize| low < 0.0 || high > size as f64;
    let beyond = reaches_far || out(columns, grid.columns) || out(rows, grid.rows);
    let (first_column, width) = cut(columns.0, columns.1, grid.columns);
    let (first_row, height) = cut(rows.0, rows.1, grid.rows);
    if width == 0 || height == 0 {
        return Ok(CoveredCells { cells: Vec::new(), beyond: true });
    }
    let transform = moved(&grid.transform, first_column, first_row);
    let one = std::slice::from_ref(geometry);
    let marks = picture((width, height), &transform, (one, &[1.0]), all_touched)?;
    let marked = marks.iter().enumerate().filter(|(_, mark)| **mark != 0);
    let cell = |at: usize| (first_row + at / width) * grid.columns + first_column + at % width;
    Ok(CoveredCells { cells: marked.map(|(at, _)| cell(at)).collect(), beyond })
}

/// Rasterizes shapes into an image of `size` (columns, rows). Each pixel holds the number of the
/// last shape that covers its centre, or, with `all_touched`, that touches it; 0 if there is none.
pub fn picture(
    size: (usize, usize),
    transform: &[f64; 6],
    (shapes, numbers): (&[Geometry], &[f64]),
    all_touched: bool,
) -> Result<Vec<u8>, GdalError> {
    if shapes.is_empty() {
        return Ok(vec![0; size.0 * size.1]);
    }
    // The geometries keep their nominal CRS; the image has none, so nothing is reprojected.
    let mut picture = in_memory::<u8>(size, 1, transform, "")?;
    let options = RasterizeOptions { all_touched, ..RasterizeOptions::default() };
    rasterize(&mut picture, &[1], shapes, numbers, Some(options))?;
    Ok(picture.rasterband(1)?.read_band_as::<u8>()?.into_shape_and_vec().1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells burnt on a grid of 5 × 4 squares of 10 m with its north-west corner at (0, 40), as
    /// columns and rows.
    fn cells(wkt: &str) -> (Vec<(usize, usize)>, bool) {
        let grid = Grid::plain(5, 4, 10.0);
        let burnt = burn(&Geometry::from_wkt(wkt).unwrap(), &grid).unwrap().unwrap();
        (burnt.cells.iter().map(|cell| (cell % 5, cell / 5)).collect(), burnt.beyond)
    }

    #[test]
    fn points_take_their_cells_once() {
        assert_eq!(cells("POINT (12 39)"), (vec![(1, 0)], false));
        assert_eq!(cells("POINT Z (12 39 7)"), (vec![(1, 0)], false));
        let points = "MULTIPOINT ((12 39), (19 31), (0 0.5), (51 5))";
        assert_eq!(cells(points), (vec![(1, 0), (0, 3)], true));
    }

    #[test]
    fn lines_take_what_they_touch() {
        assert_eq!(cells("LINESTRING (2 35, 48 35)").0, (0..5).map(|i| (i, 0)).collect::<Vec<_>>());
        assert_eq!(cells("LINESTRING (23 33, 24 34)"), (vec![(2, 0)], false));
        let slanting = vec![(0, 0), (1, 0), (1, 1), (2, 1)];
        assert_eq!(cells("LINESTRING (2 39, 28 22)").0, slanting);
        assert_eq!(cells("LINESTRING (45 35, 95 35)"), (vec![(4, 0)], true));
        assert_eq!(cells("LINESTRING (95 35, 99 35)"), (vec![], true));
    }

    #[test]
    fn lines_on_an_outer_edge_take_the_cells_inside() {
        let column = |column: usize| (0..4).map(|row| (column, row)).collect::<Vec<_>>();
        let row = |row: usize| (0..5).map(|column| (column, row)).collect::<Vec<_>>();
        assert_eq!(cells("LINESTRING (0 1, 0 39)"), (column(0), false));
        assert_eq!(cells("LINESTRING (50 1, 50 39)"), (column(4), false));
        assert_eq!(cells("LINESTRING (1 40, 49 40)"), (row(0), false));
        assert_eq!(cells("LINESTRING (1 0, 49 0)"), (row(3), false));
        let around = "LINESTRING (0 0, 50 0, 50 40, 0 40, 0 0)";
        assert_eq!((cells(around).0.len(), cells(around).1), (14, false));
        // A line in two parts from beyond one corner to beyond the next, and a line that only
        // touches the edge.
        assert_eq!(cells("LINESTRING (50 -20, 50 60)"), (column(4), true));
        let parts = "MULTILINESTRING ((50 12, 50 18), (12 0, 18 0))";
        assert_eq!(cells(parts), (vec![(4, 2), (1, 3)], false));
        assert_eq!(cells("LINESTRING (50 15, 70 15)"), (vec![(4, 2)], true));
        // A sliver that contains no cell centre.
        assert_eq!(cells("POLYGON ((50 11, 50 19, 52 15, 50 11))"), (vec![(4, 2)], true));
        let points = "MULTIPOINT ((50 0), (50 40), (0 0), (0 40), (50 25))";
        assert_eq!(cells(points), (vec![(0, 0), (4, 0), (4, 1), (0, 3), (4, 3)], false));
    }

    #[test]
    fn polygons_take_centres_or_what_they_touch() {
        let square = "POLYGON ((4 39, 26 39, 26 24, 4 24, 4 39))";
        assert_eq!(cells(square).0, vec![(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
        let holed =
            "POLYGON ((0 40, 30 40, 30 10, 0 10, 0 40), (11 29, 19 29, 19 21, 11 21, 11 29))";
        assert_eq!(cells(holed).0.len(), 8);
        assert_eq!(cells("POLYGON ((7 39, 13 39, 13 37, 7 37, 7 39))").0, vec![(0, 0), (1, 0)]);
        let beyond = cells("POLYGON ((-1e9 -1e9, 1e9 -1e9, 1e9 1e9, -1e9 1e9, -1e9 -1e9))");
        assert_eq!((beyond.0.len(), beyond.1), (20, true));
    }

    #[test]
    fn a_collection_is_refused() {
        let geometry = Geometry::from_wkt("GEOMETRYCOLLECTION (POINT (1 1))").unwrap();
        assert_eq!(burn(&geometry, &Grid::plain(2, 2, 1.0)).unwrap(), None);
    }
}
