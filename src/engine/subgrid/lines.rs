//! Traces lines through a grid, from cell to cell.

use super::line_path;
use super::river::{Land, Part, River};
use super::runs::{Piece, ReachCells, Stop};
use crate::grid::Bed;
use std::collections::BTreeMap;

/// A line that ends within this distance of the grid's side reaches it, in cells.
const REACHES: f64 = 0.5;

/// Line ends within this distance are joined, in cells.
const JOINS: f64 = 1e-3;

/// Traces rivers through the cells of a land, with the strips of each river's section.
pub(super) fn runs(rivers: &[River], strips: &[&[Part]], land: Land) -> Vec<ReachCells> {
    let chains = chains(rivers, land.cell());
    chains.iter().flat_map(|chain| runs_of(rivers, chain, strips, land)).collect()
}

/// Traces a chain of rivers, each of which begins where the previous one ends, with the strips of
/// each river's section.
fn runs_of(rivers: &[River], chain: &[usize], strips: &[&[Part]], land: Land) -> Vec<ReachCells> {
    let (cells, cell) = (land.cells(), land.cell());
    let mut tracer = ChainTracer {
        size: cells,
        land,
        longest_bend: cell[0] + cell[1],
        runs: Vec::new(),
        last: None,
        open: BTreeMap::new(),
    };
    let scaled = |[x, y]: [f64; 2]| [x / cell[0], y / cell[1]];
    let mut along = 0.0;
    for (at, &index) in chain.iter().enumerate() {
        let river = &rivers[index];
        let segments = river.points.len() - 1;
        if at == 0 {
            tracer.beyond(scaled(river.points[0]), scaled(river.points[1]), along, true);
        }
        for segment in 0..segments {
            let length = river.length(segment);
            let ends = [segment, segment + 1].map(|at| scaled(river.points[at]));
            for stretch in line_path::of(ends[0], ends[1], cells) {
                let pieces = tracer.pieces(river, segment, stretch.part, strips[index]);
                let pieces = pieces.into_iter().map(|piece| Piece {
                    river: index,
                    along: along + piece.along,
                    ..piece
                });
                let [from, to] = stretch.part.map(|part| along + part * length);
                tracer.visit(Stop { cell: stretch.cell, from, to }, pieces.collect());
            }
            along += length;
        }
        if at + 1 == chain.len() {
            let ends = [segments, segments - 1].map(|at| scaled(river.points[at]));
            tracer.beyond(ends[0], ends[1], along, false);
        }
    }
    tracer.runs
}

/// Traces a chain of rivers, stretch by stretch.
struct ChainTracer<'a> {
    size: [usize; 2],
    land: Land<'a>,
    /// Length of a bend in a neighbouring cell that belongs to the reach before and after it (m).
    longest_bend: f64,
    runs: Vec<ReachCells>,
    /// The last cell visited.
    last: Option<[i64; 2]>,
    /// Cache: whether a cell has an open pixel.
    open: BTreeMap<[i64; 2], bool>,
}

