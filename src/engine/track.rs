//! Diagnostics of every cell, recorded in every step: greatest speed, hazard, times and durations, beside the greatest depth and the
//! arrival.
//!
//! The state at the start of a step is looked at, and once more that at the end of the run; so every state
//! is, and the discharges and velocities around a cell are those of the step that led to it: depth and speed of a
//! hazard are of one moment.

use crate::hazard;
use crate::rule::edge::EdgeField;
use crate::subgrid::layout::cell::KNOTS;
use crate::subgrid::lookup::CellTables;
use serde::{Deserialize, Serialize};

/// Time that has not come.
pub const NEVER: f32 = -1.0;

/// Parts of a second, or of a step, in which the time under water is counted: sums of whole ones are exact.
pub const TICKS: f32 = 64.0;

/// Levels of the cells of a run with tables that [`Track::Rises`] records the passing of: the lowest pixel, the knots of the table, and one
/// above its top.
pub const RISES: usize = KNOTS + 2;

/// Something to record. Each has a plane of 32 bits a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Track {
    /// When the water was deepest for the first time (f32; s, or steps), or [`NEVER`]; has a second plane.
    PeakTime,
    /// How long the water was deeper than so many grains ([`TICKS`], u32).
    Wet {
        /// The depth (grains).
        above: i32,
    },
    /// When the water was first deeper than so many grains (f32; s, or steps), or [`NEVER`].
    Arrival {
        /// The depth (grains).
        above: i32,
    },
    /// The greatest speed (f32; m/s).
    Speed,
    /// The greatest unit discharge (f32; m²/s).
    Flow,
    /// The greatest hazard rating (f32), of [`hazard::rating`], from depth and speed of the same moment, of water deeper than so
    /// many grains.
    Hazard {
        /// The depth (grains).
        above: i32,
    },
    /// The highest hazard class (f32), of [`hazard::class`], likewise.
    Class {
        /// The depth (grains).
        above: i32,
    },
    /// When the level of a cell with a table first reached each of [`RISES`] levels (f32; s, or steps), or [`NEVER`]: after the two planes of
    /// [`Track::PeakTime`]. Of all that is between, a pixel's arrival, say, straight lines tell.
    Rises {
        /// How far above the top of the table the last level is (grains).
        above: i32,
    },
}

impl Track {
    /// Planes that it takes.
    pub fn planes(self) -> usize {
        match self {
            Track::PeakTime => 2,
            Track::Rises { .. } => 2 + RISES,
            _ => 1,
        }
    }

    /// What its planes hold at first (bits).
    pub fn initial(self) -> u32 {
        match self {
            Track::PeakTime | Track::Arrival { .. } | Track::Rises { .. } => NEVER.to_bits(),
            _ => 0,
        }
    }

    /// What it looks at of the edges around a cell, if anything.
    pub fn flows(self) -> Option<EdgeField> {
        match self {
            Track::Speed | Track::Hazard { .. } | Track::Class { .. } => Some(EdgeField::Velocity),
            Track::Flow => Some(EdgeField::Discharge),
            _ => None,
        }
    }

    /// Its number in kernels/track.cu, and the depth that it is about (grains).
    pub fn code(self) -> (i32, i32) {
        match self {
            Track::PeakTime => (0, 0),
            Track::Wet { above } => (1, above),
            Track::Arrival { above } => (2, above),
            Track::Speed => (3, 0),
            Track::Flow => (4, 0),
            Track::Hazard { above } => (5, above),
            Track::Class { above } => (6, above),
            Track::Rises { above } => (7, above),
        }
    }
}

/// Where the planes of each track begin among all, and how many there are.
pub fn places(tracks: &[Track]) -> (Vec<usize>, usize) {
    let mut count = 0;
    let mut places = Vec::with_capacity(tracks.len());
    for track in tracks {
        places.push(count);
        count += track.planes();
    }
    (places, count)
}

