//! Where the gifts of a step arrive: in the cells of a row, and beyond open edges.

use super::frame::{Leaving, Left, PADDING, REACH};
use super::rows::Band;
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
        start: usize,
    ) -> bool {
        let scratch = &*self.scratch;
        // Neighbour k gives in the opposite direction, which is the other one of its pair.
        let source: [usize; K] = std::array::from_fn(|k| {
            let (di, dj) = offset(k);
            let start = scratch.gift_start::<K>(row.wrapping_add_signed(dj), k ^ 1);
            start.wrapping_add_signed(di)
        });
        let kept_row = &scratch.kept[scratch.kept_start(row)..];
        let end = self.frame.stride - REACH;
        let target = &mut self.next[start..start + self.frame.stride];
        let limit = V::Whole::splat(MAX_WATER);
        let mut overflow = false;
        for at in (REACH..end).step_by(V::LANES) {
            // SAFETY: the scratch rows are PADDING longer than `stride` (see `flow`), and only whole
            // groups of lanes are stored in the target.
            unsafe {
                let mut water = V::Whole::load(kept_row, at);
                let mut lowest = water;
                for source in source {
                    let gift = V::Whole::load(&scratch.gift, source + at);
                    water = water + gift;
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
                    water.store(target, at);
                } else {
                    let mut last = [0; PADDING];
                    water.store(&mut last, 0);
                    target[at..end].copy_from_slice(&last[..end - at]);
                }
            }
        }
        overflow
    }

    /// What the cells of a row give over open edges (grains).
    pub(super) fn leave<const K: usize>(&self, row: usize) -> Left {
        let Leaving { north, south, west, east } = self.leaving;
        let columns = REACH..self.frame.stride - REACH;
        let mut left = Left::default();
        for k in 0..K {
            let (di, dj) = offset(k);
            let start = self.scratch.gift_start::<K>(row, k);
            let gift = &self.scratch.gift[start..start + self.frame.stride];
            let whole_row = (dj < 0 && north == Some(row)) || (dj > 0 && south == Some(row));
            if whole_row {
                let to = if dj < 0 { &mut left.north } else { &mut left.south };
                *to += gift[columns.clone()].iter().map(|&gift| i64::from(gift)).sum::<i64>();
            } else if let Some(column) = if di < 0 { west } else { east }.filter(|_| di != 0) {
                let to = if di < 0 { &mut left.west } else { &mut left.east };
                *to += i64::from(gift[column]);
            }
        }
        let first = self.astray.partition_point(|astray| astray.row < row);
        let here = self.astray[first..].iter().take_while(|astray| astray.row == row);
        for astray in here.filter(|astray| astray.to < K) {
            let start = self.scratch.gift_start::<K>(row, astray.to);
            astray.set_right(self.scratch.gift[start + astray.column], &mut left);
        }
        left
    }

    /// Whether a ghost beside a row's own cells gets more than [`MAX_WATER`].
    pub(super) fn ghosts_overflow<const K: usize>(&self, row: usize) -> bool {
        let Leaving { north, south, west, east } = self.leaving;
        // What arrives at a place from the neighbours on one side of it.
        let arrives = |column: usize, row: usize, from: fn((isize, isize)) -> bool| -> i64 {
            let gift = |k: usize| {
                let (di, dj) = offset(k);
                let start = self.scratch.gift_start::<K>(row.wrapping_add_signed(-dj), k);
                i64::from(self.scratch.gift[start + column.wrapping_add_signed(-di)])
            };
            (0..K).filter(|&k| from(offset(k))).map(gift).sum()
        };
        let too_much = |grains: i64| grains > i64::from(MAX_WATER);
        let mut columns = REACH..self.frame.stride - REACH;
        (north == Some(row)
            && columns.clone().any(|at| too_much(arrives(at, row - 1, |(_, dj)| dj < 0))))
            || (south == Some(row)
                && columns.any(|at| too_much(arrives(at, row + 1, |(_, dj)| dj > 0))))
            || west.is_some_and(|at| too_much(arrives(at - 1, row, |(di, _)| di < 0)))
            || east.is_some_and(|at| too_much(arrives(at + 1, row, |(di, _)| di > 0)))
    }
}
