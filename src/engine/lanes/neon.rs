//! 4 lanes: NEON, available on every aarch64 processor.
//!
//! `vmaxq_f32` and `vminq_f32` treat zeros of both signs differently, so maximum and minimum are
//! selected by comparison, as in the other lanes.

// The NEON intrinsics need no feature check, but the shared macros wrap all intrinsics in `unsafe`.
#![allow(unused_unsafe)]

use super::lane_pair::Twice;
use super::{Real, Whole, WithLanes};
use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Runs a computation with 4 lanes, or 8 if that is faster.
pub fn with_neon<W: WithLanes>(what: W) -> W::Output {
    if W::IS_CHAIN { what.with::<Twice<Real4>>() } else { what.with::<Real4>() }
}

/// Returns a · b + c, rounded once.
#[inline(always)]
unsafe fn fused(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
    // SAFETY: every aarch64 processor has NEON.
    unsafe { vfmaq_f32(c, a, b) }
}

/// Returns a > b ? a : b.
#[inline(always)]
unsafe fn higher(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    // SAFETY: every aarch64 processor has NEON.
    unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) }
}

/// Returns a < b ? a : b.
#[inline(always)]
unsafe fn lower(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    // SAFETY: every aarch64 processor has NEON.
    unsafe { vbslq_f32(vcltq_f32(a, b), a, b) }
}

/// Shifts right, filling with zeros.
#[inline(always)]
unsafe fn shift_right(x: int32x4_t, places: u32) -> int32x4_t {
    // SAFETY: every aarch64 processor has NEON.
    unsafe {
        let by = vdupq_n_s32(-(places as i32));
        vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x), by))
    }
}

lanes!(
    4,
    Real4(float32x4_t),
    Whole4(int32x4_t),
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    vdivq_f32,
    fused,
    vsqrtq_f32,
    higher,
    lower,
    vdupq_n_f32,
    vld1q_f32,
    vst1q_f32,
    vcvtq_s32_f32,
    vaddq_s32,
    vsubq_s32,
    vminq_s32,
    vmaxq_s32,
    vdupq_n_s32,
    vld1q_s32,
    vst1q_s32,
    vcvtq_f32_s32,
    vmulq_s32,
    shift_right,
    vandq_s32,
    vreinterpretq_s32_f32,
    vreinterpretq_f32_s32,
    |a| vabsq_f32(a),
    |p, q, then, otherwise| vbslq_f32(vcgtq_f32(p, q), then, otherwise),
    |x, y| vmaxvq_u32(vcgtq_f32(x, y)) != 0,
    |m, n| vmaxvq_u32(vcgtq_s32(m, n)) != 0,
    |before, now| vextq_f32::<3>(before, now)
);