/// What the planes of some tracks hold at first (bits).
pub fn initials(tracks: &[Track]) -> Vec<u32> {
    // The depth that goes with the time of the peak starts from none.
    let of = |track: &Track| {
        let track = *track;
        (0..track.planes()).map(move |plane| if plane == 1 { 0 } else { track.initial() })
    };
    tracks.iter().flat_map(of).collect()
}

/// The tables of a row of cells, which begins at a place of their planes.
#[derive(Clone, Copy, Debug)]
pub struct RowTables<'a> {
    /// The planes.
    pub tables: CellTables<'a>,
    /// The place of the row's first cell.
    pub at: usize,
}

/// When a state is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The time of the state (s, or steps).
    pub time: f32,
    /// [`TICKS`] for which it lasts.
    pub ticks: u32,
    /// Metres per grain.
    pub metres: f32,
}

impl Look {
    /// A look at the state from which a step from `start` to `end` starts.
    pub fn new(start: f32, end: f32, metres: f32) -> Look {
        let ticks = |time: f32| (time * TICKS) as u32;
        Look { time: start, ticks: ticks(end).wrapping_sub(ticks(start)), metres }
    }
}

/// Discharges (m²/s) or velocities (m/s) over the edges around a row of cells: edge i of `along` lies before cell i,
/// and the row's last edge after its last cell.
#[derive(Clone, Copy, Debug)]
pub struct RowFlow<'a> {
    /// Over the edges within the row, one more than cells.
    pub along: &'a [f32],
    /// Over those to the row before.
    pub before: &'a [f32],
    /// Over those to the row after.
    pub after: &'a [f32],
}

impl RowFlow<'_> {
    /// That in a cell: the mean of that over its edges along and across the row.
    #[inline]
    pub fn of(&self, cell: usize) -> [f32; 2] {
        let along = 0.5 * (self.along[cell] + self.along[cell + 1]);
        [along, 0.5 * (self.before[cell] + self.after[cell])]
    }

    /// The size of it in a cell.
    #[inline]
    pub fn size(&self, cell: usize) -> f32 {
        let [along, across] = self.of(cell);
        (along * along + across * across).sqrt()
    }
}

