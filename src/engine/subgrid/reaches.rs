//! Lays the lines of rivers that are narrower than a cell through a grid: which cells they run in one after the other, how much of each lies in
//! which cell, and how far it is from one to the next.
//!
//! A line that runs across the grid would be a flight of stairs. Its cells are, but a river's volume is its width times the length of its line,
//! and its slope is by the way along that: the rule counts a difference of levels over the distance of two cells, Δ, where the river's way
//! is s, so that its conveyance is multiplied with √(Δ/s), and flows as Manning (1891) says of the true slope. Where a line cuts a corner
//! short, the cuts between its reaches are moved apart: a cell with hardly any water would need very short steps.
//!
//! The bed of a reach is one level, that of its middle, as that of a plain cell is; that of an edge is the higher one of its two reaches.

use super::channels::{Channels, Slot, Strip};
use super::river::{Land, Part, River};
use super::way;
use crate::grid::Bed;
use std::collections::BTreeMap;

/// A flow that turns in both cells of an edge, and goes on as it came, is counted by the rules as one across the grid, which rubs by √2 times its
/// velocity on the edge: 2^¼, by which its conveyance is more.
const ZIGZAG: f64 = 1.189_207_115_002_721;

/// The least way between two reaches, in cells.
const LEAST_WAY: f64 = 0.1;

/// How long the reach at an end of a river is at the least, in cells: out of a shorter one less water runs than its section conveys, as a cell
/// gives at most twice its mean depth over an edge that water falls over.
const LEAST_END: f64 = 0.6;

/// A line that ends no further than this from the side of the grid reaches it, in cells.
const REACHES: f64 = 0.5;

/// Lines that meet within this join, in cells.
const JOINS: f64 = 1e-3;

/// A short piece of a river.
#[derive(Clone, Debug)]
struct Piece {
    river: usize,
    /// How far along it lies (m), how long it is (m), and its bed (m).
    along: f64,
    length: f64,
    bed: f64,
    /// For each strip the pixel that it lies in, and the ground there (2⁻¹⁶ m).
    ground: Vec<Option<(usize, i32)>>,
}

/// A cell that a river runs in, and where along the river it is in there (m).
#[derive(Clone, Copy, Debug)]
struct Stop {
    cell: [i64; 2],
    from: f64,
    to: f64,
}

/// Cells that a river runs in one after the other, and the cells beyond the domain that it comes from and goes to.
#[derive(Clone, Debug, Default)]
struct Run {
    before: Option<[i64; 2]>,
    stops: Vec<Stop>,
    after: Option<[i64; 2]>,
    /// In their order along the river.
    pieces: Vec<Piece>,
}

/// The part of a river that is a cell's.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// Where it begins and ends along the river (m).
    from: f64,
    to: f64,
    /// Its bed (m).
    bed: f64,
}

impl Reach {
    fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }
}

/// What rivers add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// How long they are in the domain (m).
    pub length: f64,
    /// What they hold up to the ground (m³).
    pub volume: f64,
    /// How far their beds lie below the ground at the most (m).
    pub deepest: f64,
    /// Cells that they run in.
    pub cells: usize,
    /// Pixels that buildings and walls stand on in their way.
    pub dammed: usize,
    /// How often they turn from one side of the cells to another.
    pub turns: usize,
}

/// Rivers that are laid through a grid.
#[derive(Clone, Debug)]
pub struct Courses {
    cells: [usize; 2],
    cell: [f64; 2],
    /// The strips and the roughness of each river.
    sections: Vec<(Vec<Part>, Option<f64>)>,
    runs: Vec<Run>,
}

impl Courses {
    /// Lays rivers through the cells of a land.
    pub fn of(rivers: &[River], land: Land) -> Courses {
        let sections = rivers.iter().map(|river| {
            let depth = river.greatest_depth(land);
            (river.parts(land, depth), river.roughness)
        });
        let mut courses = Courses {
            cells: land.cells(),
            cell: land.cell(),
            sections: sections.collect(),
            runs: Vec::new(),
        };
        for chain in chains(rivers, courses.cell) {
            courses.lay(rivers, &chain, land);
        }
        courses
    }

