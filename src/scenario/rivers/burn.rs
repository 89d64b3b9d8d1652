//! Pixels inside rivers, and the level of the river bed in them.

use crate::engine::grid::Bed;
use crate::engine::subgrid::line_path;
use crate::engine::subgrid::river::{Land, River};
use crate::input::notice::Notice;
use crate::words::counted;
use std::collections::BTreeMap;
use std::path::Path;

/// Levels by pixel (2⁻¹⁶ m).
pub type BurnLevels = BTreeMap<usize, i32>;

/// A river longer than this many widths, and cells, has a mean width.
const LONG: f64 = 3.0;

/// Relative difference of a river's width on the pixels from its own that is reported.
const UNEVEN: f64 = 0.15;

/// Criterion for the pixels of a river.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Pixels whose centre is inside the river.
    Centres,
    /// Also pixels that the line passes through.
    Touched,
}

/// Point of a river near a pixel.
#[derive(Clone, Copy)]
struct NearestPoint {
    /// Distance from the pixel's centre (m).
    away: f64,
    segment: usize,
    /// Position within the segment, 0 to 1.
    part: f64,
    /// True if this is an end of the segment, with the pixel beyond it.
    is_corner: bool,
    /// True if the line passes through the pixel; then the pixel has the bed, wherever its centre
    /// is.
    touched: bool,
}

/// Returns the lowest river bed of each open pixel inside a river.
pub fn lows(rivers: &[River], land: Land, reach: Reach) -> BurnLevels {
    let mut lows = BurnLevels::new();
    for river in rivers {
        let deep = river.greatest_depth(land);
        let half = 0.5 * river.width;
        for (pixel, near) in nearest(river, land, 0.5 * river.top_width(deep), reach) {
            let level = land.levels[pixel];
            let ground = f64::from(level) / Bed::PER_METRE;
            let Some(bed) = river.bed(near.segment, near.part, Some(ground)) else { continue };
            let up = match river.side_slope > 0.0 && !near.touched {
                true => (near.away - half).max(0.0) / river.side_slope,
                false => 0.0,
            };
            // All valid beds fit into a level.
            let low = ((bed + up) * Bed::PER_METRE).round() as i32;
            lows.entry(pixel).and_modify(|before| *before = low.min(*before)).or_insert(low);
        }
    }
    lows
}

/// Returns the mean width that a river has on the pixels, and its own (m); `None` if it is too short.
fn widths(river: &River, land: Land) -> Option<[f64; 2]> {
    let [dx, dy] = land.pixel;
    let length: f64 = (0..river.points.len() - 1)
        .map(|segment| {
            let [x, y] = river.way(segment);
            x.hypot(y)
        })
        .sum();
    let pixels = lows(std::slice::from_ref(river), land, Reach::Touched).len();
    let own = river.top_width(river.greatest_depth(land));
    (length > LONG * own.max(dx).max(dy)).then(|| [pixels as f64 * dx * dy / length, own])
}

/// Returns a warning if rivers have another width on the pixels than their own.
pub fn uneven(key: &str, path: &Path, rivers: &[River], land: Land) -> Option<Notice> {
    let widths = rivers.iter().filter_map(|river| widths(river, land));
    let off = |[on_grid, own]: [f64; 2]| (on_grid / own - 1.0).abs();
    let all: Vec<[f64; 2]> = widths.filter(|both| off(*both) > UNEVEN).collect();
    let [on_grid, own] = all.iter().copied().max_by(|a, b| off(*a).total_cmp(&off(*b)))?;
    let lines = counted(all.len(), "line", "lines");
    let [dx, dy] = land.pixel;
    Some(Notice::of(
        key,
        &path.display().to_string(),
        format!(
            "has {lines} whose width on the cells differs by more than {:.0} % from the given one; the worst is {own:.2} m wide, and {on_grid:.2} m on cells of {:.2} m; use a finer DEM, or a width that is a multiple of the cell",
            100.0 * UNEVEN,
            dx.min(dy)
        ),
    ))
}

