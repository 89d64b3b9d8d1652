//! Processing of finished rows: applies sites and records maxima and arrivals.

use super::shared::Target;
use super::window::PADDING;
use crate::backend::sites::SiteAt;
use crate::forcing::sites::{CellView, StepContext, Tally};
use crate::lanes::{Real, Whole, fetch_lanes_ahead};
use crate::run_diagnostics::Maximum;
use std::ops::Range;

/// Processor of finished rows: applies sites and records maxima and arrivals.
pub struct Watch<'a> {
    /// Row of the window of the band's first row, and the row and column of the frame of its first
    /// own cell.
    pub first: usize,
    pub place: (usize, usize),
    pub columns: usize,
    /// Index in the frame of the band's first own cell, and distance between rows.
    pub number: usize,
    pub stride: usize,
    pub most: Target<'a, i32>,
    pub arrival: Target<'a, f32>,
    /// Tiles of the band.
    pub parts: Vec<Part<'a>>,
    /// Context for applying sites.
    pub now: &'a StepContext<'a>,
    /// Bed of the band's rows from its first own cell (2⁻¹⁶ m).
    pub bed: &'a [i32],
    pub threshold: i32,
    pub end: f32,
    /// Volumes that sites added and removed.
    pub tally: Tally,
    /// The greatest rise before the step, and now.
    pub rise_before: Maximum,
    pub rise: Maximum,
}

/// A tile's columns of a band.
pub struct Part<'a> {
    /// Columns within the band.
    pub columns: Range<usize>,
    /// Flags of its wet rows.
    pub wet: &'a mut [bool],
    /// The tile's sites that act on finished rows, row by row.
    pub sites: &'a [SiteAt],
    /// Deepest water of the tile (grains).
    pub deepest: i32,
}

impl Watch<'_> {
    /// Returns the deepest water of each tile (grains).
    pub fn deepest(&self) -> Vec<i32> {
        self.parts.iter().map(|part| part.deepest).collect()
    }

    /// Processes a finished row. `water` (grains) is the new water of the window row's own cells,
    /// which sites may still change, `water_before` their water before the flow; unless
    /// `may_be_wet`, all of it is 0.
    #[inline(always)]
    pub(super) fn after_row<V: Real>(
        &mut self,
        window_row: usize,
        water: &mut [i32],
        water_before: &[i32],
        may_be_wet: bool,
    ) {
        let row = window_row - self.first;
        for part in 0..self.parts.len() {
            self.parts[part].wet[row] = false;
            if may_be_wet {
                self.watch::<V>(part, row, water, water_before);
            }
        }
    }
}

