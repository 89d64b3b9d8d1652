//! Cell diagnostics, recorded in every step: greatest speed, hazard, times and durations, in
//! addition to the greatest depth and the arrival time.
//!
//! The state is recorded at the start of each step and once more at the end of the run, so no state
//! is missed. The discharges and velocities around a cell come from the step that led to the state:
//! depth and speed of a hazard belong to the same moment. Where water crosses the edge of the map
//! without a face, those of the opposite face count ([`crate::crossed_sides`]).

use crate::hazard;
use crate::solver::edge::EdgeField;
use crate::subgrid::layout::cell::KNOTS;
use crate::subgrid::lookup::CellTables;
use serde::{Deserialize, Serialize};

/// Marks a time that has not been reached.
pub const NEVER: f32 = -1.0;

/// Maximum number of parts of a second, or of a step, in which the time under water is counted: sums
/// of integers are exact.
pub const MOST_TICKS: u32 = 64;

/// Number of levels whose passing [`CellDiagnostic::LevelArrivals`] records in a cell with tables:
/// the lowest pixel, the knots of the table, and one above its top.
pub const RISES: usize = KNOTS + 2;

/// A diagnostic to record. Each has one or more planes of 32 bits per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum CellDiagnostic {
    /// Time of the first occurrence of the greatest depth (f32; s, or steps), or [`NEVER`]; has a
    /// second plane.
    PeakTime,
    /// Time during which the water was deeper than a threshold (ticks, u32).
    Wet {
        /// Depth above which a cell counts (grains).
        above: i32,
        /// Number of ticks per second, or per step; see [`ticks_until`].
        ticks: u32,
    },
    /// Time when the water first exceeded a threshold (f32; s, or steps), or [`NEVER`].
    Arrival {
        /// Depth above which a cell counts (grains).
        above: i32,
    },
    /// Greatest speed (f32; m/s).
    Speed,
    /// Greatest unit discharge (f32; m²/s).
    #[serde(rename = "Flow")]
    MaxUnitDischarge,
    /// Greatest hazard rating (f32), by [`hazard::rating`], from simultaneous depth and speed, of
    /// water deeper than a threshold.
    Hazard {
        /// Depth above which a cell counts (grains).
        above: i32,
    },
    /// Highest hazard class (f32), by [`hazard::class`], evaluated like [`CellDiagnostic::Hazard`].
    Class {
        /// Depth above which a cell counts (grains).
        above: i32,
    },
    /// Times when the level of a cell with a table first reached each of [`RISES`] levels (f32; s,
    /// or steps), or [`NEVER`]; they follow the two planes of [`CellDiagnostic::PeakTime`]. Arrival
    /// times of pixels in between are interpolated linearly.
    #[serde(rename = "Rises")]
    LevelArrivals {
        /// Height of the last level above the top of the table (grains).
        above: i32,
    },
}

impl CellDiagnostic {
    /// Returns the number of planes it needs.
    pub fn planes(self) -> usize {
        match self {
            CellDiagnostic::PeakTime => 2,
            CellDiagnostic::LevelArrivals { .. } => 2 + RISES,
            _ => 1,
        }
    }

    /// Returns the initial value of its planes (bits).
    pub fn initial(self) -> u32 {
        match self {
            CellDiagnostic::PeakTime
            | CellDiagnostic::Arrival { .. }
            | CellDiagnostic::LevelArrivals { .. } => NEVER.to_bits(),
            _ => 0,
        }
    }

    /// Returns the edge quantity it reads around a cell, if any.
    pub fn flows(self) -> Option<EdgeField> {
        match self {
            CellDiagnostic::Speed
            | CellDiagnostic::Hazard { .. }
            | CellDiagnostic::Class { .. } => Some(EdgeField::Velocity),
            CellDiagnostic::MaxUnitDischarge => Some(EdgeField::Discharge),
            _ => None,
        }
    }

    /// Returns the number of ticks per second, or per step, in which it counts time; 0 if it does not.
    pub fn ticks(self) -> u32 {
        if let CellDiagnostic::Wet { ticks, .. } = self { ticks } else { 0 }
    }

