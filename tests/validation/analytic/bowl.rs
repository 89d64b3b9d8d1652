//! Oscillating water in a bowl without friction (Thacker 1981; SWASHES, Delestre et al. 2013,
//! section 4.2); positions are relative to the bowl's centre.

use super::G;

/// A paraboloid: the water at rest has a depth of `depth` [m] at the centre, and its shore at
/// `radius` [m].
#[derive(Clone, Copy)]
pub struct Bowl {
    pub depth: f64,
    pub radius: f64,
}

impl Bowl {
    /// Returns the bed [m]; the shore at rest is at 0.
    pub fn bed(self, x: f64, y: f64) -> f64 {
        self.depth * ((x * x + y * y) / self.radius.powi(2) - 1.0)
    }

    /// Returns the period [s] of water that rises and falls at the centre.
    pub fn curved_period(self) -> f64 {
        std::f64::consts::TAU * self.radius / (8.0 * G * self.depth).sqrt()
    }

    /// Returns the depth [m] of water that was at rest with its shore `shore` [m] from the centre
    /// at time 0.
    pub fn curved(self, shore: f64, x: f64, y: f64, t: f64) -> f64 {
        let (a, r) = (self.radius.powi(2), shore.powi(2));
        let swing = (a - r) / (a + r);
        let way = 1.0 - swing * (std::f64::consts::TAU * t / self.curved_period()).cos();
        let rest = 1.0 - swing * swing;
        let bend = (x * x + y * y) / a * (rest / way.powi(2) - 1.0);
        (self.depth * (rest.sqrt() / way - 1.0 - bend) - self.bed(x, y)).max(0.0)
    }

    /// Returns the period [s] of water that rotates with a flat surface.
    pub fn planar_period(self) -> f64 {
        std::f64::consts::TAU * self.radius / (2.0 * G * self.depth).sqrt()
    }

    /// Returns the depth [m] of water whose centre rotates at `arm` [m] around the bowl's, at time
    /// 0 to the east; all of it has the velocity of its centre.
    pub fn planar(self, arm: f64, x: f64, y: f64, t: f64) -> f64 {
        let angle = std::f64::consts::TAU * t / self.planar_period();
        let along = x * angle.cos() + y * angle.sin();
        let level = arm * self.depth / self.radius.powi(2) * (2.0 * along - arm);
        (level - self.bed(x, y)).max(0.0)
    }

    /// Returns the speed [m/s] of water that rotates at `arm` [m].
    pub fn planar_speed(self, arm: f64) -> f64 {
        arm * std::f64::consts::TAU / self.planar_period()
    }
}

/// Checks that the volume is constant, and that the surface follows gravity and velocity.
pub fn self_check() {
    let bowl = Bowl { depth: 0.1, radius: 1.0 };
    let volume = |depth: &dyn Fn(f64, f64) -> f64| {
        let places = || (-200..200).map(|i| (f64::from(i) + 0.5) * 0.01);
        places().map(|y| places().map(|x| depth(x, y)).sum::<f64>()).sum::<f64>()
    };
    for t in [0.3, 0.9] {
        for (now, before) in [
            (
                volume(&|x, y| bowl.curved(0.8, x, y, t)),
                volume(&|x, y| bowl.curved(0.8, x, y, 0.0)),
            ),
            (
                volume(&|x, y| bowl.planar(0.5, x, y, t)),
                volume(&|x, y| bowl.planar(0.5, x, y, 0.0)),
            ),
        ] {
            assert!((now / before - 1.0).abs() < 1e-3, "{now}, not {before}");
        }
    }
    // u = (ω/2)·A·sin(ωt)/(1 − A·cos(ωt))·x (SWASHES, eq. 36): at the centre ∂h/∂t = −2h·∂u/∂x.
    let (t, d) = (0.4, 1e-5);
    let w = std::f64::consts::TAU / bowl.curved_period();
    let swing = 0.36 / 1.64;
    let spread = 0.5 * w * swing * (w * t).sin() / (1.0 - swing * (w * t).cos());
    let rise = (bowl.curved(0.8, 0.0, 0.0, t + d) - bowl.curved(0.8, 0.0, 0.0, t - d)) / (2.0 * d);
    let asked = -2.0 * spread * bowl.curved(0.8, 0.0, 0.0, t);
    assert!((rise / asked - 1.0).abs() < 1e-4, "{rise}, not {asked}");
}
