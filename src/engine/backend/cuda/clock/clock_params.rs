//! The parameters of the device's clock of a timed rule: the twins of kernels/time_step.cu and series.cuh.

use crate::backend::cuda::clock::step_constants::Place;
use crate::backend::cuda::params::{float_assertions, laid_out, layouts, twin};
use crate::forcing::series::Piece;
use crate::time_step::{Bound, EPOCH, EVEN, FIRST, GROWTH, Limits, MARGIN, StepControl, Until};

laid_out! { StepControl: time number free rate held taken shortest longest }
laid_out! { Limits: safety longest }
laid_out! { Piece: time value half_slope sum }
laid_out! { Bound: time longest }

twin! {
    /// The clock of a timed rule, in the device's memory.
    Clock (
        /// Where the run is.
        control: StepControl
    ) {
        /// Time beyond which no step goes (s).
        target: f64,
        /// Time at or after which no step ends (s).
        look: f64,
        /// Number of the first step not taken.
        last_number: u64,
        /// The next of the times of samples (s); infinite if there is none.
        sampled: f64,
        /// [`crate::backend::cuda::params::StepConstants::way`] of the next step.
        way: u32,
        /// Times of samples that steps have gone over.
        looked: u32,
        /// Samples since the host last asked.
        samples: u32,
        /// 1 and where what is now is to be put as a sample; 0 if it is not.
        slot: u32,
        /// Whether what is next is to be sampled.
        after: u32,
        /// Of the bounds, how many have begun.
        bound: u32,
        /// The greatest values as far as their times are known ([`crate::extremes::Maxima::of_frame`]).
        maxima: [u64; 3],
        /// When they were reached (s).
        times: [f64; 3],
    }
}

impl Clock {
    /// A clock where a run is, for a device; `sampled` is the first time of which samples are taken.
    pub fn new(control: &StepControl, until: Until, sampled: f64) -> Clock {
        Clock {
            control: *control,
            target: until.time,
            look: until.look,
            last_number: until.number,
            sampled,
            bound: until.bounds.partition_point(|bound| bound.time <= control.time) as u32,
            ..Clock::default()
        }
    }
}

twin! {
    /// Where a tick of the clock finds everything: addresses, and how many there are at them.
    Ticking {
        /// The [`Clock`].
        clock: u64,
        /// The [`crate::backend::cuda::params::StepConstants`] of the step to come.
        step_constants: u64,
        /// The [`crate::backend::cuda::params::Totals`], which say whether the run has halted.
        totals: u64,
        /// [`Series`] of the rate layers.
        rates: u64,
        /// The numbers (u32) of those that may bring something.
        active: u64,
        /// Where their [`crate::forcing::Increment`]s go.
        increments: u64,
        /// [`Series`] of the held levels.
        levels: u64,
        /// Where these go (grains, i64).
        held: u64,
        /// The [`crate::backend::cuda::clock::sampling::Sampling`].
        sampling: u64,
        /// The [`Bound`]s of the run.
        bounds: u64,
        /// Grains per metre.
        per_metre: f64,
        /// [`crate::forcing::Forcing::elapsed`] (s).
        elapsed: f64,
        /// How many layers may bring something.
        active_count: i32,
        /// How many levels there are.
        level_count: i32,
        /// How many bounds there are.
        bound_count: u32,
        /// Nothing; makes up the size.
        spare: u32,
        /// What holds the steps.
        limits: Limits,
    }
}

twin! {
    /// A piecewise linear rate or level.
    Series {
        /// Address of its [`Piece`]s.
        pieces: u64,
        /// How many there are.
        count: u64,
    }
}

impl Ticking {
    /// Where the constants of the step to come are.
    pub fn place(&self) -> Place {
        let &Ticking { step_constants, increments, held: levels, .. } = self;
        Place { step_constants, increments, levels }
    }
}

/// The assertions for every struct and constant that the clock sees.
pub(crate) fn clock_assertions() -> String {
    let constants = [
        ("GROWTH", GROWTH),
        ("FIRST", FIRST),
        ("MARGIN", MARGIN),
        ("EVEN", EVEN as f32),
        ("EPOCH", EPOCH as f32),
    ];
    layouts!(StepControl Limits Piece Bound Clock Ticking Series) + &float_assertions(&constants)
}