    /// Lays rivers of which each begins where the one before ends.
    fn lay(&mut self, rivers: &[River], chain: &[usize], land: Land) {
        let mut layer =
            Layer { size: self.cells, land, runs: Vec::new(), last: None, open: BTreeMap::new() };
        let scaled = |[x, y]: [f64; 2]| [x / self.cell[0], y / self.cell[1]];
        let mut along = 0.0;
        for (at, &index) in chain.iter().enumerate() {
            let river = &rivers[index];
            let segments = river.points.len() - 1;
            if at == 0 {
                layer.beyond(scaled(river.points[0]), scaled(river.points[1]), along, true);
            }
            for segment in 0..segments {
                let length = river.length(segment);
                let ends = [segment, segment + 1].map(|at| scaled(river.points[at]));
                for stretch in way::of(ends[0], ends[1], self.cells) {
                    let pieces =
                        layer.pieces(river, segment, stretch.part, &self.sections[index].0);
                    let pieces = pieces.into_iter().map(|piece| Piece {
                        river: index,
                        along: along + piece.along,
                        ..piece
                    });
                    let [from, to] = stretch.part.map(|part| along + part * length);
                    layer.visit(Stop { cell: stretch.cell, from, to }, pieces.collect());
                }
                along += length;
            }
            if at + 1 == chain.len() {
                let ends = [segments, segments - 1].map(|at| scaled(river.points[at]));
                layer.beyond(ends[0], ends[1], along, false);
            }
        }
        self.runs.append(&mut layer.runs);
    }

    /// The channels that they are to the cells, and what they add up to. `raised` are the levels of the pixels (2⁻¹⁶ m) with buildings and walls, which
    /// dam what runs where they stand.
    pub fn channels(&self, raised: &[i32]) -> (Channels, Tally) {
        let (mut channels, mut tally) = (Channels::default(), Tally::default());
        let area = self.cell[0] * self.cell[1];
        let mut dams = Vec::new();
        let is_dam =
            |&(pixel, level): &(usize, i32)| raised[pixel] == Bed::OUTSIDE || raised[pixel] > level;
        for run in &self.runs {
            let reaches = run.reaches(self.cell);
            for (stop, reach) in run.stops.iter().zip(&reaches) {
                let Some(reach) = reach else { continue };
                let mut slots = BTreeMap::new();
                for (piece, length) in run.within(reach.from, reach.to) {
                    tally.length += length;
                    let parts = &self.sections[piece.river].0;
                    for (part, ground) in parts.iter().zip(&piece.ground) {
                        let Some(ground) = ground else { continue };
                        if is_dam(ground) {
                            dams.push(ground.0);
                            continue;
                        }
                        let bed = level(reach.bed + part.height);
                        if bed < ground.1 {
                            let share = length * part.width / area;
                            *slots.entry((bed, ground.1)).or_insert(0.0) += share;
                        }
                    }
                }
                let slots = slots.into_iter().map(|((bed, top), share)| Slot { bed, top, share });
                let slots: Vec<Slot> = slots.collect();
                for slot in &slots {
                    let deep = f64::from(slot.top - slot.bed) / Bed::PER_METRE;
                    tally.volume += deep * slot.share * area;
                    tally.deepest = tally.deepest.max(deep);
                }
                if !slots.is_empty() {
                    channels.cells.entry(self.index(stop.cell)).or_default().extend(slots);
                }
            }
            self.edges(run, &reaches, is_dam, &mut channels);
            let turns =
                |three: &&[Stop]| (0..2).all(|axis| three[0].cell[axis] != three[2].cell[axis]);
            tally.turns += run.stops.windows(3).filter(turns).count();
        }
        dams.sort_unstable();
        dams.dedup();
        (tally.dammed, tally.cells) = (dams.len(), channels.cells.len());
        (channels, tally)
    }

