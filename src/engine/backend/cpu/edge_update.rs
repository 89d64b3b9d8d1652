//! What becomes of the crossings of a step: givers that have too little hold some back, and every cell gets
//! its new water.

use super::edge_rows::{BandDone, Crosses, EdgeBand};
use super::lanes_of_row::{put, too_deep};
use super::shared::Target;
use super::watch::Watch;
use super::window::REACH;
use crate::lanes::{Real, Whole};

/// Places in the scratch of the crossings around the cells of a row: east, west, south, north.
type Around = [usize; 4];

impl<R: Crosses> EdgeBand<'_, '_, R> {
    #[inline(always)]
    fn around(&self, row: usize) -> Around {
        let east = self.scratch.crossing_start(0, row);
        let south = self.scratch.crossing_start(1, row);
        [east, east - 1, south, self.scratch.crossing_start(1, row - 1)]
    }

    /// What crosses the edges around some cells (grains). Arrays' `map` would not be inlined into the code for the lanes.
    ///
    /// # Safety
    /// `at` must be less than the window's width.
    #[inline(always)]
    unsafe fn crossing<V: Real>(&self, [a, b, c, d]: Around, at: usize) -> [V::Whole; 4] {
        let from = &self.scratch.crossing;
        // SAFETY: the scratch rows are PADDING longer than their cells.
        unsafe {
            [
                V::Whole::load(from, a + at),
                V::Whole::load(from, b + at),
                V::Whole::load(from, c + at),
                V::Whole::load(from, d + at),
            ]
        }
    }

    /// What goes out of some cells (grains).
    ///
    /// # Safety
    /// `at` must be less than the window's width.
    #[inline(always)]
    unsafe fn outgoing<V: Real>(&self, around: Around, at: usize) -> [V::Whole; 4] {
        let none = V::Whole::splat(0);
        // SAFETY: the caller's.
        let [east, west, south, north] = unsafe { self.crossing::<V>(around, at) };
        [east.max(none), (none - west).max(none), south.max(none), (none - north).max(none)]
    }

    /// Cells of a row whose edges would take more than they hold give in proportion instead.
    #[inline(always)]
    pub(super) fn hold_back<V: Real>(&mut self, row: usize, own: bool, done: &mut BandDone) {
        let row_wet = self.window.row_wet;
        if !row_wet[row] && !row_wet[row - 1] && !row_wet[row + 1] {
            return;
        }
        let around = self.around(row);
        let (start, width) = (row * self.window.stride, self.window.width);
        for at in (REACH - 1..width - REACH + 1).step_by(V::LANES) {
            // SAFETY: arrays and scratch rows are PADDING longer than their cells.
            let too_much = unsafe {
                let [a, b, c, d] = self.outgoing::<V>(around, at);
                // Four of the most that may cross do not wrap.
                ((a + b) + (c + d)).any_greater(V::Whole::load(self.window.water, start + at))
            };
            if too_much {
                let last = (at + V::LANES).min(width - 1);
                for column in at.max(1)..last {
                    let cut = self.share_out(around, column, self.window.water[start + column]);
                    if own && (REACH..width - REACH).contains(&column) {
                        done.crossed.cut += cut;
                    }
                }
            }
        }
    }

    /// Scales what a cell that holds `water` gives, if that is too much; returns what that takes away, which
    /// is nothing where there is no water: a ghost may remember a discharge inwards, too.
    #[inline(never)]
    fn share_out(&mut self, around: Around, column: usize, water: i32) -> u64 {
        // East and south are given ahead, west and north behind.
        const AHEAD: [i32; 4] = [1, -1, 1, -1];
        let crossing = &mut self.scratch.crossing;
        let mut out = 0u64;
        for (start, ahead) in around.into_iter().zip(AHEAD) {
            out += (crossing[start + column] * ahead).max(0) as u64;
        }
        if out <= water as u64 {
            return 0;
        }
        let mut kept = out;
        for (start, ahead) in around.into_iter().zip(AHEAD) {
            let here = &mut crossing[start + column];
            let outflow = (*here * ahead).max(0) as u64;
            if outflow > 0 {
                let scaled = outflow * water as u64 / out;
                *here = ahead * scaled as i32;
                kept -= scaled;
            }
        }
        if water > 0 { kept } else { 0 }
    }

    /// The new water of one of the band's own rows.
    #[inline(always)]
    pub(super) fn update_row<V: Real, const CHECKED: bool>(
        &mut self,
        row: usize,
        next: &mut Target<i32>,
        watch: &mut Watch,
        done: &mut BandDone,
    ) {
        let (stride, width) = (self.window.stride, self.window.width);
        let next = next.row(row - self.rows.start);
        let may_be_wet = self.window.row_wet[row - 1..=row + 1].contains(&true);
        if may_be_wet {
            self.gather_row::<V, CHECKED>(row, next, done);
            let start = self.scratch.axis_start(0) + REACH;
            let given = &self.scratch.cut[start..start + width - 2 * REACH];
            done.crossed.crossed += given.iter().map(|&grains| grains as u64).sum::<u64>();
        }
        let start = row * stride + REACH;
        let before = &self.window.water[start..start + width - 2 * REACH];
        watch.after_row::<V>(row, next, before, may_be_wet);
    }

    #[inline(always)]
    fn gather_row<V: Real, const CHECKED: bool>(
        &mut self,
        row: usize,
        next: &mut [i32],
        done: &mut BandDone,
    ) {
        let around = self.around(row);
        let end = self.window.width - REACH;
        let none = V::Whole::splat(0);
        let given_start = self.scratch.axis_start(0);
        for at in (REACH..end).step_by(V::LANES) {
            // SAFETY: arrays and scratch rows are PADDING longer than their cells, and there are fewer
            // lanes than that.
            unsafe {
                let gone = self.outgoing::<V>(around, at);
                let [east, west, south, north] = self.crossing::<V>(around, at);
                let came = [
                    (none - east).max(none),
                    west.max(none),
                    (none - south).max(none),
                    north.max(none),
                ];
                let mut water = V::Whole::load(self.window.water, row * self.window.stride + at);
                let given = (gone[0] + gone[1]) + (gone[2] + gone[3]);
                given.store(&mut self.scratch.cut, given_start + at);
                water = water - given;
                let mut lowest = water;
                for came in came {
                    water = water + came;
                    // Every term lies within 0 and MAX_WATER: a sum that leaves i32 is negative when it does.
                    lowest = if CHECKED { lowest.min(water) } else { lowest };
                }
                done.overflow |= CHECKED && too_deep::<V>(water, lowest, end - at);
                put::<V>(water, next, at - REACH);
            }
        }
    }
}
