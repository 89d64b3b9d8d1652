//! Macros that define vector lanes: a pair of types, for f32 and i32 numbers, and their operations,
//! from the names of intrinsics.
//!
//! Safety throughout: the intrinsics need their instruction set. The types are only used where
//! [`super::InstructionSet::run`] has checked the processor.

macro_rules! operator {
    ($type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, b: $type) -> $type {
                // SAFETY: the processor has the instruction set: these types are only used inside
                // `InstructionSet::run`, which checks it.
                $type(unsafe { $intrinsic(self.0, b.0) })
            }
        }
    };
}

/// Evaluates an expression of intrinsics.
macro_rules! intrinsic {
    ($what:expr) => {
        // SAFETY: the processor has the instruction set: these types are only used inside
        // `InstructionSet::run`, which checks it.
        unsafe { $what }
    };
}

macro_rules! lanes {
    (
        $lanes:literal, $real:ident($real_raw:ty), $whole:ident($whole_raw:ty),
        $add:ident, $sub:ident, $mul:ident, $div:ident, $fused:ident, $sqrt:ident, $max:ident, $min:ident,
        $set:ident, $load:ident, $store:ident, $truncate:ident,
        $whole_add:ident, $whole_sub:ident, $whole_min:ident, $whole_max:ident, $whole_set:ident,
        $whole_load:ident, $whole_store:ident, $to_real:ident,
        $whole_mul:ident, $shift_right:ident, $masked:ident, $to_bits:ident, $from_bits:ident,
        |$a:ident| $abs:expr,
        |$p:ident, $q:ident, $then:ident, $otherwise:ident| $if_greater:expr,
        |$x:ident, $y:ident| $any_greater:expr,
        |$m:ident, $n:ident| $whole_any_greater:expr,
        |$before:ident, $now:ident| $shifted:expr
    ) => {
        #[doc = concat!(stringify!($lanes), " f32 numbers.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $real($real_raw);

        #[doc = concat!(stringify!($lanes), " i32 numbers.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $whole($whole_raw);

        operator!($real, Add, add, $add);
        operator!($real, Sub, sub, $sub);
        operator!($real, Mul, mul, $mul);
        operator!($real, Div, div, $div);
        operator!($whole, Add, add, $whole_add);
        operator!($whole, Sub, sub, $whole_sub);
        operator!($whole, Mul, mul, $whole_mul);

        impl Real for $real {
            type Whole = $whole;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(x: f32) -> Self {
                $real(intrinsic!($set(x)))
            }
            #[inline(always)]
            unsafe fn load(from: &[f32], at: usize) -> Self {
                debug_assert!(at + $lanes <= from.len());
                $real(intrinsic!($load(from.as_ptr().add(at))))
            }
            #[inline(always)]
            unsafe fn store(self, to: &mut [f32], at: usize) {
                debug_assert!(at + $lanes <= to.len());
                intrinsic!($store(to.as_mut_ptr().add(at), self.0))
            }
            #[inline(always)]
            fn fused(self, by: Self, more: Self) -> Self {
                $real(intrinsic!($fused(self.0, by.0, more.0)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $real(intrinsic!($sqrt(self.0)))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                let $a = self.0;
                $real(intrinsic!($abs))
            }
            #[inline(always)]
            fn higher(self, b: Self) -> Self {
                $real(intrinsic!($max(self.0, b.0)))
            }
            #[inline(always)]
            fn lower(self, b: Self) -> Self {
                $real(intrinsic!($min(self.0, b.0)))
            }
            #[inline(always)]
            fn if_greater(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
                let ($p, $q, $then, $otherwise) = (a.0, b.0, then.0, otherwise.0);
                $real(intrinsic!($if_greater))
            }
            #[inline(always)]
            fn any_greater(self, b: Self) -> bool {
                let ($x, $y) = (self.0, b.0);
                intrinsic!($any_greater)
            }
            #[inline(always)]
            fn shifted(previous: Self, current: Self) -> Self {
                let ($before, $now) = (previous.0, current.0);
                $real(intrinsic!($shifted))
            }
            #[inline(always)]
            fn truncate(self) -> $whole {
                $whole(intrinsic!($truncate(self.0)))
            }
            #[inline(always)]
            fn to_bits(self) -> $whole {
                $whole(intrinsic!($to_bits(self.0)))
            }
            #[inline(always)]
            fn choose(a: Self, b: Self, then: $whole, otherwise: $whole) -> $whole {
                Self::if_greater(a, b, then.bits_as_real(), otherwise.bits_as_real()).to_bits()
            }
        }

        impl Whole for $whole {
            type Real = $real;

            #[inline(always)]
            fn splat(x: i32) -> Self {
                $whole(intrinsic!($whole_set(x)))
            }
            #[inline(always)]
            unsafe fn load(from: &[i32], at: usize) -> Self {
                debug_assert!(at + $lanes <= from.len());
                $whole(intrinsic!($whole_load(from.as_ptr().add(at).cast())))
            }
            #[inline(always)]
            unsafe fn store(self, to: &mut [i32], at: usize) {
                debug_assert!(at + $lanes <= to.len());
                intrinsic!($whole_store(to.as_mut_ptr().add(at).cast(), self.0))
            }
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                $whole(intrinsic!($whole_min(self.0, b.0)))
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                $whole(intrinsic!($whole_max(self.0, b.0)))
            }
            #[inline(always)]
            fn any_greater(self, b: Self) -> bool {
                let ($m, $n) = (self.0, b.0);
                intrinsic!($whole_any_greater)
            }
            #[inline(always)]
            fn to_real(self) -> $real {
                $real(intrinsic!($to_real(self.0)))
            }
            #[inline(always)]
            fn bits_as_real(self) -> $real {
                $real(intrinsic!($from_bits(self.0)))
            }
            #[inline(always)]
            fn shift_right(self, places: u32) -> Self {
                $whole(intrinsic!($shift_right(self.0, places)))
            }
            #[inline(always)]
            fn masked(self, mask: i32) -> Self {
                $whole(intrinsic!($masked(self.0, $whole::splat(mask).0)))
            }
        }
    };
}