    /// The strips of the edges that a run crosses.
    fn edges(
        &self,
        run: &Run,
        reaches: &[Option<Reach>],
        is_dam: impl Fn(&(usize, i32)) -> bool + Copy,
        channels: &mut Channels,
    ) {
        let cells = run.before.into_iter().chain(run.stops.iter().map(|stop| stop.cell));
        let cells: Vec<[i64; 2]> = cells.chain(run.after).collect();
        // Where the stop of a cell is.
        let first = usize::from(run.before.is_some());
        for at in 0..cells.len().saturating_sub(1) {
            let [a, b] =
                [at, at + 1].map(|at| at.checked_sub(first).filter(|i| *i < run.stops.len()));
            let laid: Vec<Reach> =
                [a, b].into_iter().flatten().filter_map(|stop| reaches[stop]).collect();
            let axis = usize::from(cells[at][0] == cells[at + 1][0]);
            // From the middle of one reach to that of the other, or to the side of the grid.
            let (from, to, bed, mut winds) = match (a, b, &laid[..]) {
                (Some(_), Some(_), [a, b]) => {
                    let way = ((b.middle() - a.middle()) / self.cell[axis]).max(LEAST_WAY);
                    (a.middle(), b.middle(), a.bed.max(b.bed), (1.0 / way).sqrt())
                }
                (Some(_), None, [end]) => (end.middle(), end.to, end.bed, 1.0),
                (None, Some(_), [end]) => (end.from, end.middle(), end.bed, 1.0),
                _ => continue,
            };
            let cut = a.map_or(from, |a| run.stops[a].to);
            let crossing = run.pieces.iter().rfind(|piece| piece.along <= cut);
            let Some(crossing) = crossing.or(run.pieces.first()) else { continue };
            let turns = |at: Option<usize>| {
                let at = at.filter(|at| at + 1 < cells.len())?;
                Some([0, 1].map(|axis| cells[at + 1][axis] - cells[at][axis]))
            };
            let (came, goes) = (turns(at.checked_sub(1)), turns(Some(at + 1)));
            if came.is_some() && came == goes && came.is_some_and(|way| way[axis] == 0) {
                winds *= ZIGZAG;
            }
            let (parts, roughness) = &self.sections[crossing.river];
            for (strip, part) in parts.iter().enumerate() {
                let ground = run.within(from, to).filter_map(|(piece, _)| {
                    let is_one = piece.river == crossing.river;
                    is_one.then(|| piece.ground[strip]).flatten()
                });
                let ground: Vec<(usize, i32)> = ground.collect();
                let dammed = ground.iter().any(is_dam);
                if ground.is_empty() || dammed {
                    continue;
                }
                let sum: i64 = ground.iter().map(|(_, level)| i64::from(*level)).sum();
                let (bed, top) = (level(bed + part.height), (sum / ground.len() as i64) as i32);
                if bed < top {
                    let share = part.width / self.cell[1 - axis];
                    let strip = Strip { bed, top, share, winds, roughness: *roughness };
                    let edge = self.edge(axis, cells[at], cells[at + 1]);
                    channels.edges[axis].entry(edge).or_default().push(strip);
                }
            }
        }
    }

    /// The number of a cell.
    fn index(&self, [column, row]: [i64; 2]) -> usize {
        row as usize * self.cells[0] + column as usize
    }

    /// The number of the edge between two cells, of which one may lie beyond the grid.
    fn edge(&self, axis: usize, a: [i64; 2], b: [i64; 2]) -> usize {
        let [column, row] = [0, 1].map(|axis| a[axis].max(b[axis]) as usize);
        row * (self.cells[0] + usize::from(axis == 0)) + column
    }
}

/// A level in steps of 2⁻¹⁶ m.
fn level(metres: f64) -> i32 {
    (metres * Bed::PER_METRE).round() as i32
}

impl Run {
    /// The pieces between two places along the river (m), and how much of each lies there (m).
    fn within(&self, from: f64, to: f64) -> impl Iterator<Item = (&Piece, f64)> {
        let first = self.pieces.partition_point(|piece| piece.along + 0.5 * piece.length <= from);
        let all = self.pieces[first..]
            .iter()
            .take_while(move |piece| piece.along - 0.5 * piece.length < to);
        all.map(move |piece| {
            let [begins, ends] = [-0.5, 0.5].map(|half| piece.along + half * piece.length);
            (piece, ends.min(to) - begins.max(from))
        })
    }

