//! Fluxes over edges, what crosses them under a rule without momentum: what is around them, and the rule's answer in whole grains.

use super::edge_levels::Levels;
use super::edge_rows::{AXES, Crosses, EdgeBand, EdgeDone};
use super::window::{PADDING, REACH};
use crate::lanes::{Real, Whole, fetch_ahead};
use crate::rule::edge::{Axis, DRY, Edge, EdgeRule, MOST_CROSSING, minmod};

/// A rule that answers for each edge in one go.
#[derive(Clone, Copy)]
pub(crate) struct Answers<R>(pub R);

/// What a rule answers for some edges, in whole grains.
struct Answer<V: Real> {
    grains: V::Whole,
    cut: V::Whole,
    discharge: V,
    velocity: V,
    wave: V,
    held: V,
    pace: V,
}

impl<R: EdgeRule> Crosses for Answers<R> {
    const CAPPED: bool = R::CAPPED;
    type Terms = R::Terms;

    #[inline(always)]
    fn terms(self, axis: Axis) -> R::Terms {
        self.0.terms(axis)
    }

    #[inline(always)]
    fn begin<V: Real>(band: &mut EdgeBand<'_, '_, Self>, first: usize) {
        if !R::REMEMBERS {
            band.face_row::<V>(1, first - 1);
            band.face_row::<V>(0, first);
        }
    }

    #[inline(always)]
    fn cross_row<V: Real>(
        band: &mut EdgeBand<'_, '_, Self>,
        row: usize,
        done: &mut EdgeDone,
    ) -> f32 {
        let width = band.window.width;
        if !R::REMEMBERS {
            band.face_row::<V>(0, row + 1);
            band.face_row::<V>(1, row);
        }
        let place = band.own_row(row);
        if !band.is_wet(row) && !band.is_wet(row + 1) {
            band.cross_nothing(row);
            return 0.0;
        }
        let none = V::Whole::splat(0);
        for at in (0..width).step_by(V::LANES) {
            let mut pace = V::zero();
            for axis in AXES {
                // SAFETY: arrays and scratch rows are PADDING longer than their cells; the row before the first one
                // computed lies in the window, too.
                unsafe {
                    let levels = band.levels::<V>(axis, row, at);
                    let [a, b] = levels.water;
                    let scratch = &mut *band.scratch;
                    let start = scratch.crossing_start(axis, row) + at;
                    let across = scratch.axis_start(axis) + at;
                    if !a.max(b).any_greater(none) {
                        none.store(&mut scratch.crossing, start);
                        none.store(&mut scratch.cut, across);
                        V::zero().store(&mut scratch.discharge, across);
                        V::zero().store(&mut scratch.velocity, across);
                        continue;
                    }
                    let depth = levels.depth;
                    let answer = band.answer::<V>(axis, row, at, levels);
                    let scratch = &mut *band.scratch;
                    answer.grains.store(&mut scratch.crossing, start);
                    answer.cut.store(&mut scratch.cut, across);
                    answer.discharge.store(&mut scratch.discharge, across);
                    answer.velocity.store(&mut scratch.velocity, across);
                    if band.looks {
                        let (velocity, wave) = (answer.velocity, answer.wave);
                        band.scratch.notes.note(at, velocity, depth, wave, answer.held);
                    }
                    pace = pace.higher(answer.pace);
                }
            }
            let start = band.scratch.axis_start(0) + at;
            // SAFETY: as above.
            unsafe { pace.store(&mut band.scratch.pace, start) };
        }
        if R::CAPPED {
            done.crossed.cut += band.cut_in(row);
        }
        if let Some(place) = place {
            band.keep_row(place, done);
        }
        if place.is_some() && band.window.row_on_grid(row) {
            let (own, before) = (band.window.own_on_grid(), band.peaks);
            let first = band.window.number(row * band.window.stride);
            let notes = &mut band.scratch.notes;
            notes.end_row(own, first, before, &mut done.peaks, &mut done.crossed);
        } else {
            band.scratch.notes.forget();
        }
        band.fastest::<V>()
    }
}

