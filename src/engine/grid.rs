//! Raster geometry, and the bed on it.

use crate::units::HIGHEST;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Number of cells that a thread processes at a time.
const PART: usize = 1 << 16;

/// Shape, cell size and position of a raster.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Grid {
    /// Number of columns (west to east).
    pub columns: usize,
    /// Number of rows (north to south).
    pub rows: usize,
    /// GDAL geotransform, in units of the CRS.
    pub transform: [f64; 6],
    /// Cell width, east-west (m).
    pub dx: f64,
    /// Cell height, north-south (m).
    pub dy: f64,
    /// Width of the last column and height of the last row, as fractions of a cell: 1, or less if only
    /// a part of them is in the raster from which the grid was made.
    pub last: [f64; 2],
    /// The CRS as WKT, if the raster has one.
    pub crs: Option<String>,
}

/// Location of a result, as reported to users.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CellLocation {
    /// Easting in the DEM's CRS.
    pub x: f64,
    /// Northing in the DEM's CRS.
    pub y: f64,
    /// Column of the cell at that location.
    pub column: usize,
    /// Row of the cell at that location.
    pub row: usize,
}

impl Grid {
    /// Creates a grid of square cells without a CRS; its north-west corner is at (0, rows · dx).
    pub fn plain(columns: usize, rows: usize, dx: f64) -> Grid {
        let transform = [0.0, dx, 0.0, rows as f64 * dx, 0.0, -dx];
        Grid { columns, rows, transform, dx, dy: dx, last: [1.0; 2], crs: None }
    }

    /// Returns the grid whose cells are blocks of `ratio` × `ratio` cells of this one; the last
    /// column and row may extend beyond it.
    pub fn coarser(&self, ratio: usize) -> Grid {
        let [west, dx, _, north, _, dy] = self.transform;
        let length = ratio as f64;
        let size = [self.columns, self.rows];
        let [columns, rows] = size.map(|size| size.div_ceil(ratio));
        Grid {
            columns,
            rows,
            last: size.map(|size| ((size - 1) % ratio + 1) as f64 / length),
            transform: [west, dx * length, 0.0, north, 0.0, dy * length],
            dx: self.dx * length,
            dy: self.dy * length,
            crs: self.crs.clone(),
        }
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Returns the number of rows to read at once: about four million cells, at least one row.
    pub fn rows_together(&self) -> usize {
        ((1 << 22) / self.columns).clamp(1, self.rows)
    }

    /// Returns the metres per unit of the CRS.
    pub fn metres_per_unit(&self) -> f64 {
        self.dx / self.transform[1]
    }

    /// Returns 1 / the distance between neighbouring cell centres along and across the rows (m⁻¹).
    pub fn inverse_cell(&self) -> [f32; 2] {
        [(1.0 / self.dx) as f32, (1.0 / self.dy) as f32]
    }

    /// Returns the area of a cell (m²).
    pub fn cell_area(&self) -> f64 {
        self.dx * self.dy
    }

    /// Returns the column and row of the cell at a point in units of the CRS; `None` outside the
    /// raster. A point between two cells belongs to the eastern or southern one; a point on the
    /// outer east or south edge belongs to the last column or row.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let (column, row) = self.place_of(x, y);
        let inside =
            column >= 0.0 && row >= 0.0 && column < self.columns as f64 && row < self.rows as f64;
        inside.then_some((column as usize, row as usize))
    }

    /// Converts a point in units of the CRS to columns and rows from the north-west corner. A point
    /// on an outer edge is moved just inside its cell.
    pub fn place_of(&self, x: f64, y: f64) -> (f64, f64) {
        let [west, dx, _, north, _, dy] = self.transform;
        (pull_in((x - west) / dx, self.columns), pull_in((y - north) / dy, self.rows))
    }

    /// Returns the centre of a cell, or of the part of it that is in the raster, in units of the CRS.
    pub fn centre(&self, column: usize, row: usize) -> (f64, f64) {
        let [west, dx, _, north, _, dy] = self.transform;
        let [width, height] = self.part(column, row);
        (west + (column as f64 + 0.5 * width) * dx, north + (row as f64 + 0.5 * height) * dy)
    }

    /// Returns the width and height of the part of a cell that is in the raster, as fractions of a
    /// cell.
    pub fn part(&self, column: usize, row: usize) -> [f64; 2] {
        let [width, height] = self.last;
        let of = |is_last: bool, last: f64| if is_last { last } else { 1.0 };
        [of(column + 1 == self.columns, width), of(row + 1 == self.rows, height)]
    }

    /// Returns the location of a cell's centre.
    pub fn spot(&self, cell: usize) -> CellLocation {
        let (column, row) = self.column_row(cell);
        let (x, y) = self.centre(column, row);
        CellLocation { x, y, column, row }
    }

    /// Returns the column and row of a cell.
    pub fn column_row(&self, cell: usize) -> (usize, usize) {
        (cell % self.columns, cell / self.columns)
    }