impl Watch<'_> {
    /// Processes a tile's cells of a row.
    #[inline(always)]
    fn watch<V: Real>(&mut self, part: usize, row: usize, water: &mut [i32], water_before: &[i32]) {
        if !self.parts[part].sites.is_empty() {
            self.act(part, row, water, water_before);
        }
        let columns = self.parts[part].columns.clone();
        let (water, water_before) = (&water[columns.clone()], &water_before[columns.clone()]);
        let number = self.number + row * self.stride + columns.start;
        let most = &mut self.most.row(row)[columns.clone()];
        let arrival = &mut self.arrival.row(row)[columns.clone()];
        let columns = columns.len();
        let mut deepest = V::Whole::splat(0);
        let threshold = V::Whole::splat(self.threshold);
        let above = V::Whole::splat(self.threshold + 1);
        let mut at = 0;
        while at + V::LANES <= columns {
            // SAFETY: the loop condition keeps all lanes within the columns, and all three slices
            // have that length.
            unsafe {
                let now = V::Whole::load(water, at);
                let before = V::Whole::load(most, at);
                fetch_lanes_ahead::<V, _>(most, self.stride + at);
                // Above the threshold now, and never before.
                if now.min(above).any_greater(before.max(threshold)) {
                    let cells = at..at + V::LANES;
                    record_arrivals(
                        &water[cells.clone()],
                        &most[cells.clone()],
                        &mut arrival[cells],
                        self.threshold,
                        self.end,
                    );
                }
                // Falling water does not change the maxima, so their memory is not written.
                if now.any_greater(before) {
                    before.max(now).store(most, at);
                    // Only a rise to a new maximum counts.
                    let none = V::Whole::splat(0);
                    let rises = (now - before).max(none).min(V::Whole::splat(1));
                    let rise = (now - V::Whole::load(water_before, at)) * rises;
                    if rise.any_greater(V::Whole::splat(limit_of(self.rise_before, self.rise))) {
                        let mut lanes = [0; PADDING];
                        rise.store(&mut lanes, 0);
                        let rises = &lanes[..V::LANES];
                        record_rises(self.rise_before, &mut self.rise, number + at, rises);
                    }
                }
                deepest = deepest.max(now);
            }
            // The last lanes may be processed twice, which changes nothing.
            let is_last = at + V::LANES == columns;
            at = if is_last { columns } else { (at + V::LANES).min(columns - V::LANES) };
        }
        let rest = at..columns;
        record_arrivals(
            &water[rest.clone()],
            &most[rest.clone()],
            &mut arrival[rest.clone()],
            self.threshold,
            self.end,
        );
        let mut lanes = [0; PADDING];
        // SAFETY: there are fewer lanes than PADDING, the length of `lanes`.
        unsafe { deepest.store(&mut lanes, 0) };
        let mut deepest = lanes.into_iter().max().unwrap_or(0);
        for at in rest {
            let now = water[at];
            if now > most[at] {
                most[at] = now;
                record_rises(
                    self.rise_before,
                    &mut self.rise,
                    number + at,
                    &[now - water_before[at]],
                );
            }
            deepest = deepest.max(now);
        }
        let part = &mut self.parts[part];
        part.wet[row] = deepest > 0;
        part.deepest = part.deepest.max(deepest);
    }

    /// Applies the sites of a row of a tile, where `water_before` is the water that its own cells
    /// held before.
    #[inline(never)]
    fn act(&mut self, part: usize, row: usize, water: &mut [i32], water_before: &[i32]) {
        let (top, left) = self.place;
        let sites = self.parts[part].sites;
        let first = sites.partition_point(|site| (site.row as usize) < top + row);
        let here = sites[first..].iter().take_while(|site| site.row as usize == top + row);
        for site in here {
            let at = (site.column as usize).checked_sub(left);
            let Some(at) = at.filter(|at| *at < self.columns) else { continue };
            let seen = CellView {
                water: water[at],
                before: water_before[at],
                bed: self.bed[row * self.stride + at],
                // Sites that act during the flow do not use the level.
                ..CellView::default()
            };
            let by = site.given.kind.change(&site.given, seen, self.now);
            self.tally.add(&site.given, by);
            water[at] = (i64::from(water[at]) + by) as i32;
        }
    }
}

/// Returns the limit that a rise must exceed to be recorded (grains).
#[inline(always)]
fn limit_of(before: Maximum, now: Maximum) -> i32 {
    (before.bits().max(now.bits()) as i32 - 1).max(0)
}

/// Records rises to a new maximum (grains) of consecutive cells of the frame.
#[inline(never)]
fn record_rises(before: Maximum, greatest: &mut Maximum, cell: usize, rises: &[i32]) {
    let limit = limit_of(before, *greatest);
    for (at, &rise) in rises.iter().enumerate().filter(|(_, rise)| **rise > limit) {
        *greatest = (*greatest).max(Maximum::new(rise as u32, cell + at));
    }
}

