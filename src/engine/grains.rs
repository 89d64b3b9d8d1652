//! Water as integers: the grain, and the conversion of transfers from metres to grains.
//!
//! Depth is stored as an i32 count of grains of 2⁻²⁴ m (or 2⁻¹⁷ m for very deep water). Integer
//! sums are exact in any order, so volume is conserved to the last grain, and every tiling, thread
//! count and device gives identical bits.

use crate::grid::Bed;
use crate::lanes::{Real, Whole};
use serde::{Deserialize, Serialize};

/// The size of one grain of water.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grain {
    /// 2⁻²⁴ m (0.06 µm): depths to 128 m.
    #[default]
    Fine,
    /// 2⁻¹⁷ m (7.6 µm, the f32 resolution at 100 m): depths to 16 383 m, deeper than any sea.
    Coarse,
}

/// The deepest water that a cell may hold, in grains. Slightly below the range of i32, so that
/// transfers rounded in f32 cannot overflow unnoticed.
pub const MAX_WATER: i32 = i32::MAX - (1 << 16);

/// Water up to this many grains can be summed over a cell and its eight neighbours in i32 without a
/// check: 9 · 2²⁷ < 2³¹.
pub const SHALLOW_WATER: i32 = 1 << 27;

impl Grain {
    /// Returns the metres per grain (a power of two, so products with it are exact).
    pub fn metres(self) -> f32 {
        match self {
            Grain::Fine => 1.0 / (1u32 << 24) as f32,
            Grain::Coarse => 1.0 / (1u32 << 17) as f32,
        }
    }

    /// Returns the grains per step of the bed's level (2⁻¹⁶ m).
    pub fn bed_step(self) -> i64 {
        (f64::from(self.per_metre()) / Bed::PER_METRE) as i64
    }

    /// Returns the number of grains per metre.
    pub fn per_metre(self) -> f32 {
        1.0 / self.metres()
    }

    /// Returns the greatest depth that fits (m).
    pub fn deepest(self) -> f64 {
        f64::from(MAX_WATER) * f64::from(self.metres())
    }

    /// Converts a depth (m) to grains, rounded to nearest; `None` if it is not finite, negative or
    /// too deep.
    pub fn from_depth(self, depth: f64) -> Option<i32> {
        let grains = (depth * f64::from(self.per_metre())).round();
        (grains >= 0.0 && grains <= f64::from(MAX_WATER)).then_some(grains as i32)
    }

    /// Converts a number of grains to a depth (m), rounded once to f32.
    #[inline(always)]
    pub fn depth(self, grains: i32) -> f32 {
        grains as f32 * self.metres()
    }
}

/// Returns the rounding phase φ of a step, in [ 0, 1): the fractional part of `step` times the
/// golden ratio to 24 bits. A transfer of `x` grains becomes ⌊x + φ⌋, which is correct on average
/// over many steps. φ is uniform over the grid and computed in integers, so it is equal on every
/// device.
pub fn phase(step: u64) -> f32 {
    // 2³² divided by the golden ratio.
    const GOLDEN: u32 = 2_654_435_769;
    let rotated = (step as u32).wrapping_mul(GOLDEN);
    (rotated >> 8) as f32 / (1u32 << 24) as f32
}

/// Constants of a step for converting lengths to grains.
///
/// Within a step, lengths are f32 numbers of grains. Grains and metres differ by a power of two, so
/// all results have the same bits as in metres, without the multiplications. The solvers are
/// independent of the unit.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// Grains per step of the bed's level (2⁻¹⁶ m).
    pub bed_step: f32,
    /// φ of the step, see [`phase`].
    pub phase: f32,
    /// Level differences below this many grains are rounded down without φ. With up to `K`
    /// neighbours giving one grain each at both ends of an edge, rounding up could reverse a
    /// difference of fewer than 2·K grains, and still water would flicker by a grain forever.
    pub calm: f32,
}

impl Rounding {
    /// Returns the constants of a step for a neighbourhood of `neighbours` cells.
    pub fn new(grain: Grain, neighbours: usize, step: u64) -> Rounding {
        Rounding {
            bed_step: Bed::STEP * grain.per_metre(),
            phase: phase(step),
            calm: 2.0 * neighbours as f32,
        }
    }

    /// Rounds transfers to whole grains. The cell holds `water` grains and gives `give` (grains)
    /// over level differences `drop` (grains). The total never exceeds the water in the cell: any
    /// excess from rounding is subtracted equally from every transfer.
    #[inline(always)]
    pub fn to_grains<V: Real, const K: usize>(
        &self,
        water: V::Whole,
        give: [V; K],
        drop: [V; K],
    ) -> [V::Whole; K] {
        let (calm, phase) = (V::splat(self.calm), V::splat(self.phase));
        let mut grains = [V::Whole::splat(0); K];
        let mut total = V::Whole::splat(0);
        for k in 0..K {
            let phase = V::if_greater(calm, drop[k], V::zero(), phase);
            grains[k] = (give[k] + phase).truncate();
            total = total + grains[k];
        }
        // Rare: only cells that give away all their water can round to more.
        if total.any_greater(water) {
            let excess = (total - water).max(V::Whole::splat(0));
            for k in 0..K {
                grains[k] = grains[k] - grains[k].min(excess);
            }
        }
        grains
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_water_is_a_depth_and_a_grain_more_is_none() {
        for grain in [Grain::Fine, Grain::Coarse] {
            let metres = f64::from(grain.metres());
            assert_eq!(grain.from_depth(grain.deepest()), Some(MAX_WATER));
            assert_eq!(grain.from_depth(grain.deepest() + metres), None);
            assert_eq!(grain.from_depth(0.0), Some(0));
            assert_eq!(grain.from_depth(-metres), None);
        }
    }
}
