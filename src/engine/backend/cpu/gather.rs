//! Gather: collects the outflows of a step in the cells of a row.

use super::lanes_of_row::{put, too_deep};
use super::rows::Band;
use super::window::REACH;
use crate::lanes::{Real, Whole};
use crate::neighbourhood::offset;
use crate::solver::CellSolver;

impl<R: CellSolver> Band<'_, '_, R> {
    /// Computes the new water of a row: what each cell kept plus what its neighbours gave it.
    #[inline(always)]
    pub(super) fn gather<V: Real, const K: usize, const CHECKED: bool>(
        &mut self,
        row: usize,
    ) -> bool {
        let scratch = &*self.scratch;
        // Neighbour k gives in the opposite direction, which is the other one of its pair.
        let source: [usize; K] = std::array::from_fn(|k| {
            let (di, dj) = offset(k);
            let start = scratch.outflow_start::<K>(row.wrapping_add_signed(dj), k ^ 1);
            start.wrapping_add_signed(di)
        });
        let kept_row = &scratch.kept[scratch.kept_start(row)..];
        let end = self.window.width - REACH;
        let target = self.next.row(row - self.rows.start);
        let mut overflow = false;
        for at in (REACH..end).step_by(V::LANES) {
            // SAFETY: the scratch rows are PADDING longer than their cells (see `flow`), and there
            // are fewer lanes than that.
            unsafe {
                let mut water = V::Whole::load(kept_row, at);
                let mut lowest = water;
                for source in source {
                    let outflow = V::Whole::load(&scratch.outflow, source + at);
                    water = water + outflow;
                    if CHECKED {
                        lowest = lowest.min(water);
                    }
                }
                overflow |= CHECKED && too_deep::<V>(water, lowest, end - at);
                put::<V>(water, target, at - REACH);
            }
        }
        overflow
    }
}