/// Looks at a row of cells: `planes` are the track's, `flow` is there if it [flows](Track::flows), `tables` are if the cells have them.
///
/// # Panics
/// If what the track looks at is not there.
pub fn look(
    track: Track,
    look: Look,
    water: &[i32],
    flow: Option<RowFlow>,
    tables: Option<RowTables>,
    planes: &mut [&mut [u32]],
) {
    let Look { time, ticks, metres } = look;
    let wet = || water.iter().enumerate().filter(|(_, water)| **water > 0);
    let higher = |plane: &mut u32, value: f32| {
        if value > f32::from_bits(*plane) {
            *plane = value.to_bits();
        }
    };
    match track {
        Track::PeakTime => {
            for (cell, &water) in wet() {
                if water > planes[1][cell] as i32 {
                    planes[1][cell] = water as u32;
                    planes[0][cell] = time.to_bits();
                }
            }
        }
        Track::Wet { above } => {
            for (cell, _) in wet().filter(|(_, water)| **water > above) {
                planes[0][cell] = planes[0][cell].wrapping_add(ticks);
            }
        }
        Track::Arrival { above } => {
            for (cell, _) in wet().filter(|(_, water)| **water > above) {
                if f32::from_bits(planes[0][cell]) < 0.0 {
                    planes[0][cell] = time.to_bits();
                }
            }
        }
        Track::Rises { above } => {
            let RowTables { tables, at } = tables.expect("cells have tables");
            let above = above as f32 * metres;
            for (cell, &water) in wet() {
                let before = planes[1][cell] as i32;
                if water > before {
                    planes[1][cell] = water as u32;
                    planes[0][cell] = time.to_bits();
                    let passed = |water| tables.passed(at + cell, water, metres, above);
                    for knot in passed(before)..passed(water) {
                        planes[2 + knot][cell] = time.to_bits();
                    }
                }
            }
        }
        Track::Flow => {
            let flow = flow.expect("discharges are kept");
            for (cell, _) in wet() {
                higher(&mut planes[0][cell], flow.size(cell));
            }
        }
        Track::Speed | Track::Hazard { .. } | Track::Class { .. } => {
            let flow = flow.expect("discharges are kept");
            let (_, above) = track.code();
            for (cell, &water) in wet().filter(|(_, water)| **water > above) {
                let depth = water as f32 * metres;
                let speed = hazard::speed(depth, flow.size(cell));
                let value = match track {
                    Track::Speed => speed,
                    Track::Hazard { .. } => hazard::rating(depth, speed),
                    _ => hazard::class(depth, speed),
                };
                higher(&mut planes[0][cell], value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subgrid::cell_table;

    #[test]
    fn a_look_records_first_times_longest_times_and_greatest_values() {
        let mut time = vec![NEVER.to_bits(); 2];
        let mut peak = vec![0; 2];
        let mut wet = vec![0; 2];
        for (at, water) in [(0.0, [0, 5]), (1.0, [7, 9]), (2.0, [7, 3]), (3.0, [7, 9])] {
            let now = Look::new(at, at + 1.0, 1.0);
            look(Track::PeakTime, now, &water, None, None, &mut [&mut time, &mut peak]);
            look(Track::Wet { above: 4 }, now, &water, None, None, &mut [&mut wet]);
        }
        assert_eq!(time.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>(), [1.0, 1.0]);
        assert_eq!(peak, [7, 9]);
        assert_eq!(wet.iter().map(|ticks| *ticks as f32 / TICKS).collect::<Vec<_>>(), [3.0, 3.0]);
        let flow = RowFlow { along: &[0.0, 6.0, 0.0], before: &[4.0, 0.0], after: &[4.0, 0.0] };
        assert_eq!((flow.of(0), flow.size(0), flow.size(1)), ([3.0, 4.0], 5.0, 3.0));
        let mut speed = vec![0; 2];
        look(Track::Speed, Look::new(0.0, 1.0, 1.0), &[2, 0], Some(flow), None, &mut [&mut speed]);
        assert_eq!(speed, [5.0f32.to_bits(), 0]);
    }

    #[test]
    fn levels_within_a_cell_are_passed_once() {
        // Pixels of 0 and 1 m: half of the cell is wet up to 0.5 m of mean depth, which is 500 grains.
        let words = cell_table::of([0, 65536].into_iter(), 2).map(|word| [word as i32]);
        let tables = CellTables(std::array::from_fn(|word| &words[word][..]));
        let row = Some(RowTables { tables, at: 0 });
        let track = Track::Rises { above: 50 };
        let mut planes: Vec<Vec<u32>> = initials(&[track]).iter().map(|bits| vec![*bits]).collect();
        for (time, water) in [(1.0, 0), (2.0, 1), (3.0, 40), (4.0, 30), (5.0, 500), (6.0, 549)] {
            let mut rows: Vec<&mut [u32]> = planes.iter_mut().map(|plane| &mut plane[..]).collect();
            look(track, Look::new(time, time, 0.001), &[water], None, row, &mut rows);
        }
        let times = |planes: &[Vec<u32>]| -> Vec<f32> {
            planes[2..].iter().map(|plane| f32::from_bits(plane[0])).collect()
        };
        // Knots lie at 500 / 64 of 1, 4, 9 ... grains.
        assert_eq!(times(&planes), [2.0, 3.0, 3.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, NEVER]);
        assert_eq!((f32::from_bits(planes[0][0]), planes[1][0]), (6.0, 549));
        let mut rows: Vec<&mut [u32]> = planes.iter_mut().map(|plane| &mut plane[..]).collect();
        look(track, Look::new(7.0, 7.0, 0.001), &[551], None, row, &mut rows);
        assert_eq!(times(&planes)[RISES - 1], 7.0);
    }

    #[test]
    fn planes_lie_one_after_the_other() {
        let tracks = [Track::Speed, Track::PeakTime, Track::Flow];
        assert_eq!(places(&tracks), (vec![0, 1, 3], 4));
        assert_eq!(initials(&tracks), [0, NEVER.to_bits(), 0, 0]);
    }
}