    /// Returns `true` if a cell is in an outermost row or column.
    pub fn is_at_edge(&self, cell: usize) -> bool {
        let (column, row) = self.column_row(cell);
        [0, self.columns - 1].contains(&column) || [0, self.rows - 1].contains(&row)
    }

    /// Returns the west, south, east and north limits in units of the CRS.
    pub fn extent(&self) -> [f64; 4] {
        let [west, dx, _, north, _, dy] = self.transform;
        [west, north + self.rows as f64 * dy, west + self.columns as f64 * dx, north]
    }

    /// Returns the limits of what is in the raster, like [`extent`](Grid::extent).
    pub fn extent_within(&self) -> [f64; 4] {
        let [west, south, east, north] = self.extent();
        let [dx, dy] = [self.transform[1], self.transform[5]];
        let [width, height] = self.last;
        [west, south - (1.0 - height) * dy, east - (1.0 - width) * dx, north]
    }

    /// Returns the area of the part of a cell that is in the raster, as a fraction of a cell.
    pub fn share(&self, cell: usize) -> f64 {
        let (column, row) = self.column_row(cell);
        self.part(column, row).iter().product()
    }
}

/// Distance from an outer edge within which a point counts as on it (cells): more than the rounding
/// errors of coordinates.
const ON_EDGE: f64 = 1e-6;

/// Moves a place (cells) on an outer edge of `size` cells just inside.
fn pull_in(place: f64, size: usize) -> f64 {
    let end = size as f64;
    if (-ON_EDGE..0.0).contains(&place) {
        0.0
    } else if (end..=end + ON_EDGE).contains(&place) {
        end - ON_EDGE
    } else {
        place
    }
}

/// Returns the cells west, east, north and south of a cell on a grid of (columns, rows).
pub fn beside(cell: usize, (columns, rows): (usize, usize)) -> impl Iterator<Item = usize> {
    let (column, row) = (cell % columns, cell / columns);
    let west = (column > 0).then(|| cell - 1);
    let east = (column + 1 < columns).then_some(cell + 1);
    let north = (row > 0).then(|| cell - columns);
    let south = (row + 1 < rows).then_some(cell + columns);
    [west, east, north, south].into_iter().flatten()
}

/// Bed level on a grid, as multiples of 2⁻¹⁶ m. A lake over any bed then has a level that every
/// cell can represent exactly, and stays still to the bit at any height, since the engine subtracts
/// levels as integers.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Bed {
    /// Level per cell, row-major (2⁻¹⁶ m), or [`Bed::OUTSIDE`].
    pub levels: Vec<i32>,
    /// Cells outside the domain because a building blocks them, in ascending order. Unlike NoData
    /// cells they are never part of a collar in front of an open side.
    pub blocked: Vec<usize>,
    /// Domain cells behind a collar of NoData at which an open side is closed, in ascending order.
    pub shut: Vec<usize>,
}

impl Bed {
    /// Marks cells outside the domain (NoData).
    pub const OUTSIDE: i32 = i32::MIN;
    /// Steps of the level per metre.
    pub const PER_METRE: f64 = 65536.0;
    /// Metres per step of the level; a power of two, so products with it are exact.
    pub const STEP: f32 = 1.0 / 65536.0;
    /// Greatest magnitude of a level (m).
    pub const LIMIT: f64 = HIGHEST;
    /// Greatest difference of levels (m).
    pub const RELIEF: f64 = 30_000.0;
    /// Maximum depth of the ground beyond an open side below the lowest level of the domain (2⁻¹⁶
    /// m).
    pub const ROOM_BELOW: i32 = 256 << 16;
    /// Greatest height above the datum (2⁻¹⁶ m).
    pub const HIGHEST: i64 = (Bed::RELIEF * Bed::PER_METRE) as i64 + Bed::ROOM_BELOW as i64;
    /// Bed level assumed outside the domain (2⁻¹⁶ m above the datum): a wall that even the deepest
    /// water on the highest ground does not overtop.
    pub const WALL: i32 = i32::MAX;

