//! Rating of a culvert computed from its shape, by the method of the Federal Highway Administration
//! (Schall et al. 2012, "Hydraulic Design of Highway Culverts", HDS-5, 3rd edition).
//!
//! The discharge is the minimum of two controls: the inlet, by the equations and constants of HDS-5
//! for its shape, and the energy loss of the barrel (entrance, Manning's friction, exit). It is
//! computed once for a table of heads and level differences; the steps only look it up.

use super::link::Rating;
use crate::units::Metre;
use std::f64::consts::PI;

/// Acceleration of gravity (m/s²).
const G: f64 = 9.81;
/// Factor of Q/(A·√D) in the equations of inlet control, with metres (Schall et al. 2012, equation
/// A.1).
const PER_INTENSITY: f64 = 1.811;
/// Range of 1.811·Q/(A·√D) between the equations of an unsubmerged and a submerged inlet, where
/// HDS-5 connects both.
const TRANSITION: [f64; 2] = [3.5, 4.0];
/// Manning's n of a concrete barrel (s/m^⅓; Chow 1959, table 5-6).
pub const CONCRETE: f64 = 0.013;
/// Number of knots of a rating: at (i/16)² m, up to 36 m.
const KNOTS: usize = 97;

/// The cross-section of a barrel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CulvertSection {
    /// A pipe of this diameter (m).
    Circle(Metre),
    /// A box of this width and height (m).
    Box(Metre, Metre),
}

impl CulvertSection {
    fn height(self) -> Metre {
        match self {
            CulvertSection::Circle(diameter) => diameter,
            CulvertSection::Box(_, height) => height,
        }
    }

    /// Returns the area (m²) and the hydraulic radius (m) of the part below a depth (m) above 0.
    fn part(self, depth: Metre) -> (f64, Metre) {
        let depth = depth.min(self.height());
        match self {
            CulvertSection::Circle(diameter) => {
                // The central angle that the water surface subtends.
                let angle = 2.0 * (1.0 - 2.0 * depth / diameter).clamp(-1.0, 1.0).acos();
                let area = diameter * diameter / 8.0 * (angle - angle.sin());
                (area, area / (diameter * angle / 2.0))
            }
            CulvertSection::Box(width, height) => {
                let top = if depth >= height { width } else { 0.0 };
                (width * depth, width * depth / (width + 2.0 * depth + top))
            }
        }
    }

    /// Returns the width of the water surface (m) at a depth (m).
    fn top(self, depth: Metre) -> Metre {
        match self {
            CulvertSection::Circle(diameter) => 2.0 * (depth * (diameter - depth)).max(0.0).sqrt(),
            CulvertSection::Box(width, _) => width,
        }
    }

    /// Returns its inlets; the first one, with square edges in a headwall, is the default.
    pub fn inlets(self) -> &'static [Inlet] {
        match self {
            CulvertSection::Circle(_) => &PIPE_INLETS,
            CulvertSection::Box(..) => &BOX_INLETS,
        }
    }

    /// Returns the full area (m²).
    pub fn area(self) -> f64 {
        match self {
            CulvertSection::Circle(diameter) => PI * diameter * diameter / 4.0,
            CulvertSection::Box(width, height) => width * height,
        }
    }
}

/// An inlet of HDS-5: its constants of inlet control (Schall et al. 2012, table A.1) and its loss
/// (table C.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inlet {
    /// Name in input files.
    pub name: &'static str,
    /// K and M of the unsubmerged inlet.
    weir: [f64; 2],
    /// Set if the unsubmerged equation (form 1) contains the energy of critical flow.
    critical: bool,
    /// c and Y of the submerged inlet.
    orifice: [f64; 2],
    /// Loss coefficient, in velocity heads.
    loss: f64,
}

const fn inlet(name: &'static str, weir: [f64; 2], orifice: [f64; 2], loss: f64) -> Inlet {
    Inlet { name, weir, critical: true, orifice, loss }
}

