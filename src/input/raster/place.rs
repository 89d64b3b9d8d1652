//! Position of the DEM in a raster on another grid, possibly in another CRS.

use crate::engine::grid::Grid;
use crate::engine::range::range;
use crate::input::description::vertical;
use crate::input::gdal_access::gdal_log;
use crate::input::raster::RasterFile;
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};

/// Approximate maximum number of cells read for a strip of the DEM.
const SOURCE_CELLS: usize = 1 << 25;
/// Number of sample intervals along each side of a strip when it is located in the other raster.
const SAMPLES: usize = 32;

/// First column and row, and number of columns and rows.
pub type Window = ((usize, usize), (usize, usize));

/// Moves the origin of a geotransform by columns and rows.
pub fn moved(transform: &[f64; 6], columns: usize, rows: usize) -> [f64; 6] {
    let mut moved = *transform;
    moved[0] += columns as f64 * transform[1] + rows as f64 * transform[2];
    moved[3] += columns as f64 * transform[4] + rows as f64 * transform[5];
    moved
}

/// Position of the DEM in another raster.
pub struct Alignment<'a> {
    file: &'a RasterFile,
    own: &'a [f64; 6],
    grid: &'a Grid,
    /// Transformation from the DEM's CRS to the raster's, if they differ.
    pub to_file: Option<CoordTransform>,
    /// `true` if the raster's CRS is in degrees.
    pub degrees: bool,
}

impl<'a> Alignment<'a> {
    /// Creates the position of the DEM in a raster with the geotransform `own`.
    pub fn new(file: &'a RasterFile, own: &'a [f64; 6], grid: &'a Grid) -> Alignment<'a> {
        let crs = file.crs();
        let to_file = projection(grid.crs.as_deref(), crs.as_deref());
        let degrees = crs.as_deref().is_some_and(is_in_degrees);
        Alignment { file, own, grid, to_file, degrees }
    }

    /// Returns column and row in the raster of a point in its CRS.
    pub fn cell(&self, x: f64, y: f64) -> (f64, f64) {
        let [x0, a, b, y0, c, d] = *self.own;
        let (x, y, determinant) = (x - x0, y - y0, a * d - b * c);
        ((x * d - y * b) / determinant, (y * a - x * c) / determinant)
    }

    /// Returns column and row in the raster of a point in the DEM's CRS; `None` if it cannot be
    /// projected.
    pub fn cell_below(&self, point: (f64, f64)) -> Option<(f64, f64)> {
        let (x, y) = match &self.to_file {
            Some(to_file) => transformed(to_file, point)?,
            None => point,
        };
        Some(self.cell(x, y))
    }

    /// Returns `true` if the extents of the DEM and the raster overlap.
    pub fn overlaps(&self) -> bool {
        let points = self.points();
        let known = |first: usize| {
            points.iter().copied().skip(first).step_by(2).filter(|value| value.is_finite())
        };
        let meets = |(low, high): (f64, f64), size: usize| low < size as f64 && high > 0.0;
        meets(range(known(0)), self.file.columns) && meets(range(known(1)), self.file.rows)
    }

    /// Returns `true` if a position (column, row) is within the raster.
    pub fn holds(&self, (column, row): (f64, f64)) -> bool {
        (0.0..=self.file.columns as f64).contains(&column)
            && (0.0..=self.file.rows as f64).contains(&row)
    }

    /// Returns the positions in the raster (columns and rows) of nine points of the DEM's grid, NaN
    /// if unknown.
    pub fn points(&self) -> Vec<f64> {
        let [west, dx, _, north, _, dy] = self.grid.transform;
        let part = |n: usize, size: usize| (n * size) as f64 / 2.0;
        let points = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = points
            .map(|(i, j)| (part(i, self.grid.columns), part(j, self.grid.rows)))
            .map(|(column, row)| (west + column * dx, north + row * dy))
            .unzip();
        if let Some(to_file) = &self.to_file {
            transform_all(to_file, &mut x, &mut y);
        }
        x.into_iter().zip(y).flat_map(|(x, y)| <[f64; 2]>::from(self.cell(x, y))).collect()
    }

    /// Returns `true` if the raster has more columns and more rows than the DEM on its extent.
    pub fn is_finer(&self) -> bool {
        let points = self.points();
        let more = |axis: usize, cells: usize| {
            let (first, last) = range(points.iter().skip(axis).step_by(2).copied());
            last - first > 1.001 * cells as f64
        };
        points.iter().all(|at| at.is_finite())
            && more(0, self.grid.columns)
            && more(1, self.grid.rows)
    }

    /// Returns as many of `rows` rows of the DEM as need an acceptable number of cells of the
    /// raster, and the window of the raster that they need.
    pub fn strip(&self, first: usize, mut rows: usize) -> (usize, Option<Window>) {
        let cells = |window: &Option<Window>| window.map_or(0, |(_, size)| size.0 * size.1);
        let mut window = self.window(first, rows);
        while rows > 1 && cells(&window) > SOURCE_CELLS {
            let half = self.window(first, rows / 2);
            if cells(&half) > cells(&window) / 4 * 3 {
                break;
            }
            (rows, window) = (rows / 2, half);
        }
        (rows, window)
    }

    /// Returns the window of the raster that a strip of the DEM's rows needs, if any.
    pub fn window(&self, first: usize, rows: usize) -> Option<Window> {
        let whole = Some(((0, 0), (self.file.columns, self.file.rows)));
        let strip = moved(&self.grid.transform, 0, first);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for i in 0..=SAMPLES {
            for j in 0..=SAMPLES {
                let part = |n: usize, size: usize| (n * size) as f64 / SAMPLES as f64;
                x.push(strip[0] + part(i, self.grid.columns) * strip[1]);
                y.push(strip[3] + part(j, rows) * strip[5]);
            }
        }
        if let Some(to_file) = &self.to_file
            && !transform_all(to_file, &mut x, &mut y)
        {
            return whole;
        }
        let (west, east) = range(x.iter().copied());
        let columns = range(x.iter().zip(&y).map(|(x, y)| self.cell(*x, *y).0));
        let lines = range(x.iter().zip(&y).map(|(x, y)| self.cell(*x, *y).1));
        let known = x.iter().chain(&y).all(|value| value.is_finite());
        // Longitudes may run from 0 to 360 or cross the 180th meridian: the warper handles this.
        let turned = self.degrees && (east - west > 180.0);
        if !known || turned {
            return whole;
        }
        // The warper reads the cells around a point, and more of them where it averages.
        let cut = |(low, high): (f64, f64), size: usize, cells: usize| {
            let length = high - low;
            let margin = 3.0 + 0.1 * length + 2.0 * (length / cells as f64).ceil();
            let first = (low - margin).floor().clamp(0.0, size as f64) as usize;
            let last = (high + margin).ceil().clamp(0.0, size as f64) as usize;
            (last > first).then(|| (first, last - first))
        };
        let columns = cut(columns, self.file.columns, self.grid.columns);
        let lines = cut(lines, self.file.rows, rows);
        match (columns, lines) {
            (Some((column, width)), Some((row, height))) => Some(((column, row), (width, height))),
            _ if self.degrees => whole,
            _ => None,
        }
    }
}

/// Returns `true` if two CRSs have the same horizontal part, or if one is unknown.
pub fn same_crs(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return true;
    };
    if a == b {
        return true;
    }
    match (SpatialRef::from_wkt(a), SpatialRef::from_wkt(b)) {
        (Ok(a), Ok(b)) => vertical::without(a) == vertical::without(b),
        _ => false,
    }
}

