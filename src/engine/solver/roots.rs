//! Fractional powers from basic operations: x^(−1/6), x^(−1/4) and x^(−1/2).
//!
//! Libraries differ in the last bits of `pow` and `cbrt`. These functions use only integer and
//! correctly rounded operations, so that every processor computes identical bits. The integer that
//! encodes a float is approximately its logarithm (Blinn 1997, "Floating-point tricks"), so
//! dividing it divides the logarithm. This first guess is refined by a quadratic in the residual c
//! = x·yᵖ, fitted to its range, and by one Newton step. The CUDA twin is `kernels/roots.cuh`.

use crate::lanes::{Real, Whole};

/// Coefficients of the quadratic in the residual, from the constant up: minimax fits of c^(−1/p) to
/// the range of c that the first guess leaves (relative error 1.1e-4, 5.8e-5, 3.6e-5).
const SIXTH: [f32; 3] = [1.264_272_1, -0.360_087_75, 0.095_833_026];
const FOURTH: [f32; 3] = [1.406_530_5, -0.561_682_7, 0.155_158_74];
const SECOND: [f32; 3] = [1.875_117_1, -1.249_128_5, 0.374_004_3];

#[inline(always)]
fn quadratic<V: Real>([a, b, c]: [f32; 3], x: V) -> V {
    (V::splat(c) * x + V::splat(b)).fused(x, V::splat(a))
}

#[inline(always)]
fn newton<V: Real>(y: V, power: f32, residual: V) -> V {
    y.fused(V::splat(-power).fused(residual, V::splat(power)), y)
}

/// Computes x^(−1/6) for x between 2⁻¹⁷ and 2¹²; relative error below 1.5e-7.
#[inline(always)]
pub fn inverse_sixth_root<V: Real>(x: V) -> V {
    let residual = |y: V| {
        let y2 = y * y;
        (x * y2) * (y2 * y2)
    };
    // 10923 / 2¹⁶ is a sixth.
    let sixth = x.to_bits().shift_right(16) * V::Whole::splat(10_923);
    let y = (V::Whole::splat(0x4a0e_3f55) - sixth).bits_as_real();
    let y = y * quadratic(SIXTH, residual(y));
    newton(y, 1.0 / 6.0, residual(y))
}

/// Computes x^(−1/4) for x between 2⁻⁸⁰ and 2²⁴; relative error below 1.2e-7.
#[inline(always)]
pub fn inverse_fourth_root<V: Real>(x: V) -> V {
    let residual = |y: V| {
        let y2 = y * y;
        (x * y2) * y2
    };
    let y = (V::Whole::splat(0x4f58_7800) - x.to_bits().shift_right(2)).bits_as_real();
    let y = y * quadratic(FOURTH, residual(y));
    newton(y, 0.25, residual(y))
}

/// Computes x^(−1/2) quickly for x between 2⁻¹⁰⁰ and 2⁴⁰; relative error below 3.6e-5.
#[inline(always)]
pub fn rough_inverse_root<V: Real>(x: V) -> V {
    let y = (V::Whole::splat(0x5f37_8200) - x.to_bits().shift_right(1)).bits_as_real();
    y * quadratic(SECOND, (x * y) * y)
}

/// Estimates √x for x > 0 to 4 %, by halving the logarithm only.
#[inline(always)]
pub fn guess_root<V: Real>(x: V) -> V {
    (V::Whole::splat(0x1fbb_4f2e) + x.to_bits().shift_right(1)).bits_as_real()
}

/// Estimates 1/x for x > 0 to 6 %, by negating the logarithm only.
#[inline(always)]
pub fn guess_inverse<V: Real>(x: V) -> V {
    (V::Whole::splat(0x7ef3_11c7) - x.to_bits()).bits_as_real()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the largest relative error of a root over every 61st float between 2^low and 2^high.
    fn worst(root: fn(f32) -> f32, power: f64, low: i32, high: i32) -> f64 {
        let bits = (2f32.powi(low).to_bits()..=2f32.powi(high).to_bits()).step_by(61);
        let error = |x: f32| (f64::from(root(x)) / f64::from(x).powf(power) - 1.0).abs();
        bits.map(|bits| error(f32::from_bits(bits))).fold(0.0, f64::max)
    }

    #[test]
    fn roots_are_as_good_as_they_say() {
        let errors = [
            worst(inverse_sixth_root::<f32>, -1.0 / 6.0, -17, 12),
            worst(inverse_fourth_root::<f32>, -0.25, -80, 24),
            worst(rough_inverse_root::<f32>, -0.5, -100, 40),
            worst(guess_root::<f32>, 0.5, -100, 100),
            worst(guess_inverse::<f32>, -1.0, -100, 100),
        ];
        for (error, limit) in errors.into_iter().zip([1.5e-7, 1.2e-7, 3.6e-5, 0.04, 0.06]) {
            assert!(error < limit && error > 0.5 * limit, "{errors:?}");
        }
    }
}
