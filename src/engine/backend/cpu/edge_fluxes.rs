//! Fluxes across edges under a solver without momentum: collects the surroundings of each edge, and
//! rounds the solver's result to whole grains.

use super::edge_levels::FaceLevels;
use super::edge_rows::{AXES, BandDone, EdgeBand, EdgeWindow, RowFluxes};
use super::flow_diagnostics::FlowingRow;
use super::lanes_of_row::{greatest, keep, rows_of, within};
use super::window::{PADDING, REACH};
use crate::cell_diagnostics::RowFlow;
use crate::grid::Bed;
use crate::lanes::{Real, Whole, fetch_lanes_ahead};
use crate::solver::edge::{
    Axis, DRY, Edge, EdgeSolver, FaceFlux, MAX_FACE_FLUX, least_of_one_way, open_of,
};
use crate::subgrid::lookup::AtHigher;

/// Adapter for a solver that computes the flux of each edge at once, over flat cells or cells with
/// tables.
#[derive(Clone, Copy)]
pub(crate) struct Answers<R, const TABLES: bool>(pub R);

/// Constants of the solver, and grains per unit discharge (s/m · grains/m).
#[derive(Clone, Copy)]
pub(crate) struct Terms<T> {
    pub solver: T,
    pub grains: f32,
}

/// Result of a solver for some edges, in whole grains.
struct Answer<V: Real> {
    grains: V::Whole,
    cut: V::Whole,
    discharge: V,
    velocity: V,
    wave: V,
    critical: V,
    cfl_rate: V,
}

impl<R: EdgeSolver, const TABLES: bool> RowFluxes for Answers<R, TABLES> {
    const CAPPED: bool = R::CAPPED;
    type Terms = Terms<R::Terms>;

    #[inline(always)]
    fn terms(self, axis: Axis) -> Self::Terms {
        let grains = axis.dt * axis.inverse_length * axis.per_metre;
        Terms { solver: self.0.terms(axis), grains }
    }

    #[inline(always)]
    fn begin<V: Real>(band: &mut EdgeBand<'_, '_, Self>, first: usize) {
        if !R::REMEMBERS {
            band.face_row::<V>(1, first - 1);
            band.face_row::<V>(0, first);
        }
    }

    #[inline(always)]
    fn compute_fluxes<V: Real>(
        band: &mut EdgeBand<'_, '_, Self>,
        row: usize,
        done: &mut BandDone,
    ) -> f32 {
        if !R::REMEMBERS {
            band.face_row::<V>(0, row + 1);
            band.face_row::<V>(1, row);
        }
        let place = band.own_row(row);
        if !band.is_wet(row) && !band.is_wet(row + 1) {
            band.clear_fluxes(row);
            if band.evaluates_flow {
                band.clear_velocities(row);
            }
            return 0.0;
        }
        let [mut discharge, mut velocity] = [band.next_discharge.take(), band.next_velocity.take()];
        let mut kept = Kept::default();
        if let Some(place) = place {
            kept.discharge = rows_of(&mut discharge, place);
            kept.velocity = rows_of(&mut velocity, place);
        }
        // The edges of own cells.
        let (first, end) = (REACH - 1, band.window.width - REACH);
        let mut fastest = V::zero();
        for at in band.flux_columns().step_by(V::LANES) {
            // SAFETY: arrays and scratch rows are PADDING longer than their cells, and the window
            // contains the row before the first computed one.
            let cfl_rate = unsafe {
                let east = band.cross_axis::<V, 0>(row, at, &mut kept);
                east.higher(band.cross_axis::<V, 1>(row, at, &mut kept))
            };
            fastest = fastest.higher(within(cfl_rate, at, first..end));
        }
        if R::REMEMBERS && !done.moving {
            let rows = kept.discharge.iter().flatten();
            done.moving = rows.flat_map(|row| row.iter()).any(|discharge| *discharge != 0.0);
        }
        (band.next_discharge, band.next_velocity) = (discharge, velocity);
        if R::CAPPED {
            done.crossed.cut += band.cut_in(row);
        }
        if band.evaluates_flow && place.is_some() && band.window.row_on_grid(row) {
            band.scratch.diagnostics.end_row(band.window.own_on_grid(), &mut done.crossed);
            // SAFETY: arrays and scratch rows are PADDING longer than their cells.
            unsafe { band.flowing(row).record::<V>(band.maxima, &mut done.maxima) };
        } else {
            band.scratch.diagnostics.forget();
        }
        greatest(fastest)
    }
}

