//! Rating of a culvert computed from its shape: a simplified form of the Federal Highway
//! Administration's method (Schall et al. 2012, "Hydraulic Design of Highway Culverts", HDS-5).
//!
//! The discharge is the minimum of three controls: critical flow into the inlet (a broad-crested
//! weir, drowned by the tailwater after Villemonte 1947), the orifice of a submerged inlet, and the
//! energy loss of the barrel (entrance, Manning's friction, exit). It is computed once for a table
//! of heads and level differences; the steps only look it up.

use super::link::Rating;
use crate::units::Metre;
use std::f64::consts::PI;

/// Acceleration of gravity (m/s²).
const G: f64 = 9.81;
/// Discharge coefficient of a submerged inlet with square edges (Bos 1989, "Discharge Measurement
/// Structures", table 5.1, rounded).
const ORIFICE: f64 = 0.6;
/// Loss coefficient of a square-edged inlet, in velocity heads (Schall et al. 2012, table C.2).
const ENTRANCE: f64 = 0.5;
/// Manning's n of a concrete barrel (s/m^⅓; Chow 1959, table 5-6).
pub const CONCRETE: f64 = 0.013;
/// Number of knots of a rating: at (i/16)² m, up to 36 m.
const KNOTS: usize = 97;

/// The cross-section of a barrel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A pipe of this diameter (m).
    Circle(Metre),
    /// A box of this width and height (m).
    Box(Metre, Metre),
}

impl Section {
    fn height(self) -> Metre {
        match self {
            Section::Circle(diameter) => diameter,
            Section::Box(_, height) => height,
        }
    }

    /// Returns the area (m²) and the hydraulic radius (m) of the part below a depth (m) above 0.
    fn part(self, depth: Metre) -> (f64, Metre) {
        let depth = depth.min(self.height());
        match self {
            Section::Circle(diameter) => {
                // The central angle that the water surface subtends.
                let angle = 2.0 * (1.0 - 2.0 * depth / diameter).clamp(-1.0, 1.0).acos();
                let area = diameter * diameter / 8.0 * (angle - angle.sin());
                (area, area / (diameter * angle / 2.0))
            }
            Section::Box(width, height) => {
                let top = if depth >= height { width } else { 0.0 };
                (width * depth, width * depth / (width + 2.0 * depth + top))
            }
        }
    }

    /// Returns the full area (m²).
    pub fn area(self) -> f64 {
        match self {
            Section::Circle(diameter) => PI * diameter * diameter / 4.0,
            Section::Box(width, height) => width * height,
        }
    }
}

/// A culvert barrel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Culvert {
    /// Cross-section of the barrel.
    pub section: Section,
    /// Length of the barrel (m).
    pub length: Metre,
    /// Manning's n of the barrel (s/m^⅓).
    pub roughness: f64,
}

impl Culvert {
    /// Computes the discharge (m³/s) with the headwater `head` (m) above the higher invert, and a
    /// tailwater `difference` (m) below the headwater, but not below the invert.
    pub fn flow(&self, head: Metre, difference: Metre) -> f64 {
        let difference = difference.min(head);
        if difference <= 0.0 {
            return 0.0;
        }
        let height = self.section.height();
        let tail = head - difference;
        let critical = 2.0 / 3.0 * head;
        let drowned = (1.0 - (tail / head).powf(1.5)).powf(0.385);
        let weir = self.section.part(critical).0 * (2.0 * G * (head - critical)).sqrt() * drowned;
        let orifice = if head > height {
            // The jet contracts to half the height.
            let free = difference.min(head - height / 2.0);
            ORIFICE * self.section.area() * (2.0 * G * free).sqrt()
        } else {
            f64::INFINITY
        };
        // At the outlet the water is no lower than the critical depth, or than the top of a full
        // barrel.
        let end = tail.max(critical.min(height));
        let (area, radius) = self.section.part((head + end) / 2.0);
        let friction =
            2.0 * G * self.roughness * self.roughness * self.length / radius.powf(4.0 / 3.0);
        let barrel = area * (2.0 * G * (head - end) / (1.0 + ENTRANCE + friction)).sqrt();
        weir.min(orifice).min(barrel)
    }

    /// Tabulates the discharge.
    pub fn rating(&self) -> Rating {
        let knots: Vec<f64> = (0..KNOTS).map(|i| (i as f64 / 16.0).powi(2)).collect();
        let row = |&head: &f64| knots.iter().map(move |&difference| (head, difference));
        let flows = knots.iter().flat_map(|head| row(head).collect::<Vec<_>>());
        let flows = flows.map(|(head, difference)| self.flow(head, difference)).collect();
        Rating { heads: knots.clone(), differences: knots, flows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 2e-3 * expected, "{found}, not {expected}");
    }

    #[test]
    fn each_control_is_what_its_formula_gives_by_hand() {
        let short = Culvert { section: Section::Box(2.0, 1.0), length: 1.0, roughness: 0.013 };
        // A free weir: 1.705·b·h^1.5 with h = 0.5.
        near(short.flow(0.5, 0.5), 1.705 * 2.0 * 0.5f64.powf(1.5));
        // Drowned at 80 % of the head: Villemonte's factor is 0.6105.
        near(short.flow(0.5, 0.1), 1.2056 * (1.0f64 - 0.8f64.powf(1.5)).powf(0.385));
        // A submerged inlet with a free outlet: 0.6·A·√(2g·(3 − 0.5)).
        near(short.flow(3.0, 3.0), 0.6 * 2.0 * (2.0 * 9.81 * 2.5f64).sqrt());
        // A full pipe of 1 m, 100 m long, with a difference of 2 m: R = 0.25, kf =
        // 2·9.81·1.69e-2/0.1575.
        let pipe = Culvert { section: Section::Circle(1.0), length: 100.0, roughness: 0.013 };
        let kf = 2.0 * 9.81 * 0.013f64.powi(2) * 100.0 / 0.25f64.powf(4.0 / 3.0);
        near(kf, 2.1055);
        near(
            pipe.flow(4.0, 2.0),
            std::f64::consts::FRAC_PI_4 * (2.0 * 9.81 * 2.0 / (1.5 + 2.1055f64)).sqrt(),
        );
        // A half-full pipe has half the area, and the hydraulic radius of the full pipe.
        let (area, radius) = Section::Circle(1.0).part(0.5);
        near(area, PI / 8.0);
        near(radius, 0.25);
    }

    #[test]
    fn more_head_and_more_difference_let_no_less_through() {
        for section in [Section::Circle(0.8), Section::Box(2.0, 1.0)] {
            let culvert = Culvert { section, length: 30.0, roughness: 0.013 };
            let rating = culvert.rating();
            let flow = |i: usize, j: usize| rating.flows[i * KNOTS + j];
            for i in 1..KNOTS {
                assert_eq!((flow(i, 0), flow(0, i)), (0.0, 0.0));
                for j in 1..KNOTS {
                    // At the height of the barrel, its top adds friction, which reduces the flow
                    // slightly.
                    assert!(flow(i, j) >= flow(i, j - 1), "{section:?} {i} {j}");
                    assert!(flow(i, j).is_finite());
                }
            }
            // The table is also accurate between its knots, except for the smallest heads.
            for (head, difference) in [(0.4, 0.3), (0.9, 0.9), (2.7, 1.1), (5.5, 0.2)] {
                let off = rating.flow(head, difference) / culvert.flow(head, difference) - 1.0;
                assert!(off.abs() < 0.06, "{section:?} {head} {difference}: {off}");
            }
        }
    }
}
