//! What is done with each finished row: sinks emptied, maxima and arrivals noted.

use super::rows::AfterRow;
use super::shared::Target;
use super::window::PADDING;
use crate::extremes::Peak;
use crate::forcing::ports::{Booked, Port};
use crate::lanes::{Real, Whole, fetch_ahead};

/// What becomes of a cell after the water has flowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is emptied: a loss.
    Sink,
    /// It is a ghost beyond an open side, and emptied: outflow through that port.
    Drain(Port),
    /// Its water stays what it was: its level is held, and what it gave or took went through that port.
    Pinned(Port),
}

/// A marked cell: its row and column in the frame.
pub type Marked = (usize, usize, Mark);

/// Looks at each finished row: empties sinks, notes maxima and arrivals.
pub struct Watch<'a> {
    /// Row of the window of the band's first row, and the row and column of the frame that its first own cell lies in.
    pub first: usize,
    pub place: (usize, usize),
    pub columns: usize,
    /// The number in the frame of the band's first own cell, and cells from row to row.
    pub number: usize,
    pub stride: usize,
    pub most: Target<'a, i32>,
    pub arrival: Target<'a, f32>,
    pub wet: &'a mut [bool],
    /// Marked cells of the tile, in order.
    pub marks: &'a [Marked],
    pub threshold: i32,
    pub end: f32,
    pub deepest: i32,
    pub lost: i64,
    pub left: i64,
    /// What pinned cells gave (grains).
    pub came: i64,
    /// What drains and pinned cells took and gave.
    pub booked: Booked,
    /// The greatest rise before the step, and now.
    pub rise_before: Peak,
    pub rise: Peak,
}

impl AfterRow for Watch<'_> {
    #[inline(always)]
    fn after_row<V: Real>(
        &mut self,
        window_row: usize,
        water: &mut [i32],
        held: &[i32],
        may_be_wet: bool,
    ) {
        let row = window_row - self.first;
        self.wet[row] = false;
        if !may_be_wet {
            return;
        }
        if !self.marks.is_empty() {
            self.heed(self.place.0 + row, water, held);
        }
        let number = self.number + row * self.stride;
        let most = self.most.row(row);
        let arrival = self.arrival.row(row);
        let whole = self.columns - self.columns % V::LANES;
        let mut deepest = V::Whole::splat(0);
        let threshold = V::Whole::splat(self.threshold);
        let above = V::Whole::splat(self.threshold + 1);
        for at in (0..whole).step_by(V::LANES) {
            // SAFETY: `whole` is a multiple of the lanes and no more than the columns.
            unsafe {
                let now = V::Whole::load(water, at);
                let before = V::Whole::load(most, at);
                fetch_ahead(most, self.stride + at);
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
                        let rises = &lanes[..V::LANES];
                        note_rises(self.rise_before, &mut self.rise, number + at, rises);
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
                note_rises(self.rise_before, &mut self.rise, number + at, &[now - held[at]]);
            }
            deepest = deepest.max(now);
        }
        self.wet[row] = deepest > 0;
        self.deepest = self.deepest.max(deepest);
    }
}

impl Watch<'_> {
    /// Does what the marks of a row of the frame ask for, where `held` is what its own cells held before.
    #[inline(never)]
    fn heed(&mut self, row: usize, water: &mut [i32], held: &[i32]) {
        let first = self.marks.partition_point(|&(marked, ..)| marked < row);
        for &(_, column, mark) in self.marks[first..].iter().take_while(|mark| mark.0 == row) {
            let Some(at) = column.checked_sub(self.place.1).filter(|at| *at < self.columns) else {
                continue;
            };
            match mark {
                Mark::Sink => self.lost += i64::from(std::mem::take(&mut water[at])),
                Mark::Drain(port) => {
                    let left = std::mem::take(&mut water[at]);
                    self.left += i64::from(left);
                    self.booked.add(port, 0, left as u64);
                }
                Mark::Pinned(port) => {
                    let gain = i64::from(water[at]) - i64::from(held[at]);
                    self.left += gain.max(0);
                    self.came += (-gain).max(0);
                    self.booked.add(port, (-gain).max(0) as u64, gain.max(0) as u64);
                    water[at] = held[at];
                }
            }
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

/// Sets the arrival time of cells that exceed the threshold for the first time.
#[inline(never)]
fn note_arrivals(now: &[i32], most: &[i32], arrival: &mut [f32], threshold: i32, end: f32) {
    for ((now, most), arrival) in now.iter().zip(most).zip(arrival) {
        if *now > threshold && *most <= threshold {
            *arrival = end;
        }
    }
}
