//! Breach parameters of embankment dams by regression: Froehlich, D. C. (2008), "Embankment dam
//! breach parameters and their uncertainties", J. Hydraul. Eng. 134(12), 1708-1721.

use crate::engine::solver::G;
use crate::units::{CubicMetre, Metre, Second};
use std::ops::RangeInclusive;

/// Range of breach heights in the regression (m).
pub const HEIGHTS: RangeInclusive<Metre> = 3.0..=93.0;

/// Range of water volumes above the bottom of the breach in the regression (m³).
pub const VOLUMES: RangeInclusive<CubicMetre> = 13.9e3..=660e6;

/// Type of failure of a dam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Water flows over the dam.
    Overtopping,
    /// Internal erosion: water flows through the dam.
    Piping,
}

/// Result of the regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FroehlichBreach {
    /// Mean width of the breach from bottom to top (m).
    pub average_width: Metre,
    /// Side slope, horizontal to vertical.
    pub side_slope: f64,
    /// Time from start to final size (s).
    pub formation_time: Second,
}

impl Failure {
    /// Computes the breach of a dam from its height (m), crest to breach bottom, and the volume of
    /// water above the bottom (m³).
    pub fn breach(self, height: Metre, volume: CubicMetre) -> FroehlichBreach {
        let (k0, side_slope) = match self {
            Failure::Overtopping => (1.3, 1.0),
            Failure::Piping => (1.0, 0.7),
        };
        FroehlichBreach {
            average_width: 0.27 * k0 * volume.powf(0.32) * height.powf(0.04),
            side_slope,
            formation_time: 63.2 * (volume / (f64::from(G) * height * height)).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaches_are_those_that_the_formulas_come_to() {
        for (failure, height, volume, width, time) in [
            // Teton 1976, 151 m wide and 1.25 h in the making.
            (Failure::Piping, 86.9, 310e6, 168.3, 4088.0),
            (Failure::Overtopping, 10.0, 1e6, 32.01, 2018.0),
            (Failure::Piping, 10.0, 1e6, 24.62, 2018.0),
            (Failure::Overtopping, 4.0, 50e3, 11.83, 1128.0),
        ] {
            let found = failure.breach(height, volume);
            assert!((found.average_width / width - 1.0).abs() < 2e-3, "{found:?}, {width}");
            assert!((found.formation_time / time - 1.0).abs() < 2e-3, "{found:?}, {time}");
        }
        assert_eq!(Failure::Overtopping.breach(9.0, 1e5).side_slope, 1.0);
        assert_eq!(Failure::Piping.breach(9.0, 1e5).side_slope, 0.7);
    }
}
