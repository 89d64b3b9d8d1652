//! Fluxes across edges under a solver with momentum, in the first half of a step: the water moves
//! with the velocities on the edges.

use super::edge_levels::FaceLevels;
use super::edge_rows::{BandDone, EdgeBand, RowFluxes};
use super::lanes_of_row::{keep, rows_of};
use crate::grid::Bed;
use crate::lanes::{Real, Whole, fetch_lanes_ahead};
use crate::solver::edge::{Axis, DRY, MAX_FACE_FLUX, minmod};
use crate::solver::momentum::{FluxStencil, MomentumSolver, Slope};

/// Adapter for a solver that moves water with the kept velocities or, with tables, with the
/// discharges computed along with them.
#[derive(Clone, Copy)]
pub struct Moves<R, const TABLES: bool>(pub R);

/// Constants of a step for all edges of an axis.
#[derive(Clone, Copy)]
pub struct MoveTerms<T> {
    pub solver: T,
    /// Grains per unit discharge (s/m · grains/m).
    pub grains: f32,
    /// 1/(the solver's Courant number · the cell length) (m⁻¹).
    pub per_celerity: f32,
}

impl<R: MomentumSolver, const TABLES: bool> RowFluxes for Moves<R, TABLES> {
    const CAPPED: bool = false;
    type Terms = MoveTerms<R::Terms>;

    #[inline(always)]
    fn terms(self, axis: Axis) -> Self::Terms {
        let grains = axis.dt * axis.inverse_length * axis.per_metre;
        let per_celerity = axis.inverse_length * (1.0 / R::COURANT);
        MoveTerms { solver: self.0.terms(axis), grains, per_celerity }
    }

    #[inline(always)]
    fn compute_fluxes<V: Real>(
        band: &mut EdgeBand<'_, '_, Self>,
        row: usize,
        _: &mut BandDone,
    ) -> f32 {
        let place = band.own_row(row);
        if !band.is_wet(row) && !band.is_wet(row + 1) {
            band.clear_fluxes(row);
            return 0.0;
        }
        let mut discharge = band.next_discharge.take();
        let mut kept = place.and_then(|place| rows_of(&mut discharge, place));
        for at in band.flux_columns().step_by(V::LANES) {
            // SAFETY: arrays and scratch rows are PADDING longer than their cells, and the window
            // contains two more rows before and after the computed ones.
            unsafe {
                band.pass_axis::<V, 0>(row, at, &mut kept);
                band.pass_axis::<V, 1>(row, at, &mut kept);
            }
        }
        band.next_discharge = discharge;
        0.0
    }
}

impl<R: MomentumSolver, const TABLES: bool> EdgeBand<'_, '_, Moves<R, TABLES>> {
    /// Computes the fluxes across some edges of an axis.
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; at second order one more row before and after must be in the
    /// window.
    #[inline(always)]
    unsafe fn pass_axis<V: Real, const AXIS: usize>(
        &mut self,
        row: usize,
        at: usize,
        kept: &mut Option<[&mut [f32]; 2]>,
    ) {
        let none = V::Whole::splat(0);
        // SAFETY: the caller guarantees that the cells of these edges and their neighbours are in
        // the window; arrays are PADDING longer than their cells.
        unsafe {
            let levels = self.levels::<V>(AXIS, row, at);
            let [a, b] = levels.water;
            let start = self.scratch.flux_start(AXIS, row) + at;
            let (grains, discharge) = match a.max(b).any_greater(none) {
                true => self.pass::<V>(AXIS, row, at, levels),
                false => (none, V::zero()),
            };
            grains.store(&mut self.scratch.fluxes, start);
            if let Some(rows) = kept {
                keep(discharge, at, rows[AXIS]);
            }
        }
    }

