//! Step of a cell solver over a band of rows: edges, then outflows of each cell, then the gather
//! ([`super::gather`]).
//!
//! The work is done row by row, a few cells at a time ([`crate::lanes`]), with a few scratch rows
//! that stay in the first-level cache: every edge and every donor is computed once. The last lanes
//! of a row may extend into padding or beyond the window; their results are never used.

use super::scratch::Scratch;
use super::shared::Target;
use super::watch::Watch;
use super::window::{PADDING, REACH, Window};
use crate::grains::Rounding;
use crate::lanes::{Real, Whole, fetch_lanes_ahead};
use crate::neighbourhood::{FAMILIES, offset};
use crate::solver::CellSolver;
use std::ops::Range;

/// One step over a band of rows, with a solver, in lanes.
pub struct Band<'a, 'n, R> {
    /// Solver of the run.
    pub solver: R,
    /// Constants for converting lengths to grains in this step.
    pub rounding: &'a Rounding,
    /// The state before the step.
    pub window: Window<'a>,
    /// Rows of the window to compute, [`REACH`] from its top and bottom.
    pub rows: Range<usize>,
    /// Output: the new water of its own cells (grains): columns [`REACH`] from the window's sides.
    pub next: Target<'n, i32>,
    /// Scratch rows of the thread.
    pub scratch: &'n mut Scratch,
}

impl<'a, R: CellSolver> Band<'a, '_, R> {
    /// Steps the band and passes each finished row to `watch`. Returns `true` if a cell, or a ghost
    /// beyond an open edge, would hold more than [`crate::grains::MAX_WATER`].
    ///
    /// `CHECKED` enables this check; it may be false if no cell of the window holds more than
    /// [`crate::grains::SHALLOW_WATER`].
    #[inline(always)]
    pub fn flow<V: Real, const K: usize, const CHECKED: bool>(mut self, watch: &mut Watch) -> bool {
        let (first, last) = (self.rows.start, self.rows.end);
        let Window { stride, width, .. } = self.window;
        let cells = self.window.cells();
        assert!(self.window.bed.len() >= cells && self.window.water.len() >= cells);
        assert!(self.scratch.length >= width + 2 * PADDING && V::LANES < PADDING);
        assert!(first >= REACH && last + REACH <= self.window.row_wet.len());
        let mut overflow = false;
        self.edges_below::<V, K>(first - 2);
        for row in first - 1..=last {
            if self.window.row_wet[row] {
                self.give::<V, K>(row);
            } else {
                self.edges_below::<V, K>(row);
                self.give_nothing::<K>(row);
            }
            if row <= first {
                continue;
            }
            let done = row - 1;
            let may_be_wet = self.scratch.still != [true; 3];
            if may_be_wet {
                overflow |= self.gather::<V, K, CHECKED>(done);
            }
            let start = done * stride + REACH;
            let before = &self.window.water[start..start + width - 2 * REACH];
            watch.after_row::<V>(done, self.next.row(done - first), before, may_be_wet);
        }
        overflow
    }

    /// Copies what edges are computed from, so that the compiler need not reload it after each
    /// store to the scratch rows.
    #[inline(always)]
    fn edges(&self) -> Edges<'a, R> {
        Edges { solver: self.solver, bed_step: self.rounding.bed_step, window: self.window }
    }

    /// Computes the edges from the cells of a dry row to the next row, if that is wet.
    #[inline(always)]
    fn edges_below<V: Real, const K: usize>(&mut self, row: usize) {
        if !self.window.row_wet[row + 1] {
            return;
        }
        let edges = self.edges();
        for family in 1..K / 2 {
            let start = self.scratch.edge_start(family, row);
            for at in (0..self.window.width).step_by(V::LANES) {
                let here = row * self.window.stride + at;
                // SAFETY: arrays and scratch rows are PADDING longer than their cells.
                unsafe {
                    if !edges.wet_ahead::<V>(here, family) {
                        continue;
                    }
                    let (difference, edge) = edges.compute::<V>(here, family);
                    difference.store(&mut self.scratch.difference, start + at);
                    edge.store(&mut self.scratch.edge, start + at);
                }
            }
        }
    }

    /// Clears the outflows of a dry row.
    fn give_nothing<const K: usize>(&mut self, row: usize) {
        let scratch = &mut *self.scratch;
        scratch.still[row % 3] = true;
        let start = scratch.outflow_start::<K>(row, 0) - PADDING;
        scratch.outflow[start..start + K * scratch.length].fill(0);
        let start = scratch.kept_start(row) - PADDING;
        scratch.kept[start..start + scratch.length].fill(0);
    }

    /// Computes the outflow of every cell of a row to each neighbour, and the water it keeps. The
    /// edges to the next row are computed and saved along the way; those along the row stay in
    /// registers, so that the slow roots and divisions overlap with everything else.
    #[inline(always)]
    fn give<V: Real, const K: usize>(&mut self, row: usize) {
        self.scratch.still[row % 3] = false;
        let mut starts = [0usize; K];
        let mut before = [0usize; K];
        let mut outflow_start = [0usize; K];
        for k in 0..K {
            let (di, _) = offset(k);
            starts[k] = self.scratch.edge_start(k / 2, row);
            // An edge to a cell behind is stored at that cell, in the row before.
            let start = self.scratch.edge_start(k / 2, row - 1);
            before[k] = start.wrapping_add_signed(di);
            outflow_start[k] = self.scratch.outflow_start::<K>(row, k);
        }
        let kept_start = self.scratch.kept_start(row);
        let (edges, solver, rounding) = (self.edges(), self.solver, *self.rounding);
        let Window { bed, water, stride, width, .. } = self.window;
        let scratch = &mut *self.scratch;
        let (differences, quantities) = (&mut scratch.difference[..], &mut scratch.edge[..]);
        let (outflows, keeps) = (&mut scratch.outflow[..], &mut scratch.kept[..]);
        let (zero, none) = (V::zero(), V::Whole::splat(0));
        let (mut west_difference, mut west_edge) = (zero, zero);
        for at in (0..width).step_by(V::LANES) {
            let here = row * stride + at;
            let soon = here + 2 * stride;
            fetch_lanes_ahead::<V, _>(water, soon);
            fetch_lanes_ahead::<V, _>(bed, soon);
            // SAFETY: arrays and scratch rows are PADDING longer than their cells on both sides
            // (see `flow` and `Scratch`).
            unsafe {
                let water = V::Whole::load(water, here);
                if !water.any_greater(none) {
                    // Edges between dry cells are never read.
                    if edges.wet_ahead::<V>(here, 0) {
                        (west_difference, west_edge) = edges.compute::<V>(here, 0);
                    }
                    for family in 1..K / 2 {
                        if edges.wet_ahead::<V>(here, family) {
                            let (difference, quantity) = edges.compute::<V>(here, family);
                            difference.store(differences, starts[2 * family] + at);
                            quantity.store(quantities, starts[2 * family] + at);
                        }
                    }
                    for start in outflow_start {
                        none.store(outflows, start + at);
                    }
                    none.store(keeps, kept_start + at);
                    continue;
                }
                let mut drop = [zero; K];
                let mut edge = [zero; K];
                for family in 0..K / 2 {
                    let (ahead, behind) = (2 * family, 2 * family + 1);
                    let (difference, quantity) = edges.compute::<V>(here, family);
                    drop[ahead] = difference.higher(zero);
                    edge[ahead] = quantity;
                    let behind_difference;
                    if family == 0 {
                        behind_difference = V::shifted(west_difference, difference);
                        edge[behind] = zero - V::shifted(west_edge, quantity);
                        (west_difference, west_edge) = (difference, quantity);
                    } else {
                        difference.store(differences, starts[ahead] + at);
                        behind_difference = V::load(differences, before[behind] + at);
                        if R::NEEDS_EDGE {
                            quantity.store(quantities, starts[ahead] + at);
                            edge[behind] = zero - V::load(quantities, before[behind] + at);
                        }
                    }
                    drop[behind] = (zero - behind_difference).higher(zero);
                }
                let give = solver.give(water.to_real(), drop, edge);
                let outflow = rounding.to_grains(water, give, drop);
                let mut kept = water;
                for k in 0..K {
                    kept = kept - outflow[k];
                    outflow[k].store(outflows, outflow_start[k] + at);
                }
                kept.store(keeps, kept_start + at);
            }
        }
    }
}

