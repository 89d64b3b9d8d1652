//! Weakest section across the ground between two cells at several levels.
//!
//! A section is a path of pixels from the first row to the last, which from row to row continues
//! straight on or to a neighbouring column, and runs along rows as far as it likes: any flow from
//! one cell to the other crosses every section. At a level its area is Σ h and its conveyance Σ
//! h^(5/3)/n (Manning; h the depth over a pixel), and each is minimized over all sections
//! separately. Dynamic programming goes over the rows with the minimum over all paths that end at a
//! pixel, for all levels at once.
//!
//! Weights are integers, scaled by powers of two to the range of 32 bits, so that sums are
//! independent of order: the tables of a mirrored DEM are identical. Areas are exact as long as the
//! depth is below 2²⁴ units of 2⁻¹⁶ m, and r + 1 times it below 2²⁸: 256 m for r = 8, 124 m for r =
//! 32.

use super::layout::edge::KNOTS;
use crate::lanes::{InstructionSet, Real, Whole, WithLanes};
use crate::solver::roots::inverse_sixth_root;

/// Number of levels: the knots from 1, and two above.
pub const LEVELS: usize = KNOTS + 2;

/// Number of lanes: an area and a conveyance for each level, first the areas, then the conveyances.
const LANES: usize = 2 * LEVELS;

/// Upper limit of a weakest section and of a weight.
const LARGEST: i32 = 1 << 29;

/// Infinity: more than any weakest section, and adding a weight does not overflow.
const NONE: i32 = 1 << 30;

/// Minimum ratio of a sum of weights to its rounding error; below it, the sum is recomputed with a
/// larger scale.
const LEAST: i32 = 1 << 10;

/// The pixels that sections cross.
#[derive(Clone, Copy, Debug)]
pub struct PixelTerrain<'a> {
    /// Height per pixel above a base level (2⁻¹⁶ m); the greatest number for a closed one.
    pub heights: &'a [i32],
    /// Factor on the conveyance over a pixel; 1 everywhere if empty.
    pub smoothness: &'a [f32],
    /// Number of rows; the pixels of a row are contiguous.
    pub rows: usize,
}

/// Areas and conveyances of the weakest sections at several levels, in pixel widths: Σ h (m) and Σ
/// h^(5/3) · smoothness (m^(5/3)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sections {
    /// Minimum of Σ h.
    pub areas: [f64; LEVELS],
    /// Minimum of Σ h^(5/3) · smoothness.
    pub conveyances: [f64; LEVELS],
}

/// Scratch of the dynamic programming, reused from one edge to the next.
#[derive(Debug, Default)]
pub struct SectionScratch {
    /// Minimum over all paths to each pixel of the previous row and of this one, with an extra
    /// column at each end; and the weights of this row.
    rows: [Vec<i32>; 3],
}

impl SectionScratch {
    /// Computes the weakest sections at levels above the base (2⁻¹⁶ m, positive, ascending).
    pub fn weakest(&mut self, ground: PixelTerrain, levels: [i32; LEVELS]) -> Sections {
        let mut scales = scales(&ground, levels);
        let set = InstructionSet::best();
        let mut sums = set.run(Programme { scratch: self, ground, levels, scales });
        let error = ground.rows as i32 + 1;
        if sums.iter().any(|&sum| sum < error * LEAST) {
            // Deep water that the weakest section avoids used up the bits. Larger sums need not be
            // distinguished.
            for (scale, sum) in scales.iter_mut().zip(sums) {
                let more = ((LARGEST / 2) / (sum + error)).max(1);
                *scale *= (1 << more.ilog2()) as f32;
            }
            sums = set.run(Programme { scratch: self, ground, levels, scales });
        }
        let at = |lane: usize| f64::from(sums[lane]) / f64::from(scales[lane]);
        Sections {
            areas: std::array::from_fn(|level| at(lane_of(level, 0))),
            conveyances: std::array::from_fn(|level| at(lane_of(level, 1))),
        }
    }
}

/// Returns the lane of the area (0) or the conveyance (1) at a level.
const fn lane_of(level: usize, what: usize) -> usize {
    what * LEVELS + level
}

/// Computes h^(5/3) of a depth (m) up to 2¹² m, as h² / h^(1/3).
#[inline(always)]
fn five_thirds<V: Real>(depth: V) -> V {
    let within = depth.higher(V::splat(1.0 / 131_072.0)).lower(V::splat(4096.0));
    let part = depth * inverse_sixth_root(within);
    part * part
}