/// Inlets of pipes: charts 1 to 3 of HDS-5.
static PIPE_INLETS: [Inlet; 5] = [
    inlet("headwall", [0.0098, 2.0], [0.0398, 0.67], 0.5),
    inlet("groove", [0.0018, 2.0], [0.0292, 0.74], 0.2),
    inlet("bevelled", [0.0018, 2.5], [0.0300, 0.74], 0.2),
    inlet("mitred", [0.0210, 1.33], [0.0463, 0.75], 0.7),
    inlet("projecting", [0.0340, 1.5], [0.0553, 0.54], 0.9),
];

/// Inlets of boxes: charts 8 and 10 of HDS-5.
static BOX_INLETS: [Inlet; 4] = [
    inlet("headwall", [0.061, 0.75], [0.0400, 0.80], 0.5),
    inlet("wingwalls", [0.026, 1.0], [0.0347, 0.81], 0.4),
    inlet("parallel", [0.061, 0.75], [0.0423, 0.82], 0.7),
    Inlet { critical: false, ..inlet("bevelled", [0.495, 0.667], [0.0314, 0.82], 0.2) },
];

/// A culvert barrel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Culvert {
    /// Cross-section of the barrel.
    pub section: CulvertSection,
    /// One of the section's [inlets](CulvertSection::inlets).
    pub inlet: Inlet,
    /// Length of the barrel (m).
    pub length: Metre,
    /// Manning's n of the barrel (s/m^⅓).
    pub roughness: f64,
}

impl Culvert {
    /// Computes the discharge (m³/s) with the headwater `head` (m) above the higher invert, and a
    /// tailwater `difference` (m) below the headwater, but not below the invert.
    pub fn flow(&self, head: Metre, difference: Metre) -> f64 {
        self.inlet_flow(head).min(self.barrel_flow(head, difference))
    }

    /// Returns the discharge (m³/s) under outlet control.
    fn barrel_flow(&self, head: Metre, difference: Metre) -> f64 {
        let difference = difference.min(head);
        if difference <= 0.0 {
            return 0.0;
        }
        let height = self.section.height();
        let tail = head - difference;
        // At the outlet the water is no lower than the critical depth, or than the top of a full
        // barrel.
        let end = tail.max((2.0 / 3.0 * head).min(height));
        let (area, radius) = self.section.part((head + end) / 2.0);
        let friction =
            2.0 * G * self.roughness * self.roughness * self.length / radius.powf(4.0 / 3.0);
        let losses = 1.0 + self.inlet.loss + friction;
        area * (2.0 * G * (head - end) / losses).sqrt()
    }

    /// Returns the discharge (m³/s) under inlet control, without tailwater.
    fn inlet_flow(&self, head: Metre) -> f64 {
        let [c, y] = self.inlet.orifice;
        let relative = head / self.section.height();
        let submerged = c * TRANSITION[1].powi(2) + y;
        let intensity = if relative >= submerged {
            ((relative - y) / c).sqrt()
        } else {
            let [from, to] = TRANSITION;
            let begins = self.unsubmerged(from);
            if relative > begins {
                from + (to - from) * (relative - begins) / (submerged - begins)
            } else {
                bisect([0.0, from], |intensity| self.unsubmerged(intensity) >= relative)
            }
        };
        self.of_intensity(intensity)
    }

    /// Returns the discharge (m³/s) for 1.811·Q/(A·√D).
    fn of_intensity(&self, intensity: f64) -> f64 {
        intensity * self.section.area() * self.section.height().sqrt() / PER_INTENSITY
    }

    /// Returns the headwater of an unsubmerged inlet, in heights of the barrel, for 1.811·Q/(A·√D).
    fn unsubmerged(&self, intensity: f64) -> f64 {
        let [k, m] = self.inlet.weir;
        let (section, flow) = (self.section, self.of_intensity(intensity));
        let energy = if self.inlet.critical && flow > 0.0 {
            let passes = |depth: f64| {
                let area = section.part(depth).0;
                area * (G * area / section.top(depth)).sqrt() >= flow
            };
            let critical = bisect([0.0, section.height()], passes);
            critical + 0.5 * (flow / section.part(critical).0).powi(2) / G
        } else {
            0.0
        };
        energy / section.height() + k * intensity.powf(m)
    }

