//! What crosses some edges: their levels, what is around them, and the rule's answer in whole grains.

use super::edge_rows::EdgeBand;
use super::frame::{Frame, PADDING};
use crate::grid::Bed;
use crate::lanes::{Real, Whole};
use crate::rule::edge::{DRY, Edge, EdgeRule, MOST_CROSSING, minmod};

/// Level difference and depth of flow of some edges (m).
pub(super) struct Levels<V: Real> {
    pub difference: V,
    pub depth: V,
    pub water: [V::Whole; 2],
}

impl<R: EdgeRule> EdgeBand<'_, '_, R> {
    /// # Safety
    /// `at` must be less than the stride, and the row ahead must lie in the frame.
    #[inline(always)]
    pub(super) unsafe fn levels<V: Real>(&self, axis: usize, row: usize, at: usize) -> Levels<V> {
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
    pub(super) fn face_row<V: Real>(&mut self, axis: usize, row: usize) {
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

    /// The whole grains that cross some edges, what is cut of them, the new discharge, and the pace.
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; the rows before and after must lie in the frame, too.
    #[inline(always)]
    pub(super) unsafe fn cross<V: Real>(
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
}
