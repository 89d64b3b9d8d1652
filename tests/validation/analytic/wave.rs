//! A wave that runs over a horizontal plane at constant speed: Hunter, Horritt, Bates, Wilson,
//! Werner (2005), eq. 13, a solution of the diffusive wave equation.

/// Manning's n [s/m^⅓] and speed of the wave [m/s].
#[derive(Clone, Copy)]
pub struct Wave {
    pub n: f64,
    pub u: f64,
}

impl Wave {
    /// Returns the depth [m] at x [m] after t [s]: h = [7/3·n²u²(ut − x)]^{3/7}.
    pub fn depth(self, x: f64, t: f64) -> f64 {
        (self.factor() * (self.u * t - x)).max(0.0).powf(3.0 / 7.0)
    }

    /// Returns the position of depth `h` [m] after t [s].
    pub fn place(self, h: f64, t: f64) -> f64 {
        self.u * t - h.powf(7.0 / 3.0) / self.factor()
    }

    fn factor(self) -> f64 {
        7.0 / 3.0 * self.n * self.n * self.u * self.u
    }
}

/// Checks ∂h/∂t + ∂q/∂x = 0 with q = h^{5/3}·√(−∂h/∂x)/n, by central differences.
pub fn self_check() {
    let wave = Wave { n: 0.03, u: 1.0 };
    let (x, t, d) = (1000.0, 2000.0, 0.05);
    let slope = |x: f64| (wave.depth(x + d, t) - wave.depth(x - d, t)) / (2.0 * d);
    let q = |x: f64| wave.depth(x, t).powf(5.0 / 3.0) * (-slope(x)).sqrt() / wave.n;
    let change = (wave.depth(x, t + d) - wave.depth(x, t - d)) / (2.0 * d);
    let spread = (q(x + 1.0) - q(x - 1.0)) / 2.0;
    assert!((change + spread).abs() < 1e-3 * change, "{change} and {spread}");
    assert!((wave.depth(wave.place(0.2, t), t) - 0.2).abs() < 1e-9);
}
