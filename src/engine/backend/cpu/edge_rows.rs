//! Step of a solver with edges over a band of rows: the flux across each edge ([`RowFluxes`]), the
//! limits on donors with too little water, and the new water ([`super::edge_update`]).
//!
//! As with cell solvers, the work is done row by row in lanes, with a few scratch rows. An edge
//! belongs to the cell behind it, and is computed once.

use super::edge_scratch::EdgeScratch;
use super::shared::Target;
use super::watch::Watch;
use super::window::{PADDING, REACH, Window};
use crate::backend::FluxStatistics;
use crate::lanes::Real;
use crate::run_diagnostics::Maxima;
use crate::solver::edge::Axis;
use crate::subgrid::lookup::EdgeTables;
use std::ops::Range;

/// East, along a row; and south, from row to row.
pub(crate) const AXES: [usize; 2] = [0, 1];

/// Edge arrays of a window or of the whole frame, laid out like the cells' arrays.
#[derive(Clone, Copy)]
pub(crate) struct EdgeWindow<'a> {
    /// Manning's n per cell (s/m^⅓), or the uniform value.
    pub roughness: Result<&'a [f32], f32>,
    /// Discharge across the edges east and south of each cell (m²/s), if it is kept; else empty.
    pub discharge: [&'a [f32]; 2],
    /// Velocity on the edges east and south of each cell (m/s), if it is kept; else empty.
    pub velocity: [&'a [f32]; 2],
    /// Flux of structures across these edges (m²/s), 0 without one; empty if the run has no
    /// structures.
    pub structure: [&'a [f32]; 2],
    /// Edge tables of both axes, levels (2⁻¹⁶ m), and their rise per unit of mean depth; empty
    /// without tables.
    pub tables: [EdgeTables<'a>; 2],
    pub level: &'a [i32],
    pub rises: &'a [f32],
}

impl<'a> EdgeWindow<'a> {
    /// Returns the arrays from an index on, for a window of the frame.
    pub fn from(&self, start: usize) -> EdgeWindow<'a> {
        // Empty arrays stay empty.
        let floats = |layer: &'a [f32]| &layer[start.min(layer.len())..];
        let tables = |table: EdgeTables<'a>| {
            let from = |plane: &'a [i32]| &plane[start.min(plane.len())..];
            EdgeTables { planes: table.planes.map(from), cells: from(table.cells), ..table }
        };
        EdgeWindow {
            roughness: self.roughness.map(|cells| &cells[start..]),
            discharge: self.discharge.map(floats),
            velocity: self.velocity.map(floats),
            structure: self.structure.map(floats),
            tables: self.tables.map(tables),
            level: &self.level[start.min(self.level.len())..],
            rises: floats(self.rises),
        }
    }

    /// Iterates over the arrays that are not empty.
    fn layers(&self) -> impl Iterator<Item = &[f32]> {
        let all = self.discharge.into_iter().chain(self.velocity).chain(self.structure);
        all.filter(|layer| !layer.is_empty())
    }

    /// Returns the discharge across some edges of an axis with flow depth `depth` (m), as limited by
    /// structures.
    ///
    /// # Safety
    /// `at` must be in the window.
    #[inline(always)]
    pub(super) unsafe fn limited<V: Real>(
        &self,
        axis: usize,
        at: usize,
        of_solver: V,
        depth: V,
    ) -> V {
        let structure = self.structure[axis];
        if structure.is_empty() {
            return of_solver;
        }
        let zero = V::zero();
        // SAFETY: the caller guarantees that `at` is in the window, and arrays are PADDING longer
        // than their cells.
        let limit = unsafe { V::load(structure, at) };
        let most = limit.higher(zero) * depth;
        let limited = of_solver.lower(most).higher(zero - most);
        V::if_greater(limit.abs(), zero, limited, of_solver)
    }

    /// Returns the discharge across some edges of an axis (m²/s) that belongs to a velocity of the
    /// solver, as limited by structures.
    ///
    /// # Safety
    /// As for [`EdgeWindow::limited`].
    #[inline(always)]
    pub(super) unsafe fn limited_with<V: Real>(
        &self,
        axis: usize,
        at: usize,
        of_solver: V,
        velocity: V,
    ) -> V {
        let structure = self.structure[axis];
        if structure.is_empty() {
            return of_solver;
        }
        let zero = V::zero();
        // SAFETY: the caller guarantees that `at` is in the window, and arrays are PADDING longer
        // than their cells.
        let limit = unsafe { V::load(structure, at) };
        let (most, speed) = (limit.higher(zero), velocity.abs());
        let limited = V::if_greater(speed, most, of_solver * (most / speed), of_solver);
        V::if_greater(limit.abs(), zero, limited, of_solver)
    }
}

/// Computation of the flux across edges, for one kind of solver.
pub(crate) trait RowFluxes: Copy {
    /// Set if the solver itself ensures that no cell gives more than it holds.
    const CAPPED: bool;
    /// Constants of a step for all edges of an axis.
    type Terms: Copy;

    /// Computes the constants of a step.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// Prepares for the first row whose edges are computed.
    fn begin<V: Real>(_band: &mut EdgeBand<'_, '_, Self>, _first: usize) {}

    /// Computes the fluxes across the edges of a row, for the whole width of the window. Returns
    /// their CFL rate (s⁻¹).
    fn compute_fluxes<V: Real>(
        band: &mut EdgeBand<'_, '_, Self>,
        row: usize,
        done: &mut BandDone,
    ) -> f32;
}

/// A band of rows whose fluxes are computed, or whose velocities are updated after the water has
/// moved.
pub(crate) struct EdgeBand<'a, 'n, R: RowFluxes> {
    /// The solver with edges.
    pub solver: R,
    /// Constants of the step for both axes.
    pub terms: [R::Terms; 2],
    /// Rounding phase of the step.
    pub phase: f32,
    /// Size of a grain (m).
    pub metres: f32,
    /// The state before the step, or between its halves.
    pub window: Window<'a>,
    /// Edge arrays of the band; between the halves, the velocities and discharges with which the
    /// water has moved.
    pub edges: EdgeWindow<'a>,
    /// Rows of the window to compute, [`REACH`] from its top and bottom.
    pub rows: Range<usize>,
    /// Output: discharges across the edges of own cells (m²/s), if they are kept.
    pub next_discharge: Option<[Target<'n, f32>; 2]>,
    /// Output: velocities on the edges of own cells (m/s), if they are kept.
    pub next_velocity: Option<[Target<'n, f32>; 2]>,
    /// Run diagnostics before the step.
    pub maxima: Maxima,
    /// Set if the step evaluates the flow.
    pub evaluates_flow: bool,
    /// Scratch rows of the thread.
    pub scratch: &'n mut EdgeScratch,
}

/// Result of a step of a band, or of half a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BandDone {
    /// CFL rate: 1 / the longest step that the flow allows (s⁻¹).
    pub cfl_rate: f32,
    /// Flux statistics of own cells.
    pub crossed: FluxStatistics,
    /// Set if any kept discharge or velocity is nonzero.
    pub moving: bool,
    /// Set if a cell would hold too much water.
    pub overflow: bool,
    /// Maxima at cells of the frame.
    pub maxima: Maxima,
}

impl<R: RowFluxes> EdgeBand<'_, '_, R> {
    /// Steps the band and passes each finished row to `watch`; `next` receives the new water of its
    /// own cells (grains): columns [`REACH`] from the window's sides. `CHECKED` detects water that
    /// is too deep; it may be false if no cell of the window holds more than
    /// [`crate::grains::SHALLOW_WATER`].
    #[inline(always)]
    pub fn flow<V: Real, const CHECKED: bool>(
        mut self,
        mut next: Target<i32>,
        watch: &mut Watch,
    ) -> BandDone {
        let (first, last) = (self.rows.start, self.rows.end);
        let Window { bed, water, row_wet, .. } = self.window;
        let cells = self.window.cells();
        assert!(bed.len() >= cells && water.len() >= cells && V::LANES < PADDING);
        assert!(first >= REACH && last + REACH <= row_wet.len());
        assert!(self.edges.layers().all(|layer| layer.len() >= cells));
        assert!(self.edges.roughness.is_err() || self.edges.roughness.unwrap().len() >= cells);
        let mut done = BandDone::default();
        R::begin::<V>(&mut self, first - 2);
        for row in first - 2..=last {
            let own = self.rows.contains(&row);
            let cfl_rate = R::compute_fluxes::<V>(&mut self, row, &mut done);
            if own || row + 1 == first {
                done.cfl_rate = done.cfl_rate.higher(cfl_rate);
            }
            if row + 1 >= first && !R::CAPPED {
                self.hold_back::<V>(row, own, &mut done);
            }
            if row > first {
                self.update_row::<V, CHECKED>(row - 1, &mut next, watch, &mut done);
            }
        }
        done
    }

    #[inline(always)]
    pub(super) fn is_wet(&self, row: usize) -> bool {
        self.window.row_wet[row]
    }

    /// Returns the columns of the window whose edges are computed: the edges of own cells and of
    /// the cells before and after them, and the edges leading to these from behind.
    #[inline(always)]
    pub(super) fn flux_columns(&self) -> Range<usize> {
        REACH - 2..self.window.width - REACH + 1
    }

    /// Returns the index of a row among the computed ones, if it is one of them.
    #[inline(always)]
    pub(super) fn own_row(&self, row: usize) -> Option<usize> {
        self.rows.contains(&row).then(|| row - self.rows.start)
    }

    /// Clears the fluxes across the edges of a row.
    #[inline(always)]
    pub(super) fn clear_fluxes(&mut self, row: usize) {
        for axis in AXES {
            let start = self.scratch.flux_start(axis, row) - PADDING;
            self.scratch.fluxes[start..start + self.window.width + 2 * PADDING].fill(0);
        }
    }
}
