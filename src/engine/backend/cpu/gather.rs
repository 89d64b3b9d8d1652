//! Where the outflows of a step arrive: in the cells of a row.

use super::rows::Band;
use super::window::{PADDING, REACH};
use crate::grains::MAX_WATER;
use crate::lanes::{Real, Whole};
use crate::neighbourhood::offset;
use crate::rule::CellRule;

impl<R: CellRule> Band<'_, '_, R> {
    /// The new water of a row: what each cell kept and what its neighbours gave it.
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
        let limit = V::Whole::splat(MAX_WATER);
        let mut overflow = false;
        for at in (REACH..end).step_by(V::LANES) {
            // SAFETY: the scratch rows are PADDING longer than their cells (see `flow`), and only whole
            // groups of lanes are stored in the target.
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
                let whole = at + V::LANES <= end;
                // Every term lies within 0 and MAX_WATER, so a sum that leaves i32 is negative when
                // it does, whatever it has wrapped round to in the end.
                if CHECKED && (water.any_greater(limit) || V::Whole::splat(0).any_greater(lowest)) {
                    // The last lanes may hold what lies beyond the row: look at each alone.
                    let (mut sums, mut lows) = ([0; PADDING], [0; PADDING]);
                    water.store(&mut sums, 0);
                    lowest.store(&mut lows, 0);
                    let count = V::LANES.min(end - at);
                    overflow |= sums[..count].iter().any(|&sum| sum > MAX_WATER);
                    overflow |= lows[..count].iter().any(|&low| low < 0);
                }
                if whole {
                    water.store(target, at - REACH);
                } else {
                    let mut last = [0; PADDING];
                    water.store(&mut last, 0);
                    target[at - REACH..].copy_from_slice(&last[..end - at]);
                }
            }
        }
        overflow
    }
}
