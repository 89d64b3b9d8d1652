//! Mass update: limits the outflow of donors with too little water, and computes the new water of
//! every cell.

use super::edge_rows::{BandDone, EdgeBand, RowFluxes};
use super::lanes_of_row::{put, too_deep};
use super::shared::Target;
use super::watch::Watch;
use super::window::REACH;
use crate::lanes::{Real, Whole};

/// Offsets in the scratch of the fluxes around the cells of a row: east, west, south, north.
type Around = [usize; 4];

impl<R: RowFluxes> EdgeBand<'_, '_, R> {
    #[inline(always)]
    fn around(&self, row: usize) -> Around {
        let east = self.scratch.flux_start(0, row);
        let south = self.scratch.flux_start(1, row);
        [east, east - 1, south, self.scratch.flux_start(1, row - 1)]
    }

    /// Loads the fluxes across the edges around some cells (grains). Written out because `map` on
    /// arrays would not be inlined into the code for the lanes.
    ///
    /// # Safety
    /// `at` must be less than the window's width.
    #[inline(always)]
    unsafe fn fluxes_around<V: Real>(&self, [a, b, c, d]: Around, at: usize) -> [V::Whole; 4] {
        let from = &self.scratch.fluxes;
        // SAFETY: the caller keeps `at` below the window's width, and scratch rows are PADDING
        // longer than their cells.
        unsafe {
            [
                V::Whole::load(from, a + at),
                V::Whole::load(from, b + at),
                V::Whole::load(from, c + at),
                V::Whole::load(from, d + at),
            ]
        }
    }

    /// Returns the outflow of some cells across each of their edges (grains).
    ///
    /// # Safety
    /// `at` must be less than the window's width.
    #[inline(always)]
    unsafe fn outgoing<V: Real>(&self, around: Around, at: usize) -> [V::Whole; 4] {
        let none = V::Whole::splat(0);
        // SAFETY: the caller keeps `at` below the window's width.
        let [east, west, south, north] = unsafe { self.fluxes_around::<V>(around, at) };
        [east.max(none), (none - west).max(none), south.max(none), (none - north).max(none)]
    }

    /// Scales down the outflows of cells in a row whose edges would take more than they hold.
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
                // The sum of four maximal fluxes does not wrap.
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

    /// Scales the outflow of a cell that holds `water`, if it is too large. Returns the reduction
    /// (grains), or 0 for a dry cell: a ghost may have an inward discharge, too.
    #[inline(never)]
    fn share_out(&mut self, around: Around, column: usize, water: i32) -> u64 {
        // Fluxes east and south are positive as outflow, those west and north negative.
        const AHEAD: [i32; 4] = [1, -1, 1, -1];
        let fluxes = &mut self.scratch.fluxes;
        let mut out = 0u64;
        for (start, ahead) in around.into_iter().zip(AHEAD) {
            out += (fluxes[start + column] * ahead).max(0) as u64;
        }
        if out <= water as u64 {
            return 0;
        }
        let mut kept = out;
        for (start, ahead) in around.into_iter().zip(AHEAD) {
            let here = &mut fluxes[start + column];
            let outflow = (*here * ahead).max(0) as u64;
            if outflow > 0 {
                let scaled = outflow * water as u64 / out;
                *here = ahead * scaled as i32;
                kept -= scaled;
            }
        }
        if water > 0 { kept } else { 0 }
    }

    /// Computes the new water of one of the band's own rows.
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
            // SAFETY: arrays and scratch rows are PADDING longer than their cells, and there are
            // fewer lanes than that.
            unsafe {
                let gone = self.outgoing::<V>(around, at);
                let [east, west, south, north] = self.fluxes_around::<V>(around, at);
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
                    // Every term is within 0 and MAX_WATER, so a sum that leaves i32 becomes
                    // negative at that point.
                    lowest = if CHECKED { lowest.min(water) } else { lowest };
                }
                done.overflow |= CHECKED && too_deep::<V>(water, lowest, end - at);
                put::<V>(water, next, at - REACH);
            }
        }
    }
}