/// Returns the factors by which weights are scaled before rounding to integers: powers of two that
/// keep the weakest section below 2²⁹.
fn scales(ground: &PixelTerrain, levels: [i32; LEVELS]) -> [f32; LANES] {
    let columns = ground.heights.len() / ground.rows;
    let lowest_of = |column: usize| {
        let heights = ground.heights[column..].iter().step_by(columns);
        heights.copied().fold(i32::MAX, i32::min)
    };
    // The weakest section is at most the straight one along any column.
    let lowest = (0..columns).map(lowest_of).fold(i32::MIN, i32::max);
    let smoothest = ground.smoothness.iter().copied().fold(1.0, f32::max);
    let mut scales = [0.0; LANES];
    for (level, z) in levels.into_iter().enumerate() {
        let depth = z.saturating_sub(lowest).max(1) as f32 * (1.0 / 65536.0);
        let weights = [depth, five_thirds(depth) * smoothest];
        for (what, weight) in weights.into_iter().enumerate() {
            let sum = weight * (ground.rows + 1) as f32;
            // It is below 2 to the power of its exponent plus 1.
            let exponent = (sum.to_bits() >> 23) as i32 - 127;
            scales[lane_of(level, what)] = f32::from_bits(((127 + 28 - exponent) as u32) << 23);
        }
    }
    scales
}

/// Dynamic programming over the rows.
struct Programme<'a> {
    scratch: &'a mut SectionScratch,
    ground: PixelTerrain<'a>,
    levels: [i32; LEVELS],
    scales: [f32; LANES],
}

impl WithLanes for Programme<'_> {
    type Output = [i32; LANES];

    #[inline(always)]
    fn with<V: Real>(self) -> [i32; LANES] {
        let Programme { scratch, ground, levels, scales } = self;
        let columns = ground.heights.len() / ground.rows;
        assert!(LANES.is_multiple_of(V::LANES), "lanes in whole vectors");
        let (mut level_of, mut is_conveyance) = ([0; LANES], [0.0; LANES]);
        for (level, &z) in levels.iter().enumerate() {
            for what in 0..2 {
                level_of[lane_of(level, what)] = z;
                is_conveyance[lane_of(level, what)] = what as f32;
            }
        }
        for row in &mut scratch.rows {
            row.clear();
            row.resize((columns + 2) * LANES, 0);
        }
        let [before, here, weights] = &mut scratch.rows;
        for front in [&mut *before, &mut *here] {
            front[..LANES].fill(NONE);
            front[(columns + 1) * LANES..].fill(NONE);
        }

        for row in 0..ground.rows {
            let heights = &ground.heights[row * columns..][..columns];
            for lane in (0..LANES).step_by(V::LANES) {
                // SAFETY: each array has LANES numbers, a multiple of the number of lanes, and
                // `lane` is one of these multiples.
                let (level, scale, conveys) = unsafe {
                    (
                        V::Whole::load(&level_of, lane),
                        V::load(&scales, lane),
                        V::load(&is_conveyance, lane),
                    )
                };
                let mut beside = V::Whole::splat(NONE);
                for column in 0..columns {
                    let height = V::Whole::splat(heights[column]);
                    let depth = (level - height).max(V::Whole::splat(0)).to_real();
                    let depth = depth * V::splat(1.0 / 65536.0);
                    // Vectors that hold only areas skip the power.
                    let weight = if lane + V::LANES <= LEVELS {
                        depth
                    } else {
                        let smoothness = ground.smoothness.get(row * columns + column);
                        let smoothness = V::splat(smoothness.copied().unwrap_or(1.0));
                        let power = five_thirds(depth) * smoothness;
                        V::if_greater(conveys, V::zero(), power, depth)
                    };
                    let weight = (weight * scale).lower(V::splat(LARGEST as f32)).truncate();
                    let at = column * LANES + lane;
                    // SAFETY: rows have LANES numbers for each column and for one more on each
                    // side, so `at + 3 * LANES` is at most their length.
                    let above = unsafe {
                        let straight = V::Whole::load(before, at + LANES);
                        let left = V::Whole::load(before, at);
                        straight.min(left).min(V::Whole::load(before, at + 2 * LANES))
                    };
                    beside = (above.min(beside) + weight).min(V::Whole::splat(NONE));
                    // SAFETY: `at + 2 * LANES` is within the rows, as for the loads above.
                    unsafe {
                        beside.store(here, at + LANES);
                        weight.store(weights, at);
                    }
                }
                for column in (0..columns - 1).rev() {
                    let at = column * LANES + lane;
                    // SAFETY: `at + 2 * LANES` is within the rows, as in the loop above.
                    unsafe {
                        let back = beside + V::Whole::load(weights, at);
                        beside = V::Whole::load(here, at + LANES).min(back);
                        beside.store(here, at + LANES);
                    }
                }
            }
            std::mem::swap(before, here);
        }
        let mut least = [NONE; LANES];
        for lane in (0..LANES).step_by(V::LANES) {
            let mut of_all = V::Whole::splat(NONE);
            for column in 0..columns {
                // SAFETY: rows have LANES numbers for each column and for one more on each side.
                of_all = of_all.min(unsafe { V::Whole::load(before, (column + 1) * LANES + lane) });
            }
            // SAFETY: `least` has LANES numbers, a multiple of the number of lanes.
            unsafe { of_all.store(&mut least, lane) };
        }
        least
    }
}