    /// Tabulates the discharge.
    pub fn rating(&self) -> Rating {
        let knots: Vec<f64> = (0..KNOTS).map(|i| (i as f64 / 16.0).powi(2)).collect();
        let row = |&head: &f64| {
            let inlet = self.inlet_flow(head);
            knots.iter().map(move |&difference| inlet.min(self.barrel_flow(head, difference)))
        };
        let flows = knots.iter().flat_map(row).collect();
        Rating { heads: knots.clone(), differences: knots, flows }
    }
}

/// Returns where in a range a condition begins to hold.
fn bisect([mut low, mut high]: [f64; 2], holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 2e-3 * expected, "{found}, not {expected}");
    }

    fn culvert(section: CulvertSection, length: Metre) -> Culvert {
        Culvert { section, inlet: section.inlets()[0], length, roughness: 0.013 }
    }

    #[test]
    fn each_control_is_what_its_formula_gives_by_hand() {
        // A box of 2 × 1 m whose inlet is not submerged: a critical depth of 0.4 m has an energy of
        // 0.6 m, and carries 2·√(9.81·0.4³) = 1.5847 m³/s; 1.811·Q/(A·√D) = 1.4350.
        let short = culvert(CulvertSection::Box(2.0, 1.0), 1.0);
        let head = 0.6 + 0.061 * 1.4350f64.powf(0.75);
        near(short.flow(head, head), 1.5847);
        // Drowned at 90 % of the head: 0.95 of it in the barrel and losses of 1.5 velocity heads, with
        // R = 1.2920/(2 + 1.2920) and kf = 2·9.81·1.69e-4/0.2873.
        let barrel = 0.95 * head * 2.0 * (2.0 * 9.81 * 0.1 * head / (1.5 + 0.0115f64)).sqrt();
        near(short.flow(head, 0.1 * head), barrel);
        // Submerged, with a free outlet: 3 = 0.04·x² + 0.8 has x = 7.4162, and Q = 8.1902 m³/s.
        near(short.flow(3.0, 3.0), 8.1902);
        // A full pipe of 1 m, 100 m long, with a difference of 2 m: R = 0.25, kf =
        // 2·9.81·1.69e-2/0.1575.
        let pipe = culvert(CulvertSection::Circle(1.0), 100.0);
        let kf = 2.0 * 9.81 * 0.013f64.powi(2) * 100.0 / 0.25f64.powf(4.0 / 3.0);
        near(kf, 2.1055);
        near(
            pipe.flow(4.0, 2.0),
            std::f64::consts::FRAC_PI_4 * (2.0 * 9.81 * 2.0 / (1.5 + 2.1055f64)).sqrt(),
        );
        // A half-full pipe has half the area, and the hydraulic radius of the full pipe.
        let (area, radius) = CulvertSection::Circle(1.0).part(0.5);
        near(area, PI / 8.0);
        near(radius, 0.25);
        near(CulvertSection::Circle(1.0).top(0.5), 1.0);
    }

    #[test]
    fn headwater_grows_with_the_discharge_at_every_inlet() {
        for section in [CulvertSection::Circle(1.2), CulvertSection::Box(2.0, 1.5)] {
            for &inlet in section.inlets() {
                let culvert = Culvert { inlet, ..culvert(section, 1.0) };
                let heads = (1..400).map(|i| f64::from(i) * 0.01);
                let flows: Vec<f64> = heads.map(|head| culvert.inlet_flow(head)).collect();
                assert!(flows.is_sorted_by(|a, b| a < b), "{inlet:?}");
                let steps = flows.windows(2).map(|two| two[1] - two[0]);
                assert!(steps.fold(0.0, f64::max) < 0.02 * flows[398], "{inlet:?}: no jumps");
            }
        }
    }

    #[test]
    fn more_head_and_more_difference_let_no_less_through() {
        for section in [CulvertSection::Circle(0.8), CulvertSection::Box(2.0, 1.0)] {
            let culvert = culvert(section, 30.0);
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
