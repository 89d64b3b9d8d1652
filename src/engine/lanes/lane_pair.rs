//! Two sets of lanes side by side. A solver is a long chain of operations, each waiting for the one
//! before it; interleaving two chains keeps the processor busy. (Its out-of-order window is only a
//! few hundred instructions, so with one chain after the other it sees little more than the first.)

use super::{Real, Whole};
use std::ops::{Add, Div, Mul, Sub};

/// Twice as many numbers.
#[derive(Clone, Copy, Debug)]
pub struct Twice<T>(T, T);

macro_rules! operator {
    ($kind:ident, $trait:ident, $method:ident) => {
        impl<T: $kind> $trait for Twice<T> {
            type Output = Twice<T>;
            #[inline(always)]
            fn $method(self, b: Twice<T>) -> Twice<T> {
                Twice($trait::$method(self.0, b.0), $trait::$method(self.1, b.1))
            }
        }
    };
}

/// Implements methods that act on each half separately.
macro_rules! halves {
    ($(fn $name:ident(self $(, $b:ident)*) -> $out:ty;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $b: Self)*) -> $out {
            Twice(self.0.$name($($b.0),*), self.1.$name($($b.1),*))
        }
    )*};
}

/// Operations common to both kinds of numbers.
trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}
impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Number for T {}

operator!(Number, Add, add);
operator!(Number, Sub, sub);
operator!(Number, Mul, mul);
operator!(Real, Div, div);

impl<V: Real> Real for Twice<V> {
    type Whole = Twice<V::Whole>;
    const LANES: usize = 2 * V::LANES;

    halves! {
        fn fused(self, by, more) -> Self;
        fn sqrt(self) -> Self;
        fn abs(self) -> Self;
        fn higher(self, b) -> Self;
        fn lower(self, b) -> Self;
        fn truncate(self) -> Self::Whole;
        fn to_bits(self) -> Self::Whole;
    }

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Twice(V::splat(x), V::splat(x))
    }
    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        // SAFETY: the caller guarantees that the slice has 2 × LANES numbers from `at`.
        unsafe { Twice(V::load(from, at), V::load(from, at + V::LANES)) }
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [f32], at: usize) {
        // SAFETY: the caller guarantees that the slice has 2 × LANES numbers from `at`.
        unsafe {
            self.0.store(to, at);
            self.1.store(to, at + V::LANES);
        }
    }
    #[inline(always)]
    fn if_greater(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        Twice(
            V::if_greater(a.0, b.0, then.0, otherwise.0),
            V::if_greater(a.1, b.1, then.1, otherwise.1),
        )
    }
    #[inline(always)]
    fn any_greater(self, b: Self) -> bool {
        self.0.any_greater(b.0) | self.1.any_greater(b.1)
    }
    #[inline(always)]
    fn shifted(previous: Self, current: Self) -> Self {
        Twice(V::shifted(previous.1, current.0), V::shifted(current.0, current.1))
    }
    #[inline(always)]
    fn choose(a: Self, b: Self, then: Self::Whole, otherwise: Self::Whole) -> Self::Whole {
        Twice(V::choose(a.0, b.0, then.0, otherwise.0), V::choose(a.1, b.1, then.1, otherwise.1))
    }
}

impl<W: Whole> Whole for Twice<W> {
    type Real = Twice<W::Real>;

    halves! {
        fn min(self, b) -> Self;
        fn max(self, b) -> Self;
        fn to_real(self) -> Self::Real;
        fn bits_as_real(self) -> Self::Real;
    }

    #[inline(always)]
    fn splat(x: i32) -> Self {
        Twice(W::splat(x), W::splat(x))
    }
    #[inline(always)]
    unsafe fn load(from: &[i32], at: usize) -> Self {
        // SAFETY: the caller guarantees that the slice has 2 × LANES numbers from `at`.
        unsafe { Twice(W::load(from, at), W::load(from, at + W::Real::LANES)) }
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [i32], at: usize) {
        // SAFETY: the caller guarantees that the slice has 2 × LANES numbers from `at`.
        unsafe {
            self.0.store(to, at);
            self.1.store(to, at + W::Real::LANES);
        }
    }
    #[inline(always)]
    fn any_greater(self, b: Self) -> bool {
        self.0.any_greater(b.0) | self.1.any_greater(b.1)
    }
    #[inline(always)]
    fn shift_right(self, places: u32) -> Self {
        Twice(self.0.shift_right(places), self.1.shift_right(places))
    }
    #[inline(always)]
    fn masked(self, mask: i32) -> Self {
        Twice(self.0.masked(mask), self.1.masked(mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_are_computed_each_for_itself() {
        let numbers = [3.0f32, -2.5, 0.25, 9.0];
        // SAFETY: the array has four numbers, and both loads take two.
        let [a, b] = unsafe { [Twice::<f32>::load(&numbers, 0), Twice::<f32>::load(&numbers, 2)] };
        let halves = |x: Twice<f32>| [x.0, x.1];
        assert_eq!(halves(a + b), [3.25, 6.5]);
        assert_eq!(halves(a.fused(b, a)), [3.75, -25.0]);
        assert_eq!(halves(b.sqrt()), [0.5, 3.0]);
        assert_eq!([halves(a.higher(b)), halves(a.lower(b))], [[3.0, 9.0], [0.25, -2.5]]);
        assert_eq!(halves(Twice::if_greater(a, b, a.abs(), b)), [3.0, 9.0]);
        assert!(a.any_greater(b) && b.any_greater(a) && !a.any_greater(a));
        assert_eq!(halves(Twice::shifted(a, b)), [-2.5, 0.25]);
        assert_eq!(halves(a.truncate().to_real()), [3.0, -2.0]);
        assert_eq!(halves(a.to_bits().bits_as_real()), [3.0, -2.5]);
    }
}
