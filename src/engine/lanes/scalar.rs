//! One lane: plain f32 and i32.

use super::{Real, Whole};

impl Real for f32 {
    type Whole = Single;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> f32 {
        from[at]
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [f32], at: usize) {
        to[at] = self;
    }
    #[inline(always)]
    fn fused(self, by: f32, more: f32) -> f32 {
        self.mul_add(by, more)
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn higher(self, b: f32) -> f32 {
        if self > b { self } else { b }
    }
    #[inline(always)]
    fn lower(self, b: f32) -> f32 {
        if self < b { self } else { b }
    }
    #[inline(always)]
    fn if_greater(a: f32, b: f32, then: f32, otherwise: f32) -> f32 {
        if a > b { then } else { otherwise }
    }
    #[inline(always)]
    fn any_greater(self, b: f32) -> bool {
        self > b
    }
    #[inline(always)]
    fn shifted(previous: f32, _current: f32) -> f32 {
        previous
    }
    #[inline(always)]
    fn truncate(self) -> Single {
        Single(self as i32)
    }
    #[inline(always)]
    fn to_bits(self) -> Single {
        Single(f32::to_bits(self) as i32)
    }
    #[inline(always)]
    fn choose(a: f32, b: f32, then: Single, otherwise: Single) -> Single {
        if a > b { then } else { otherwise }
    }
}

/// An i32 with wrapping sums and products.
#[derive(Clone, Copy, Debug)]
pub struct Single(i32);

impl std::ops::Add for Single {
    type Output = Single;
    #[inline(always)]
    fn add(self, b: Single) -> Single {
        Single(self.0.wrapping_add(b.0))
    }
}

impl std::ops::Sub for Single {
    type Output = Single;
    #[inline(always)]
    fn sub(self, b: Single) -> Single {
        Single(self.0.wrapping_sub(b.0))
    }
}

impl std::ops::Mul for Single {
    type Output = Single;
    #[inline(always)]
    fn mul(self, b: Single) -> Single {
        Single(self.0.wrapping_mul(b.0))
    }
}

impl Whole for Single {
    type Real = f32;

    #[inline(always)]
    fn splat(x: i32) -> Single {
        Single(x)
    }
    #[inline(always)]
    unsafe fn load(from: &[i32], at: usize) -> Single {
        Single(from[at])
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [i32], at: usize) {
        to[at] = self.0;
    }
    #[inline(always)]
    fn min(self, b: Single) -> Single {
        Single(self.0.min(b.0))
    }
    #[inline(always)]
    fn max(self, b: Single) -> Single {
        Single(self.0.max(b.0))
    }
    #[inline(always)]
    fn any_greater(self, b: Single) -> bool {
        self.0 > b.0
    }
    #[inline(always)]
    fn to_real(self) -> f32 {
        self.0 as f32
    }
    #[inline(always)]
    fn bits_as_real(self) -> f32 {
        f32::from_bits(self.0 as u32)
    }
    #[inline(always)]
    fn shift_right(self, places: u32) -> Single {
        Single((self.0 as u32 >> places) as i32)
    }
    #[inline(always)]
    fn masked(self, mask: i32) -> Single {
        Single(self.0 & mask)
    }
}
