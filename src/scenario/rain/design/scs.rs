//! 24-hour rainfall distributions of the Soil Conservation Service (SCS 1986, Technical Release 55,
//! appendix B), from Chow, Maidment and Mays (1988, Applied Hydrology, table 14.3.1).

use crate::units::Second;

/// Duration of the distributions (s).
pub(super) const DURATION: Second = 86400.0;

/// Times of the table (h).
const HOURS: [f64; 23] = [
    0.0, 2.0, 4.0, 6.0, 7.0, 8.0, 8.5, 9.0, 9.5, 9.75, 10.0, 10.5, 11.0, 11.5, 11.75, 12.0, 12.5,
    13.0, 13.5, 14.0, 16.0, 20.0, 24.0,
];

/// Fractions of the depth that have fallen by the times of the table.
pub(super) type Curve = [f64; HOURS.len()];

/// Type I: Pacific coast with wet winters and dry summers.
const TYPE_1: Curve = [
    0.0, 0.035, 0.076, 0.125, 0.156, 0.194, 0.219, 0.254, 0.303, 0.362, 0.515, 0.583, 0.624, 0.654,
    0.669, 0.682, 0.706, 0.727, 0.748, 0.767, 0.830, 0.926, 1.0,
];
/// Type IA: northern Pacific coast.
const TYPE_1A: Curve = [
    0.0, 0.050, 0.116, 0.206, 0.268, 0.425, 0.480, 0.520, 0.550, 0.564, 0.577, 0.601, 0.624, 0.645,
    0.655, 0.664, 0.683, 0.701, 0.719, 0.736, 0.800, 0.906, 1.0,
];
/// Type II: most of the United States.
const TYPE_2: Curve = [
    0.0, 0.022, 0.048, 0.080, 0.098, 0.120, 0.133, 0.147, 0.163, 0.172, 0.181, 0.204, 0.235, 0.283,
    0.357, 0.663, 0.735, 0.772, 0.799, 0.820, 0.880, 0.952, 1.0,
];
/// Type III: coasts with tropical storms.
const TYPE_3: Curve = [
    0.0, 0.020, 0.043, 0.072, 0.089, 0.115, 0.130, 0.148, 0.167, 0.178, 0.189, 0.216, 0.250, 0.298,
    0.339, 0.500, 0.702, 0.751, 0.785, 0.811, 0.886, 0.957, 1.0,
];

/// Returns a curve by name.
pub(super) fn of(name: &str) -> Option<&'static Curve> {
    match name {
        "scs-1" => Some(&TYPE_1),
        "scs-1a" => Some(&TYPE_1A),
        "scs-2" => Some(&TYPE_2),
        "scs-3" => Some(&TYPE_3),
        _ => None,
    }
}

/// Returns the fraction of the depth that has fallen by a time (s), interpolated linearly.
pub(super) fn fallen(curve: &Curve, time: Second) -> f64 {
    let hours = time / 3600.0;
    let after = HOURS.partition_point(|&hour| hour <= hours).min(HOURS.len() - 1);
    let (from, to) = (HOURS[after - 1], HOURS[after]);
    let part = ((hours - from) / (to - from)).clamp(0.0, 1.0);
    curve[after - 1] + part * (curve[after] - curve[after - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_rises_from_nothing_to_all() {
        for name in ["scs-1", "scs-1a", "scs-2", "scs-3"] {
            let curve = of(name).unwrap();
            assert!(curve.windows(2).all(|pair| pair[0] < pair[1]), "{name}");
            assert_eq!([fallen(curve, 0.0), fallen(curve, DURATION)], [0.0, 1.0], "{name}");
            assert!((fallen(curve, 12.0 * 3600.0) - curve[15]).abs() < 1e-12);
        }
    }
}
