//! Several cells at once: the arithmetic in which rules are written, for one lane or many.
//!
//! A rule is written once over [`Real`]; `f32` itself is the one-lane case, which the tests use and
//! which runs on any processor, and the modules `x86` and `neon` hold the 8- and 16-lane cases for AVX2 and AVX-512 and the 4-lane case
//! for NEON.
//! Every operation, the fused multiply-add among them, is correctly rounded, lane by lane, so the number of lanes never shows in the
//! results. (Left to itself the compiler vectorized none of this: 10 to 50 million cell-steps/s
//! instead of 300 and more.)

use std::ops::{Add, Div, Mul, Sub};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod vectors;

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
mod twice;
#[cfg(target_arch = "x86_64")]
mod x86;

/// One or more f32 numbers that are computed together.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Integers in the same lanes.
    type Whole: Whole<Real = Self>;
    /// Number of lanes.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// The [`Real::LANES`] numbers from place `at` of a slice on.
    ///
    /// # Safety
    /// `at + LANES` must not lie past the end of the slice.
    unsafe fn load(from: &[f32], at: usize) -> Self;
    /// Writes the lanes to a slice from place `at` on.
    ///
    /// # Safety
    /// `at + LANES` must not lie past the end of the slice.
    unsafe fn store(self, to: &mut [f32], at: usize);
    /// `self * by + more` with a single rounding. Sums of two products whose places change in a mirror are never written
    /// with it: one of the two would be rounded, the other not.
    fn fused(self, by: Self, more: Self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// `a > b ? a : b`, as the kernels write it.
    fn higher(self, b: Self) -> Self;
    /// `a < b ? a : b`, as the kernels write it.
    fn lower(self, b: Self) -> Self;
    /// `a > b ? then : otherwise`, lane by lane.
    fn if_greater(a: Self, b: Self, then: Self, otherwise: Self) -> Self;
    /// Whether any lane of `self` is greater than that of `b`.
    fn any_greater(self, b: Self) -> bool;
    /// The lanes of `current` moved up by one, with the last lane of `previous` in front.
    fn shifted(previous: Self, current: Self) -> Self;
    /// Rounded towards zero. Lanes must lie within the range of i32.
    fn truncate(self) -> Self::Whole;
    /// The same bits, read as integers.
    fn to_bits(self) -> Self::Whole;
    /// `a > b ? then : otherwise`, lane by lane, of integers.
    fn choose(a: Self, b: Self, then: Self::Whole, otherwise: Self::Whole) -> Self::Whole;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

/// One or more i32 numbers that are computed together; sums and products wrap.
pub trait Whole: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// f32 numbers in the same lanes.
    type Real: Real<Whole = Self>;

    /// The same number in every lane.
    fn splat(x: i32) -> Self;
    /// The numbers from place `at` of a slice on.
    ///
    /// # Safety
    /// `at` plus the number of lanes must not lie past the end of the slice.
    unsafe fn load(from: &[i32], at: usize) -> Self;
    /// Writes the lanes to a slice from place `at` on.
    ///
    /// # Safety
    /// `at` plus the number of lanes must not lie past the end of the slice.
    unsafe fn store(self, to: &mut [i32], at: usize);
    /// The smaller.
    fn min(self, b: Self) -> Self;
    /// The larger.
    fn max(self, b: Self) -> Self;
    /// Whether any lane of `self` is greater than that of `b`.
    fn any_greater(self, b: Self) -> bool;
    /// Rounded to the nearest f32.
    fn to_real(self) -> Self::Real;
    /// The same bits, read as f32 numbers.
    fn bits_as_real(self) -> Self::Real;
    /// Moved right by so many binary places, with zeros in front.
    fn shift_right(self, places: u32) -> Self;
    /// The bits that are set in `mask`, too.
    fn masked(self, mask: i32) -> Self;
}

/// Asks for the cache line of a number that will soon be read or written, which need not be there: rows of large arrays lie so
/// far from each other that processors do not see by themselves which comes next.
#[inline(always)]
pub(crate) fn fetch_ahead<T>(from: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it changes nothing, and no address is wrong.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, at);
}

/// The same of as many numbers as there are lanes.
#[inline(always)]
pub(crate) fn fetch_lanes_ahead<V: Real, T>(from: &[T], at: usize) {
    for line in (0..V::LANES).step_by(LINE / size_of::<T>()) {
        fetch_ahead(from, at + line);
    }
}

/// Bytes that processors fetch at a time.
const LINE: usize = 64;

/// A computation generic over the lanes, to be run with the widest that the processor has.
pub trait WithLanes {
    /// What the computation returns.
    type Output;
    /// Whether it is one long chain of operations, of which two go faster side by side (`twice.rs`).
    const IS_CHAIN: bool = false;
    /// The computation. Mark it `#[inline(always)]`: it is compiled once per instruction set.
    fn with<V: Real>(self) -> Self::Output;
}

/// The instruction sets that the engine is compiled for, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Plain Rust, one lane.
    Scalar,
    /// aarch64 NEON, 4 lanes.
    Neon,
    /// x86-64 AVX2, 8 lanes.
    Avx2,
    /// x86-64 AVX-512, 16 lanes.
    Avx512,
}

impl InstructionSet {
    /// The widest that this processor has.
    pub fn best() -> InstructionSet {
        InstructionSet::available().last().copied().unwrap_or(InstructionSet::Scalar)
    }

    /// Every one that the engine is compiled for, narrowest first.
    const ALL: [InstructionSet; 4] = [
        InstructionSet::Scalar,
        InstructionSet::Neon,
        InstructionSet::Avx2,
        InstructionSet::Avx512,
    ];

    /// All that this processor has, narrowest first.
    pub fn available() -> Vec<InstructionSet> {
        InstructionSet::ALL.into_iter().filter(|set| set.is_available()).collect()
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            InstructionSet::Scalar => true,
            InstructionSet::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => {
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Scalar => "scalar",
            InstructionSet::Neon => "NEON",
            InstructionSet::Avx2 => "AVX2",
            InstructionSet::Avx512 => "AVX-512",
        }
    }

    /// Runs a computation with this instruction set.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub fn run<W: WithLanes>(self, what: W) -> W::Output {
        assert!(self.is_available(), "this processor lacks {self:?}");
        match self {
            InstructionSet::Scalar => what.with::<f32>(),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => neon::with_neon(what),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instructions, as just asserted.
            InstructionSet::Avx2 => unsafe { x86::with_avx2(what) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            InstructionSet::Avx512 => unsafe { x86::with_avx512(what) },
            _ => unreachable!("only available sets are run"),
        }
    }

    /// The same for the loops of whole steps, of every rule. Tests within the crate have them on one lane alone: on all lanes they are
    /// most of the time of compiling it, and `tests/engine` runs them.
    #[cfg(not(test))]
    pub(crate) fn run_step<W: WithLanes>(self, what: W) -> W::Output {
        self.run(what)
    }

    #[cfg(test)]
    pub(crate) fn run_step<W: WithLanes>(self, what: W) -> W::Output {
        what.with::<f32>()
    }
}
