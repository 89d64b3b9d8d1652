//! Detection of undeclared NoData among heights: numbers such as 9999, −9998, or 0 beside real
//! heights.
//!
//! Such a number is the lowest or the highest of all, occurs bit-identically in several cells, is a
//! whole number, and is much farther from the other heights than these are from each other.

use crate::engine::grid::Bed;
use rayon::prelude::*;
use std::collections::HashSet;

/// Minimum number of cells for a mark; fewer may be coincidence.
const LEAST_CELLS: u64 = 3;
/// Minimum distance of a mark from the other heights (m).
const LEAST_GAP: usize = 20;
/// Distance that separates a mark from any terrain, however rough (m).
const WIDE_GAP: usize = 100;
/// Minimum distance of a mark from the other heights, in multiples of their usual gap.
const TIMES: usize = 4;
/// Minimum number of different heights in real terrain; fewer may be synthetic.
const LEAST_HEIGHTS: usize = 8;

/// Number of histogram bins: one per metre.
const BINS: usize = 2 * Bed::LIMIT as usize + 2;
/// Binary logarithm of the number of levels per metre.
const PER_METRE: u32 = 16;

fn bin(level: i32) -> usize {
    ((level >> PER_METRE) + Bed::LIMIT as i32) as usize
}

/// Histogram of heights.
#[derive(Clone)]
pub struct Heights {
    /// Number of cells per bin.
    counts: Vec<u64>,
    /// Lowest level (2⁻¹⁶ m).
    pub lowest: Option<i32>,
    /// Highest level (2⁻¹⁶ m).
    pub highest: Option<i32>,
    /// Sample of different levels, up to the number that matters.
    different: HashSet<i32>,
}

impl Heights {
    /// Counts levels; none may be outside the domain.
    pub fn of(levels: impl ParallelIterator<Item = i32>) -> Heights {
        assert_eq!(f64::from(1u32 << PER_METRE), Bed::PER_METRE, "bins are metres");
        let none = || Heights {
            counts: vec![0; BINS],
            lowest: None,
            highest: None,
            different: HashSet::new(),
        };
        levels.fold(none, Heights::with).reduce(none, Heights::add)
    }

    fn with(mut self, level: i32) -> Heights {
        self.counts[bin(level)] += 1;
        self.lowest = Some(self.lowest.map_or(level, |lowest| lowest.min(level)));
        self.highest = self.highest.max(Some(level));
        if self.different.len() < LEAST_HEIGHTS {
            self.different.insert(level);
        }
        self
    }

    fn add(mut self, other: Heights) -> Heights {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a += b);
        self.lowest = [self.lowest, other.lowest].into_iter().flatten().min();
        self.highest = self.highest.max(other.highest);
        self.different.extend(other.different);
        self
    }

    /// Returns `true` if there are as many different heights as in real terrain.
    pub fn are_many(&self) -> bool {
        self.different.len() >= LEAST_HEIGHTS
    }

    /// Returns the most frequent whole metre that meets a condition (m), and its number of cells.
    pub fn fullest(&self, counts: impl Fn(f64) -> bool) -> Option<(i64, u64)> {
        let metre = |bin: usize| bin as i64 - Bed::LIMIT as i64;
        let bins = self.bins().map(|bin| (metre(bin), self.counts[bin]));
        bins.filter(|(metre, _)| counts(*metre as f64)).max_by_key(|(_, count)| *count)
    }

    /// Returns the second-widest gap between neighbouring heights (m): beyond the widest there may
    /// be a mark.
    pub fn usual_gap(&self) -> usize {
        let bins: Vec<usize> = self.bins().collect();
        usual_gap(&bins)
    }

    fn bins(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.counts.len()).filter(|&bin| self.counts[bin] > 0)
    }
}

fn usual_gap(bins: &[usize]) -> usize {
    let mut gaps: Vec<usize> = bins.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    gaps.iter().rev().nth(1).copied().unwrap_or(1)
}

/// Finds the levels (as [`Bed`] stores them) that most likely mark missing data, with the number of
/// cells of each.
pub fn find(levels: &[i32]) -> Vec<(i32, usize)> {
    let inside = || levels.par_iter().with_min_len(1 << 20).copied();
    let mut heights = Heights::of(inside().filter(|&level| level != Bed::OUTSIDE));
    let mut found = Vec::new();
    while let Some(far) = farthest(&heights).filter(|&far| heights.counts[far] >= LEAST_CELLS) {
        let mut own = levels.iter().copied().filter(|&l| l != Bed::OUTSIDE && bin(l) == far);
        let Some(level) = own.next().filter(|level| own.all(|other| other == *level)) else {
            break;
        };
        found.push((level, heights.counts[far] as usize));
        heights.counts[far] = 0;
    }
    if found.is_empty() {
        return found;
    }
    let known = |level: &i32| *level == Bed::OUTSIDE || found.iter().any(|(mark, _)| mark == level);
    match Heights::of(inside().filter(|level| !known(level))).are_many() {
        true => found,
        false => Vec::new(),
    }
}

/// Returns the lowest or the highest bin, if it is far from the others.
fn farthest(heights: &Heights) -> Option<usize> {
    let bins: Vec<usize> = heights.bins().collect();
    let is_far = |gap: usize, rest: &[usize]| {
        let range = rest[rest.len() - 1] - rest[0];
        let usual = usual_gap(rest);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Hills between two heights (m), with some cells of another height.
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
            // A synthetic terrain: a basin with walls.
            [(0.0, 90), (1000.0, 30)].iter().flat_map(|&(h, n)| hills(h, h, &[(h, n)])).collect(),
            vec![Bed::OUTSIDE; 9],
            Vec::new(),
        ] {
            assert_eq!(marks(&levels), []);
        }
    }
}
