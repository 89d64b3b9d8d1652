//! The step of a rule with edges over a band of rows: what crosses each edge ([`Crosses`]), what givers
//! that have too little hold back, and the new water ([`super::edge_update`]).
//!
//! As with cell rules the work is done row by row in lanes, with a few rows of scratch; an edge belongs to
//! the cell behind it, and is computed once.

use super::edge_scratch::EdgeScratch;
use super::shared::Target;
use super::watch::Watch;
use super::window::{PADDING, REACH, Window};
use crate::backend::Crossed;
use crate::extremes::Maxima;
use crate::forcing::structures::{CLOSED, DISCHARGES, LIMIT};
use crate::lanes::Real;
use crate::rule::edge::Axis;
use crate::subgrid::lookup::EdgeTables;
use std::ops::Range;

/// East, along a row; and south, from row to row.
pub(crate) const AXES: [usize; 2] = [0, 1];

/// What edge rules need beside the window: arrays that begin and go on as its; or those of the whole frame.
#[derive(Clone, Copy)]
pub(crate) struct EdgeWindow<'a> {
    /// Manning's n per cell (s/m^⅓), or the same for all.
    pub roughness: Result<&'a [f32], f32>,
    /// Discharge of the edges east and south of each cell (m²/s), if it is remembered; else empty.
    pub discharge: [&'a [f32]; 2],
    /// The same of their velocity (m/s).
    pub velocity: [&'a [f32]; 2],
    /// What crosses them by structures (m²/s), 0 where there is none; empty if the run has none.
    pub structure: [&'a [f32]; 2],
    /// Tables of the edges of both axes, levels (2⁻¹⁶ m), and how fast they rise; empty if cells have none.
    pub tables: [EdgeTables<'a>; 2],
    pub level: &'a [i32],
    pub rises: &'a [f32],
}

impl<'a> EdgeWindow<'a> {
    /// That of a window which begins at a place in the arrays of the frame.
    pub fn from(&self, start: usize) -> EdgeWindow<'a> {
        // What is not there stays away.
        let floats = |layer: &'a [f32]| &layer[start.min(layer.len())..];
        let tables = |table: EdgeTables<'a>| {
            EdgeTables(table.0.map(|plane| &plane[start.min(plane.len())..]))
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

    /// Arrays over edges.
    fn layers(&self) -> impl Iterator<Item = &[f32]> {
        let all = self.discharge.into_iter().chain(self.velocity).chain(self.structure);
        all.filter(|layer| !layer.is_empty())
    }

    /// The discharge over some edges of an axis (m²/s): that of structures where they say it, else that of the rule.
    ///
    /// # Safety
    /// The place must lie in the window.
    #[inline(always)]
    pub(super) unsafe fn over_structures<V: Real>(&self, axis: usize, at: usize, of_rule: V) -> V {
        let structure = self.structure[axis];
        if structure.is_empty() {
            return of_rule;
        }
        let (zero, closed) = (V::zero(), V::splat(CLOSED));
        // SAFETY: the caller's.
        let over = unsafe { V::load(structure, at) };
        let open = V::if_greater(over.abs(), closed, over, zero);
        let open = V::if_greater(over.abs(), V::splat(DISCHARGES), of_rule, open);
        V::if_greater(over.abs(), zero, open, of_rule)
    }

    /// The same of edges over which water flows with such depths (m): no more than structures allow.
    ///
    /// # Safety
    /// As for [`EdgeWindow::over_structures`].
    #[inline(always)]
    pub(super) unsafe fn held<V: Real>(&self, axis: usize, at: usize, of_rule: V, depth: V) -> V {
        if self.structure[axis].is_empty() {
            return of_rule;
        }
        let zero = V::zero();
        // SAFETY: the caller's.
        let (over, limit) =
            unsafe { (self.over_structures::<V>(axis, at, of_rule), self.limits::<V>(axis, at)) };
        let most = limit * depth;
        V::if_greater(limit, zero, over.lower(most).higher(zero - most), over)
    }

    /// The greatest velocities that structures allow over some edges of an axis (m/s) where they limit them, else 0.
    ///
    /// # Safety
    /// As for [`EdgeWindow::over_structures`].
    #[inline(always)]
    pub(super) unsafe fn limits<V: Real>(&self, axis: usize, at: usize) -> V {
        // SAFETY: the caller's.
        let over = unsafe { V::load(self.structure[axis], at) };
        let limit = over * V::splat(1.0 / LIMIT);
        V::if_greater(over, V::splat(DISCHARGES), limit, V::zero())
    }

    /// Velocities of some edges of an axis (m/s): none over structures, or what they allow.
    ///
    /// # Safety
    /// As for [`EdgeWindow::over_structures`].
    #[inline(always)]
    pub(super) unsafe fn beside_structures<V: Real>(&self, axis: usize, at: usize, of: V) -> V {
        let structure = self.structure[axis];
        if structure.is_empty() {
            return of;
        }
        let zero = V::zero();
        // SAFETY: the caller's.
        let (over, limit) = unsafe { (V::load(structure, at), self.limits::<V>(axis, at)) };
        let limited = V::if_greater(limit, zero, of.lower(limit).higher(zero - limit), zero);
        V::if_greater(over.abs(), zero, limited, of)
    }

    /// The discharge over some edges of an axis (m²/s) that goes with a velocity of the rule's: that of structures where they say it,
    /// or as much as their velocity allows.
    ///
    /// # Safety
    /// As for [`EdgeWindow::over_structures`].
    #[inline(always)]
    pub(super) unsafe fn told_structures<V: Real>(
        &self,
        axis: usize,
        at: usize,
        of_rule: V,
        velocity: V,
    ) -> V {
        if self.structure[axis].is_empty() {
            return of_rule;
        }
        // SAFETY: the caller's.
        let (over, limit) =
            unsafe { (self.over_structures::<V>(axis, at, of_rule), self.limits::<V>(axis, at)) };
        let speed = velocity.abs();
        let limited = V::if_greater(speed, limit, of_rule * (limit / speed), of_rule);
        V::if_greater(limit, V::zero(), limited, over)
    }
}

/// What a kind of rule with edges lets cross them.
pub(crate) trait Crosses: Copy {
    /// Whether the rule itself sees to it that no cell gives more than it has.
    const CAPPED: bool;
    /// What is the same for all edges of an axis in a step.
    type Terms: Copy;

    /// Works the terms out.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// Makes ready for the first row whose edges are computed.
    fn begin<V: Real>(_band: &mut EdgeBand<'_, '_, Self>, _first: usize) {}

    /// What crosses the edges of a row, for the whole width of the window; says what they allow (s⁻¹).
    fn cross_row<V: Real>(
        band: &mut EdgeBand<'_, '_, Self>,
        row: usize,
        done: &mut BandDone,
    ) -> f32;
}

/// A band of rows whose edges a rule crosses, or, under a rule with momentum, updates the velocities of when the water has moved.
pub(crate) struct EdgeBand<'a, 'n, R: Crosses> {
    /// The rule.
    pub rule: R,
    /// Its terms for both axes.
    pub terms: [R::Terms; 2],
    /// Rounding phase of the step.
    pub phase: f32,
    /// Metres per grain.
    pub metres: f32,
    /// The state before the step, or between its halves.
    pub window: Window<'a>,
    /// The rest of it; between the halves, the velocities and discharges with which the water has moved.
    pub edges: EdgeWindow<'a>,
    /// Rows of the window to compute, [`REACH`] from its top and bottom.
    pub rows: Range<usize>,
    /// The new discharges of the edges ahead of their own cells (m²/s), if they are kept.
    pub next_discharge: Option<[Target<'n, f32>; 2]>,
    /// The same of their velocities (m/s).
    pub next_velocity: Option<[Target<'n, f32>; 2]>,
    /// The greatest values before the step.
    pub maxima: Maxima,
    /// Whether the flow is looked at.
    pub looks: bool,
    /// Scratch rows.
    pub scratch: &'n mut EdgeScratch,
}

/// What a step of a band, or half of it, amounts to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BandDone {
    /// 1 / the longest step that the flow allows (s⁻¹).
    pub cfl_rate: f32,
    /// What own cells gave over edges, and what was cut of it.
    pub crossed: Crossed,
    /// Whether any discharge or velocity is remembered.
    pub moving: bool,
    /// Whether a cell would hold too much.
    pub overflow: bool,
    /// The greatest speed and the like, at cells of the frame.
    pub maxima: Maxima,
}

impl<R: Crosses> EdgeBand<'_, '_, R> {
    /// Steps the band and hands each finished row to `watch`; `next` is the new water of its own cells (grains): columns [`REACH`]
    /// from the window's sides. `CHECKED` looks for too much water; it may be left out where no cell of the window holds more than
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
            let cfl_rate = R::cross_row::<V>(&mut self, row, &mut done);
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

    /// The columns of the window whose edges are computed: those of own cells and of the cells before and after them, and what
    /// comes to these from behind.
    #[inline(always)]
    pub(super) fn crossed(&self) -> Range<usize> {
        REACH - 2..self.window.width - REACH + 1
    }

    /// Which of the rows that are computed a row is, if it is one.
    #[inline(always)]
    pub(super) fn own_row(&self, row: usize) -> Option<usize> {
        self.rows.contains(&row).then(|| row - self.rows.start)
    }

    /// Nothing crosses the edges of a row, as far as the cells are concerned.
    #[inline(always)]
    pub(super) fn cross_nothing(&mut self, row: usize) {
        for axis in AXES {
            let start = self.scratch.crossing_start(axis, row) - PADDING;
            self.scratch.crossing[start..start + self.window.width + 2 * PADDING].fill(0);
        }
    }
}
