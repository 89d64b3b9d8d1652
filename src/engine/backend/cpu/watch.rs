//! What is done with each finished row: sinks emptied, maxima and arrivals noted.

use super::frame::{PADDING, REACH};
use super::rows::AfterRow;
use crate::extremes::Peak;
use crate::forcing::ports::{Booked, Port};
use crate::lanes::{Real, Whole};

/// Looks at each finished row: empties sinks, notes maxima and arrivals.
pub struct Watch<'a> {
    /// Frame row of the band's first row.
    pub first: usize,
    pub columns: usize,
    pub most: &'a mut [i32],
    pub arrival: &'a mut [f32],
    pub wet: &'a mut [bool],
    pub sinks: &'a [(usize, usize)],
    pub drains: &'a [(usize, usize, Port)],
    /// Cells whose water stays what it is while it flows: row, column, that water (grains), and the port.
    pub pins: &'a [(usize, usize, i32, Port)],
    pub threshold: i32,
    pub end: f32,
    pub deepest: i32,
    pub lost: i64,
    pub left: i64,
    /// What pinned cells gave (grains).
    pub came: i64,
    /// What drains and pinned cells took and gave.
    pub booked: Booked,
    /// Cells from one row of the frame to the next.
    pub stride: usize,
    /// The greatest rise before the step, and now.
    pub rise_before: Peak,
    pub rise: Peak,
}

impl AfterRow for Watch<'_> {
    #[inline(always)]
    fn after_row<V: Real>(
        &mut self,
        frame_row: usize,
        water: &mut [i32],
        held: &[i32],
        may_be_wet: bool,
    ) {
        let row = frame_row - self.first;
        self.wet[row] = false;
        if !may_be_wet {
            return;
        }
        self.lost += empty(self.sinks, frame_row - REACH, water);
        self.drain(frame_row - REACH, water);
        self.pin(frame_row - REACH, water);
        let most = &mut self.most[row * self.columns..][..self.columns];
        let arrival = &mut self.arrival[row * self.columns..][..self.columns];
        let whole = self.columns - self.columns % V::LANES;
        let mut deepest = V::Whole::splat(0);
        let threshold = V::Whole::splat(self.threshold);
        let above = V::Whole::splat(self.threshold + 1);
        for at in (0..whole).step_by(V::LANES) {
            // SAFETY: `whole` is a multiple of the lanes and no more than the columns.
            unsafe {
                let now = V::Whole::load(water, at);
                let before = V::Whole::load(most, at);
                // Above the threshold now, and never before.
                if now.min(above).any_greater(before.max(threshold)) {
                    let cells = at..at + V::LANES;
                    note_arrivals(
                        &water[cells.clone()],
                        &most[cells.clone()],
                        &mut arrival[cells],
                        self.threshold,
                        self.end,
                    );
                }
                // Falling water leaves the maxima alone, and their memory unwritten.
                if now.any_greater(before) {
                    before.max(now).store(most, at);
                    // Only a rise to a new maximum counts.
                    let none = V::Whole::splat(0);
                    let rises = (now - before).max(none).min(V::Whole::splat(1));
                    let rise = (now - V::Whole::load(held, at)) * rises;
                    if rise.any_greater(V::Whole::splat(limit_of(self.rise_before, self.rise))) {
                        let mut lanes = [0; PADDING];
                        rise.store(&mut lanes, 0);
                        let cell = frame_row * self.stride + REACH + at;
                        note_rises(self.rise_before, &mut self.rise, cell, &lanes[..V::LANES]);
                    }
                }
                deepest = deepest.max(now);
            }
        }
        let rest = whole..self.columns;
        note_arrivals(
            &water[rest.clone()],
            &most[rest.clone()],
            &mut arrival[rest.clone()],
            self.threshold,
            self.end,
        );
        let mut lanes = [0; PADDING];
        // SAFETY: there are fewer lanes than PADDING.
        unsafe { deepest.store(&mut lanes, 0) };
        let mut deepest = lanes.into_iter().max().unwrap_or(0);
        for at in rest {
            let now = water[at];
            if now > most[at] {
                most[at] = now;
                let cell = frame_row * self.stride + REACH + at;
                note_rises(self.rise_before, &mut self.rise, cell, &[now - held[at]]);
            }
            deepest = deepest.max(now);
        }
        self.wet[row] = deepest > 0;
        self.deepest = self.deepest.max(deepest);
    }
}

impl Watch<'_> {
    /// Empties the ghosts of a row.
    #[inline(never)]
    fn drain(&mut self, row: usize, water: &mut [i32]) {
        let first = self.drains.partition_point(|&(drain, ..)| drain < row);
        for &(_, column, port) in self.drains[first..].iter().take_while(|drain| drain.0 == row) {
            let left = std::mem::take(&mut water[column]);
            self.left += i64::from(left);
            self.booked.add(port, 0, left as u64);
        }
    }

    /// Puts the water of the pinned cells of a row back.
    fn pin(&mut self, row: usize, water: &mut [i32]) {
        let first = self.pins.partition_point(|&(pinned, ..)| pinned < row);
        for &(_, column, held, port) in self.pins[first..].iter().take_while(|pin| pin.0 == row) {
            let gain = i64::from(water[column]) - i64::from(held);
            self.left += gain.max(0);
            self.came += (-gain).max(0);
            self.booked.add(port, (-gain).max(0) as u64, gain.max(0) as u64);
            water[column] = held;
        }
    }
}

/// A rise that is not greater is not the greatest (grains).
#[inline(always)]
fn limit_of(before: Peak, now: Peak) -> i32 {
    (before.bits().max(now.bits()) as i32 - 1).max(0)
}

/// Notes rises to a new maximum (grains) of cells from a place of the frame on.
#[inline(never)]
fn note_rises(before: Peak, greatest: &mut Peak, cell: usize, rises: &[i32]) {
    let limit = limit_of(before, *greatest);
    for (at, &rise) in rises.iter().enumerate().filter(|(_, rise)| **rise > limit) {
        *greatest = (*greatest).max(Peak::new(rise as u32, (cell + at) as u32));
    }
}

/// Empties those of some cells of the tile, (row, column) in order, that lie in a row; returns what
/// they held (grains).
#[inline(never)]
fn empty(cells: &[(usize, usize)], row: usize, water: &mut [i32]) -> i64 {
    let first = cells.partition_point(|&(cell, _)| cell < row);
    let here = cells[first..].iter().take_while(|&&(cell, _)| cell == row);
    here.map(|&(_, column)| i64::from(std::mem::take(&mut water[column]))).sum()
}

/// Sets the arrival time of cells that exceed the threshold for the first time.
#[inline(never)]
fn note_arrivals(now: &[i32], most: &[i32], arrival: &mut [f32], threshold: i32, end: f32) {
    for ((now, most), arrival) in now.iter().zip(most).zip(arrival) {
        if *now > threshold && *most <= threshold {
            *arrival = end;
        }
    }
}
