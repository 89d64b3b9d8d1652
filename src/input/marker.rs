//! Heights that are most likely no heights: a number that marks missing data though nothing declares it, like 9999,
//! −9998, or 0 beside real heights.
//!
//! Such a number is the lowest or the highest of all, is there to the bit in several cells, is a whole number, and lies
//! much farther from the rest than these lie from each other.

use crate::engine::grid::Bed;
use rayon::prelude::*;
use std::collections::HashSet;

/// A height in so many cells is no accident.
const LEAST_CELLS: u64 = 3;
/// So far from the rest (m), at least, lies what is no height.
const LEAST_GAP: usize = 20;
/// This is far from any terrain however rough (m).
const WIDE_GAP: usize = 100;
/// So many times the gaps among the rest.
const TIMES: usize = 4;
/// Real heights are many: fewer different ones may be a drawing.
const LEAST_HEIGHTS: usize = 8;

/// Heights by whole metres, each from the number of its bin on.
const BINS: usize = 2 * Bed::LIMIT as usize + 2;
/// Levels in a metre, as a power of two.
const PER_METRE: u32 = 16;

fn bin(level: i32) -> usize {
    ((level >> PER_METRE) + Bed::LIMIT as i32) as usize
}

/// The levels (as [`Bed`] stores them) that are most likely marks of missing data, and in how many cells each is.
pub fn find(levels: &[i32]) -> Vec<(i32, usize)> {
    assert_eq!(f64::from(1u32 << PER_METRE), Bed::PER_METRE, "bins are metres");
    let none = || vec![0u64; BINS];
    let counts = levels.par_chunks(1 << 20).fold(none, |mut counts, levels| {
        levels.iter().filter(|&&level| level != Bed::OUTSIDE).for_each(|&level| {
            counts[bin(level)] += 1;
        });
        counts
    });
    let mut counts = counts.reduce(none, |mut a, b| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    });
    let mut found = Vec::new();
    while let Some(far) = farthest(&counts).filter(|&far| counts[far] >= LEAST_CELLS) {
        let mut own = levels.iter().copied().filter(|&l| l != Bed::OUTSIDE && bin(l) == far);
        let Some(level) = own.next().filter(|level| own.all(|other| other == *level)) else {
            break;
        };
        found.push((level, counts[far] as usize));
        counts[far] = 0;
    }
    let known = |level: &i32| *level == Bed::OUTSIDE || found.iter().any(|(mark, _)| mark == level);
    if found.is_empty() || !has_heights(levels.iter().copied().filter(|level| !known(level))) {
        return Vec::new();
    }
    found
}

/// The lowest or the highest bin, if it lies far from the rest.
fn farthest(counts: &[u64]) -> Option<usize> {
    let bins: Vec<usize> = (0..counts.len()).filter(|&bin| counts[bin] > 0).collect();
    let is_far = |gap: usize, rest: &[usize]| {
        let mut gaps: Vec<usize> = rest.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable();
        // But for the widest: at the other end there may be another mark.
        let usual = gaps.iter().rev().nth(1).copied().unwrap_or(1);
        let range = rest[rest.len() - 1] - rest[0];
        gap >= LEAST_GAP && gap >= TIMES * usual && (gap >= WIDE_GAP || 2 * gap >= range)
    };
    let (last, count) = (bins.len().checked_sub(1)?, bins.len());
    if count < 2 {
        return None;
    }
    if is_far(bins[last] - bins[last - 1], &bins[..last]) {
        return Some(bins[last]);
    }
    is_far(bins[1] - bins[0], &bins[1..]).then(|| bins[0])
}

/// Whether there are as many different ones as heights of real ground have.
fn has_heights(levels: impl Iterator<Item = i32>) -> bool {
    let mut known = HashSet::new();
    for level in levels {
        known.insert(level);
        if known.len() >= LEAST_HEIGHTS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hills between two heights (m), and some cells of another.
    fn hills(low: f64, high: f64, other: &[(f64, usize)]) -> Vec<i32> {
        let hills = (0..400).map(|at| low + (high - low) * f64::from(at * 37 % 400) / 400.0);
        let other = other.iter().flat_map(|&(height, count)| vec![height; count]);
        hills.chain(other).map(|height| Bed::quantize(height).unwrap()).collect()
    }

    fn marks(levels: &[i32]) -> Vec<(f64, usize)> {
        let found = find(levels).into_iter();
        found.map(|(level, count)| (f64::from(level) / Bed::PER_METRE, count)).collect()
    }

    #[test]
    fn marks_of_missing_data_are_found() {
        for value in [9999.0, -9998.0, 0.0, -999.0, 32767.0 / 4.0] {
            assert_eq!(marks(&hills(90.0, 130.0, &[(value, 5)])), [(value, 5)], "{value}");
        }
        assert_eq!(marks(&hills(300.0, 2400.0, &[(0.0, 900)])), [(0.0, 900)]);
        let both = hills(90.0, 130.0, &[(9999.0, 4), (-9998.0, 7)]);
        assert_eq!(marks(&both), [(9999.0, 4), (-9998.0, 7)]);
        let with_zero = hills(90.0, 130.0, &[(9999.0, 4), (0.0, 7)]);
        assert_eq!(marks(&with_zero), [(9999.0, 4), (0.0, 7)]);
    }

    #[test]
    fn ground_is_not_taken_for_a_mark() {
        for levels in [
            hills(90.0, 130.0, &[]),
            // A sea before a flat coast, a lake in a valley, a pit and a mast.
            hills(0.5, 130.0, &[(0.0, 900)]),
            hills(410.0, 900.0, &[(409.0, 300)]),
            hills(90.0, 130.0, &[(40.0, 2)]),
            hills(90.0, 130.0, &[(310.5, 1)]),
            // A sea below cliffs of a hilly coast.
            hills(40.0, 300.0, &[(0.0, 300)]),
            // A drawing: a basin with walls.
            [(0.0, 90), (1000.0, 30)].iter().flat_map(|&(h, n)| hills(h, h, &[(h, n)])).collect(),
            vec![Bed::OUTSIDE; 9],
            Vec::new(),
        ] {
            assert_eq!(marks(&levels), []);
        }
    }
}
