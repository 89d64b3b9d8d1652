//! Water filling: the fall of the level when a cell's water is poured over its surroundings.
//!
//! Rinaldi et al. (2008, step 2) and Topa & Młocek (2013, algorithms 1 and 2) both pour a cell's
//! water into containers whose floors are the cell's bed and its neighbours' levels. With floors
//! `q_1 ≤ … ≤ q_m` the resulting level is the least of the prefix means `(w + q_1 + … + q_i) / i`,
//! because each further floor lowers the mean exactly as long as it is below it.
//!
//! All quantities are relative to the cell's own level: a neighbour is given by its `drop`, the
//! distance of its level below the cell's. A neighbour that is not lower has drop 0 (it receives
//! nothing, and including it does not change a minimum). The cell's bed is `depth` below its level;
//! with it in the sum the water cancels exactly, which keeps a lake still to the bit.
//!
//! Loops over arrays use indices throughout: closures are not compiled for the wide instruction
//! sets, and calling them halves the speed.

use crate::lanes::Real;

/// Sorting networks (pairs to order) for 4 and 8 numbers: 5 and 19 exchanges, the fewest possible.
const NETWORK_4: [(usize, usize); 5] = [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)];
const NETWORK_8: [(usize, usize); 19] = [
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (2, 4),
    (3, 5),
    (1, 4),
    (3, 6),
    (1, 2),
    (3, 4),
    (5, 6),
];

/// Sorts 4 or 8 numbers in descending order, without branches. The result does not depend on the
/// input order, so the solvers are symmetric to the bit under mirroring and quarter turns.
#[inline(always)]
pub fn sort_descending<V: Real, const K: usize>(mut x: [V; K]) -> [V; K] {
    let network: &[(usize, usize)] = if K == 4 { &NETWORK_4 } else { &NETWORK_8 };
    for &(i, j) in network {
        (x[i], x[j]) = (x[i].higher(x[j]), x[i].lower(x[j]));
    }
    x
}

/// Returns 1/n for the prefix means of up to nine floors.
#[inline(always)]
fn reciprocal<V: Real>(n: usize) -> V {
    V::splat(1.0 / n as f32)
}

/// Computes the fall of the level (length) if the cell's bed stays covered: the largest mean of the
/// `i` greatest drops and the cell itself, `(x_1 + … + x_i) / (i + 1)`. `drop` (length) ≥ 0,
/// unsorted.
///
/// Whenever the true fall exceeds the depth of water, so does this, so its minimum with the depth
/// is Rinaldi et al. (2008), eq. 3, in every case.
#[inline(always)]
pub fn fall_over_own_bed<V: Real, const K: usize>(drop: [V; K]) -> V {
    let x = sort_descending(drop);
    let mut sum = x[0];
    let mut fall = sum * reciprocal(2);
    for i in 1..K {
        sum = sum + x[i];
        fall = fall.higher(sum * reciprocal(i + 2));
    }
    fall
}

/// Pours `depth` (length) of water over the cell's bed and its neighbours' levels. Returns the
/// resulting level (length above the lowest neighbour's level, or above the cell's own level if no
/// neighbour is lower) and the height of each neighbour's level in the same frame (length). `drop`
/// (length) ≥ 0, unsorted.
///
/// Measuring from the lowest floor keeps both extremes exact: a film on a steep slope runs off
/// entirely, and a lake at rest pours nothing.
#[inline(always)]
pub fn level_over_lowest<V: Real, const K: usize>(depth: V, drop: [V; K]) -> (V, [V; K]) {
    let x = sort_descending(drop);
    let deepest = x[0];
    let mut level = depth.lower(deepest * reciprocal(2));
    let mut sum = V::zero();
    for i in 1..K {
        sum = sum + (deepest - x[i]);
        level = level.lower((depth + sum) * reciprocal(i + 1));
        level = level.lower((deepest + sum) * reciprocal(i + 2));
    }
    let mut height = drop;
    for k in 0..K {
        height[k] = deepest - drop[k];
    }
    (level, height)
}
