//! The step of an edge rule over a band of rows of a tile: what crosses each edge
//! ([`EdgeBand::cross_row`]), what givers that have too little hold back, and the new water
//! ([`super::edge_settle`]).
//!
//! As with cell rules the work is done row by row in lanes, with a few rows of scratch; an edge belongs to
//! the cell behind it, and is computed once.

use super::edge_scratch::EdgeScratch;
use super::frame::{Frame, Leaving, PADDING, REACH};
use super::rows::AfterRow;
use crate::backend::Crossed;
use crate::lanes::{Real, Whole};
use crate::rule::edge::EdgeRule;
use std::ops::Range;

/// East, along a row; and south, from row to row.
pub const AXES: [usize; 2] = [0, 1];

/// What edge rules need of a tile beside the frame: arrays in the frame's layout.
#[derive(Clone, Copy)]
pub struct EdgeFrame<'a> {
    /// Manning's n per cell (s/m^⅓), or the same for all.
    pub roughness: Result<&'a [f32], f32>,
    /// Remembered discharge of the edges east and south of each cell (m²/s); empty if the rule has none.
    pub discharge: [&'a [f32]; 2],
}

/// One step of an edge rule over a band of rows.
pub struct EdgeBand<'a, 'n, R: EdgeRule> {
    /// The rule.
    pub rule: R,
    /// Its terms for both axes.
    pub terms: [R::Terms; 2],
    /// Rounding phase of the step.
    pub phase: f32,
    /// Metres per grain.
    pub metres: f32,
    /// The state before the step.
    pub frame: Frame<'a>,
    /// The rest of it.
    pub edges: EdgeFrame<'a>,
    /// Frame rows to compute, at least [`REACH`] from the frame's top and bottom.
    pub rows: Range<usize>,
    /// Their new water (grains), starting at the first of them, with the frame's stride. Columns within
    /// [`REACH`] of the sides are left alone.
    pub next: &'n mut [i32],
    /// Their new discharges, likewise; empty if the rule has none. The tile's first band also keeps those
    /// of the row before its own, and all keep the column before: an edge there, between a ghost beyond an
    /// open side and one of the own cells, belongs to the ghost.
    pub next_discharge: [&'n mut [f32]; 2],
    /// Scratch rows.
    pub scratch: &'n mut EdgeScratch,
    /// Which sides of the frame's own cells are open sides of the grid.
    pub leaving: Leaving,
}

/// What a step of a band amounts to.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeDone {
    /// 1 / the longest step that the flow allows (s⁻¹).
    pub pace: f32,
    /// What own cells gave over edges, and what was cut of it.
    pub crossed: Crossed,
    /// What left over open sides (grains).
    pub left: i64,
    /// Whether any discharge is remembered.
    pub moving: bool,
    /// Whether a cell would hold too much.
    pub overflow: bool,
}

impl<R: EdgeRule> EdgeBand<'_, '_, R> {
    /// Steps the band and hands each finished row to `observer`. `CHECKED` looks for too much water; it may be
    /// left out where no cell of the frame holds more than [`crate::grains::SHALLOW_WATER`].
    #[inline(always)]
    pub fn flow<V: Real, const CHECKED: bool>(mut self, observer: &mut impl AfterRow) -> EdgeDone {
        let (first, last) = (self.rows.start, self.rows.end);
        let Frame { bed, water, row_wet, stride } = self.frame;
        let cells = stride * row_wet.len() + PADDING;
        assert!(bed.len() >= cells && water.len() >= cells && V::LANES < PADDING);
        assert!(first >= REACH && last + REACH <= row_wet.len());
        assert!(!R::REMEMBERS || self.edges.discharge.iter().all(|layer| layer.len() >= cells));
        assert!(self.edges.roughness.is_err() || self.edges.roughness.unwrap().len() >= cells);
        let mut done = EdgeDone::default();
        if !R::REMEMBERS {
            self.face_row::<V>(1, first - 3);
            self.face_row::<V>(0, first - 2);
        }
        for row in first - 2..=last {
            let own = self.rows.contains(&row);
            let pace = self.cross_row::<V>(row, &mut done);
            if own || row + 1 == first {
                done.pace = done.pace.higher(pace);
            }
            if row + 1 >= first && !R::CAPPED {
                self.hold_back::<V>(row, own, &mut done);
            }
            if row > first {
                self.settle_row::<V, CHECKED>(row - 1, observer, &mut done);
            }
        }
        done
    }

    #[inline(always)]
    pub(super) fn is_wet(&self, row: usize) -> bool {
        self.frame.row_wet[row]
    }

