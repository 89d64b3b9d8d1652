//! 8 and 16 lanes: AVX2 and AVX-512.
//!
//! Safety throughout: the intrinsics need their instruction set. The types are only used inside
//! [`with_avx2`] and [`with_avx512`], which [`super::InstructionSet::run`] calls after checking the
//! processor.

use super::lane_pair::Twice;
use super::{Real, Whole, WithLanes};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Runs a computation with 8 lanes.
///
/// # Safety
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn with_avx2<W: WithLanes>(what: W) -> W::Output {
    if W::IS_CHAIN { what.with::<Twice<Real8>>() } else { what.with::<Real8>() }
}

/// Runs a computation with 16 lanes.
///
/// # Safety
/// The processor must have AVX-512F.
#[target_feature(enable = "avx512f")]
pub unsafe fn with_avx512<W: WithLanes>(what: W) -> W::Output {
    if W::IS_CHAIN { what.with::<Twice<Real16>>() } else { what.with::<Real16>() }
}

/// Shifts right, filling with zeros.
#[inline(always)]
unsafe fn shift8(x: __m256i, places: u32) -> __m256i {
    // SAFETY: only called inside `with_avx2`, on a processor that has AVX2.
    unsafe { _mm256_srl_epi32(x, _mm_cvtsi32_si128(places as i32)) }
}

/// Shifts right, filling with zeros.
#[inline(always)]
unsafe fn shift16(x: __m512i, places: u32) -> __m512i {
    // SAFETY: only called inside `with_avx512`, on a processor that has AVX-512F.
    unsafe { _mm512_srl_epi32(x, _mm_cvtsi32_si128(places as i32)) }
}

lanes!(
    8,
    Real8(__m256),
    Whole8(__m256i),
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_fmadd_ps,
    _mm256_sqrt_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_cvttps_epi32,
    _mm256_add_epi32,
    _mm256_sub_epi32,
    _mm256_min_epi32,
    _mm256_max_epi32,
    _mm256_set1_epi32,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_cvtepi32_ps,
    _mm256_mullo_epi32,
    shift8,
    _mm256_and_si256,
    _mm256_castps_si256,
    _mm256_castsi256_ps,
    |a| _mm256_andnot_ps(_mm256_set1_ps(-0.0), a),
    |p, q, then, otherwise| _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps::<_CMP_GT_OQ>(p, q)),
    |x, y| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(x, y)) != 0,
    |m, n| _mm256_movemask_epi8(_mm256_cmpgt_epi32(m, n)) != 0,
    |before, now| {
        // The upper half of `before` and the lower half of `now`, then shifted within halves.
        let middle = _mm256_permute2f128_ps::<0x21>(before, now);
        let (now, middle) = (_mm256_castps_si256(now), _mm256_castps_si256(middle));
        _mm256_castsi256_ps(_mm256_alignr_epi8::<12>(now, middle))
    }
);

lanes!(
    16,
    Real16(__m512),
    Whole16(__m512i),
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_fmadd_ps,
    _mm512_sqrt_ps,
    _mm512_max_ps,
    _mm512_min_ps,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_cvttps_epi32,
    _mm512_add_epi32,
    _mm512_sub_epi32,
    _mm512_min_epi32,
    _mm512_max_epi32,
    _mm512_set1_epi32,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_cvtepi32_ps,
    _mm512_mullo_epi32,
    shift16,
    _mm512_and_si512,
    _mm512_castps_si512,
    _mm512_castsi512_ps,
    |a| _mm512_abs_ps(a),
    |p, q, then, otherwise| _mm512_mask_blend_ps(
        _mm512_cmp_ps_mask::<_CMP_GT_OQ>(p, q),
        otherwise,
        then
    ),
    |x, y| _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, y) != 0,
    |m, n| _mm512_cmpgt_epi32_mask(m, n) != 0,
    |before, now| {
        let (before, now) = (_mm512_castps_si512(before), _mm512_castps_si512(now));
        _mm512_castsi512_ps(_mm512_alignr_epi32::<15>(now, before))
    }
);
