//! A river as drawn: a line with a section and a bed.

use super::pixels::CLOSED;
use crate::grid::Bed;

/// Maximum number of strips of a bed, and number of strips of each side.
const MOST_STRIPS: f64 = 16.0;
const SIDE_STRIPS: usize = 6;

/// Level of a river's bed.
#[derive(Clone, Debug, PartialEq)]
pub enum RiverBed {
    /// Levels at the line's points, with linear interpolation (m above the DEM's zero).
    Levels(Vec<f64>),
    /// Depth below the ground along the line (m).
    Below(f64),
}

/// Friction on the banks of a river narrower than a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Banks {
    /// Bed and banks have the river's roughness: the hydraulic radius is the section's area over
    /// its wetted perimeter, as in one-dimensional models.
    #[default]
    Rough,
    /// Only the bed has friction, as for water on cells: the hydraulic radius is the depth.
    Smooth,
}

/// A river as drawn by the user.
#[derive(Clone, Debug, PartialEq)]
pub struct River {
    /// Points of the line, downstream: metres east and south of the grid's north-west corner; two
    /// or more.
    pub points: Vec<[f64; 2]>,
    /// Level of the bed.
    pub bed: RiverBed,
    /// Width of the bed (m).
    pub width: f64,
    /// Horizontal run of its sides per metre of rise; 0 for a rectangle.
    pub side_slope: f64,
    /// Manning's n (s/m^⅓); `None` if it equals the ground's.
    pub roughness: Option<f64>,
    /// Friction on its banks, if it is narrower than a cell.
    pub banks: Banks,
}

/// The ground that rivers run in: pixels, of which `ratio` × `ratio` form a cell.
#[derive(Clone, Copy, Debug)]
pub struct Land<'a> {
    /// Level per pixel, row-major from the north-west (2⁻¹⁶ m), or [`Bed::OUTSIDE`].
    pub levels: &'a [i32],
    /// Number of columns of pixels.
    pub columns: usize,
    /// Length of a pixel from west to east, and from north to south (m).
    pub pixel: [f64; 2],
    /// Number of pixels along a side of a cell.
    pub ratio: usize,
}

/// A lengthwise strip of a river's section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Offset of its middle to the right of the line (m).
    pub offset: f64,
    /// Width of the strip (m).
    pub width: f64,
    /// Height above the bed (m).
    pub height: f64,
}

impl Land<'_> {
    /// Returns the number of rows of pixels.
    pub fn rows(&self) -> usize {
        self.levels.len() / self.columns
    }

    /// Returns the columns and rows of cells.
    pub fn cells(&self) -> [usize; 2] {
        [self.columns, self.rows()].map(|pixels| pixels.div_ceil(self.ratio))
    }

    /// Returns the length of a cell from west to east, and from north to south (m).
    pub fn cell(&self) -> [f64; 2] {
        self.pixel.map(|length| length * self.ratio as f64)
    }

    /// Returns the open pixel at a point (m east and south of the north-west corner), and its level
    /// (2⁻¹⁶ m).
    pub fn at(&self, point: [f64; 2]) -> Option<(usize, i32)> {
        let [column, row] = [point[0] / self.pixel[0], point[1] / self.pixel[1]].map(f64::floor);
        let inside = (0.0..self.columns as f64).contains(&column)
            && (0.0..self.rows() as f64).contains(&row);
        let pixel = inside.then(|| row as usize * self.columns + column as usize)?;
        let level = self.levels[pixel];
        (level != Bed::OUTSIDE && level != CLOSED).then_some((pixel, level))
    }
}

impl River {
    /// Returns the length of a segment (m).
    pub fn length(&self, segment: usize) -> f64 {
        let [x, y] = self.way(segment);
        (x * x + y * y).sqrt()
    }

    /// Returns the vector from the first to the second point of a segment (m).
    pub fn way(&self, segment: usize) -> [f64; 2] {
        let (from, to) = (self.points[segment], self.points[segment + 1]);
        [to[0] - from[0], to[1] - from[1]]
    }

    /// Returns the point at the fraction `part` of a segment, 0 to 1, offset to its right (m).
    pub fn point(&self, segment: usize, part: f64, offset: f64) -> [f64; 2] {
        let (from, [x, y]) = (self.points[segment], self.way(segment));
        let across = offset / self.length(segment).max(f64::MIN_POSITIVE);
        // To the right of an eastward line is south.
        [from[0] + part * x - across * y, from[1] + part * y + across * x]
    }

    /// Returns the level of the bed at that place (m), given the ground level there (m).
    pub fn bed(&self, segment: usize, part: f64, ground: Option<f64>) -> Option<f64> {
        match &self.bed {
            RiverBed::Levels(levels) => {
                Some(levels[segment] + part * (levels[segment + 1] - levels[segment]))
            }
            RiverBed::Below(depth) => ground.map(|ground| ground - depth),
        }
    }

    /// Iterates over places along it at most half a pixel apart: the segment, the fraction of it (0
    /// to 1), and the length of the piece around the place (m).
    pub fn places(&self, land: Land) -> impl Iterator<Item = (usize, f64, f64)> {
        let least = 0.5 * land.pixel[0].min(land.pixel[1]);
        (0..self.points.len() - 1).flat_map(move |segment| {
            let length = self.length(segment);
            let count = (length / least).ceil().max(1.0) as usize;
            let part = move |piece| (piece as f64 + 0.5) / count as f64;
            (0..count).map(move |piece| (segment, part(piece), length / count as f64))
        })
    }

    /// Returns the greatest depth of the bed below the ground along the line (m); 0 if it is never
    /// below.
    pub fn greatest_depth(&self, land: Land) -> f64 {
        let depth = |(segment, part, _)| {
            let (_, level) = land.at(self.point(segment, part, 0.0))?;
            let ground = f64::from(level) / Bed::PER_METRE;
            Some(ground - self.bed(segment, part, Some(ground))?)
        };
        self.places(land).filter_map(depth).fold(0.0, f64::max)
    }

    /// Returns the width at its banks for a given depth (m).
    pub fn top_width(&self, depth: f64) -> f64 {
        self.width + 2.0 * self.side_slope * depth
    }

    /// Returns the length of both banks per metre of depth; 0 if they are smooth.
    pub fn bank_length(&self) -> f64 {
        match self.banks {
            Banks::Rough => 2.0 * (1.0 + self.side_slope * self.side_slope).sqrt(),
            Banks::Smooth => 0.0,
        }
    }

    /// Divides its section into strips for a given depth (m), each at most half a pixel wide unless
    /// that would need too many.
    pub fn parts(&self, land: Land, depth: f64) -> Vec<Part> {
        let half = 0.5 * land.pixel[0].min(land.pixel[1]);
        let count = (self.width / half).ceil().clamp(1.0, MOST_STRIPS);
        let width = self.width / count;
        let of_bed = (0..count as usize).map(|at| {
            let offset = (at as f64 + 0.5) * width - 0.5 * self.width;
            Part { offset, width, height: 0.0 }
        });
        let lean = self.side_slope * depth / SIDE_STRIPS as f64;
        let sides = if lean > 0.0 { SIDE_STRIPS } else { 0 };
        let of_sides = (0..sides).flat_map(|at| {
            let out = at as f64 + 0.5;
            let (offset, height) =
                (0.5 * self.width + out * lean, out * depth / SIDE_STRIPS as f64);
            [offset, -offset].map(|offset| Part { offset, width: lean, height })
        });
        of_bed.chain(of_sides).collect()
    }
}
