//! Rain on a tilted plane: the kinematic wave with Manning's q = α·h^{5/3}, α = √S/n, along
//! characteristics (Henderson & Wooding 1964, eq. 8 to 20; Eagleson 1970, ch. 15).

/// A plane under rain from time 0.
#[derive(Clone, Copy)]
pub struct Plane {
    /// Length [m].
    pub length: f64,
    pub slope: f64,
    /// Manning's n [s/m^⅓].
    pub n: f64,
    /// Rain [m/s] and its duration [s], which exceeds the time to equilibrium.
    pub rain: f64,
    pub duration: f64,
}

const M: f64 = 5.0 / 3.0;

impl Plane {
    fn alpha(self) -> f64 {
        self.slope.sqrt() / self.n
    }

    /// Returns the unit discharge at the foot [m²/s] at equilibrium of runoff and rain.
    pub fn equilibrium(self) -> f64 {
        self.rain * self.length
    }

    /// Returns the time at which the foot reaches equilibrium [s]: (L·r^{1−m}/α)^{1/m}.
    pub fn concentration_time(self) -> f64 {
        (self.length * self.rain.powf(1.0 - M) / self.alpha()).powf(1.0 / M)
    }

    /// Returns the unit discharge at the foot [m²/s] after t [s].
    pub fn discharge(self, t: f64) -> f64 {
        let depth = if t <= self.duration {
            return self.equilibrium().min(self.alpha() * (self.rain * t).powf(M));
        } else {
            // The depth h that was at α·h^m/r when the rain ended has moved on at α·m·h^{m−1}.
            let late = t - self.duration;
            let reach =
                |h: f64| self.alpha() * h.powf(M - 1.0) * (h / self.rain + M * late) - self.length;
            super::root(0.0, self.rain * self.duration, reach)
        };
        self.alpha() * depth.powf(M)
    }
}

/// Checks that the total runoff equals the rain, and that the curve is continuous.
pub fn self_check() {
    let plane =
        Plane { length: 200.0, slope: 0.02, n: 0.03, rain: 50e-3 / 3600.0, duration: 1800.0 };
    assert!(plane.concentration_time() < plane.duration);
    let (mut volume, dt, mut before) = (0.0, 1.0, 0.0);
    for step in 0..40_000 {
        let q = plane.discharge((f64::from(step) + 0.5) * dt);
        assert!((q - before).abs() < 0.01 * plane.equilibrium(), "a jump at {step} s");
        (volume, before) = (volume + q * dt, q);
    }
    let fell = plane.equilibrium() * plane.duration;
    assert!((volume / fell - 1.0).abs() < 1e-3, "{volume} of {fell}");
}
