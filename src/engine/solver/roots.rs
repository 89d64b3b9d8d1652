//! Fractional powers from basic operations: x^(−1/6), x^(−1/4), x^(−1/3) and x^(−1/2).
//!
//! Libraries differ in the last bits of `pow` and `cbrt`. These functions use only integer and
//! correctly rounded operations, so that every processor computes identical bits. The integer that
//! encodes a float is approximately its logarithm (Blinn 1997, "Floating-point tricks"), so
//! dividing it divides the logarithm. This first guess y is refined by a polynomial in the residual
//! d = x·yᵖ − 1, fitted to its range. The CUDA twin is `kernels/roots.cuh`.

use crate::lanes::{Real, Whole};

/// Coefficients, from the constant up, of polynomials q with (1 + d)^(−1/p) = 1 + d·q(d): minimax
/// fits to the range of residuals that the first guess leaves (relative error 5.8e-8, 1.0e-8).
const SIXTH: [f32; 5] =
    [-0.166_666_18, 0.097_204_156, -0.070_301_75, 0.057_376_325, -0.044_504_646];
const FOURTH: [f32; 5] = [-0.249_999_91, 0.156_242_82, -0.117_221_07, 0.096_722_5, -0.079_412_25];
/// The same for x^(−1/3) (relative error 3.0e-6).
const THIRD: [f32; 3] = [-0.333_329_5, 0.223_531_41, -0.174_470_74];
/// Coefficients of the quadratic in 1 + d for x^(−1/2) (relative error 3.6e-5).
const SECOND: [f32; 3] = [1.875_117_1, -1.249_128_5, 0.374_004_3];

/// Refines a guess y with the residual d.
#[inline(always)]
fn refined<V: Real, const N: usize>(y: V, d: V, coefficients: [f32; N]) -> V {
    let mut q = V::splat(coefficients[N - 1]);
    for coefficient in coefficients[..N - 1].iter().rev() {
        q = q.fused(d, V::splat(*coefficient));
    }
    (y * d).fused(q, y)
}

/// Computes x^(−1/6) for x between 2⁻¹⁷ and 2¹²; relative error below 1.6e-7.
#[inline(always)]
pub fn inverse_sixth_root<V: Real>(x: V) -> V {
    // 10923 / 2¹⁶ is a sixth.
    let sixth = x.to_bits().shift_right(16) * V::Whole::splat(10_923);
    let y = (V::Whole::splat(0x4a0e_3f55) - sixth).bits_as_real();
    let y2 = y * y;
    refined(y, (x * y2).fused(y2 * y2, V::splat(-1.0)), SIXTH)
}

/// Computes x^(−1/3) quickly for x between 2⁻¹⁷ and 2¹²; relative error below 3.3e-6.
#[inline(always)]
pub fn rough_inverse_cube_root<V: Real>(x: V) -> V {
    // 21846 / 2¹⁶ is a third.
    let third = x.to_bits().shift_right(16) * V::Whole::splat(21_846);
    let y = (V::Whole::splat(0x54a1_e8d8) - third).bits_as_real();
    refined(y, (x * y).fused(y * y, V::splat(-1.0)), THIRD)
}

/// Computes x^(−1/4) for x between 2⁻⁸⁰ and 2²⁴; relative error below 1.2e-7.
#[inline(always)]
pub fn inverse_fourth_root<V: Real>(x: V) -> V {
    let y = (V::Whole::splat(0x4f58_7800) - x.to_bits().shift_right(2)).bits_as_real();
    let y2 = y * y;
    refined(y, (x * y2).fused(y2, V::splat(-1.0)), FOURTH)
}

/// Computes x^(−1/2) quickly for x between 2⁻¹⁰⁰ and 2⁴⁰; relative error below 3.6e-5.
#[inline(always)]
pub fn rough_inverse_root<V: Real>(x: V) -> V {
    let y = (V::Whole::splat(0x5f37_8200) - x.to_bits().shift_right(1)).bits_as_real();
    let residual = (x * y) * y;
    let [a, b, c] = SECOND.map(V::splat);
    y * c.fused(residual, b).fused(residual, a)
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
            worst(rough_inverse_cube_root::<f32>, -1.0 / 3.0, -17, 12),
            worst(rough_inverse_root::<f32>, -0.5, -100, 40),
            worst(guess_root::<f32>, 0.5, -100, 100),
            worst(guess_inverse::<f32>, -1.0, -100, 100),
        ];
        for (error, limit) in errors.into_iter().zip([1.6e-7, 1.2e-7, 3.3e-6, 3.6e-5, 0.04, 0.06]) {
            assert!(error < limit && error > 0.5 * limit, "{errors:?}");
        }
    }
}
