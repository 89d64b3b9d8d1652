//! SIMD lanes: the arithmetic in which solvers are written, for one or many cells at once.
//!
//! A solver is written once over [`Real`]. `f32` itself is the one-lane case, used by tests and
//! available on any processor; the modules `x86` and `neon` provide 8 and 16 lanes for AVX2 and
//! AVX-512, and 4 lanes for NEON. Every operation, including the fused multiply-add, is correctly
//! rounded lane by lane, so results do not depend on the number of lanes. (The compiler vectorized
//! none of this by itself: 10 to 50 million cell-steps/s instead of 300 and more.)

use std::ops::{Add, Div, Mul, Sub};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod vectors;

mod lane_pair;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

/// One or more f32 numbers computed together.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Integers in the same lanes.
    type Whole: Whole<Real = Self>;
    /// Number of f32 lanes.
    const LANES: usize;

    /// Returns one number in all lanes.
    fn splat(x: f32) -> Self;
    /// Loads [`Real::LANES`] numbers of a slice, from index `at`.
    ///
    /// # Safety
    /// `at + LANES` must not exceed the length of the slice.
    unsafe fn load(from: &[f32], at: usize) -> Self;
    /// Stores the lanes to a slice, from index `at`.
    ///
    /// # Safety
    /// `at + LANES` must not exceed the length of the slice.
    unsafe fn store(self, to: &mut [f32], at: usize);
    /// Returns `self * by + more` with a single rounding. Never used for sums of two products that
    /// swap under mirroring: one of the two would be rounded, the other not.
    fn fused(self, by: Self, more: Self) -> Self;
    /// Returns the correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Returns the magnitude of each lane.
    fn abs(self) -> Self;
    /// Returns `a > b ? a : b`, as the kernels write it.
    fn higher(self, b: Self) -> Self;
    /// Returns `a < b ? a : b`, as the kernels write it.
    fn lower(self, b: Self) -> Self;
    /// Returns `a > b ? then : otherwise`, lane by lane.
    fn if_greater(a: Self, b: Self, then: Self, otherwise: Self) -> Self;
    /// Returns whether any lane of `self` is greater than its counterpart in `b`.
    fn any_greater(self, b: Self) -> bool;
    /// Shifts the lanes of `current` up by one, with the last lane of `previous` in front.
    fn shifted(previous: Self, current: Self) -> Self;
    /// Rounds towards zero. Lanes must be within the range of i32.
    fn truncate(self) -> Self::Whole;
    /// Reinterprets the bits as integers.
    fn to_bits(self) -> Self::Whole;
    /// Returns `a > b ? then : otherwise`, lane by lane, for integers.
    fn choose(a: Self, b: Self, then: Self::Whole, otherwise: Self::Whole) -> Self::Whole;

    /// Returns zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// Returns the correctly rounded reciprocal.
    #[inline(always)]
    fn reciprocal(self) -> Self {
        Self::splat(1.0) / self
    }
}

/// One or more i32 numbers computed together; sums and products wrap.
pub trait Whole: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// f32 numbers in the same lanes.
    type Real: Real<Whole = Self>;

    /// Returns one number in all lanes.
    fn splat(x: i32) -> Self;
    /// Loads numbers of a slice, from index `at`.
    ///
    /// # Safety
    /// `at` plus the number of lanes must not exceed the length of the slice.
    unsafe fn load(from: &[i32], at: usize) -> Self;
    /// Stores the lanes to a slice, from index `at`.
    ///
    /// # Safety
    /// `at` plus the number of lanes must not exceed the length of the slice.
    unsafe fn store(self, to: &mut [i32], at: usize);
    /// Returns the smaller of each pair.
    fn min(self, b: Self) -> Self;
    /// Returns the larger of each pair.
    fn max(self, b: Self) -> Self;
    /// Returns whether any lane of `self` is greater than its counterpart in `b`.
    fn any_greater(self, b: Self) -> bool;
    /// Rounds to the nearest f32.
    fn to_real(self) -> Self::Real;
    /// Reinterprets the bits as f32 numbers.
    fn bits_as_real(self) -> Self::Real;
    /// Shifts right by a number of binary places, filling with zeros.
    fn shift_right(self, places: u32) -> Self;
    /// Returns the bitwise AND with `mask`.
    fn masked(self, mask: i32) -> Self;
}

/// Prefetches the cache line of a number that will soon be read or written; the index may be out of
/// range. Rows of large arrays are so far apart that hardware prefetchers do not predict the next
/// one.
#[inline(always)]
fn fetch_ahead<T>(from: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect on memory, and any address is allowed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, at);
}

/// Prefetches as many numbers as there are lanes.
#[inline(always)]
pub(crate) fn fetch_lanes_ahead<V: Real, T>(from: &[T], at: usize) {
    for line in (0..V::LANES).step_by(LINE / size_of::<T>()) {
        fetch_ahead(from, at + line);
    }
}

/// Bytes per cache line.
const LINE: usize = 64;

/// A computation generic over the lanes, to be run with the widest available.
pub trait WithLanes {
    /// Result of the computation.
    type Output;
    /// Set if it is one long dependency chain, of which two run faster side by side (`twice.rs`).
    const IS_CHAIN: bool = false;
    /// Runs the computation. Mark it `#[inline(always)]`: it is compiled once per instruction set.
    fn with<V: Real>(self) -> Self::Output;
}

/// Instruction sets that the engine is compiled for, narrowest first.
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
    /// Returns the widest one that this processor supports.
    pub fn best() -> InstructionSet {
        InstructionSet::available().last().copied().unwrap_or(InstructionSet::Scalar)
    }

    /// Instruction sets that the engine is compiled for, narrowest first.
    const ALL: [InstructionSet; 4] = [
        InstructionSet::Scalar,
        InstructionSet::Neon,
        InstructionSet::Avx2,
        InstructionSet::Avx512,
    ];

    /// Returns the instruction sets that this processor supports, narrowest first.
    pub fn available() -> Vec<InstructionSet> {
        InstructionSet::ALL.into_iter().filter(|set| set.is_available()).collect()
    }

    /// Returns whether this processor supports it.
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

    /// Returns its name for people.
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
    /// If the processor does not support it.
    pub fn run<W: WithLanes>(self, what: W) -> W::Output {
        assert!(self.is_available(), "this processor lacks {self:?}");
        match self {
            InstructionSet::Scalar => what.with::<f32>(),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => neon::with_neon(what),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has AVX2 and FMA, as just asserted.
            InstructionSet::Avx2 => unsafe { x86::with_avx2(what) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has AVX-512F, as just asserted.
            InstructionSet::Avx512 => unsafe { x86::with_avx512(what) },
            _ => unreachable!("only available sets are run"),
        }
    }

    /// Like `run`, for the loops of whole steps of every solver. Tests within the crate use one
    /// lane only, because all lanes would dominate their compile time; `tests/engine` runs them
    /// all.
    #[cfg(not(test))]
    pub(crate) fn run_step<W: WithLanes>(self, what: W) -> W::Output {
        self.run(what)
    }

    #[cfg(test)]
    pub(crate) fn run_step<W: WithLanes>(self, what: W) -> W::Output {
        what.with::<f32>()
    }
}