/// Edges from the cells of a window to the cells ahead.
#[derive(Clone, Copy)]
struct Edges<'a, R> {
    solver: R,
    /// Grains per step of the bed's level (2⁻¹⁶ m).
    bed_step: f32,
    window: Window<'a>,
}

impl<R: CellSolver> Edges<'_, R> {
    /// Computes the level differences (grains) and edge quantities between some cells and the cells
    /// ahead in an edge family.
    ///
    /// # Safety
    /// The cells from index `here` and those ahead must be in the window.
    #[inline(always)]
    unsafe fn compute<V: Real>(&self, here: usize, family: usize) -> (V, V) {
        let Window { bed, water, .. } = self.window;
        let ahead = self.ahead(here, family);
        // SAFETY: the caller guarantees that both cells are in the window, whose arrays are PADDING
        // longer than its cells (see `flow`).
        unsafe {
            // Subtract first, in integers: the level, bed + water, is never formed.
            let water = V::Whole::load(water, here) - V::Whole::load(water, ahead);
            let bed = V::Whole::load(bed, here) - V::Whole::load(bed, ahead);
            let difference = bed.to_real() * V::splat(self.bed_step) + water.to_real();
            let edge = if R::NEEDS_EDGE { self.solver.edge(difference) } else { V::zero() };
            (difference, edge)
        }
    }

    /// Returns `true` if any of the cells ahead in an edge family holds water.
    ///
    /// # Safety
    /// As for [`Edges::compute`].
    #[inline(always)]
    unsafe fn wet_ahead<V: Real>(&self, here: usize, family: usize) -> bool {
        // SAFETY: the caller guarantees that the cells ahead are in the window, whose arrays are
        // PADDING longer than its cells (see `flow`).
        let water = unsafe { V::Whole::load(self.window.water, self.ahead(here, family)) };
        water.any_greater(V::Whole::splat(0))
    }

    #[inline(always)]
    fn ahead(&self, here: usize, family: usize) -> usize {
        let (di, dj) = FAMILIES[family];
        here.wrapping_add_signed(dj * self.window.stride as isize + di)
    }
}