    /// Describes in messages why a cell is outside the domain.
    pub fn why_outside(&self, cell: usize) -> &'static str {
        match self.blocked.binary_search(&cell) {
            Ok(_) => "a cell that a building blocks",
            Err(_) => "a NoData cell of the DEM",
        }
    }

    /// Quantizes a level (m); `None` if it is not finite or beyond [`Bed::LIMIT`].
    pub fn quantize(metres: f64) -> Option<i32> {
        (metres.abs() <= Bed::LIMIT).then(|| nearest(metres * Bed::PER_METRE))
    }

    /// Creates a bed from levels (m); cells with a non-finite level are outside the domain.
    ///
    /// # Panics
    /// If a finite level is beyond [`Bed::LIMIT`].
    pub fn from_metres(levels: impl IntoIterator<Item = f64>) -> Bed {
        let level = |metres: f64| {
            if metres.is_finite() {
                Bed::quantize(metres).expect("a level within the limit")
            } else {
                Bed::OUTSIDE
            }
        };
        Bed { levels: levels.into_iter().map(level).collect(), ..Bed::default() }
    }

    /// Returns the stored level from which the engine measures heights: [`Bed::ROOM_BELOW`] below
    /// the lowest level of the domain, so that no height is negative.
    pub fn datum(&self) -> i32 {
        self.lowest() - Bed::ROOM_BELOW
    }

    /// Returns the lowest stored level in the domain; 0 if the domain is empty.
    pub fn lowest(&self) -> i32 {
        self.range().map_or(0, |(lowest, _)| lowest)
    }

    /// Returns the lowest and highest stored levels in the domain; `None` if it has no cells.
    pub fn range(&self) -> Option<(i32, i32)> {
        // No level equals i32::MAX.
        let least = |&level: &i32| if level == Bed::OUTSIDE { i32::MAX } else { level };
        let of = |levels: &[i32]| {
            let lowest = levels.iter().map(least).fold(i32::MAX, i32::min);
            // OUTSIDE is lower than any level.
            (lowest, levels.iter().copied().fold(Bed::OUTSIDE, i32::max))
        };
        let parts = self.levels.par_chunks(PART).map(of);
        let range = parts.reduce(|| (i32::MAX, i32::MIN), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (range.0 < i32::MAX).then_some(range)
    }

    /// Returns the height of a stored level above a datum (2⁻¹⁶ m), or [`Bed::WALL`] outside the
    /// domain.
    ///
    /// # Panics
    /// If it is more than [`Bed::RELIEF`] above the lowest of the domain.
    pub fn height(level: i32, datum: i32) -> i32 {
        if level == Bed::OUTSIDE {
            return Bed::WALL;
        }
        let height = i64::from(level) - i64::from(datum);
        assert!(height <= Bed::HIGHEST, "a relief within the limit");
        height as i32
    }

    /// Counts the cells in the domain.
    pub fn domain_cells(&self) -> usize {
        let of = |levels: &[i32]| levels.iter().filter(|&&z| z != Bed::OUTSIDE).count();
        self.levels.par_chunks(PART).map(of).sum()
    }
}

/// Rounds to the nearest integer, ties away from 0, like `f64::round` but without a function call
/// for each cell of a DEM.
#[inline]
fn nearest(value: f64) -> i32 {
    // The largest float below 0.5: adding 0.5 itself would round that float up to 1.
    (value + 0.499_999_999_999_999_94_f64.copysign(value)) as i32
}

#[cfg(test)]
mod tests {
    use super::{Grid, nearest};

    #[test]
    fn coarse_cells_know_how_much_of_them_is_in_the_raster() {
        let fine = Grid::plain(9, 8, 10.0);
        let cells = fine.coarser(4);
        assert_eq!((cells.columns, cells.rows, cells.last), (3, 2, [0.25, 1.0]));
        assert_eq!(cells.extent_within(), fine.extent());
        assert_eq!((cells.centre(1, 0), cells.centre(2, 1)), ((60.0, 60.0), (85.0, 20.0)));
        assert_eq!([0, 2, 5].map(|cell| cells.share(cell)), [1.0, 0.25, 0.25]);
    }

    #[test]
    fn points_on_an_outer_edge_belong_to_the_cell_inside() {
        // No corner of these cells is a binary fraction.
        for (transform, columns, rows) in [
            ([500_000.0, 10.0, 0.0, 5_000_000.0, 0.0, -10.0], 5, 4),
            ([0.3, 0.1, 0.0, 1.1, 0.0, -0.1], 7, 9),
            ([-3.7, 1.0 / 3600.0, 0.0, 51.3, 0.0, -1.0 / 3600.0], 11, 13),
        ] {
            let grid = Grid { transform, ..Grid::plain(columns, rows, 10.0) };
            let [west, south, east, north] = grid.extent();
            let (x, y) = grid.centre(1, 2);
            let [right, below] = [columns - 1, rows - 1];
            for (point, cell) in [
                ((west, y), (0, 2)),
                ((east, y), (right, 2)),
                ((x, north), (1, 0)),
                ((x, south), (1, below)),
                ((west, north), (0, 0)),
                ((east, north), (right, 0)),
                ((west, south), (0, below)),
                ((east, south), (right, below)),
            ] {
                assert_eq!(grid.cell_at(point.0, point.1), Some(cell), "{point:?}");
            }
            let beyond = 1e-3 * transform[1];
            for (x, y) in
                [(west - beyond, y), (east + beyond, y), (x, north + beyond), (x, south - beyond)]
            {
                assert_eq!(grid.cell_at(x, y), None, "{x}, {y}");
            }
        }
        // Between two cells the eastern and the southern one.
        assert_eq!(Grid::plain(5, 4, 10.0).cell_at(10.0, 30.0), Some((1, 1)));
    }

    #[test]
    fn levels_are_rounded_as_floats_are() {
        let halves = (-4001..4001).map(|n| f64::from(n) * 0.5);
        let near = halves.clone().flat_map(|half| [half.next_up(), half, half.next_down()]);
        let large = (0..1000).map(|n| f64::from(n) * 1.374e6 + 0.5);
        for value in near.chain(large.clone()).chain(large.map(|value| -value.next_down())) {
            assert_eq!(nearest(value), value.round() as i32, "{value}");
        }
    }
}
