//! Traces the lines of rivers narrower than a cell through a grid: the sequence of their cells, the
//! length in each cell, and the distance from one to the next.
//!
//! A line that runs diagonally to the grid would be a staircase. Its cells are, but a river's
//! volume is its width times the length of its line, and its slope is along the line. The solver
//! computes slopes over the distance of two cells, Δ, while the river's path is s; so the
//! conveyance is multiplied by √(Δ/s), which gives Manning's (1891) flow at the true slope. Where a
//! line cuts off a corner, the cuts between its reaches are moved apart, because a cell with hardly
//! any water would need very short steps.
//!
//! The bed of a reach is one level, that of its middle; the bed at the edge between two reaches is
//! below the higher one by the same share of their fall as the water surface (lookup.rs).

use super::channels::{Channels, Section, Slot, Strip};
use super::lines;
use super::lookup::fall_to_edge;
use super::river::{Land, Part, River};
use super::runs::{Reach, ReachCells, Stop};
use crate::grid::Bed;
use std::collections::BTreeMap;

/// Factor on the conveyance of a zigzag flow, which turns in both cells of an edge and continues in
/// its old direction: the solvers treat it as a flow diagonal to the grid, with √2 times the
/// velocity on the edge for friction; 2^¼ compensates for this.
const ZIGZAG: f64 = 1.189_207_115_002_721;

/// Minimum path between two reaches, in cells.
const LEAST_WAY: f64 = 0.1;

/// Totals over the rivers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReachTally {
    /// Length in the domain (m).
    pub length: f64,
    /// Volume up to the ground (m³).
    pub volume: f64,
    /// Maximum depth of their beds below the ground (m).
    pub deepest: f64,
    /// Number of cells that they run through.
    pub cells: usize,
    /// Number of pixels on their way blocked by buildings and walls.
    pub dammed: usize,
    /// Number of turns from one side of the cells to another.
    pub turns: usize,
}

/// Rivers traced through a grid.
#[derive(Clone, Debug)]
pub struct Courses {
    cells: [usize; 2],
    cell: [f64; 2],
    /// See [`fall_to_edge`].
    fall: f64,
    /// Each river's strips, and its section without them.
    sections: Vec<(Vec<Part>, Section)>,
    runs: Vec<ReachCells>,
}

impl Courses {
    /// Traces rivers through the cells of a land.
    pub fn of(rivers: &[River], land: Land) -> Courses {
        let sections = rivers.iter().map(|river| {
            let depth = river.greatest_depth(land);
            (river.parts(land, depth), section_of(river))
        });
        let sections: Vec<_> = sections.collect();
        let strips: Vec<&[Part]> = sections.iter().map(|(parts, _)| &parts[..]).collect();
        let runs = lines::runs(rivers, &strips, land);
        let fall = fall_to_edge(land.ratio).into();
        Courses { cells: land.cells(), cell: land.cell(), fall, sections, runs }
    }

    /// Returns the channels for the tables, and their totals. `raised` holds the levels of the
    /// pixels (2⁻¹⁶ m) with buildings and walls, which dam rivers in their place.
    pub fn channels(&self, raised: &[i32]) -> (Channels, ReachTally) {
        let (mut channels, mut tally) = (Channels::default(), ReachTally::default());
        let area = self.cell[0] * self.cell[1];
        let mut dams = Vec::new();
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
                        let Some(top) = top(ground, raised) else {
                            dams.push(ground.0);
                            continue;
                        };
                        let bed = level(reach.bed + part.height);
                        if bed < top {
                            let share = length * part.width / area;
                            *slots.entry((bed, top)).or_insert(0.0) += share;
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
            self.edges(run, &reaches, raised, &mut channels);
            let turns =
                |three: &&[Stop]| (0..2).all(|axis| three[0].cell[axis] != three[2].cell[axis]);
            tally.turns += run.stops.windows(3).filter(turns).count();
        }
        dams.sort_unstable();
        dams.dedup();
        (tally.dammed, tally.cells) = (dams.len(), channels.cells.len());
        (channels, tally)
    }