    /// The reach of each stop; none where there is nothing of a river. `cell` is the size of a cell (m).
    fn reaches(&self, cell: [f64; 2]) -> Vec<Option<Reach>> {
        let cuts = self.cuts(LEAST_END * cell[0].min(cell[1]));
        let reach = |ends: &[f64]| {
            let (mut length, mut bed) = (0.0, 0.0);
            for (piece, part) in self.within(ends[0], ends[1]) {
                (length, bed) = (length + part, bed + part * piece.bed);
            }
            (length > 0.0).then(|| Reach { from: ends[0], to: ends[1], bed: bed / length })
        };
        cuts.windows(2).map(reach).collect()
    }

    /// Where the reaches begin and end (m): where the cells do, if these have as much of the river each; between one with much and one with little the
    /// cut is moved into the former, by a fourth of its length if the other has nothing. Those at the ends have no less than `least` (m), if there is as much.
    fn cuts(&self, least: f64) -> Vec<f64> {
        let count = self.stops.len();
        let length = |at: usize| self.stops[at].to - self.stops[at].from;
        let mut cuts: Vec<f64> = self.stops.iter().map(|stop| stop.from).collect();
        cuts.extend(self.stops.last().map(|stop| stop.to));
        for at in 1..count {
            let (a, b) = (length(at - 1), length(at));
            if a + b > 0.0 {
                cuts[at] += 0.25 * (b - a) * ((b - a).abs() / (a + b));
            }
        }
        let all = cuts.last().map_or(0.0, |last| last - cuts[0]);
        let least = least.min(all / count.max(1) as f64);
        for at in 1..count {
            if cuts[at] - cuts[at - 1] >= least {
                break;
            }
            cuts[at] = (cuts[at - 1] + least).min(cuts[count]);
        }
        for at in (1..count).rev() {
            if cuts[at + 1] - cuts[at] >= least {
                break;
            }
            cuts[at] = (cuts[at + 1] - least).max(cuts[0]);
        }
        cuts
    }
}

/// Lays a chain of rivers, stretch by stretch.
struct Layer<'a> {
    size: [usize; 2],
    land: Land<'a>,
    runs: Vec<Run>,
    /// The cell that was visited last.
    last: Option<[i64; 2]>,
    /// Whether cells have an open pixel, as far as it was asked.
    open: BTreeMap<[i64; 2], bool>,
}

