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
use crate::grid::Bed;
use crate::lanes::{Real, Whole};
use crate::rule::edge::{DRY, Edge, EdgeRule, MOST_CROSSING, minmod};
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

/// Level difference and depth of flow of some edges (m).
struct Levels<V: Real> {
    difference: V,
    depth: V,
    water: [V::Whole; 2],
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
    fn is_wet(&self, row: usize) -> bool {
        self.frame.row_wet[row]
    }

    /// # Safety
    /// `at` must be less than the stride, and the row ahead must lie in the frame.
    #[inline(always)]
    unsafe fn levels<V: Real>(&self, axis: usize, row: usize, at: usize) -> Levels<V> {
        let Frame { bed, water, stride, .. } = self.frame;
        let here = row * stride + at;
        let ahead = here + if axis == 0 { 1 } else { stride };
        let metres = V::splat(self.metres);
        // SAFETY: the frame is PADDING longer than its cells (see `flow`).
        let (water, bed) = unsafe {
            (
                [V::Whole::load(water, here), V::Whole::load(water, ahead)],
                V::Whole::load(bed, here) - V::Whole::load(bed, ahead),
            )
        };
        let step = bed.to_real() * V::splat(Bed::STEP);
        // Difference first, in integers: the level, bed + water, is never formed.
        let difference = step + (water[0] - water[1]).to_real() * metres;
        let zero = V::zero();
        let from_here = water[0].to_real() * metres + step.lower(zero);
        let from_ahead = water[1].to_real() * metres - step.higher(zero);
        let depth = V::if_greater(zero, difference, from_ahead, from_here);
        Levels { difference, depth, water }
    }

    /// What the edges of a row show to those across their ends.
    #[inline(always)]
    fn face_row<V: Real>(&mut self, axis: usize, row: usize) {
        let start = self.scratch.face_start(axis, row);
        let wet = self.is_wet(row) || (axis == 1 && self.is_wet(row + 1));
        if !wet {
            self.scratch.face[start - PADDING..][..self.frame.stride + 2 * PADDING].fill(0.0);
            return;
        }
        for at in (0..self.frame.stride).step_by(V::LANES) {
            // SAFETY: the frame and the scratch rows are PADDING longer than `stride`.
            unsafe {
                let Levels { difference, depth, .. } = self.levels::<V>(axis, row, at);
                let face = self.rule.face(difference);
                let face = V::if_greater(depth, V::splat(DRY), face, V::zero());
                face.store(&mut self.scratch.face, start + at);
            }
        }
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
        let kept = R::REMEMBERS && (first..self.rows.end).contains(&row);
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

    /// The whole grains that cross some edges, what is cut of them, the new discharge, and the pace.
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; the rows before and after must lie in the frame, too.
    #[inline(always)]
    unsafe fn cross<V: Real>(
        &self,
        axis: usize,
        row: usize,
        at: usize,
        levels: Levels<V>,
    ) -> (V::Whole, V::Whole, V, V) {
        let stride = self.frame.stride;
        let here = row * stride + at;
        let ahead = if axis == 0 { 1 } else { stride };
        let zero = V::zero();
        let half = V::splat(0.5);
        // SAFETY: the caller's.
        unsafe {
            let roughness = match self.edges.roughness {
                Err(uniform) => V::splat(uniform),
                Ok(cells) => half * (V::load(cells, here) + V::load(cells, here + ahead)),
            };
            let (transverse, [held, behind, next]) = if R::REMEMBERS {
                let [line, cross] = [self.edges.discharge[axis], self.edges.discharge[1 - axis]];
                let across = if axis == 0 { stride } else { 1 };
                let before =
                    minmod(V::load(cross, here - across), V::load(cross, here - across + ahead));
                let after = minmod(V::load(cross, here), V::load(cross, here + ahead));
                let own = [here, here - ahead, here + ahead].map(|place| V::load(line, place));
                (minmod(before, after), own)
            } else {
                let face = &self.scratch.face;
                let start = |axis, row| self.scratch.face_start(axis, row) + at;
                let quad = if axis == 0 {
                    let (north, south) = (start(1, row - 1), start(1, row));
                    [north, north + 1, south, south + 1]
                } else {
                    let (upper, lower) = (start(0, row), start(0, row + 1));
                    [upper - 1, lower - 1, upper, lower]
                };
                let quad = quad.map(|place| V::load(face, place));
                let both = minmod(minmod(quad[0], quad[1]), minmod(quad[2], quad[3]));
                (both, [zero; 3])
            };
            let Levels { difference, depth, water: [a, b] } = levels;
            let giver = V::choose(difference, zero, a, b);
            let edge = Edge {
                difference,
                depth: depth.higher(V::splat(DRY)),
                giver: giver.to_real() * V::splat(self.metres),
                roughness,
                transverse,
                discharge: held,
                behind,
                ahead: next,
            };
            let crossing = self.rule.cross(self.terms[axis], edge);
            let where_wet = |value| V::if_greater(depth, V::splat(DRY), value, zero);
            let grains = where_wet(crossing.grains);
            let most = V::splat(MOST_CROSSING);
            let mut whole = (grains.abs() + V::splat(self.phase)).lower(most).truncate();
            let mut cut = V::Whole::splat(0);
            if R::CAPPED {
                // In whole grains too, no edge takes more than a quarter of the giver or half the fall.
                let fall = difference.abs() * V::splat(1.0 / self.metres);
                let half_fall = fall.lower(V::splat(1e9)).truncate().shift_right(1);
                whole = whole.min(giver.shift_right(2)).min(half_fall);
                cut = where_wet(crossing.cut).lower(most).truncate();
            }
            let signed = |x| V::choose(zero, grains, V::Whole::splat(0) - x, x);
            (signed(whole), signed(cut), where_wet(crossing.discharge), where_wet(crossing.pace))
        }
    }

    /// Keeps the discharges of a row.
    #[inline(always)]
    fn keep_row(&mut self, place: usize, columns: Range<usize>, done: &mut EdgeDone) {
        for axis in AXES {
            let start = self.scratch.axis_start(axis);
            let from = &self.scratch.discharge[start + columns.start..start + columns.end];
            let to = place + columns.start..place + columns.end;
            self.next_discharge[axis][to].copy_from_slice(from);
            done.moving |= from.iter().any(|discharge| *discharge != 0.0);
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
