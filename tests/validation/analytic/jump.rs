//! A hydraulic jump that moves from a wall against the oncoming water: Rankine-Hugoniot conditions
//! (Stoker 1957, section 10.6).

use super::G;

/// Water of depth `depth` [m] that flows with `speed` [m/s].
#[derive(Clone, Copy)]
pub struct MovingJump {
    pub depth: f64,
    pub speed: f64,
}

impl MovingJump {
    /// Returns the depth of the still water behind the jump [m].
    pub fn behind(self) -> f64 {
        // In the frame of the jump, which moves at s: h(u + s) = Hs, and momentum (u + s)²h +
        // g·h²/2 = s²H + g·H²/2.
        let (h, u) = (self.depth, self.speed);
        let gap = |deep: f64| (deep - h) * (0.5 * G * (deep + h) / (deep * h)).sqrt() - u;
        super::root(h, 100.0 * h, gap)
    }

    /// Returns the speed of the jump against the water [m/s].
    pub fn celerity(self) -> f64 {
        self.depth * self.speed / (self.behind() - self.depth)
    }
}

/// Checks that volume and momentum are conserved across the jump.
pub fn self_check() {
    for speed in [1.0, 3.0, 6.0] {
        let jump = MovingJump { depth: 1.0, speed };
        let (deep, s) = (jump.behind(), jump.celerity());
        let (before, after) = (speed + s, s);
        assert!((before - after * deep).abs() < 1e-9, "water");
        let force = |h: f64, u: f64| h * u * u + 0.5 * G * h * h;
        assert!((force(1.0, before) / force(deep, after) - 1.0).abs() < 1e-9, "momentum");
    }
}
