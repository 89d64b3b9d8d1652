//! Vector widths of a CPU, and code compiled for each.

use crate::word::Word;

/// Widths for which bit planes are compiled, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lanes {
    /// 64 cells; available on every processor.
    Plain,
    /// 256 cells, with AVX2.
    Avx2,
    /// 512 cells, with AVX-512 and VBMI2, which shifts across two words.
    Avx512,
}

/// A computation generic over the word type, to be compiled for each width.
pub trait WithWord {
    /// Performs the computation. Implementations should be `#[inline(always)]`.
    fn with<V: Word>(self);
}

impl Lanes {
    const ALL: [Lanes; 3] = [Lanes::Plain, Lanes::Avx2, Lanes::Avx512];

    /// Returns the widths that this processor supports, narrowest first.
    pub fn available() -> Vec<Lanes> {
        Lanes::ALL.into_iter().filter(|lanes| lanes.is_available()).collect()
    }

    /// Returns the widest supported width.
    pub fn best() -> Lanes {
        Lanes::available().last().copied().unwrap_or(Lanes::Plain)
    }

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Lanes::Plain => "64 bits",
            Lanes::Avx2 => "AVX2",
            Lanes::Avx512 => "AVX-512",
        }
    }

    fn is_available(self) -> bool {
        match self {
            Lanes::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vbmi2")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Runs a computation with this width.
    ///
    /// # Panics
    /// If the processor does not support the width.
    pub fn run<W: WithWord>(self, what: W) {
        assert!(self.is_available(), "this processor lacks {self:?}");
        match self {
            Lanes::Plain => what.with::<u64>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has AVX2, as just asserted.
            Lanes::Avx2 => unsafe { with_avx2(what) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has AVX-512F and VBMI2, as just asserted.
            Lanes::Avx512 => unsafe { with_avx512(what) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("it is not available"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<W: WithWord>(what: W) {
    what.with::<crate::word::Wide256>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vbmi2")]
unsafe fn with_avx512<W: WithWord>(what: W) {
    what.with::<crate::word::Wide512>();
}
