//! The step of a rule with edges over a band of rows of a tile: what crosses each edge ([`Crosses`]), what givers
//! that have too little hold back, and the new water ([`super::edge_settle`]).
//!
//! As with cell rules the work is done row by row in lanes, with a few rows of scratch; an edge belongs to
//! the cell behind it, and is computed once.

use super::edge_scratch::EdgeScratch;
use super::frame::{Frame, Leaving, Left, PADDING, REACH};
use super::rows::AfterRow;
use crate::backend::Crossed;
use crate::extremes::Peaks;
use crate::lanes::Real;
use crate::rule::edge::Axis;
use std::ops::Range;

/// East, along a row; and south, from row to row.
pub const AXES: [usize; 2] = [0, 1];

/// What edge rules need of a tile beside the frame: arrays in the frame's layout.
#[derive(Clone, Copy)]
pub struct EdgeFrame<'a> {
    /// Manning's n per cell (s/m^⅓), or the same for all.
    pub roughness: Result<&'a [f32], f32>,
    /// Discharge of the edges east and south of each cell (m²/s), if it is remembered; else empty.
    pub discharge: [&'a [f32]; 2],
    /// The same of their velocity (m/s).
    pub velocity: [&'a [f32]; 2],
}

/// What a kind of rule with edges lets cross them.
pub trait Crosses: Copy {
    /// Whether the rule itself sees to it that no cell gives more than it has.
    const CAPPED: bool;
    /// What is the same for all edges of an axis in a step.
    type Terms: Copy;

    /// Works the terms out.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// Makes ready for the first row whose edges are computed.
    fn begin<V: Real>(_band: &mut EdgeBand<'_, '_, Self>, _first: usize) {}

    /// What crosses the edges of a row, for the whole width of the frame; says what they allow (s⁻¹).
    fn cross_row<V: Real>(
        band: &mut EdgeBand<'_, '_, Self>,
        row: usize,
        done: &mut EdgeDone,
    ) -> f32;
}

/// One step of an edge rule over a band of rows.
pub struct EdgeBand<'a, 'n, R: Crosses> {
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
    /// Their new discharges (m²/s), likewise; empty if they are not kept. The tile's first band also keeps those
    /// of `rows_before` rows before its own, its last band may of one after, and all keep the column before: an edge
    /// there, between a ghost beyond an open side and one of the own cells, belongs to the ghost.
    pub next_discharge: [&'n mut [f32]; 2],
    /// The same of their velocities (m/s).
    pub next_velocity: [&'n mut [f32]; 2],
    /// How many rows before its own the tile's first band keeps of them.
    pub rows_before: usize,
    /// The greatest values before the step.
    pub peaks: Peaks,
    /// Whether the flow over the edges is looked at.
    pub looks: bool,
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
    pub left: Left,
    /// Whether any discharge is remembered.
    pub moving: bool,
    /// Whether a cell would hold too much.
    pub overflow: bool,
    /// The greatest speed and the like, at places in the frame.
    pub peaks: Peaks,
}

impl<R: Crosses> EdgeBand<'_, '_, R> {
    /// Steps the band and hands each finished row to `observer`. `CHECKED` looks for too much water; it may be
    /// left out where no cell of the frame holds more than [`crate::grains::SHALLOW_WATER`].
    #[inline(always)]
    pub fn flow<V: Real, const CHECKED: bool>(mut self, observer: &mut impl AfterRow) -> EdgeDone {
        let (first, last) = (self.rows.start, self.rows.end);
        let Frame { bed, water, row_wet, stride } = self.frame;
        let cells = stride * row_wet.len() + PADDING;
        assert!(bed.len() >= cells && water.len() >= cells && V::LANES < PADDING);
        assert!(first >= REACH && last + REACH <= row_wet.len());
        let EdgeFrame { discharge, velocity, .. } = self.edges;
        let mut layers = discharge.iter().chain(&velocity);
        assert!(layers.all(|layer| layer.is_empty() || layer.len() >= cells));
        assert!(self.edges.roughness.is_err() || self.edges.roughness.unwrap().len() >= cells);
        let mut done = EdgeDone::default();
        R::begin::<V>(&mut self, first - 2);
        for row in first - 2..=last {
            let own = self.rows.contains(&row);
            let pace = R::cross_row::<V>(&mut self, row, &mut done);
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

    /// Where the discharges and velocities of a row are kept, if they are: the place of its first cell.
    #[inline(always)]
    pub(super) fn kept(&self, row: usize) -> Option<usize> {
        let before = if self.rows.start == REACH { self.rows_before } else { 0 };
        let first = self.rows.start - before;
        let kept = self.next_discharge[0].len() / self.frame.stride;
        (first..first + kept).contains(&row).then(|| (row - first) * self.frame.stride)
    }

    /// Nothing crosses the edges of a row, as far as the cells are concerned.
    #[inline(always)]
    pub(super) fn cross_nothing(&mut self, row: usize) {
        for axis in AXES {
            let start = self.scratch.crossing_start(axis, row) - PADDING;
            self.scratch.crossing[start..start + self.frame.stride + 2 * PADDING].fill(0);
        }
    }
}