    /// Returns its code in kernels/cell_diagnostics.cu, and its depth threshold (grains).
    pub fn code(self) -> (i32, i32) {
        match self {
            CellDiagnostic::PeakTime => (0, 0),
            CellDiagnostic::Wet { above, .. } => (1, above),
            CellDiagnostic::Arrival { above } => (2, above),
            CellDiagnostic::Speed => (3, 0),
            CellDiagnostic::MaxUnitDischarge => (4, 0),
            CellDiagnostic::Hazard { above } => (5, above),
            CellDiagnostic::Class { above } => (6, above),
            CellDiagnostic::LevelArrivals { above } => (7, above),
        }
    }
}

/// Returns the number of ticks per second, or per step, in which the time under water is counted in
/// a run that ends at `end` (s, or steps): as many as its whole duration can have in 32 bits.
pub fn ticks_until(end: f64) -> u32 {
    let mut ticks = MOST_TICKS;
    while ticks > 1 && end * f64::from(ticks) > 4e9 {
        ticks /= 2;
    }
    ticks
}

/// Returns the index of each cell diagnostic's first plane, and the total number of planes.
pub fn first_planes(cell_diagnostics: &[CellDiagnostic]) -> (Vec<usize>, usize) {
    let mut count = 0;
    let mut first_planes = Vec::with_capacity(cell_diagnostics.len());
    for diagnostic in cell_diagnostics {
        first_planes.push(count);
        count += diagnostic.planes();
    }
    (first_planes, count)
}

/// Returns the initial values of the cell diagnostics' planes (bits).
pub fn initial_bits(cell_diagnostics: &[CellDiagnostic]) -> Vec<u32> {
    // The depth that belongs to the time of the peak starts at 0.
    let of = |diagnostic: &CellDiagnostic| {
        let diagnostic = *diagnostic;
        (0..diagnostic.planes()).map(move |plane| if plane == 1 { 0 } else { diagnostic.initial() })
    };
    cell_diagnostics.iter().flat_map(of).collect()
}

/// Subgrid tables of a row of cells, with the row's offset in their planes.
#[derive(Clone, Copy, Debug)]
pub struct RowTables<'a> {
    /// Planes of the tables.
    pub tables: CellTables<'a>,
    /// Offset of the row's first cell.
    pub at: usize,
}

/// Moment at which a state is recorded.
#[derive(Clone, Copy, Debug)]
pub struct StateTime {
    /// The time of the state (s, or steps).
    pub time: f32,
    /// The time at which the state ends (s, or steps).
    pub end: f32,
    /// Size of a grain (m).
    pub metres: f32,
}

impl StateTime {
    /// Returns the moment of the state from which a step from `start` to `end` begins.
    pub fn new(start: f32, end: f32, metres: f32) -> StateTime {
        StateTime { time: start, end, metres }
    }
}

/// Discharges (m²/s) or velocities (m/s) across the edges around a row of cells: edge i of `along`
/// precedes cell i, and the row's last edge follows its last cell.
#[derive(Clone, Copy, Debug)]
pub struct RowFlow<'a> {
    /// Values across the edges within the row, one more than there are cells.
    pub along: &'a [f32],
    /// Values across the edges to the row before.
    pub before: &'a [f32],
    /// Values across the edges to the row after.
    pub after: &'a [f32],
}

impl<'a> RowFlow<'a> {
    /// Returns the edges around the first `cells` cells.
    #[inline(always)]
    fn first(self, cells: usize) -> RowFlow<'a> {
        let RowFlow { along, before, after } = self;
        RowFlow { along: &along[..=cells], before: &before[..cells], after: &after[..cells] }
    }

    /// Returns the vector in a cell: the means over its edges along and across the row.
    #[inline(always)]
    pub fn of(&self, cell: usize) -> [f32; 2] {
        let along = 0.5 * (self.along[cell] + self.along[cell + 1]);
        [along, 0.5 * (self.before[cell] + self.after[cell])]
    }

    /// Returns the magnitude of the vector in a cell.
    #[inline(always)]
    pub fn size(&self, cell: usize) -> f32 {
        let [along, across] = self.of(cell);
        (along * along + across * across).sqrt()
    }
}

