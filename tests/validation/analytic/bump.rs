//! Steady flow over a bump without friction (Goutal & Maurel 1997; SWASHES, Delestre et al. 2013,
//! section 3.1): Bernoulli's equation on either side of the crest, and a hydraulic jump where
//! momentum requires one.

use super::G;

/// Flow regime.
#[derive(Clone, Copy, PartialEq)]
pub enum Flow {
    /// Subcritical throughout, with this depth at the foot [m].
    Subcritical(f64),
    /// Supercritical from the crest on.
    Transcritical,
    /// Supercritical from the crest to a jump, with this depth at the foot [m].
    Jump(f64),
}

/// A channel from 0 to [`LENGTH`] with unit discharge `q` [m²/s].
#[derive(Clone, Copy)]
pub struct Bump {
    pub q: f64,
    pub flow: Flow,
}

/// Length of the channel [m].
pub const LENGTH: f64 = 25.0;
const CREST: f64 = 10.0;

/// Returns the bed [m] at x [m].
pub fn bed(x: f64) -> f64 {
    (0.2 - 0.05 * (x - CREST).powi(2)).max(0.0)
}

impl Bump {
    fn critical(self) -> f64 {
        (self.q * self.q / G).cbrt()
    }

    /// Returns the depth with the energy head `head` [m] over the bed.
    fn depth_of(self, head: f64, fast: bool) -> f64 {
        let energy = |h: f64| h + 0.5 * (self.q / h).powi(2) / G;
        let critical = self.critical();
        match fast {
            // Energy decreases with depth in supercritical flow.
            true => super::root(1e-3 * critical, critical, |h| head - energy(h)),
            false => super::root(critical, 100.0 * critical, |h| energy(h) - head),
        }
    }

    /// Returns the energy head [m] over level 0, upstream of the jump if there is one.
    fn head(self) -> f64 {
        match self.flow {
            Flow::Subcritical(foot) => foot + 0.5 * (self.q / foot).powi(2) / G,
            _ => bed(CREST) + 1.5 * self.critical(),
        }
    }

    /// Returns the position of the jump [m], if there is one.
    pub fn jump(self) -> Option<f64> {
        let Flow::Jump(foot) = self.flow else { return None };
        let low = foot + 0.5 * (self.q / foot).powi(2) / G;
        let force = |h: f64| self.q * self.q / h + 0.5 * G * h * h;
        // Near the crest the force of the supercritical flow dominates, further down that of the
        // subcritical depth.
        let gap = |x: f64| {
            let fast = self.depth_of(self.head() - bed(x), true);
            let slow = self.depth_of(low - bed(x), false);
            force(slow) - force(fast)
        };
        // The subcritical flow of the foot's head extends up to where that head allows.
        let reach = ((0.2 - (low - 1.5 * self.critical())) / 0.05).max(0.0).sqrt();
        Some(super::root(CREST + reach + 1e-9, CREST + 2.0, gap))
    }

    /// Returns the depth [m] at x [m].
    pub fn depth(self, x: f64) -> f64 {
        match (self.flow, self.jump()) {
            (Flow::Subcritical(_), _) => self.depth_of(self.head() - bed(x), false),
            (Flow::Jump(foot), Some(jump)) if x > jump => {
                let low = foot + 0.5 * (self.q / foot).powi(2) / G;
                self.depth_of(low - bed(x), false)
            }
            _ => self.depth_of(self.head() - bed(x), x > CREST),
        }
    }
}

/// Checks that the head is constant except at the jump, whose position equals that of SWASHES
/// (11.67 m), and that momentum is conserved there.
pub fn self_check() {
    let jump = Bump { q: 0.18, flow: Flow::Jump(0.33) };
    let place = jump.jump().expect("a jump");
    assert!((place - 11.666).abs() < 2e-3, "{place}");
    let force = |h: f64| jump.q * jump.q / h + 0.5 * G * h * h;
    let (before, after) = (jump.depth(place - 1e-7), jump.depth(place + 1e-7));
    assert!(before < after && (force(before) / force(after) - 1.0).abs() < 1e-5);
    assert!((jump.depth(LENGTH) - 0.33).abs() < 1e-9);
    let slow = Bump { q: 4.42, flow: Flow::Subcritical(2.0) };
    let head = |x: f64| bed(x) + slow.depth(x) + 0.5 * (slow.q / slow.depth(x)).powi(2) / G;
    assert!((0..250).all(|i| (head(0.1 * f64::from(i)) - head(25.0)).abs() < 1e-9));
    let crest = Bump { q: 1.53, flow: Flow::Transcritical };
    assert!((crest.depth(CREST) - crest.critical()).abs() < 1e-4);
}