    /// Returns the whole grains that cross some edges, and the discharge.
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; at second order one more row before and after must be in the
    /// window.
    #[inline(always)]
    unsafe fn pass<V: Real>(
        &self,
        axis: usize,
        row: usize,
        at: usize,
        levels: FaceLevels<V>,
    ) -> (V::Whole, V) {
        let here = row * self.window.stride + at;
        let ahead = if axis == 0 { 1 } else { self.window.stride };
        let metres = V::splat(self.metres);
        let zero = V::zero();
        if TABLES {
            let line = self.edges.discharge[axis];
            fetch_lanes_ahead::<V, _>(line, here + self.window.stride);
            // SAFETY: the caller keeps `here` in the window, and arrays are PADDING longer than
            // their cells.
            let discharge = unsafe { V::load(line, here) };
            return (self.whole(axis, discharge), discharge);
        }
        let line = self.edges.velocity[axis];
        fetch_lanes_ahead::<V, _>(line, here + self.window.stride);
        // SAFETY: the caller keeps `here` in the window, and arrays are PADDING longer than their
        // cells.
        let velocity = unsafe { V::load(line, here) };
        let flat = Slope { depth: zero, level: zero, wet: zero };
        let (beside, slopes) = if R::ORDER == 1 {
            ([zero; 2], [flat; 2])
        } else {
            // SAFETY: at second order the caller guarantees one more row before and after in the
            // window. The index saturates before the first cell, where the result is not used.
            unsafe {
                let beside =
                    [V::load(line, here.saturating_sub(ahead)), V::load(line, here + ahead)];
                (beside, [self.slope(here, ahead), self.slope(here + ahead, ahead)])
            }
        };
        let passage = FluxStencil {
            rise: levels.rise,
            depth: [levels.water[0].to_real() * metres, levels.water[1].to_real() * metres],
            velocity,
            line: beside,
            slopes,
        };
        // SAFETY: the caller keeps both cells of each edge in the window, and arrays are PADDING
        // longer than their cells.
        let discharge = unsafe {
            let discharge = self.solver.0.discharge(self.terms[axis].solver, passage);
            let discharge = self.edges.limited::<V>(axis, here, discharge, levels.depth);
            match R::ORDER {
                1 => discharge, // which has its own depth
                _ => V::if_greater(levels.depth, V::splat(DRY), discharge, zero),
            }
        };
        (self.whole(axis, discharge), discharge)
    }

    /// Converts a discharge across edges to whole grains.
    #[inline(always)]
    fn whole<V: Real>(&self, axis: usize, discharge: V) -> V::Whole {
        let grains = discharge * V::splat(self.terms[axis].grains);
        let most = V::splat(MAX_FACE_FLUX);
        let whole = (grains.abs() + V::splat(self.phase)).lower(most).truncate();
        V::choose(V::zero(), grains, V::Whole::splat(0) - whole, whole)
    }

    /// Computes the slopes of some cells along an axis on which the next cell is `ahead` elements
    /// away. (SW2 1)
    ///
    /// # Safety
    /// The cell ahead must be in the window.
    #[inline(always)]
    unsafe fn slope<V: Real>(&self, cell: usize, ahead: usize) -> Slope<V> {
        let (bed, water) = (self.window.bed, self.window.water);
        let (behind, fore) = (cell.saturating_sub(ahead), cell + ahead);
        let (metres, step) = (V::splat(self.metres), V::splat(Bed::STEP));
        // SAFETY: the caller guarantees that the cell ahead is in the window, and the index behind
        // saturates at its first cell.
        unsafe {
            let [w0, w1, w2] = [
                V::Whole::load(water, behind),
                V::Whole::load(water, cell),
                V::Whole::load(water, fore),
            ];
            let z1 = V::Whole::load(bed, cell);
            let up = (z1 - V::Whole::load(bed, behind)).to_real() * step;
            let on = (V::Whole::load(bed, fore) - z1).to_real() * step;
            let (back, fore) = ((w1 - w0).to_real() * metres, (w2 - w1).to_real() * metres);
            let (least, depth) = (w0.min(w1).min(w2).to_real() * metres, w1.to_real() * metres);
            let (zero, one) = (V::zero(), V::splat(1.0));
            let wet = V::if_greater(least, V::splat(DRY), one, zero);
            let wet = V::if_greater(depth, up.abs().higher(on.abs()), wet, zero);
            let level = minmod(back + up, fore + on);
            Slope {
                depth: V::if_greater(wet, zero, minmod(back, fore), zero),
                level: V::if_greater(wet, zero, level, zero),
                wet,
            }
        }
    }
}
