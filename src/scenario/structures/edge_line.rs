//! Cell edges along the line of a structure.

use crate::engine::backend::EdgeAt;
use crate::engine::grid::{Bed, Grid};
use crate::engine::range::range;
use crate::engine::segment::part_within;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::vector::point_position::{covered, likely};
use crate::output::watch::{Stair, staircase};
use crate::units::Metre;

/// Edge between two cells of the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeBetween {
    /// Cell west or north of the edge, and the cell on the other side.
    pub cells: [usize; 2],
    /// Direction from the first cell to the second: east (0) or south (1).
    pub axis: usize,
    /// Length of a cell's side (m).
    pub length: Metre,
    /// Fraction of the edge that is within the DEM.
    pub part: f64,
    /// Ground of the higher cell (m).
    pub ground: Metre,
    /// Start and end of the edge's part of the line, from the line's first point (m). The parts of
    /// all edges add up to the length of the line.
    pub along: [Metre; 2],
}

/// Line with the edges that it follows.
#[derive(Clone, Debug)]
pub struct EdgeLine {
    /// Edges between cells of the domain, in order along the line; at least one.
    pub edges: Vec<EdgeBetween>,
    /// All edges of the staircase on the grid, with the direction that counts as positive.
    pub stairs: Vec<Stair>,
    /// Length of the line within the grid (m).
    pub length: Metre,
    /// The same without the parts on NoData (m): the greatest width of a structure.
    pub width: Metre,
    /// Length of the edges between cells of the domain (m).
    open_length: Metre,
    /// Length of a staircase along the line over the length of the line: 1 along the grid, √2 at
    /// 45°.
    pub detour: f64,
    /// True if a part of the line is outside the grid.
    pub beyond: bool,
}

impl EdgeLine {
    /// Maps a line (in the DEM's CRS) onto cell edges.
    ///
    /// # Errors
    /// If no edge is between two cells of the domain.
    pub fn on(line: &[(f64, f64)], ground: Topography) -> Result<EdgeLine> {
        let Topography { grid, bed, .. } = ground;
        let wrong = |what: &str| Error::input(format!("structures: the line {what}"));
        if line.windows(2).all(|ends| ends[0] == ends[1]) {
            return Err(wrong("is a single point").hint("draw it from bank to bank"));
        }
        let (stairs, beyond) = staircase(line, grid);
        if stairs.is_empty() {
            let is_near = line.iter().any(|&(x, y)| grid.cell_at(x, y).is_some());
            return Err(match beyond || !is_near {
                true => wrong("is outside the DEM").hint(format!(
                    "{}{}; move it, or leave it out",
                    covered(grid),
                    likely(grid, line)
                )),
                false => wrong("does not reach from one corner of the cells to another, so it follows no cell edge")
                    .hint("draw it longer, from bank to bank; the width of the structure may be less: width = 4 m"),
            });
        }
        let lengths = [grid.dy, grid.dx];
        // The part of an edge along the other axis.
        let part = |edge: &EdgeAt| grid.part(edge.place, edge.line)[1 - edge.axis];
        let own = |edge: &EdgeAt| part(edge) * lengths[edge.axis];
        let stairs_length: f64 = stairs.iter().map(|(edge, _)| own(edge)).sum();
        let length = length_within(line, grid);
        let mut edges = Vec::new();
        let [mut walked, mut in_domain, mut open_length] = [0.0; 3];
        for (edge, _) in &stairs {
            let along = [walked, walked + own(edge)].map(|at| at * length / stairs_length);
            walked += own(edge);
            let (column, row) = (edge.place, edge.line);
            let (place, count) = [(column, grid.columns), (row, grid.rows)][edge.axis];
            let ahead = row * grid.columns + column;
            let back = if edge.axis == 0 { 1 } else { grid.columns };
            let level = |exists: bool, cell: usize| {
                let level = exists.then(|| bed.levels[cell])?;
                (level != Bed::OUTSIDE).then_some(level)
            };
            let behind = level(place > 0, ahead.wrapping_sub(back));
            let levels = [behind, level(place < count, ahead)];
            // The outermost edge of a line from bank to bank has the bank on one side.
            in_domain += if levels == [None; 2] { 0.0 } else { own(edge) };
            let [Some(behind), Some(before)] = levels else { continue };
            open_length += own(edge);
            let (cells, levels) = ([ahead - back, ahead], [behind, before]);
            let ground = f64::from(levels[0].max(levels[1])) / Bed::PER_METRE;
            let length = lengths[edge.axis];
            edges.push(EdgeBetween {
                cells,
                axis: edge.axis,
                length,
                part: part(edge),
                ground,
                along,
            });
        }
        if edges.is_empty() {
            return Err(wrong("follows no edge between two cells of the domain").hint(
                "move it onto the terrain, away from NoData, buildings and the boundary of the DEM, or leave it out",
            ));
        }
        let width = length * in_domain / stairs_length;
        let detour = detour(line);
        Ok(EdgeLine { edges, stairs, length, width, open_length, detour, beyond })
    }

