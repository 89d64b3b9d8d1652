//! Words of cells with one bit each: 64, 256 or 512 at a time.
//!
//! AVX-512 computes any function of three inputs in one instruction, and shifts across two words in
//! one (VBMI2).

use std::ops::{BitAnd, BitOr, BitXor};

/// One or several adjacent words of 64 cells each. Bit i of a word is the cell at position i.
pub trait Word:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// Number of 64-bit words.
    const WORDS: usize;

    /// Returns words without any bit set.
    fn zero() -> Self;
    /// Returns words with every bit set.
    fn ones() -> Self;
    /// Computes `self & !other`.
    fn and_not(self, other: Self) -> Self;
    /// Loads the words at an address.
    ///
    /// # Safety
    /// All words must be readable.
    unsafe fn load(from: *const u64) -> Self;
    /// Stores the words.
    ///
    /// # Safety
    /// All words must be writable.
    unsafe fn store(self, to: *mut u64);
    /// Loads the left neighbours of the cells at an address, aligned with the cells.
    ///
    /// # Safety
    /// The words and the one before them must be readable.
    unsafe fn load_left(from: *const u64) -> Self;
    /// Loads the right neighbours of the cells at an address, aligned with the cells.
    ///
    /// # Safety
    /// The words and the one after them must be valid.
    unsafe fn load_right(from: *const u64) -> Self;

    /// Returns the parity of three bits.
    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        a ^ b ^ c
    }

    /// Returns the majority of three bits.
    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        (a & b) | (c & (a ^ b))
    }

    /// Returns `true` if any of three bits is set.
    #[inline(always)]
    fn or3(a: Self, b: Self, c: Self) -> Self {
        a | b | c
    }

    /// Returns `true` if all of three bits are set.
    #[inline(always)]
    fn and3(a: Self, b: Self, c: Self) -> Self {
        a & b & c
    }

    /// Computes `which ? a : b`, bit by bit.
    #[inline(always)]
    fn select(which: Self, a: Self, b: Self) -> Self {
        b ^ (which & (a ^ b))
    }

    /// Computes `a | (b ^ c)`.
    #[inline(always)]
    fn or_xor(a: Self, b: Self, c: Self) -> Self {
        a | (b ^ c)
    }

    /// Applies the Game of Life: three of the nine cells are alive, or four including `here`. `odd`
    /// is the parity of their number. The twos are `carry` and those from the three rows, whose
    /// parity is `twos`; `fours` is set if the rows have two or three.
    #[inline(always)]
    fn lives(odd: Self, carry: Self, twos: Self, fours: Self, here: Self) -> Self {
        // One two and odd, or two twos and even.
        let (one, two) = (twos ^ carry, fours ^ (twos & carry));
        (one & odd).and_not(fours) | (here & two).and_not(one | odd)
    }

    /// Computes `a ? neither b nor c : exactly one of them`.
    #[inline(always)]
    fn one_then(a: Self, b: Self, c: Self) -> Self {
        a.and_not(b | c) | (b ^ c).and_not(a)
    }
}

impl Word for u64 {
    const WORDS: usize = 1;

