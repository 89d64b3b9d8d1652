//! Instantaneous dam break on a frictionless flat bed: onto dry ground (Ritter 1892), onto water
//! (Stoker 1957, sections 10.8 to 10.10), as written out in SWASHES (Delestre et al. 2013, eq. 27
//! to 32).

use super::G;

/// Water of depth `high` [m] on the left of x = 0, of depth `low` on the right.
#[derive(Clone, Copy)]
pub struct DamBreak {
    pub high: f64,
    pub low: f64,
}

impl DamBreak {
    /// Returns √(g·h) of the water between fan and bore; 0 on dry ground.
    fn middle(self) -> f64 {
        if self.low == 0.0 {
            return 0.0;
        }
        root_of_the_bore(self)
    }

    /// Returns the depth [m] at x [m] after t [s] > 0.
    pub fn depth(self, x: f64, t: f64) -> f64 {
        let (c, middle) = ((G * self.high).sqrt(), self.middle());
        let fan = |x: f64| (2.0 * c - x / t) / 3.0;
        if x <= -c * t {
            self.high
        } else if fan(x) > middle {
            fan(x) * fan(x) / G
        } else if x < self.front(t) {
            middle * middle / G
        } else {
            self.low
        }
    }

    /// Returns the depth [m] between fan and bore; 0 on dry ground.
    pub fn plateau(self) -> f64 {
        self.middle().powi(2) / G
    }

    /// Returns the position of the end of the fan, where the plateau starts [m], after t [s].
    pub fn foot_of_the_fan(self, t: f64) -> f64 {
        (2.0 * (G * self.high).sqrt() - 3.0 * self.middle()) * t
    }

    /// Returns the position of the front [m] after t [s].
    pub fn front(self, t: f64) -> f64 {
        let (c, middle) = ((G * self.high).sqrt(), self.middle());
        if self.low == 0.0 {
            return 2.0 * c * t;
        }
        // The inflow of the bore equals the outflow of the fan: s = u·h/(h − low), u = 2(c −
        // middle).
        let depth = middle * middle / G;
        2.0 * (c - middle) * depth / (depth - self.low) * t
    }
}

/// Returns √(g·h_m) from the jump conditions across the bore (Stoker 1957, eq. 10.8.3) and the
/// fan's invariant u + 2√(gh).
fn root_of_the_bore(dam: DamBreak) -> f64 {
    let (high, low) = ((G * dam.high).sqrt(), (G * dam.low).sqrt());
    let gap = |middle: f64| {
        let (h, l) = (middle * middle / G, dam.low);
        // Speed behind a bore: u = (h − l)·√(g·(h + l)/(2·h·l)).
        (h - l) * (G * (h + l) / (2.0 * h * l)).sqrt() - 2.0 * (high - middle)
    };
    super::root(low, high, gap)
}

/// Checks that volume is conserved, and momentum across the bore too.
pub fn self_check() {
    for low in [0.0, 0.1, 1.0] {
        let dam = DamBreak { high: 2.0, low };
        let (t, dx) = (10.0, 0.01);
        let places = (-50_000..50_000).map(|i| (f64::from(i) + 0.5) * dx);
        let volume: f64 = places.map(|x| dam.depth(x, t) * dx).sum();
        let before = 500.0 * (2.0 + low);
        assert!((volume / before - 1.0).abs() < 1e-4, "{volume}, not {before}");
        if low > 0.0 {
            let (h, s) = (dam.depth(dam.front(t) - 0.1, t), dam.front(t) / t);
            let u = s * (h - low) / h;
            let (flux, pressure) = (low * s * u, 0.5 * G * (h * h - low * low));
            assert!((flux / pressure - 1.0).abs() < 1e-6, "{flux}, not {pressure}");
        }
    }
}