impl<R: EdgeRule> EdgeBand<'_, '_, Answers<R>> {
    /// Keeps the discharges of a row, and the velocities if they are asked for.
    #[inline(always)]
    fn keep_row(&mut self, place: usize, done: &mut EdgeDone) {
        let columns = REACH..self.window.width - REACH;
        for axis in AXES {
            let start = self.scratch.axis_start(axis);
            let own = start + columns.start..start + columns.end;
            let from = &self.scratch.discharge[own.clone()];
            done.moving |= R::REMEMBERS && from.iter().any(|discharge| *discharge != 0.0);
            if let Some(next) = &mut self.next_discharge {
                next[axis].row(place).copy_from_slice(from);
            }
            if let Some(next) = &mut self.next_velocity {
                next[axis].row(place).copy_from_slice(&self.scratch.velocity[own]);
            }
        }
    }

    /// What was cut of what own cells give over the edges of a row (grains).
    #[inline(always)]
    fn cut_in(&self, row: usize) -> u64 {
        let columns = REACH..self.window.width - REACH;
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

    /// What the edges of the row at hand allow (s⁻¹), those that touch own cells.
    #[inline(always)]
    fn fastest<V: Real>(&mut self) -> f32 {
        let start = self.scratch.axis_start(0);
        let end = start + self.window.width;
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

    /// What the edges of a row show to those across their ends.
    #[inline(always)]
    fn face_row<V: Real>(&mut self, axis: usize, row: usize) {
        let start = self.scratch.face_start(axis, row);
        let wet = self.is_wet(row) || (axis == 1 && self.is_wet(row + 1));
        if !wet {
            self.scratch.face[start - PADDING..][..self.window.width + 2 * PADDING].fill(0.0);
            return;
        }
        for at in (0..self.window.width).step_by(V::LANES) {
            // SAFETY: arrays and scratch rows are PADDING longer than their cells.
            unsafe {
                let Levels { difference, depth, .. } = self.levels::<V>(axis, row, at);
                let face = self.rule.0.face(difference);
                let face = V::if_greater(depth, V::splat(DRY), face, V::zero());
                face.store(&mut self.scratch.face, start + at);
            }
        }
    }

    /// What the rule makes of some edges.
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; the rows before and after must lie in the window, too.
    #[inline(always)]
    unsafe fn answer<V: Real>(
        &self,
        axis: usize,
        row: usize,
        at: usize,
        levels: Levels<V>,
    ) -> Answer<V> {
        let stride = self.window.stride;
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
                fetch_ahead(line, here + 2 * stride);
                let before =
                    minmod(V::load(cross, here - across), V::load(cross, here - across + ahead));
                let after = minmod(V::load(cross, here), V::load(cross, here + ahead));
                let [behind, next] = [V::load(line, here - ahead), V::load(line, here + ahead)];
                (minmod(before, after), [V::load(line, here), behind, next])
            } else {
                let face = &self.scratch.face;
                let start = |axis, row| self.scratch.face_start(axis, row) + at;
                let [a, b, c, d] = if axis == 0 {
                    let (north, south) = (start(1, row - 1), start(1, row));
                    [north, north + 1, south, south + 1]
                } else {
                    let (upper, lower) = (start(0, row), start(0, row + 1));
                    [upper - 1, lower - 1, upper, lower]
                };
                let first = minmod(V::load(face, a), V::load(face, b));
                let second = minmod(V::load(face, c), V::load(face, d));
                (minmod(first, second), [zero; 3])
            };
            let Levels { difference, depth, water: [a, b], .. } = levels;
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
            let crossing = self.rule.0.cross(self.terms[axis], edge);
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
            Answer {
                grains: signed(whole),
                cut: signed(cut),
                discharge: where_wet(crossing.discharge),
                velocity: where_wet(crossing.velocity),
                wave: crossing.wave,
                held: where_wet(crossing.held),
                pace: where_wet(crossing.pace),
            }
        }
    }
}
