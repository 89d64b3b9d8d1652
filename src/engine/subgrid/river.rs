//! A river as it is drawn: a line with a section and a bed.

use super::pixels::CLOSED;
use crate::grid::Bed;

/// Strips that a bed is cut into at the most, and each of the sides.
const MOST_STRIPS: f64 = 16.0;
const SIDE_STRIPS: usize = 6;

/// Where the bed of a river lies.
#[derive(Clone, Debug, PartialEq)]
pub enum RiverBed {
    /// At these levels at the line's points, and straight between them (m above the DEM's zero).
    Levels(Vec<f64>),
    /// So far below the ground along the line (m).
    Below(f64),
}

/// A river.
#[derive(Clone, Debug, PartialEq)]
pub struct River {
    /// Its points, downstream: metres east and south of the north-west corner of the grid; two or more.
    pub points: Vec<[f64; 2]>,
    /// Its bed.
    pub bed: RiverBed,
    /// How wide the bed is (m).
    pub width: f64,
    /// How far its sides lean out for each metre that they rise; 0 of a rectangle.
    pub side_slope: f64,
    /// Manning's n (s/m^⅓); none if it is the ground's.
    pub roughness: Option<f64>,
}

/// The ground that rivers run in: pixels, of which `ratio` × `ratio` make a cell.
#[derive(Clone, Copy, Debug)]
pub struct Land<'a> {
    /// Level per pixel, row-major from the north-west (2⁻¹⁶ m), or [`Bed::OUTSIDE`].
    pub levels: &'a [i32],
    /// Columns of pixels.
    pub columns: usize,
    /// Length of a pixel from west to east, and from north to south (m).
    pub pixel: [f64; 2],
    /// Pixels side by side in a cell.
    pub ratio: usize,
}

/// A strip of the section of a river, along all of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// How far to the right of the line its middle lies (m).
    pub offset: f64,
    /// How wide it is (m).
    pub width: f64,
    /// How high it lies above the bed (m).
    pub height: f64,
}

impl Land<'_> {
    /// Rows of pixels.
    pub fn rows(&self) -> usize {
        self.levels.len() / self.columns
    }

    /// Columns and rows of cells.
    pub fn cells(&self) -> [usize; 2] {
        [self.columns, self.rows()].map(|pixels| pixels.div_ceil(self.ratio))
    }

    /// Length of a cell from west to east, and from north to south (m).
    pub fn cell(&self) -> [f64; 2] {
        self.pixel.map(|length| length * self.ratio as f64)
    }

    /// The open pixel at a point (m east and south of the north-west corner), and its level (2⁻¹⁶ m).
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
    /// How long a segment is (m).
    pub fn length(&self, segment: usize) -> f64 {
        let [x, y] = self.way(segment);
        (x * x + y * y).sqrt()
    }

    /// From the first to the second point of a segment (m).
    pub fn way(&self, segment: usize) -> [f64; 2] {
        let (from, to) = (self.points[segment], self.points[segment + 1]);
        [to[0] - from[0], to[1] - from[1]]
    }

    /// A point so far on in a segment, 0 to 1, and so far to the right of it (m).
    pub fn point(&self, segment: usize, part: f64, offset: f64) -> [f64; 2] {
        let (from, [x, y]) = (self.points[segment], self.way(segment));
        let across = offset / self.length(segment).max(f64::MIN_POSITIVE);
        // To the right of what runs east is south.
        [from[0] + part * x - across * y, from[1] + part * y + across * x]
    }

    /// The level of the bed there (m), where the ground has such a level (m).
    pub fn bed(&self, segment: usize, part: f64, ground: Option<f64>) -> Option<f64> {
        match &self.bed {
            RiverBed::Levels(levels) => {
                Some(levels[segment] + part * (levels[segment + 1] - levels[segment]))
            }
            RiverBed::Below(depth) => ground.map(|ground| ground - depth),
        }
    }

    /// Places along it no further apart than half a pixel: the segment, how far on in it (0 to 1) and how long a piece it is the middle of (m).
    pub fn places(&self, land: Land) -> impl Iterator<Item = (usize, f64, f64)> {
        let least = 0.5 * land.pixel[0].min(land.pixel[1]);
        (0..self.points.len() - 1).flat_map(move |segment| {
            let length = self.length(segment);
            let count = (length / least).ceil().max(1.0) as usize;
            let part = move |piece| (piece as f64 + 0.5) / count as f64;
            (0..count).map(move |piece| (segment, part(piece), length / count as f64))
        })
    }

    /// How deep the bed lies below the ground along the line, at the most (m); 0 if it lies nowhere below it.
    pub fn greatest_depth(&self, land: Land) -> f64 {
        let depth = |(segment, part, _)| {
            let (_, level) = land.at(self.point(segment, part, 0.0))?;
            let ground = f64::from(level) / Bed::PER_METRE;
            Some(ground - self.bed(segment, part, Some(ground))?)
        };
        self.places(land).filter_map(depth).fold(0.0, f64::max)
    }

    /// How wide it is at its banks, where it is so deep (m).
    pub fn top_width(&self, depth: f64) -> f64 {
        self.width + 2.0 * self.side_slope * depth
    }

    /// The strips of its section, where it is so deep (m): no wider than half a pixel, as far as a few are enough for that.
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