    #[inline(always)]
    fn zero() -> u64 {
        0
    }
    #[inline(always)]
    fn ones() -> u64 {
        u64::MAX
    }
    #[inline(always)]
    fn and_not(self, other: u64) -> u64 {
        self & !other
    }
    #[inline(always)]
    unsafe fn load(from: *const u64) -> u64 {
        // SAFETY: the caller guarantees that the word at the address is valid.
        unsafe { *from }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller guarantees that there is room for the word.
        unsafe { *to = self }
    }
    #[inline(always)]
    unsafe fn load_left(from: *const u64) -> u64 {
        // SAFETY: the caller guarantees that the word and the one before it are valid.
        unsafe { (*from << 1) | (*from.sub(1) >> 63) }
    }
    #[inline(always)]
    unsafe fn load_right(from: *const u64) -> u64 {
        // SAFETY: the caller guarantees that the word and the one after it are valid.
        unsafe { (*from >> 1) | (*from.add(1) << 63) }
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Wide256, Wide512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Word;
    use std::arch::x86_64::*;
    use std::ops::{BitAnd, BitOr, BitXor};

    // These types are only used if the processor supports the instructions (`lanes.rs`); pointers
    // are valid as guaranteed by the caller.

    /// 256 cells, with AVX2.
    #[derive(Clone, Copy)]
    pub struct Wide256(__m256i);

    /// 512 cells, with AVX-512 and VBMI2.
    #[derive(Clone, Copy)]
    pub struct Wide512(__m512i);

    macro_rules! operators {
        ($type:ident $and:ident $or:ident $xor:ident) => {
            impl BitAnd for $type {
                type Output = $type;
                #[inline(always)]
                fn bitand(self, other: $type) -> $type {
                    // SAFETY: the processor has the instructions, which `lanes.rs` checks.
                    $type(unsafe { $and(self.0, other.0) })
                }
            }
            impl BitOr for $type {
                type Output = $type;
                #[inline(always)]
                fn bitor(self, other: $type) -> $type {
                    // SAFETY: the processor has the instructions, which `lanes.rs` checks.
                    $type(unsafe { $or(self.0, other.0) })
                }
            }
            impl BitXor for $type {
                type Output = $type;
                #[inline(always)]
                fn bitxor(self, other: $type) -> $type {
                    // SAFETY: the processor has the instructions, which `lanes.rs` checks.
                    $type(unsafe { $xor(self.0, other.0) })
                }
            }
        };
    }
    operators!(Wide256 _mm256_and_si256 _mm256_or_si256 _mm256_xor_si256);
    operators!(Wide512 _mm512_and_si512 _mm512_or_si512 _mm512_xor_si512);

    impl Word for Wide256 {
        const WORDS: usize = 4;

        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks.
            Wide256(unsafe { _mm256_setzero_si256() })
        }
        #[inline(always)]
        fn ones() -> Self {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks.
            Wide256(unsafe { _mm256_set1_epi64x(-1) })
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks.
            Wide256(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        #[inline(always)]
        unsafe fn load(from: *const u64) -> Self {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks; the caller guarantees that
            // the address is valid.
            Wide256(unsafe { _mm256_loadu_si256(from.cast()) })
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut u64) {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks; the caller guarantees that
            // the address is valid.
            unsafe { _mm256_storeu_si256(to.cast(), self.0) }
        }
        #[inline(always)]
        unsafe fn load_left(from: *const u64) -> Self {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks; the caller guarantees that
            // the address is valid.
            unsafe {
                let here = _mm256_loadu_si256(from.cast());
                let before = _mm256_loadu_si256(from.sub(1).cast());
                // Addition doubles the word, and runs on more execution units than a shift.
                let doubled = _mm256_add_epi64(here, here);
                Wide256(_mm256_or_si256(doubled, _mm256_srli_epi64::<63>(before)))
            }
        }
        #[inline(always)]
        unsafe fn load_right(from: *const u64) -> Self {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks; the caller guarantees that
            // the address is valid.
            unsafe {
                let here = _mm256_loadu_si256(from.cast());
                let after = _mm256_loadu_si256(from.add(1).cast());
                let halved = _mm256_srli_epi64::<1>(here);
                Wide256(_mm256_or_si256(halved, _mm256_slli_epi64::<63>(after)))
            }
        }
    }

    /// A function of three inputs; bit 4a + 2b + c of the table is its value.
    macro_rules! ternary {
        ($a:ident $b:ident $c:ident $table:literal) => {
            // SAFETY: the processor has AVX2, which `lanes.rs` checks; the caller guarantees that
            // the address is valid.
            Wide512(unsafe { _mm512_ternarylogic_epi64::<$table>($a.0, $b.0, $c.0) })
        };
    }

    impl Word for Wide512 {
        const WORDS: usize = 8;

        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks.
            Wide512(unsafe { _mm512_setzero_si512() })
        }
        #[inline(always)]
        fn ones() -> Self {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks.
            Wide512(unsafe { _mm512_set1_epi64(-1) })
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks.
            Wide512(unsafe { _mm512_andnot_si512(other.0, self.0) })
        }
        #[inline(always)]
        unsafe fn load(from: *const u64) -> Self {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks; the caller
            // guarantees that the address is valid.
            Wide512(unsafe { _mm512_loadu_si512(from.cast()) })
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut u64) {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks; the caller
            // guarantees that the address is valid.
            unsafe { _mm512_storeu_si512(to.cast(), self.0) }
        }
        #[inline(always)]
        unsafe fn load_left(from: *const u64) -> Self {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks; the caller
            // guarantees that the address is valid.
            unsafe {
                let here = _mm512_loadu_si512(from.cast());
                let before = _mm512_loadu_si512(from.sub(1).cast());
                Wide512(_mm512_shldi_epi64::<1>(here, before))
            }
        }
        #[inline(always)]
        unsafe fn load_right(from: *const u64) -> Self {
            // SAFETY: the processor has AVX-512 and VBMI2, which `lanes.rs` checks; the caller
            // guarantees that the address is valid.
            unsafe {
                let here = _mm512_loadu_si512(from.cast());
                let after = _mm512_loadu_si512(from.add(1).cast());
                Wide512(_mm512_shrdi_epi64::<1>(here, after))
            }
        }
        #[inline(always)]
        fn xor3(a: Self, b: Self, c: Self) -> Self {
            ternary!(a b c 0x96)
        }
        #[inline(always)]
        fn majority(a: Self, b: Self, c: Self) -> Self {
            ternary!(a b c 0xe8)
        }
        #[inline(always)]
        fn or3(a: Self, b: Self, c: Self) -> Self {
            ternary!(a b c 0xfe)
        }
        #[inline(always)]
        fn and3(a: Self, b: Self, c: Self) -> Self {
            ternary!(a b c 0x80)
        }
        #[inline(always)]
        fn select(which: Self, a: Self, b: Self) -> Self {
            ternary!(which a b 0xca)
        }
        #[inline(always)]
        fn or_xor(a: Self, b: Self, c: Self) -> Self {
            ternary!(a b c 0xf6)
        }
        #[inline(always)]
        fn lives(odd: Self, carry: Self, twos: Self, fours: Self, here: Self) -> Self {
            let three = ternary!(twos carry fours 0x14);
            let four = ternary!(twos carry fours 0x42);
            Self::select(odd, three, four & here)
        }
        #[inline(always)]
        fn one_then(a: Self, b: Self, c: Self) -> Self {
            ternary!(a b c 0x16)
        }
    }
}
