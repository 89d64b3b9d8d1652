//! Rounding of the depths in maps, so that all results count water at a threshold alike.

use crate::engine::grid::Bed;

/// Resolution of the depths in a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthRounding {
    /// Size of a grain (m).
    pub grain_m: f64,
    /// Set if the map is on a fine grid, on which levels are multiples of 2⁻¹⁶ m.
    pub is_fine: bool,
}

impl DepthRounding {
    /// Returns the value of a depth (m) in a map (m): water is deeper if its value is greater.
    pub fn threshold(self, depth: f64) -> f32 {
        let rounded = |depth: f64, step: f64| (depth / step).round() * step;
        let grains = rounded(depth, self.grain_m);
        (if self.is_fine { rounded(grains, 1.0 / Bed::PER_METRE) } else { grains }) as f32
    }

    /// Returns the values of depths (m) in a map (m).
    pub fn thresholds(self, depths: &[f64]) -> Vec<f32> {
        depths.iter().map(|depth| self.threshold(*depth)).collect()
    }

    /// Returns the coarser resolution of two maps.
    pub fn coarser(self, other: DepthRounding) -> DepthRounding {
        DepthRounding {
            grain_m: self.grain_m.max(other.grain_m),
            is_fine: self.is_fine || other.is_fine,
        }
    }
}