/// Returns `true` if some section consists only of pixels at or above `height` (2⁻¹⁶ m), so that
/// nothing crosses it at that level.
pub fn is_shut(ground: PixelTerrain, height: i32, scratch: &mut [Vec<bool>; 2]) -> bool {
    let columns = ground.heights.len() / ground.rows;
    let [before, here] = scratch;
    for row in [&mut *before, &mut *here] {
        row.clear();
        row.resize(columns + 2, false);
    }
    before.fill(true);
    for heights in ground.heights.chunks_exact(columns) {
        let (mut beside, mut any) = (false, false);
        for column in 0..columns {
            let reached = beside | before[column] | before[column + 1] | before[column + 2];
            beside = (heights[column] >= height) & reached;
            here[column + 1] = beside;
            any |= beside;
        }
        if !any {
            return false;
        }
        for column in (0..columns).rev() {
            beside = here[column + 1] | (beside & (heights[column] >= height));
            here[column + 1] = beside;
        }
        (here[0], here[columns + 1]) = (false, false);
        std::mem::swap(before, here);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_finds_the_same_sums() {
        let mut seed = 1u64;
        let mut random = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % limit
        };
        for rows in [1, 2, 7, 8, 33] {
            let columns = 1 + random(12) as usize;
            let height = |x: u64| if x.is_multiple_of(9) { i32::MAX } else { x as i32 - 100_000 };
            let heights: Vec<i32> = (0..rows * columns).map(|_| height(random(500_000))).collect();
            let smoothness: Vec<f32> = heights.iter().map(|_| 0.3 + random(9) as f32).collect();
            let levels = std::array::from_fn(|level| 9000 * (level * level + 1) as i32);
            let ground = PixelTerrain { heights: &heights, smoothness: &smoothness, rows };
            let scales = scales(&ground, levels);
            let mut scratch = SectionScratch::default();
            let mut sums = |set: InstructionSet| {
                set.run(Programme { scratch: &mut scratch, ground, levels, scales })
            };
            let plain = sums(InstructionSet::Scalar);
            assert!(plain.iter().all(|&sum| (0..LARGEST).contains(&sum)));
            for set in InstructionSet::available() {
                assert_eq!(sums(set), plain, "{set:?}");
            }
        }
    }

    #[test]
    fn pits_beside_a_section_do_not_take_its_digits() {
        // Either column has a pit that a section can avoid.
        let pit = -100 * 65536;
        let heights = [pit, 0, 0, 0, 0, pit];
        let levels = std::array::from_fn(|level| 52 * (level * level + 1) as i32);
        let ground = PixelTerrain { heights: &heights, smoothness: &[], rows: 3 };
        let found = SectionScratch::default().weakest(ground, levels);
        for (level, z) in levels.into_iter().enumerate() {
            let depth = f64::from(z) / 65536.0;
            assert_eq!(found.areas[level], 3.0 * depth);
            let part = found.conveyances[level] / (3.0 * depth.powf(5.0 / 3.0));
            assert!((part - 1.0).abs() < 1e-3, "{part} at level {level}");
        }
    }
}
