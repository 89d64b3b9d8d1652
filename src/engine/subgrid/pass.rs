//! The pass between two cells, and the pools within one.

use super::pixels::{CLOSED, Pair, Pixels};

/// What a pool is deeper than that counts (2⁻¹⁶ m), which is 0.1 m.
pub const DEEP: i32 = 6554;

/// Marks pixels that are not reached yet.
const DRY: u32 = u32::MAX;

/// What the search for passes needs, kept from one to the next.
#[derive(Debug, Default)]
pub struct Search {
    /// Per pixel of a pair: another one of the same pool, itself if it stands for the pool; [`DRY`].
    towards: Vec<u32>,
}

impl Search {
    /// The least level at which water gets from the lowest pixel of one cell to that of the other over the sides of pixels of these two
    /// cells (2⁻¹⁶ m), if there is any. Of pixels that are the lowest the first of the cell's order is taken, which is the same one for
    /// all four edges: a cell's water is where that is.
    ///
    /// Pixels become wet from the lowest up, and are joined to the pools beside them (Kruskal's algorithm).
    pub fn pass(&mut self, pair: &Pair) -> Option<i32> {
        let stride = pair.stride();
        let [first, second] = &pair.order;
        let (source, goal) = (*first.first()?, *second.first()?);
        self.towards.clear();
        self.towards.resize(pair.levels.len(), DRY);
        let (mut a, mut b) = (0, 0);
        loop {
            let level = |order: &[u32], at: usize| {
                order.get(at).map(|&pixel| (pair.levels[pixel as usize], pixel))
            };
            let (level, pixel) = match (level(first, a), level(second, b)) {
                (None, None) => return None,
                (Some(of_first), Some(of_second)) if of_first.0 > of_second.0 => {
                    b += 1;
                    of_second
                }
                (Some(of_first), _) => {
                    a += 1;
                    of_first
                }
                (None, Some(of_second)) => {
                    b += 1;
                    of_second
                }
            };
            if self.wet(pixel, stride) < 2 && pixel != source && pixel != goal {
                // No two pools met.
                continue;
            }
            if a > 0 && b > 0 && self.pool(source) == self.pool(goal) {
                return Some(level);
            }
        }
    }

    /// Whether a cell has two pools that are deeper than [`DEEP`] when its water stands at one of some levels, lowest first (2⁻¹⁶ m): what
    /// it holds is in both, then, and flows from one to the other through what parts them.
    pub fn is_parted(&mut self, cell: &Pixels, ratio: usize, levels: &[i32]) -> bool {
        let (order, stride) = (&cell.order, ratio + 2);
        let place = |pixel: u32| {
            let (row, column) = ((pixel >> 16) as usize, (pixel & 0xffff) as usize);
            ((row + 1) * stride + column + 1) as u32
        };
        let lowest = order.first().map_or(CLOSED, |&pixel| cell.level(ratio, pixel));
        if levels.iter().all(|level| level.saturating_sub(DEEP) <= lowest) {
            return false;
        }
        self.towards.clear();
        self.towards.resize(stride * stride, DRY);
        let mut dry = order.iter().copied().peekable();
        levels.iter().any(|&level| {
            while let Some(pixel) = dry.next_if(|&pixel| cell.level(ratio, pixel) < level) {
                self.wet(place(pixel), stride);
            }
            let bottom = level.saturating_sub(DEEP);
            let mut deep =
                order.iter().copied().take_while(|&pixel| cell.level(ratio, pixel) < bottom);
            let Some(first) = deep.next() else { return false };
            let first = self.pool(place(first));
            deep.any(|pixel| self.pool(place(pixel)) != first)
        })
    }

    /// Wets a pixel and joins the pools beside it: how many they were.
    fn wet(&mut self, pixel: u32, stride: usize) -> usize {
        let (here, mut pools) = (pixel as usize, 0);
        let mut of_this = pixel;
        self.towards[here] = pixel;
        for beside in [here - stride, here - 1, here + 1, here + stride] {
            if self.towards[beside] != DRY {
                let pool = self.pool(beside as u32);
                if pools == 0 {
                    of_this = pool;
                    self.towards[here] = pool;
                } else if pool != of_this {
                    self.towards[pool as usize] = of_this;
                } else {
                    continue;
                }
                pools += 1;
            }
        }
        pools
    }

    /// The pixel that stands for the pool of one. Ways to it become shorter as they are gone.
    fn pool(&mut self, mut pixel: u32) -> u32 {
        loop {
            let next = self.towards[pixel as usize];
            if next == pixel {
                return pixel;
            }
            let after = self.towards[next as usize];
            self.towards[pixel as usize] = after;
            pixel = after;
        }
    }
}
