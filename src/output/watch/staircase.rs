//! Rasterizes a line to a staircase of cell edges.

use crate::engine::backend::EdgeAt;
use crate::engine::grid::Grid;
use crate::engine::segment::{part_within, point_within};
use std::collections::BTreeMap;

/// An edge of a staircase with the sign of its discharge: +1 if eastward or southward is positive,
/// −1 if westward or northward is.
pub type Stair = (EdgeAt, i32);

/// Returns the staircase of cell edges along a line (points in units of the grid's CRS). The edges
/// form an unbroken chain, so the flux across it is exactly the flux from the cells on one side to
/// those on the other, however the line runs between the cells' centres. Flow to the left of the
/// line's direction is positive. Edges that are followed in both directions cancel. Parts beyond
/// the grid are omitted; the second value is set if there are any.
///
/// A last column or row of which only a part is in the raster counts as whole, so that a line to the
/// raster's edge crosses it.
///
/// The corners of the cells are the centres of a dual grid, whose cells are traversed along the
/// line (Amanatides and Woo 1987, "A fast voxel traversal algorithm for ray tracing").
pub fn staircase(line: &[(f64, f64)], grid: &Grid) -> (Vec<Stair>, bool) {
    let [west, dx, _, north, _, dy] = grid.transform;
    let stretched = |at: f64, size: usize, last: f64| match at - (size - 1) as f64 {
        past if past > 0.0 => at + past.min(last) * (1.0 / last - 1.0),
        _ => at,
    };
    let [width, height] = grid.last;
    let corner = |&(x, y): &(f64, f64)| {
        let (column, row) = ((x - west) / dx, (y - north) / dy);
        (stretched(column, grid.columns, width), stretched(row, grid.rows, height))
    };
    let corners: Vec<(f64, f64)> = line.iter().map(corner).collect();
    let mut stairs: Stairs =
        Stairs { grid, order: Vec::new(), counts: BTreeMap::new(), beyond: false };
    for ends in corners.windows(2) {
        match within(grid, [ends[0], ends[1]]) {
            Some([from, to]) => walk(from, to, |from, to| stairs.step(from, to)),
            None => stairs.beyond = true,
        }
    }
    let Stairs { order, counts, beyond, .. } = stairs;
    let kept = order.into_iter().map(|edge| (edge, counts[&edge])).filter(|(_, count)| *count != 0);
    (kept.collect(), beyond)
}

struct Stairs<'a> {
    grid: &'a Grid,
    /// Edges in the order of their first visit.
    order: Vec<EdgeAt>,
    counts: BTreeMap<EdgeAt, i32>,
    beyond: bool,
}

impl Stairs<'_> {
    /// Steps from a corner of the cells to the next one.
    fn step(&mut self, from: (i64, i64), to: (i64, i64)) {
        let (columns, rows) = (self.grid.columns as i64, self.grid.rows as i64);
        let (column, row) = (from.0.min(to.0), from.1.min(to.1));
        // North is to the left of eastward, east to the left of southward.
        let (axis, line, place, count) = if from.1 == to.1 {
            (1, row, column, if to.0 > from.0 { -1 } else { 1 })
        } else {
            (0, row, column, if to.1 > from.1 { 1 } else { -1 })
        };
        let (lines, places) = if axis == 0 { (rows, columns + 1) } else { (rows + 1, columns) };
        if !(0..lines).contains(&line) || !(0..places).contains(&place) {
            self.beyond = true;
            return;
        }
        let edge = EdgeAt { axis, line: line as usize, place: place as usize };
        let counted = self.counts.entry(edge).or_insert_with(|| {
            self.order.push(edge);
            0
        });
        *counted += count;
    }
}

/// Distance beyond the grid up to which a line is followed (cells).
const FAR: f64 = 1024.0;

/// Clips a line to [`FAR`] beyond the grid, since a mistyped coordinate could make it arbitrarily
/// long; `None` if nothing is left.
fn within(grid: &Grid, ends: [(f64, f64); 2]) -> Option<[(f64, f64); 2]> {
    let ends = ends.map(<[f64; 2]>::from);
    if !ends.as_flattened().iter().all(|at| at.is_finite()) {
        return None;
    }
    let limits = [grid.columns, grid.rows].map(|size| [-FAR, size as f64 + FAR]);
    let parts = part_within(ends, &limits)?;
    // Of a line that comes from very far, rounding leaves the place uncertain.
    Some(parts.map(|part| point_within(ends, part, &limits).into()))
}