impl Layer<'_> {
    /// The pieces of a part of a segment; `along` counts from the segment's start.
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

    /// Goes to a cell, and adds what lies in it.
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
            self.runs.push(Run { before, ..Run::default() });
        }
        let run = self.runs.last_mut().expect("a run that goes on, or was begun");
        run.pieces.extend(pieces);
        let count = run.stops.len();
        if count >= 2 && run.stops[count - 2].cell == cell {
            // There and back over one edge: what lies beyond is a bend of the cell's own reach.
            run.stops.pop();
        }
        match run.stops.last_mut().filter(|last| last.cell == cell) {
            Some(last) => last.to = stop.to,
            None => run.stops.push(stop),
        }
    }

    /// Goes from the end of a line over the side of the grid, if that is near: on in the direction that it has from another point (in cells). The end lies so far
    /// along the river (m).
    fn beyond(&mut self, end: [f64; 2], other: [f64; 2], along: f64, is_start: bool) {
        let way = [end[0] - other[0], end[1] - other[1]];
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        if length == 0.0 {
            return;
        }
        let on = [0, 1].map(|axis| end[axis] + REACHES * way[axis] / length);
        let mut cells = way::of(end, on, self.size);
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

    /// Whether a cell lies on the grid and has an open pixel.
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

/// Rivers that go on in one another, downstream: where one ends and one begins, and no other does.
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
    // Rings have no first: they begin anywhere.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subgrid::river::RiverBed;

    /// Cells of 10 m on flat ground at 5 m, 12 × 12.
    const GROUND: [i32; 144] = [5 * 65536; 144];
    const LAND: Land<'static> = Land { levels: &GROUND, columns: 12, pixel: [10.0; 2], ratio: 1 };

    fn river(points: &[[f64; 2]], width: f64) -> River {
        let levels = vec![3.0; points.len()];
        let (points, bed) = (points.to_vec(), RiverBed::Levels(levels));
        River { points, bed, width, side_slope: 0.0, roughness: None }
    }

    #[test]
    fn its_volume_is_its_length_by_its_section_however_it_runs() {
        let ways: [&[[f64; 2]]; 5] = [
            &[[5.0, 5.0], [95.0, 5.0]],
            &[[5.0, 5.0], [95.0, 95.0]],
            &[[3.0, 17.0], [111.0, 91.0]],
            // Along a side of cells, there and back over it.
            &[[5.0, 49.0], [25.0, 51.0], [45.0, 49.0], [65.0, 51.0], [65.0, 12.0]],
            &[[15.0, 15.0], [16.0, 17.0]],
        ];
        for way in ways {
            let river = river(way, 2.0);
            let length: f64 = (0..way.len() - 1).map(|segment| river.length(segment)).sum();
            let (channels, tally) = Courses::of(&[river], LAND).channels(&GROUND);
            assert!((tally.length / length - 1.0).abs() < 1e-9, "{tally:?}, not {length}");
            assert!((tally.volume / (length * 4.0) - 1.0).abs() < 1e-9, "{tally:?}");
            let shares: f64 = channels.cells.values().flatten().map(|slot| slot.share).sum();
            assert!((shares * 100.0 - 2.0 * length).abs() < 1e-6);
        }
    }

    #[test]
    fn a_diagonal_runs_by_its_own_length() {
        let way = [[1.0, 1.5], [118.0, 118.5]];
        let (channels, _) = Courses::of(&[river(&way, 2.0)], LAND).channels(&GROUND);
        // From cell to cell it is 1/√2 of their distance, and it turns in each.
        let expected = 2f64.sqrt();
        let inner = channels.edges[0].values().flatten().filter(|strip| strip.winds != 1.0);
        let winds: Vec<f64> = inner.map(|strip| strip.winds).collect();
        assert!(winds.len() >= 9);
        let middle = &winds[2..winds.len() - 2];
        assert!(middle.iter().all(|winds| (winds / expected - 1.0).abs() < 0.02), "{middle:?}");
    }

    #[test]
    fn rivers_that_go_on_in_each_other_are_one() {
        let whole = river(&[[5.0, 15.0], [55.0, 45.0], [115.0, 45.0]], 2.0);
        let parts =
            [river(&[[55.0, 45.0], [115.0, 45.0]], 2.0), river(&[[5.0, 15.0], [55.0, 45.0]], 2.0)];
        let one = Courses::of(&[whole], LAND).channels(&GROUND);
        let two = Courses::of(&parts, LAND).channels(&GROUND);
        assert_eq!(one.0.edges, two.0.edges);
        assert!((one.1.volume - two.1.volume).abs() < 1e-9);
    }

    #[test]
    fn walls_dam_it() {
        let (mut raised, line) = (GROUND, river(&[[5.0, 15.0], [115.0, 15.0]], 2.0));
        raised[12 + 6] += 65536;
        let courses = Courses::of(&[line], LAND);
        let ([open, dammed], row) = ([&GROUND, &raised].map(|ground| courses.channels(ground)), 13);
        assert_eq!((open.1.dammed, dammed.1.dammed), (0, 1));
        // Neither the cell nor the edges on its sides have a channel.
        for edge in [row + 6, row + 7] {
            assert!(open.0.edges[0].contains_key(&edge) && !dammed.0.edges[0].contains_key(&edge));
        }
        assert!(open.0.cells.contains_key(&18) && !dammed.0.cells.contains_key(&18));
        assert!(dammed.0.edges[0].contains_key(&(row + 5)));
    }
}
