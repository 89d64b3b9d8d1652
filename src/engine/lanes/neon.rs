//! 4 lanes: NEON, which every aarch64 processor has.
//!
//! `vmaxq_f32` and `vminq_f32` go their own way with zeros of both signs, so the larger and the smaller are chosen by comparing, as the
//! other lanes do.

// Its intrinsics need no instruction set to be asked for, but their macros serve other processors, too.
#![allow(unused_unsafe)]

use super::twice::Twice;
use super::{Real, Whole, WithLanes};
use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Runs a computation with 4 lanes, or 8 where that is faster.
pub fn with_neon<W: WithLanes>(what: W) -> W::Output {
    if W::IS_CHAIN { what.with::<Twice<Real4>>() } else { what.with::<Real4>() }
}

/// a · b + c, rounded once.
#[inline(always)]
unsafe fn fused(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
    // SAFETY: every aarch64 processor has NEON.
    unsafe { vfmaq_f32(c, a, b) }
}

/// a > b ? a : b.
#[inline(always)]
unsafe fn higher(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    // SAFETY: as above.
    unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) }
}

/// a < b ? a : b.
#[inline(always)]
unsafe fn lower(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    // SAFETY: as above.
    unsafe { vbslq_f32(vcltq_f32(a, b), a, b) }
}

/// Zeros come in front.
#[inline(always)]
unsafe fn shift_right(x: int32x4_t, places: u32) -> int32x4_t {
    // SAFETY: as above.
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