/// Calls `step` for every step from corner to corner along a straight line between two points
/// (column, row).
fn walk(from: (f64, f64), to: (f64, f64), mut step: impl FnMut((i64, i64), (i64, i64))) {
    let nearest = |(column, row): (f64, f64)| (column.round() as i64, row.round() as i64);
    let (mut at, end) = (nearest(from), nearest(to));
    let way = (to.0 - from.0, to.1 - from.1);
    // Returns the position along the line of the next border of the dual grid.
    let border = |at: i64, towards: i64, start: f64, way: f64| {
        (at as f64 + 0.5 * towards.signum() as f64 - start) / way
    };
    while at != end {
        let (left, down) = (end.0 - at.0, end.1 - at.1);
        let along = if left == 0 { f64::INFINITY } else { border(at.0, left, from.0, way.0) };
        let across = if down == 0 { f64::INFINITY } else { border(at.1, down, from.1, way.1) };
        let next = if along <= across {
            (at.0 + left.signum(), at.1)
        } else {
            (at.0, at.1 + down.signum())
        };
        step(at, next);
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(axis: usize, line: usize, place: usize) -> EdgeAt {
        EdgeAt { axis, line, place }
    }

    #[test]
    fn a_line_from_the_end_of_the_world_is_followed_where_it_is_near() {
        let grid = Grid::plain(4, 3, 10.0);
        let (near, _) = staircase(&[(-20.0, 11.0), (60.0, 11.0)], &grid);
        let (far, beyond) = staircase(&[(-1e13, 11.0), (1e13, 11.0)], &grid);
        assert_eq!((far, beyond), (near, true));
        for far in [1e20, 1e300, f64::MAX] {
            let (edges, _) = staircase(&[(far, 11.0), (20.0, 11.0), (20.0, far)], &grid);
            assert!(edges.len() <= 4 + 3, "{far}: {edges:?}");
        }
        assert_eq!(staircase(&[(-1e13, 1e13), (1e13, 1e13)], &grid), (Vec::new(), true));
    }

    #[test]
    fn a_straight_line_follows_the_nearest_edges() {
        let grid = Grid::plain(4, 3, 10.0);
        // Along the line between the second and the third row, from west to east: north is
        // positive.
        let (stairs, beyond) = staircase(&[(0.0, 11.0), (40.0, 11.0)], &grid);
        let expected: Vec<Stair> = (0..4).map(|column| (edge(1, 2, column), -1)).collect();
        assert_eq!((stairs, beyond), (expected, false));
        // Down between the second and the third column: east is positive.
        let (stairs, _) = staircase(&[(21.0, 30.0), (21.0, 0.0)], &grid);
        let expected: Vec<Stair> = (0..3).map(|row| (edge(0, row, 2), 1)).collect();
        assert_eq!(stairs, expected);
    }

    #[test]
    fn the_other_way_round_every_sign_changes_and_there_and_back_is_nothing() {
        let grid = Grid::plain(9, 7, 10.0);
        let line = [(3.0, 62.0), (41.0, 33.0), (88.0, 7.0)];
        let (there, _) = staircase(&line, &grid);
        let back: Vec<(f64, f64)> = line.iter().rev().copied().collect();
        let (mut back, _) = staircase(&back, &grid);
        back.iter_mut().for_each(|(_, count)| *count = -*count);
        let sorted = |mut stairs: Vec<Stair>| {
            stairs.sort_unstable();
            stairs
        };
        assert_eq!(sorted(there), sorted(back));
        let round: Vec<(f64, f64)> = line.iter().chain(line.iter().rev()).copied().collect();
        assert_eq!(staircase(&round, &grid).0, []);
    }

    #[test]
    fn what_lies_beyond_the_grid_is_left_out() {
        let grid = Grid::plain(4, 3, 10.0);
        let (stairs, beyond) = staircase(&[(-25.0, 20.0), (60.0, 20.0)], &grid);
        assert_eq!((stairs.len(), beyond), (4, true));
        let (stairs, beyond) = staircase(&[(-25.0, 90.0), (60.0, 90.0)], &grid);
        assert_eq!((stairs.len(), beyond), (0, true));
    }
}
