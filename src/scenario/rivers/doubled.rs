//! Rivers narrower than a cell that lie on each other: their channels add up.

use crate::engine::subgrid::river::{Land, River};
use std::collections::BTreeMap;

/// Distance between the points of a line that are compared with other lines, in cells.
const STEP: f64 = 0.25;

/// Lines closer than this lie on each other, in cells.
const NEAR: f64 = 0.01;

/// Length above which lines lie on each other, rather than meet, in cells.
const LONG: f64 = 2.0;

/// A part of the rivers that another part repeats.
pub struct Doubled {
    /// Length (m).
    pub length: f64,
    /// A point on it: metres east and south of the grid's north-west corner.
    pub at: [f64; 2],
}

/// Returns the part of some rivers that lies on others, or on an earlier part of the same one.
pub fn doubled(rivers: &[River], land: Land) -> Option<Doubled> {
    let cell = land.cell().into_iter().fold(f64::INFINITY, f64::min);
    let step = STEP * cell;
    let place = |[x, y]: [f64; 2]| [x / cell, y / cell].map(|at| at.floor() as i64);
    // Segments seen so far, by the cells near them, with the positions of their ends along the
    // rivers.
    let mut seen: BTreeMap<[i64; 2], Vec<(usize, usize, f64)>> = BTreeMap::new();
    let mut found: Option<Doubled> = None;
    for (index, river) in rivers.iter().enumerate() {
        let mut along = 0.0;
        for segment in 0..river.points.len() - 1 {
            let length = river.length(segment);
            let count = (length / step).ceil().max(1.0) as usize;
            let points =
                (0..count).map(|at| river.point(segment, (at as f64 + 0.5) / count as f64, 0.0));
            let points: Vec<[f64; 2]> = points.collect();
            for &at in &points {
                let others = seen.get(&place(at)).into_iter().flatten();
                let lies_on = |&(other, on, end): &(usize, usize, f64)| {
                    // The river just before is near in any case.
                    (other != index || along - end > cell)
                        && away(&rivers[other], on, at) < NEAR * cell
                };
                if others.into_iter().any(lies_on) {
                    let doubled = found.get_or_insert(Doubled { length: 0.0, at });
                    doubled.length += length / count as f64;
                }
            }
            along += length;
            let mut places: Vec<[i64; 2]> = points.into_iter().map(place).collect();
            places.dedup();
            for [column, row] in places {
                for near in (-1..=1).flat_map(|x| (-1..=1).map(move |y| [column + x, row + y])) {
                    let segments = seen.entry(near).or_default();
                    if segments.last().is_none_or(|last| (last.0, last.1) != (index, segment)) {
                        segments.push((index, segment, along));
                    }
                }
            }
        }
    }
    found.filter(|doubled| doubled.length > LONG * cell)
}

/// Returns the distance of a point from a segment of a river (m).
fn away(river: &River, segment: usize, point: [f64; 2]) -> f64 {
    let (from, [x, y]) = (river.points[segment], river.way(segment));
    let [a, b] = [point[0] - from[0], point[1] - from[1]];
    let square = x * x + y * y;
    let part = if square > 0.0 { ((a * x + b * y) / square).clamp(0.0, 1.0) } else { 0.0 };
    (a - part * x).hypot(b - part * y)
}
