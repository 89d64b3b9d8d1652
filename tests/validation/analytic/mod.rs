//! Reference solutions for the solvers, each with its source.

pub mod bowl;
pub mod bump;
pub mod dam_break;
pub mod godunov;
pub mod jump;
pub mod plane;
pub mod wave;

/// Gravity [m/s²].
pub const G: f64 = 9.81;

/// Checks that each solution satisfies the equations that it claims to solve.
pub fn self_check() {
    bowl::self_check();
    bump::self_check();
    dam_break::self_check();
    godunov::self_check();
    jump::self_check();
    plane::self_check();
    wave::self_check();
}

/// Finds the root of an increasing function between `low` and `high`, by bisection to the last bit.
fn root(mut low: f64, mut high: f64, rising: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if rising(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