    /// Adds the sections on the edges that a run crosses.
    fn edges(
        &self,
        run: &ReachCells,
        reaches: &[Option<Reach>],
        raised: &[i32],
        channels: &mut Channels,
    ) {
        let cells = run.before.into_iter().chain(run.stops.iter().map(|stop| stop.cell));
        let cells: Vec<[i64; 2]> = cells.chain(run.after).collect();
        // Offset of the stops among the cells.
        let first = usize::from(run.before.is_some());
        for at in 0..cells.len().saturating_sub(1) {
            let [a, b] =
                [at, at + 1].map(|at| at.checked_sub(first).filter(|i| *i < run.stops.len()));
            let laid: Vec<Reach> =
                [a, b].into_iter().flatten().filter_map(|stop| reaches[stop]).collect();
            let axis = usize::from(cells[at][0] == cells[at + 1][0]);
            // From the middle of one reach to the middle of the other, or to the side of the grid.
            let (from, to, bed, mut winds) = match (a, b, &laid[..]) {
                (Some(_), Some(_), [a, b]) => {
                    let way = ((b.middle() - a.middle()) / self.cell[axis]).max(LEAST_WAY);
                    let bed = a.bed.max(b.bed) - self.fall * (a.bed - b.bed).abs();
                    (a.middle(), b.middle(), bed, (1.0 / way).sqrt())
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
            let (parts, section) = &self.sections[crossing.river];
            let mut strips = Vec::new();
            for (strip, part) in parts.iter().enumerate() {
                let ground = run.within(from, to).filter_map(|(piece, _)| {
                    let is_one = piece.river == crossing.river;
                    is_one.then(|| piece.ground[strip]).flatten()
                });
                let tops: Option<Vec<i32>> = ground.map(|ground| top(&ground, raised)).collect();
                let Some(tops) = tops.filter(|tops| !tops.is_empty()) else { continue };
                let sum: i64 = tops.iter().copied().map(i64::from).sum();
                let (bed, top) = (level(bed + part.height), (sum / tops.len() as i64) as i32);
                if bed < top {
                    strips.push(Strip { bed, top, width: part.width });
                }
            }
            if !strips.is_empty() {
                let edge_width = self.cell[1 - axis];
                let section = Section { strips, edge_width, winds, ..section.clone() };
                let edge = self.edge(axis, cells[at], cells[at + 1]);
                channels.edges[axis].entry(edge).or_default().push(section);
            }
        }
    }

    /// Returns the index of a cell.
    fn index(&self, [column, row]: [i64; 2]) -> usize {
        row as usize * self.cells[0] + column as usize
    }

    /// Returns the index of the edge between two cells, one of which may be beyond the grid.
    fn edge(&self, axis: usize, a: [i64; 2], b: [i64; 2]) -> usize {
        let [column, row] = [0, 1].map(|axis| a[axis].max(b[axis]) as usize);
        row * (self.cells[0] + usize::from(axis == 0)) + column
    }
}

/// Returns the section of a river, without its strips.
fn section_of(river: &River) -> Section {
    Section {
        strips: Vec::new(),
        edge_width: 0.0,
        bed_width: river.width,
        bank_length: river.bank_length(),
        winds: 1.0,
        roughness: river.roughness,
    }
}

/// Returns the upper end of a slot in a pixel whose original ground level is given: not above what
/// a wider river has left of the ground; `None` under a building or a wall.
fn top(&(pixel, level): &(usize, i32), raised: &[i32]) -> Option<i32> {
    let is_dam = raised[pixel] == Bed::OUTSIDE || raised[pixel] > level;
    (!is_dam).then(|| raised[pixel])
}

/// Converts a level to units of 2⁻¹⁶ m.
fn level(metres: f64) -> i32 {
    (metres * Bed::PER_METRE).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subgrid::river::{Banks, RiverBed};

    /// Cells of 10 m on flat ground at 5 m, 12 × 12.
    const GROUND: [i32; 144] = [5 * 65536; 144];
    const LAND: Land<'static> = Land { levels: &GROUND, columns: 12, pixel: [10.0; 2], ratio: 1 };

    fn river(points: &[[f64; 2]], width: f64) -> River {
        let levels = vec![3.0; points.len()];
        let (points, bed) = (points.to_vec(), RiverBed::Levels(levels));
        River { points, bed, width, side_slope: 0.0, roughness: None, banks: Banks::Rough }
    }

    #[test]
    fn its_volume_is_its_length_by_its_section_however_it_runs() {
        let ways: [&[[f64; 2]]; 5] = [
            &[[5.0, 5.0], [95.0, 5.0]],
            &[[5.0, 5.0], [95.0, 95.0]],
            &[[3.0, 17.0], [111.0, 91.0]],
            // Along a side of cells, there and back across it.
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
        // The path from cell to cell is 1/√2 of their distance, and it turns in each.
        let expected = 2f64.sqrt();
        let inner = channels.edges[0].values().flatten().filter(|section| section.winds != 1.0);
        let winds: Vec<f64> = inner.map(|section| section.winds).collect();
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
    fn it_has_no_room_above_what_a_wider_river_has_left() {
        let (mut lowered, line) = (GROUND, river(&[[5.0, 15.0], [115.0, 15.0]], 2.0));
        lowered[12 + 6] -= 65536;
        lowered[12 + 8] -= 3 * 65536;
        let courses = Courses::of(&[line], LAND);
        let [whole, less] = [&GROUND, &lowered].map(|ground| courses.channels(ground));
        // 10 m of 2 m in width: 1 m less of the 2 m in one cell, all of it in the other.
        assert!((whole.1.volume - less.1.volume - 60.0).abs() < 1e-9);
        let room = |slot: &Slot| f64::from(slot.top - slot.bed) / 65536.0 * slot.share * 100.0;
        let of_cell = |cell: usize| less.0.cells[&cell].iter().map(room).sum::<f64>();
        assert!((of_cell(18) - 20.0).abs() < 1e-9 && of_cell(20) < 1e-9);
        assert_eq!(less.1.dammed, 0);
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