    /// Returns the fraction of each edge within the DEM that a structure of a width covers: the
    /// width over the length of all edges between cells of the domain. The structure keeps its width
    /// at any orientation of the line, and however far this reaches into the banks.
    pub fn share(&self, width: Metre) -> f64 {
        width / self.open_length
    }

    /// Returns the fraction of the edges' length on ground more than a height above the lowest.
    pub fn share_above(&self, height: Metre) -> f64 {
        let (low, _) = self.ground();
        let above = self.edges.iter().filter(|edge| edge.ground > low + height);
        above.map(|edge| edge.part * edge.length).sum::<f64>() / self.open_length
    }

    /// Returns the lowest and the highest ground of the edges (m).
    pub fn ground(&self) -> (Metre, Metre) {
        let grounds = self.edges.iter().map(|edge| edge.ground);
        range(grounds)
    }
}

/// Returns the length of a line within the grid (m).
fn length_within(line: &[(f64, f64)], grid: &Grid) -> Metre {
    let [west, south, east, north] = grid.extent_within();
    let of = |ends: &[(f64, f64)]| {
        let [[x, y], [x2, y2]] = [ends[0], ends[1]].map(<[f64; 2]>::from);
        let part = part_within([[x, y], [x2, y2]], &[[west, east], [south, north]]);
        part.map_or(0.0, |[first, last]| (last - first) * (x2 - x).hypot(y2 - y))
    };
    line.windows(2).map(of).sum::<f64>() * grid.metres_per_unit()
}

/// Returns the length of a staircase along a line over the length of the line.
fn detour(line: &[(f64, f64)]) -> f64 {
    let steps = || line.windows(2).map(|ends| [ends[1].0 - ends[0].0, ends[1].1 - ends[0].1]);
    let stairs: f64 = steps().map(|[x, y]| x.abs() + y.abs()).sum();
    stairs / steps().map(|[x, y]| x.hypot(y)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_across_the_grid_has_its_own_length_on_a_chain_of_edges() {
        let grid = Grid::plain(8, 8, 10.0);
        let mut levels = vec![0.0; 64];
        levels[0] = f64::NAN;
        levels[63] = 3.0;
        let bed = Bed::from_metres(levels);
        let ground = Topography::new(&grid, &bed);
        // From corner to corner, as a staircase of sixteen edges.
        let edge_line = EdgeLine::on(&[(0.0, 0.0), (80.0, 80.0)], ground).unwrap();
        assert_eq!((edge_line.stairs.len(), edge_line.open_length), (16, 140.0));
        assert!((edge_line.length - 80.0 * 2f64.sqrt()).abs() < 1e-9);
        assert!((edge_line.detour - 2f64.sqrt()).abs() < 1e-9);
        assert!((edge_line.share(60.0) * 140.0 - 60.0).abs() < 1e-9);
        let sides = |edge: &EdgeBetween| edge.cells.map(|cell| (cell % 8, cell / 8));
        for edge in &edge_line.edges {
            let [(column, row), ahead] = sides(edge);
            assert_eq!(ahead, (column + 1 - edge.axis, row + edge.axis));
        }
        // Along a line of edges, from beyond one side to within: the rim and NoData have none.
        let edge_line = EdgeLine::on(&[(-30.0, 70.0), (20.0, 70.0)], ground).unwrap();
        assert_eq!((edge_line.length, edge_line.stairs.len(), edge_line.beyond), (20.0, 2, true));
        let edge = edge_line.edges[0];
        assert_eq!((edge_line.edges.len(), edge.cells, edge.axis), (1, [1, 9], 1));
        assert_eq!((edge.along, edge.ground), ([10.0, 20.0], 0.0));
        // Between the sixth and the seventh row.
        let edge_line = EdgeLine::on(&[(20.0, 20.0), (50.0, 20.0)], ground).unwrap();
        let cells: Vec<[usize; 2]> = edge_line.edges.iter().map(|edge| edge.cells).collect();
        assert_eq!(cells, [[42, 50], [43, 51], [44, 52]]);
        let edge_line = EdgeLine::on(&[(60.0, 10.0), (80.0, 10.0)], ground).unwrap();
        assert_eq!(edge_line.ground(), (0.0, 3.0));
        for (line, says) in [
            ([(200.0, 10.0), (200.0, 50.0)], "outside the DEM"),
            ([(80.0, 10.0), (80.0, 50.0)], "no edge between two cells"),
            ([(11.0, 11.0), (13.0, 11.0)], "one corner of the cells"),
            // Longer than a cell.
            ([(5.5, 25.5), (14.0, 34.0)], "one corner of the cells"),
            ([(11.0, 11.0), (11.0, 11.0)], "a single point"),
        ] {
            let error = EdgeLine::on(&line, ground).unwrap_err();
            assert!(error.what.contains(says), "{}", error.what);
        }
    }
}