    /// What crosses the edges of a row, for the whole width of the frame; says what they allow (s⁻¹).
    #[inline(always)]
    fn cross_row<V: Real>(&mut self, row: usize, done: &mut EdgeDone) -> f32 {
        let stride = self.frame.stride;
        let columns = REACH - 1..stride - REACH;
        if !R::REMEMBERS {
            self.face_row::<V>(0, row + 1);
            self.face_row::<V>(1, row);
        }
        let first = self.rows.start - usize::from(self.rows.start == REACH);
        let kept = !self.next_discharge[0].is_empty() && (first..self.rows.end).contains(&row);
        let place = kept.then(|| (row - first) * stride);
        if !self.is_wet(row) && !self.is_wet(row + 1) {
            for axis in AXES {
                let start = self.scratch.crossing_start(axis, row) - PADDING;
                self.scratch.crossing[start..start + stride + 2 * PADDING].fill(0);
                if let Some(place) = place {
                    let to = place + columns.start..place + columns.end;
                    self.next_discharge[axis][to].fill(0.0);
                }
            }
            return 0.0;
        }
        let none = V::Whole::splat(0);
        for at in (0..stride).step_by(V::LANES) {
            let mut pace = V::zero();
            for axis in AXES {
                // SAFETY: the frame and the scratch rows are PADDING longer than `stride`; the row before
                // the first one computed lies in the frame, too.
                unsafe {
                    let levels = self.levels::<V>(axis, row, at);
                    let [a, b] = levels.water;
                    let scratch = &mut *self.scratch;
                    let start = scratch.crossing_start(axis, row) + at;
                    let across = scratch.axis_start(axis) + at;
                    if !a.max(b).any_greater(none) {
                        none.store(&mut scratch.crossing, start);
                        none.store(&mut scratch.cut, across);
                        V::zero().store(&mut scratch.discharge, across);
                        continue;
                    }
                    let crossing = self.cross::<V>(axis, row, at, levels);
                    let scratch = &mut *self.scratch;
                    crossing.0.store(&mut scratch.crossing, start);
                    crossing.1.store(&mut scratch.cut, across);
                    crossing.2.store(&mut scratch.discharge, across);
                    pace = pace.higher(crossing.3);
                }
            }
            let start = self.scratch.axis_start(0) + at;
            // SAFETY: as above.
            unsafe { pace.store(&mut self.scratch.pace, start) };
        }
        if R::CAPPED {
            done.crossed.cut += self.cut_in(row);
        }
        if let Some(place) = place {
            self.keep_row(place, columns, done);
        }
        self.fastest::<V>()
    }

    /// Keeps the discharges of a row.
    #[inline(always)]
    fn keep_row(&mut self, place: usize, columns: Range<usize>, done: &mut EdgeDone) {
        for axis in AXES {
            let start = self.scratch.axis_start(axis);
            let from = &self.scratch.discharge[start + columns.start..start + columns.end];
            let to = place + columns.start..place + columns.end;
            self.next_discharge[axis][to].copy_from_slice(from);
            done.moving |= R::REMEMBERS && from.iter().any(|discharge| *discharge != 0.0);
        }
    }

    /// What was cut of what the frame's own cells give over the edges of a row (grains).
    #[inline(always)]
    fn cut_in(&self, row: usize) -> u64 {
        let columns = REACH..self.frame.stride - REACH;
        let given = |axis: usize, first: usize, ahead: i32| {
            let start = self.scratch.axis_start(axis) + first;
            let cut = &self.scratch.cut[start..start + columns.len()];
            cut.iter().map(|&cut| (cut * ahead).max(0) as u64).sum::<u64>()
        };
        let mut cut = 0;
        if self.rows.contains(&row) {
            cut += given(0, REACH, 1) + given(0, REACH - 1, -1) + given(1, REACH, 1);
        }
        if self.rows.contains(&(row + 1)) {
            cut += given(1, REACH, -1);
        }
        cut
    }

    /// What the edges of the row at hand allow (s⁻¹), those that touch the frame's own cells.
    #[inline(always)]
    fn fastest<V: Real>(&mut self) -> f32 {
        let start = self.scratch.axis_start(0);
        let end = start + self.frame.stride;
        let pace = &mut self.scratch.pace;
        pace[start..start + REACH - 1].fill(0.0);
        pace[end - REACH..end + V::LANES].fill(0.0);
        let mut fastest = V::zero();
        for at in (start..end).step_by(V::LANES) {
            // SAFETY: the row is PADDING longer than its cells.
            fastest = fastest.higher(unsafe { V::load(pace, at) });
        }
        let mut lanes = [0.0; PADDING];
        // SAFETY: there are fewer lanes than PADDING.
        unsafe { fastest.store(&mut lanes, 0) };
        lanes.into_iter().fold(0.0, f32::max)
    }
}
