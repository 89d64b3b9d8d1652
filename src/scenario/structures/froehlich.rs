//! How a dam of earth breaches, by regression over those that did: Froehlich, D. C. (2008), "Embankment dam breach parameters and their
//! uncertainties", J. Hydraul. Eng. 134(12), 1708-1721.

use crate::engine::rule::G;
use crate::units::{CubicMetre, Metre, Second};
use std::ops::RangeInclusive;

/// Heights of the breaches that it is made of (m).
pub const HEIGHTS: RangeInclusive<Metre> = 3.0..=93.0;

/// Volumes of water above their bottom (m³).
pub const VOLUMES: RangeInclusive<CubicMetre> = 13.9e3..=660e6;

/// How a dam fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Water goes over it.
    Overtopping,
    /// Water finds a way through it.
    Piping,
}

/// What the regression says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breached {
    /// The width of the breach, the mean from bottom to top (m).
    pub average_width: Metre,
    /// So far do its sides go outward for each metre up.
    pub side_slope: f64,
    /// How long it takes to form (s).
    pub formation_time: Second,
}

impl Failure {
    /// The breach of a height (m), from the crest to its bottom, of a dam with a volume of water above that bottom (m³).
    pub fn breach(self, height: Metre, volume: CubicMetre) -> Breached {
        let (k0, side_slope) = match self {
            Failure::Overtopping => (1.3, 1.0),
            Failure::Piping => (1.0, 0.7),
        };
        Breached {
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