/// Returns the nearest point of a river for each open pixel whose centre is within a distance (m)
/// of it, or that the line passes through.
fn nearest(river: &River, land: Land, within: f64, reach: Reach) -> BTreeMap<usize, NearestPoint> {
    let mut found: BTreeMap<usize, NearestPoint> = BTreeMap::new();
    // Distance from the river's ends of pixels beyond the ends (m).
    let mut beyond: BTreeMap<usize, f64> = BTreeMap::new();
    let (columns, rows) = (land.columns, land.rows());
    let [dx, dy] = land.pixel;
    let last = river.points.len() - 2;
    let mut see = |column: usize, row: usize, segment: usize, any: bool| {
        let pixel = row * columns + column;
        if land.levels[pixel] == Bed::OUTSIDE {
            return;
        }
        let centre = [(column as f64 + 0.5) * dx, (row as f64 + 0.5) * dy];
        let (from, [x, y]) = (river.points[segment], river.way(segment));
        let [a, b] = [centre[0] - from[0], centre[1] - from[1]];
        let square = x * x + y * y;
        let along = if square > 0.0 { (a * x + b * y) / square } else { 0.0 };
        let part = along.clamp(0.0, 1.0);
        let [a, b] = [a - part * x, b - part * y];
        let away = (a * a + b * b).sqrt();
        // Ends are cut off at a right angle.
        let is_beyond = segment == 0 && along < 0.0 || segment == last && along > 1.0;
        if is_beyond && !any {
            beyond.entry(pixel).and_modify(|before| *before = before.min(away)).or_insert(away);
        }
        // Of two pixels whose centres are exactly on the two banks, one is inside.
        let is_on_left = x * b - y * a >= 0.0;
        let is_within = away < within || (away == within && is_on_left);
        if (!is_within || is_beyond) && !any {
            return;
        }
        let near = NearestPoint { away, segment, part, is_corner: part != along, touched: any };
        let nearer = |before: &mut NearestPoint| {
            let touched = any || before.touched;
            if near.away < before.away {
                *before = near;
            }
            before.touched = touched;
        };
        found.entry(pixel).and_modify(nearer).or_insert(near);
    };
    let all = |low: f64, high: f64, size: usize| {
        (low.floor().max(0.0) as usize)..(high.ceil().clamp(0.0, size as f64) as usize)
    };
    // Also reaches pixels that are exactly as far away.
    let margin = 1.000_001 * within;
    for segment in 0..river.points.len() - 1 {
        let ([x0, y0], [x, y]) = (river.points[segment], river.way(segment));
        let low = y0.min(y0 + y) - margin;
        let high = y0.max(y0 + y) + margin;
        for row in all(low / dy, high / dy, rows) {
            // Part of the segment near the row.
            let middle = (row as f64 + 0.5) * dy;
            let ends = [middle - margin, middle + margin].map(|at| match y == 0.0 {
                true => (at - y0).signum() * f64::INFINITY,
                false => (at - y0) / y,
            });
            let first = ends[0].min(ends[1]).max(0.0);
            let last = ends[0].max(ends[1]).min(1.0);
            if first > last {
                continue;
            }
            let ends = [x0 + first * x, x0 + last * x];
            let (west, east) = (ends[0].min(ends[1]) - margin, ends[0].max(ends[1]) + margin);
            for column in all(west / dx, east / dx, columns) {
                see(column, row, segment, false);
            }
        }
        if reach == Reach::Touched {
            let ends = [segment, segment + 1].map(|at| {
                let [x, y] = river.points[at];
                [x / dx, y / dy]
            });
            for stretch in line_path::of(ends[0], ends[1], [columns, rows]) {
                let [column, row] = stretch.cell;
                if (0..columns as i64).contains(&column) && (0..rows as i64).contains(&row) {
                    see(column as usize, row as usize, segment, true);
                }
            }
        }
    }
    // The round outside of a bend that is closer to an end than half the width does not extend
    // beyond the end.
    let is_cut =
        |pixel: &usize, near: &NearestPoint| beyond.get(pixel).is_some_and(|end| *end < near.away);
    found.retain(|pixel, near| near.touched || !near.is_corner || !is_cut(pixel, near));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::subgrid::river::{Banks, RiverBed};

    #[test]
    fn ends_are_cut_straight_however_short_their_segments_are() {
        let levels = vec![5 * 65536; 40 * 40];
        let land = Land { levels: &levels, columns: 40, pixel: [1.0; 2], ratio: 1 };
        let dug = |points: &[[f64; 2]]| {
            let bed = RiverBed::Levels(vec![3.0; points.len()]);
            let points = points.to_vec();
            let river = River {
                points,
                bed,
                width: 10.0,
                side_slope: 0.0,
                roughness: None,
                banks: Banks::Rough,
            };
            lows(&[river], land, Reach::Centres)
        };
        let straight = dug(&[[10.2, 20.0], [30.2, 20.0]]);
        assert_eq!(straight.len(), 20 * 10);
        let short = dug(&[[10.2, 20.0], [11.0, 20.0], [12.5, 20.0], [28.0, 20.0], [30.2, 20.0]]);
        assert_eq!(short, straight);
        // A bend away from the ends stays round.
        assert!(dug(&[[10.2, 30.0], [20.0, 20.0], [30.2, 30.0]]).contains_key(&(16 * 40 + 20)));
    }
}