/// Sets the arrival time of cells that exceed the threshold for the first time.
#[inline(never)]
fn record_arrivals(now: &[i32], most: &[i32], arrival: &mut [f32], threshold: i32, end: f32) {
    for ((now, most), arrival) in now.iter().zip(most).zip(arrival) {
        if *now > threshold && *most <= threshold {
            *arrival = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::Shared;
    use super::*;
    use crate::forcing::step::Step;
    use crate::grains::Grain;
    use crate::lanes::{InstructionSet, WithLanes};

    /// More than the lanes of any instruction set, plus a few.
    const COLUMNS: usize = 36;
    const THRESHOLD: i32 = 2;
    const END: f32 = 7.5;

    /// A row with few distinct numbers, so that cells often equal their former water.
    #[derive(Clone, Debug, PartialEq)]
    struct Row {
        water: Vec<i32>,
        water_before: Vec<i32>,
        most: Vec<i32>,
        arrival: Vec<f32>,
        deepest: i32,
        wet: bool,
        rise: Maximum,
    }

    struct Watched<'a>(&'a mut Row, Maximum);

    impl WithLanes for Watched<'_> {
        type Output = ();

        fn with<V: Real>(self) {
            let Watched(row, rise_before) = self;
            let step = Step {
                number: 3,
                dt: 1.0,
                start: 6.5,
                end: END,
                elapsed: [6.5, END],
                increments: Vec::new(),
                levels: Vec::new(),
            };
            let mut wet = [row.wet];
            // SAFETY: each array has a single row, and this watch is the only one that accesses it.
            let (most, arrival) = unsafe {
                (
                    Shared::new(&mut row.most).target(0, COLUMNS, 1, COLUMNS),
                    Shared::new(&mut row.arrival).target(0, COLUMNS, 1, COLUMNS),
                )
            };
            let columns = 0..COLUMNS;
            let part = Part { columns, wet: &mut wet, sites: &[], deepest: row.deepest };
            let parts = vec![part];
            let mut watch = Watch {
                first: 0,
                place: (0, 0),
                columns: COLUMNS,
                number: 100,
                stride: COLUMNS,
                most,
                arrival,
                parts,
                now: &StepContext::of(&step, Grain::Fine),
                bed: &[],
                threshold: THRESHOLD,
                end: END,
                tally: Tally::default(),
                rise_before,
                rise: row.rise,
            };
            watch.after_row::<V>(0, &mut row.water, &row.water_before, true);
            (row.deepest, row.rise) = (watch.parts[0].deepest, watch.rise);
            row.wet = wet[0];
        }
    }

    /// Reference implementation, cell by cell.
    fn plain(mut row: Row) -> Row {
        row.wet = row.water.iter().any(|&now| now > 0);
        for (at, &now) in row.water.iter().enumerate() {
            row.deepest = row.deepest.max(now);
            if now <= row.most[at] {
                continue;
            }
            if now > THRESHOLD && row.most[at] <= THRESHOLD {
                row.arrival[at] = END;
            }
            row.most[at] = now;
            let rise = now - row.water_before[at];
            if rise > 0 {
                row.rise = row.rise.max(Maximum::new(rise as u32, 100 + at));
            }
        }
        row
    }

    #[test]
    fn rows_are_watched_as_cell_by_cell() {
        let mut state = 1u64;
        let mut number = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % below) as i32
        };
        for set in InstructionSet::available() {
            for _ in 0..2000 {
                let high = 1 + number(6) as u64;
                let mut row = |high: u64| (0..COLUMNS).map(|_| number(high)).collect::<Vec<i32>>();
                let (water, water_before, most) = (row(high), row(6), row(6));
                let before = Maximum::new(number(5) as u32, 90 + number(60) as usize);
                let row = Row {
                    arrival: vec![-1.0; COLUMNS],
                    deepest: number(7),
                    wet: number(2) > 0,
                    rise: Maximum::default(),
                    water,
                    water_before,
                    most,
                };
                let mut watched = row.clone();
                set.run(Watched(&mut watched, before));
                let mut expected = plain(row.clone());
                // A value not greater than before need not be recorded.
                watched.rise = watched.rise.max(before);
                expected.rise = expected.rise.max(before);
                assert_eq!(watched, expected, "{set:?}, {row:?}");
            }
        }
    }
}