/// Returns `true` if a CRS is in degrees.
pub fn is_in_degrees(wkt: &str) -> bool {
    SpatialRef::from_wkt(wkt).is_ok_and(|srs| srs.is_geographic())
}

/// Returns the transformation between the horizontal parts of two CRSs, if both are known and
/// differ.
pub fn projection(from: Option<&str>, to: Option<&str>) -> Option<CoordTransform> {
    let (from, to) = (from?, to?);
    if same_crs(Some(from), Some(to)) {
        return None;
    }
    let srs = |wkt| SpatialRef::from_wkt(wkt).ok().map(vertical::without).map(east_first);
    CoordTransform::new(&srs(from)?, &srs(to)?).ok()
}

/// Transforms a point; `None` if it cannot be transformed.
pub fn transformed(transform: &CoordTransform, (x, y): (f64, f64)) -> Option<(f64, f64)> {
    let (mut x, mut y) = ([x], [y]);
    transform_all(transform, &mut x, &mut y).then_some((x[0], y[0]))
}

/// Transforms points in place and returns `true` if all succeed; the others become infinite.
pub fn transform_all(transform: &CoordTransform, x: &mut [f64], y: &mut [f64]) -> bool {
    gdal_log::without_messages(|| transform.transform_coords(x, y, &mut []).is_ok())
}

/// Makes a CRS use the coordinate order east, north, whatever it declares.
pub fn east_first(mut srs: SpatialRef) -> SpatialRef {
    srs.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    srs
}