/// Records a row of cells. `planes` belong to the cell diagnostic; `flow` is required if the cell
/// diagnostic [reads flow](CellDiagnostic::flows), and `tables` if the cells have them.
///
/// Its loops are simple enough for compilers to vectorize for the caller's instruction set.
///
/// # Panics
/// If an array that the diagnostic reads is missing or too short.
#[inline(always)]
pub fn record(
    diagnostic: CellDiagnostic,
    now: StateTime,
    water: &[i32],
    flow: Option<RowFlow>,
    tables: Option<RowTables>,
    planes: &mut [&mut [u32]],
) {
    let StateTime { time, end, metres } = now;
    let (time_bits, count) = (time.to_bits(), water.len());
    let flow = flow.map(|flow| flow.first(count));
    let (first, others) = planes.split_first_mut().expect("every diagnostic has a plane");
    let first = &mut first[..count];
    match diagnostic {
        CellDiagnostic::PeakTime => {
            let peak = &mut others[0][..count];
            for cell in 0..count {
                // The water is not negative, and the peak so far neither.
                let is_higher = water[cell] > peak[cell] as i32;
                peak[cell] = if is_higher { water[cell] as u32 } else { peak[cell] };
                first[cell] = if is_higher { time_bits } else { first[cell] };
            }
        }
        CellDiagnostic::Wet { above, ticks } => {
            let ticks_at = |time: f32| (time * ticks as f32) as u32;
            let ticks = ticks_at(end).wrapping_sub(ticks_at(time));
            for cell in 0..count {
                let counts = u32::from(water[cell] > above.max(0));
                first[cell] = first[cell].wrapping_add(counts * ticks);
            }
        }
        CellDiagnostic::Arrival { above } => {
            for cell in 0..count {
                let arrives = (water[cell] > above.max(0)) & (f32::from_bits(first[cell]) < 0.0);
                first[cell] = if arrives { time_bits } else { first[cell] };
            }
        }
        CellDiagnostic::LevelArrivals { above } => {
            let RowTables { tables, at } = tables.expect("cells have tables");
            let above = above as f32 * metres;
            for cell in 0..count {
                let (before, water) = (others[0][cell] as i32, water[cell]);
                if water > before {
                    others[0][cell] = water as u32;
                    first[cell] = time_bits;
                    let passed = |water| tables.passed(at + cell, water, metres, above);
                    for knot in passed(before)..passed(water) {
                        others[1 + knot][cell] = time_bits;
                    }
                }
            }
        }
        CellDiagnostic::MaxUnitDischarge => {
            let flow = flow.expect("discharges are kept");
            for cell in 0..count {
                raise(&mut first[cell], water[cell] > 0, flow.size(cell));
            }
        }
        CellDiagnostic::Speed => {
            let flow = flow.expect("velocities are kept");
            for cell in 0..count {
                let speed = hazard::speed(water[cell] as f32 * metres, flow.size(cell));
                raise(&mut first[cell], water[cell] > 0, speed);
            }
        }
        CellDiagnostic::Hazard { above } => {
            raise_hazards(first, (water, metres, above), flow, hazard::rating);
        }
        CellDiagnostic::Class { above } => {
            raise_hazards(first, (water, metres, above), flow, hazard::class);
        }
    }
}

/// Raises hazards `of` depth and speed where the water is deeper than `above` (grains).
#[inline(always)]
fn raise_hazards(
    hazards: &mut [u32],
    (water, metres, above): (&[i32], f32, i32),
    flow: Option<RowFlow>,
    of: impl Fn(f32, f32) -> f32,
) {
    let flow = flow.expect("velocities are kept");
    let count = hazards.len();
    let (water, flow) = (&water[..count], flow.first(count));
    for cell in 0..count {
        let depth = water[cell] as f32 * metres;
        let hazard = of(depth, hazard::speed(depth, flow.size(cell)));
        raise(&mut hazards[cell], water[cell] > above.max(0), hazard);
    }
}

