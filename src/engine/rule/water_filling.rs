//! Water filling: how far the level falls when a cell's water is poured over its surroundings.
//!
//! Rinaldi et al. (2008, step 2) and Topa & Młocek (2013, algorithms 1 and 2) both pour a cell's
//! water into containers whose floors are its own bed and its neighbours' levels. With floors
//! `q_1 ≤ … ≤ q_m` the level reached is the least of the prefix means `(w + q_1 + … + q_i) / i`,
//! because each further floor lowers the mean exactly as long as it lies below it.
//!
//! Everything here is relative to the cell's own level: a neighbour is known by its `drop`, how far
//! its level lies below the cell's, and a neighbour that is not lower has drop 0 (it takes nothing,
//! and counting it changes no minimum). The own bed lies `depth` below the level; with it in the
//! sum the water cancels exactly, which is what keeps a lake still to the bit.
//!
//! Loops over arrays are written with indices throughout: closures are not compiled for the wide
//! instruction sets, and calling them costs half the speed.

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

/// Sorts 4 or 8 numbers, largest first, without a branch. The order of the input leaves no trace,
/// so the rules are symmetric under mirror and quarter turn to the bit.
#[inline(always)]
pub fn sort_descending<V: Real, const K: usize>(mut x: [V; K]) -> [V; K] {
    let network: &[(usize, usize)] = if K == 4 { &NETWORK_4 } else { &NETWORK_8 };
    for &(i, j) in network {
        (x[i], x[j]) = (x[i].higher(x[j]), x[i].lower(x[j]));
    }
    x
}

/// 1/n for the prefix means of up to nine floors.
#[inline(always)]
fn reciprocal<V: Real>(n: usize) -> V {
    V::splat(1.0 / n as f32)
}

/// How far the level falls (length) when the cell's own bed stays covered: the largest mean of the `i`
/// greatest drops and the cell itself, `(x_1 + … + x_i) / (i + 1)`. `drop` (length) ≥ 0, unsorted.
///
/// Where the true fall is greater than the depth of water this is too, so its minimum with the
/// depth is Rinaldi et al. (2008), eq. 3, in every case.
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

/// Level reached (length above the lowest neighbour's level, or above the own level if none is lower)
/// when `depth` (length) of water is poured over the own bed and the neighbours' levels, and how high
/// each neighbour's level lies in the same frame (length). `drop` (length) ≥ 0, unsorted.
///
/// Measuring from the lowest floor keeps both ends exact: a film on a steep slope goes down whole,
/// and a lake at rest pours nothing.
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