/// Output rows of edges: discharges and velocities of both axes, if they are kept.
#[derive(Default)]
struct Kept<'n> {
    discharge: Option<[&'n mut [f32]; 2]>,
    velocity: Option<[&'n mut [f32]; 2]>,
}

impl<R: EdgeSolver, const TABLES: bool> EdgeBand<'_, '_, Answers<R, TABLES>> {
    /// Computes the fluxes across some edges of an axis. Returns their CFL rate (s⁻¹).
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; the rows before and after must be in the window, too.
    #[inline(always)]
    unsafe fn cross_axis<V: Real, const AXIS: usize>(
        &mut self,
        row: usize,
        at: usize,
        kept: &mut Kept,
    ) -> V {
        // SAFETY: the caller guarantees that `at` and the rows before and after are in the window;
        // arrays are PADDING longer than their cells.
        unsafe {
            let levels = self.levels::<V>(AXIS, row, at);
            let [a, b] = levels.water;
            let start = self.scratch.flux_start(AXIS, row) + at;
            let across = self.scratch.axis_start(AXIS) + at;
            let (zero, none) = (V::zero(), V::Whole::splat(0));
            if !a.max(b).any_greater(none) {
                none.store(&mut self.scratch.fluxes, start);
                if R::CAPPED {
                    none.store(&mut self.scratch.cut, across);
                }
                for rows in [&mut kept.discharge, &mut kept.velocity].into_iter().flatten() {
                    keep(zero, at, rows[AXIS]);
                }
                if self.evaluates_flow {
                    let start = self.scratch.face_start(AXIS, row) + at;
                    zero.store(&mut self.scratch.velocity, start);
                }
                return zero;
            }
            let (answer, depth) = self.answer::<V>(AXIS, row, at, levels);
            answer.grains.store(&mut self.scratch.fluxes, start);
            if R::CAPPED {
                answer.cut.store(&mut self.scratch.cut, across);
            }
            if let Some(rows) = &mut kept.discharge {
                keep(answer.discharge, at, rows[AXIS]);
            }
            if let Some(rows) = &mut kept.velocity {
                keep(answer.velocity, at, rows[AXIS]);
            }
            if self.evaluates_flow {
                let (velocity, wave) = (answer.velocity, answer.wave);
                let start = self.scratch.face_start(AXIS, row) + at;
                velocity.store(&mut self.scratch.velocity, start);
                self.scratch.diagnostics.record(at, velocity, depth, wave, answer.critical);
            }
            answer.cfl_rate
        }
    }

    /// Clears the velocities of a row without flow, for steps that evaluate the flow.
    #[inline(always)]
    fn clear_velocities(&mut self, row: usize) {
        for axis in AXES {
            let start = self.scratch.face_start(axis, row);
            self.scratch.velocity[start..start + self.window.width + PADDING].fill(0.0);
        }
    }

    /// Returns the flow through the own cells of a row, which must be on the grid.
    #[inline(always)]
    fn flowing(&self, row: usize) -> FlowingRow<'_> {
        let own = self.window.own_on_grid();
        let first = row * self.window.stride + own.start;
        let over = |axis, row| &self.scratch.velocity[self.scratch.face_start(axis, row)..];
        FlowingRow {
            water: &self.window.water[first..],
            metres: self.metres,
            flow: RowFlow {
                along: &over(0, row)[own.start - 1..],
                before: &over(1, row - 1)[own.start..],
                after: &over(1, row)[own.start..],
            },
            cells: own.len(),
            number: self.window.number(first),
        }
    }

    /// Sums up the part of the own cells' outflow across the edges of a row that was held back
    /// (grains).
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

    /// Computes the values of a row's edges that determine the transverse flow at the edges
    /// across them.
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
                let FaceLevels { difference, depth, .. } = self.levels::<V>(axis, row, at);
                let face = self.solver.0.face(difference);
                let face = V::if_greater(depth, V::splat(DRY), face, V::zero());
                face.store(&mut self.scratch.face, start + at);
            }
        }
    }

    /// Limits the solver's flux across some edges with flow depth `depth` (m) by structures, if
    /// there are any; a smaller flux remains unchanged.
    ///
    /// # Safety
    /// `at` must be in the window.
    #[inline(always)]
    unsafe fn by_structures<V: Real>(
        &self,
        axis: usize,
        at: usize,
        depth: V,
        by_solver: FaceFlux<V>,
    ) -> FaceFlux<V> {
        let zero = V::zero();
        // SAFETY: the caller guarantees that `at` is in the window.
        let discharge = unsafe { self.edges.limited::<V>(axis, at, by_solver.discharge, depth) };
        let cut = (by_solver.discharge - discharge).abs();
        let grains = discharge * V::splat(self.terms[axis].grains);
        FaceFlux {
            grains: V::if_greater(cut, zero, grains, by_solver.grains),
            cut: V::if_greater(cut, zero, zero, by_solver.cut),
            velocity: V::if_greater(cut, zero, discharge / depth, by_solver.velocity),
            discharge,
            ..by_solver
        }
    }

    /// Looks up some edges in the tables, at the higher level of their cells. Returns the ground,
    /// the level difference and the section (m).
    ///
    /// # Safety
    /// Both cells must be in the window.
    #[inline(always)]
    unsafe fn at_higher<V: Real>(
        &self,
        axis: usize,
        [here, there]: [usize; 2],
        water: [V::Whole; 2],
    ) -> (AtHigher<V>, V, V) {
        let EdgeWindow { tables, level, rises, .. } = self.edges;
        let (table, zero) = (tables[axis], V::zero());
        // SAFETY: the caller guarantees that both cells are in the window; arrays are PADDING
        // longer than their cells.
        unsafe {
            let [a, b] = [V::Whole::load(level, here), V::Whole::load(level, there)];
            let difference = (a - b).to_real() * V::splat(Bed::STEP);
            let [depth_a, depth_b] = water.map(|water| water.to_real() * V::splat(self.metres));
            let holds = V::if_greater(zero, difference, depth_b, depth_a);
            let [open_a, open_b] =
                [table.over_open_pixels(here, depth_a), table.over_open_pixels(there, depth_b)];
            let donor = V::if_greater(zero, difference, open_b, open_a);
            let [over_a, over_b] = [table.over_sill::<V>(here, a), table.over_sill::<V>(here, b)];
            let [highest, lowest] = [over_a.higher(over_b), over_a.lower(over_b)];
            let surface = table.surface(highest, lowest);
            let section = table.section::<V>(here, [surface, lowest], donor);
            let rises_a = V::if_greater(over_a, zero, V::load(rises, here), zero);
            let rises_b = V::if_greater(over_b, zero, V::load(rises, there), zero);
            let rises = rises_a.higher(rises_b);
            (AtHigher { friction: section.friction, holds, rises }, difference, section.depth)
        }
    }

    /// Applies the solver to some edges. Returns its result, and the flow depth (m).
    ///
    /// # Safety
    /// As for [`EdgeBand::levels`]; the rows before and after must be in the window, too.
    #[inline(always)]
    unsafe fn answer<V: Real>(
        &self,
        axis: usize,
        row: usize,
        at: usize,
        levels: FaceLevels<V>,
    ) -> (Answer<V>, V) {
        let stride = self.window.stride;
        let here = row * stride + at;
        let ahead = if axis == 0 { 1 } else { stride };
        let zero = V::zero();
        let half = V::splat(0.5);
        // SAFETY: the caller guarantees that `at` and the rows before and after are in the window;
        // arrays are PADDING longer than their cells.
        unsafe {
            let roughness = match self.edges.roughness {
                Err(uniform) => V::splat(uniform),
                Ok(cells) => half * (V::load(cells, here) + V::load(cells, here + ahead)),
            };
            let (transverse, [kept, behind, next]) = if R::REMEMBERS {
                let [line, transverse] =
                    [self.edges.discharge[axis], self.edges.discharge[1 - axis]];
                let across = if axis == 0 { stride } else { 1 };
                fetch_lanes_ahead::<V, _>(line, here + 2 * stride);
                let [a, b] = [
                    V::load(transverse, here - across),
                    V::load(transverse, here - across + ahead),
                ];
                let [c, d] = [V::load(transverse, here), V::load(transverse, here + ahead)];
                let [behind, next] = [V::load(line, here - ahead), V::load(line, here + ahead)];
                let transverse = least_of_one_way(open_of([a, b, c, d]));
                (transverse, [V::load(line, here), behind, next])
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
                let [a, b] = [V::load(face, a), V::load(face, b)];
                let [c, d] = [V::load(face, c), V::load(face, d)];
                (least_of_one_way([a, b, c, d]), [zero; 3])
            };
            let FaceLevels { mut difference, mut depth, water: [a, b], .. } = levels;
            let mut ground = AtHigher { friction: zero, holds: zero, rises: zero };
            if TABLES {
                (ground, difference, depth) = self.at_higher(axis, [here, here + ahead], [a, b]);
            }
            let donor = V::choose(difference, zero, a, b);
            let edge = Edge {
                difference,
                depth: depth.higher(V::splat(DRY)),
                donor: donor.to_real() * V::splat(self.metres),
                roughness,
                transverse,
                discharge: kept,
                behind,
                ahead: next,
            };
            let terms = self.terms[axis].solver;
            let flux = match TABLES {
                true => self.solver.0.flux_over(terms, edge, ground),
                false => self.solver.0.flux(terms, edge),
            };
            let flux = match self.edges.structure[axis].is_empty() {
                true => flux,
                false => self.by_structures(axis, here, edge.depth, flux),
            };
            let where_wet = |value| V::if_greater(depth, V::splat(DRY), value, zero);
            let grains = where_wet(flux.grains);
            let most = V::splat(MAX_FACE_FLUX);
            let mut whole = (grains.abs() + V::splat(self.phase)).lower(most).truncate();
            let mut cut = V::Whole::splat(0);
            if R::CAPPED {
                // Also in whole grains, no edge takes more than a quarter of the donor's water or
                // half the level difference.
                let fall = difference.abs() * V::splat(1.0 / self.metres);
                let half_fall = fall.lower(V::splat(1e9)).truncate().shift_right(1);
                whole = whole.min(donor.shift_right(2)).min(half_fall);
                cut = where_wet(flux.cut).lower(most).truncate();
            }
            let signed = |x| V::choose(zero, grains, V::Whole::splat(0) - x, x);
            let answer = Answer {
                grains: signed(whole),
                cut: signed(cut),
                discharge: where_wet(flux.discharge),
                velocity: where_wet(flux.velocity),
                wave: flux.wave,
                critical: where_wet(flux.critical),
                cfl_rate: where_wet(flux.cfl_rate),
            };
            (answer, depth)
        }
    }
}