/// Raises a value (bits) to a greater one if it counts. It is always stored: masked stores to pages
/// that were never written to are slow.
#[inline(always)]
fn raise(bits: &mut u32, counts: bool, value: f32) {
    *bits = if counts & (value > f32::from_bits(*bits)) { value.to_bits() } else { *bits };
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
            let now = StateTime::new(at, at + 1.0, 1.0);
            record(CellDiagnostic::PeakTime, now, &water, None, None, &mut [&mut time, &mut peak]);
            record(
                CellDiagnostic::Wet { above: 4, ticks: 16 },
                now,
                &water,
                None,
                None,
                &mut [&mut wet],
            );
        }
        assert_eq!(time.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>(), [1.0, 1.0]);
        assert_eq!(peak, [7, 9]);
        assert_eq!(wet.iter().map(|ticks| *ticks as f32 / 16.0).collect::<Vec<_>>(), [3.0, 3.0]);
        let flow = RowFlow { along: &[0.0, 6.0, 0.0], before: &[4.0, 0.0], after: &[4.0, 0.0] };
        assert_eq!((flow.of(0), flow.size(0), flow.size(1)), ([3.0, 4.0], 5.0, 3.0));
        let mut speed = vec![0; 2];
        record(
            CellDiagnostic::Speed,
            StateTime::new(0.0, 1.0, 1.0),
            &[2, 0],
            Some(flow),
            None,
            &mut [&mut speed],
        );
        assert_eq!(speed, [5.0f32.to_bits(), 0]);
    }

    #[test]
    fn levels_within_a_cell_are_passed_once() {
        // Pixels of 0 and 1 m: half of the cell is wet up to 0.5 m of mean depth, which is 500
        // grains.
        let words = cell_table::of([0, 65536].into_iter(), 2).map(|word| [word as i32]);
        let tables = CellTables(std::array::from_fn(|word| &words[word][..]));
        let row = Some(RowTables { tables, at: 0 });
        let diagnostic = CellDiagnostic::LevelArrivals { above: 50 };
        let mut planes: Vec<Vec<u32>> =
            initial_bits(&[diagnostic]).iter().map(|bits| vec![*bits]).collect();
        for (time, water) in [(1.0, 0), (2.0, 1), (3.0, 40), (4.0, 30), (5.0, 500), (6.0, 549)] {
            let mut rows: Vec<&mut [u32]> = planes.iter_mut().map(|plane| &mut plane[..]).collect();
            record(diagnostic, StateTime::new(time, time, 0.001), &[water], None, row, &mut rows);
        }
        let times = |planes: &[Vec<u32>]| -> Vec<f32> {
            planes[2..].iter().map(|plane| f32::from_bits(plane[0])).collect()
        };
        // Knots are at 500 / 64 of 1, 4, 9 ... grains.
        assert_eq!(times(&planes), [2.0, 3.0, 3.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, NEVER]);
        assert_eq!((f32::from_bits(planes[0][0]), planes[1][0]), (6.0, 549));
        let mut rows: Vec<&mut [u32]> = planes.iter_mut().map(|plane| &mut plane[..]).collect();
        record(diagnostic, StateTime::new(7.0, 7.0, 0.001), &[551], None, row, &mut rows);
        assert_eq!(times(&planes)[RISES - 1], 7.0);
    }

    #[test]
    fn planes_lie_one_after_the_other() {
        let cell_diagnostics =
            [CellDiagnostic::Speed, CellDiagnostic::PeakTime, CellDiagnostic::MaxUnitDischarge];
        assert_eq!(first_planes(&cell_diagnostics), (vec![0, 1, 3], 4));
        assert_eq!(initial_bits(&cell_diagnostics), [0, NEVER.to_bits(), 0, 0]);
    }
}
