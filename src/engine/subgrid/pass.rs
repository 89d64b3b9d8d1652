//! The pass between two cells, and the pools within one.

use super::main_pool::{Pools, place};
use super::pixels::{CLOSED, Pair, Pixels};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Depth from which a pool counts (2⁻¹⁶ m), which is 0.1 m.
pub const DEEP: i32 = 6554;

/// Scratch of the search for passes and pools, reused from one to the next.
#[derive(Debug, Default)]
pub struct Search {
    /// Pools of a cell.
    pools: Pools,
    /// Marks the visited pixels of a pair.
    seen: Vec<bool>,
    /// Submerged pixels whose neighbours are still to be visited.
    under: Vec<usize>,
    /// Shore pixels, by level (2⁻¹⁶ m): beside the water, but above it.
    shore: BinaryHeap<Reverse<(i32, usize)>>,
}

impl Search {
    /// Finds the lowest level at which water passes from the lowest pixel of one cell to the lowest
    /// pixel of the other, across the sides of pixels of both cells (2⁻¹⁶ m), if any. Of several
    /// lowest pixels, the first in the cell's order is used; it is the same for all four edges, so
    /// that the position of a cell's water is unique ([`super::main_pool`]).
    ///
    /// The water starts at the higher of the two pixels, and rises to the lowest pixel of its shore
    /// until it reaches the other (Barnes, Lehman & Mulla 2014, Computers & Geosciences 62,
    /// algorithm 2).
    pub fn pass(&mut self, pair: &Pair) -> Option<i32> {
        let level_of = |pixel: usize| pair.levels[pixel];
        let [first, second] = [&pair.order[0], &pair.order[1]].map(|order| order.first());
        let (first, second) = (*first? as usize, *second? as usize);
        let is_first = level_of(first) >= level_of(second);
        let (source, goal) = if is_first { (first, second) } else { (second, first) };
        let stride = pair.stride();
        self.seen.clear();
        self.seen.resize(pair.levels.len(), false);
        self.seen[source] = true;
        self.under.clear();
        self.under.push(source);
        self.shore.clear();
        let mut level = level_of(source);
        loop {
            while let Some(pixel) = self.under.pop() {
                // The last one is processed first: towards the other cell, so that a way down is
                // found soon.
                let (back, on) =
                    if is_first { (pixel - 1, pixel + 1) } else { (pixel + 1, pixel - 1) };
                for beside in [back, pixel - stride, pixel + stride, on] {
                    let its = level_of(beside);
                    if self.seen[beside] || its == CLOSED {
                        continue;
                    }
                    self.seen[beside] = true;
                    if its > level {
                        self.shore.push(Reverse((its, beside)));
                    } else if beside == goal {
                        return Some(level);
                    } else {
                        self.under.push(beside);
                    }
                }
            }
            let Reverse((rises, lowest)) = self.shore.pop()?;
            level = rises;
            self.under.push(lowest);
        }
    }

    /// Returns `true` if a cell has two pools deeper than [`DEEP`] at one of the given levels,
    /// lowest first (2⁻¹⁶ m). Then its water is in both, and the model lets it flow through the
    /// wall that divides them.
    pub fn is_parted(&mut self, cell: &Pixels, ratio: usize, levels: &[i32]) -> bool {
        let order = &cell.order;
        let place = |pixel: u32| place(ratio, (pixel >> 16) as usize, (pixel & 0xffff) as usize);
        let lowest = order.first().map_or(CLOSED, |&pixel| cell.level(ratio, pixel));
        if levels.iter().all(|level| level.saturating_sub(DEEP) <= lowest) {
            return false;
        }
        let pools = &mut self.pools;
        pools.clear(ratio, ratio);
        let mut dry = order.iter().copied().peekable();
        levels.iter().any(|&level| {
            while let Some(pixel) = dry.next_if(|&pixel| cell.level(ratio, pixel) < level) {
                pools.wet(place(pixel));
            }
            let bottom = level.saturating_sub(DEEP);
            let mut deep =
                order.iter().copied().take_while(|&pixel| cell.level(ratio, pixel) < bottom);
            let Some(first) = deep.next() else { return false };
            let first = pools.root(place(first));
            deep.any(|pixel| pools.root(place(pixel)) != first)
        })
    }
}