impl ChainTracer<'_> {
    /// Cuts a part of a segment into pieces; `along` counts from the segment's start.
    fn pieces(&self, river: &River, segment: usize, part: [f64; 2], strips: &[Part]) -> Vec<Piece> {
        let (land, length) = (self.land, river.length(segment));
        let least = 0.5 * land.pixel[0].min(land.pixel[1]);
        let own = (part[1] - part[0]) * length;
        if own <= 0.0 {
            return Vec::new();
        }
        let count = (own / least).ceil().max(1.0) as usize;
        let piece = |at: usize| {
            let on = part[0] + (at as f64 + 0.5) / count as f64 * (part[1] - part[0]);
            let middle = land.at(river.point(segment, on, 0.0));
            let ground = strips
                .iter()
                .map(|strip| land.at(river.point(segment, on, strip.offset)).or(middle));
            let metres = middle.map(|(_, level)| f64::from(level) / Bed::PER_METRE);
            Some(Piece {
                river: 0,
                along: on * length,
                length: own / count as f64,
                bed: river.bed(segment, on, metres)?,
                ground: ground.collect(),
            })
        };
        (0..count).filter_map(piece).collect()
    }

    /// Moves to a cell, and adds the pieces in it.
    fn visit(&mut self, stop: Stop, pieces: Vec<Piece>) {
        let cell = stop.cell;
        let last = self.last.replace(cell);
        let is_beside =
            |other: [i64; 2]| (cell[0] - other[0]).abs() + (cell[1] - other[1]).abs() == 1;
        if !self.is_open(cell) {
            if let (Some(run), Some(last)) = (self.runs.last_mut(), last)
                && run.after.is_none()
                && run.stops.last().is_some_and(|stop| stop.cell == last)
                && is_beside(last)
            {
                run.after = Some(cell);
            }
            return;
        }
        let goes_on = last.is_some_and(|last| {
            let stop = self.runs.last().and_then(|run| run.stops.last());
            stop.is_some_and(|stop| stop.cell == last) && (last == cell || is_beside(last))
        });
        if !goes_on || self.runs.last().is_some_and(|run| run.after.is_some()) {
            let before = last.filter(|last| is_beside(*last));
            self.runs.push(ReachCells { before, ..ReachCells::default() });
        }
        let run = self.runs.last_mut().expect("a run that goes on, or was begun");
        run.pieces.extend(pieces);
        if let [.., before, bend] = run.stops[..]
            && before.cell == cell
            && bend.to - bend.from <= self.longest_bend
        {
            // There and back across one edge: the part beyond is a bend of this cell's own reach. A
            // reach with such a bend is longer, so a meander through the same cells keeps its own.
            run.stops.pop();
        }
        match run.stops.last_mut().filter(|last| last.cell == cell) {
            Some(last) => last.to = stop.to,
            None => run.stops.push(stop),
        }
    }

    /// Extends a line from its end across the side of the grid, if that is near, in the direction
    /// from another point (in cells). `along` is the position of the end along the river (m).
    fn beyond(&mut self, end: [f64; 2], other: [f64; 2], along: f64, is_start: bool) {
        let way = [end[0] - other[0], end[1] - other[1]];
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        if length == 0.0 {
            return;
        }
        let on = [0, 1].map(|axis| end[axis] + REACHES * way[axis] / length);
        let mut cells = line_path::of(end, on, self.size);
        if cells.last().is_none_or(|last| self.is_inside(last.cell)) {
            return;
        }
        if is_start {
            cells.reverse();
        }
        for stretch in cells {
            self.visit(Stop { cell: stretch.cell, from: along, to: along }, Vec::new());
        }
    }

    fn is_inside(&self, cell: [i64; 2]) -> bool {
        (0..2).all(|axis| (0..self.size[axis] as i64).contains(&cell[axis]))
    }

    /// Returns `true` if a cell is on the grid and has an open pixel.
    fn is_open(&mut self, cell: [i64; 2]) -> bool {
        if !self.is_inside(cell) {
            return false;
        }
        let land = self.land;
        *self.open.entry(cell).or_insert_with(|| {
            let [column, row] = cell.map(|at| at as usize * land.ratio);
            let rows = row..(row + land.ratio).min(land.rows());
            let columns = column..(column + land.ratio).min(land.columns);
            let mut rows = rows.map(|row| &land.levels[row * land.columns..][columns.clone()]);
            rows.any(|row| row.iter().any(|&level| level != Bed::OUTSIDE))
        })
    }
}

/// Groups rivers into chains, downstream: two are joined where one ends and one begins, and no
/// other does.
fn chains(rivers: &[River], cell: [f64; 2]) -> Vec<Vec<usize>> {
    let key =
        |[x, y]: [f64; 2]| [x / cell[0] / JOINS, y / cell[1] / JOINS].map(|at| at.round() as i64);
    let first = |at: usize| key(rivers[at].points[0]);
    let last = |at: usize| key(*rivers[at].points.last().expect("two points"));
    let (mut begin, mut end) = (BTreeMap::new(), BTreeMap::new());
    for at in 0..rivers.len() {
        begin.entry(first(at)).or_insert_with(Vec::new).push(at);
        end.entry(last(at)).or_insert_with(Vec::new).push(at);
    }
    let next = |at: usize| match (begin.get(&last(at)).map(Vec::as_slice), &end[&last(at)][..]) {
        (Some(&[next]), [_]) if next != at => Some(next),
        _ => None,
    };
    let follows: Vec<Option<usize>> = (0..rivers.len()).map(next).collect();
    let mut is_later = vec![false; rivers.len()];
    follows.iter().flatten().for_each(|&at| is_later[at] = true);
    let mut taken = vec![false; rivers.len()];
    let mut chains = Vec::new();
    // Rings have no first river: they begin anywhere.
    let starts = (0..rivers.len()).filter(|&at| !is_later[at]).chain(0..rivers.len());
    for start in starts {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(here) = at.filter(|&here| !taken[here]) {
            taken[here] = true;
            chain.push(here);
            at = follows[here];
        }
        if !chain.is_empty() {
            chains.push(chain);
        }
    }
    chains
}
