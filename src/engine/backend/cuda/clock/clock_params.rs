//! Parameters of the device's clock for a timed solver: the twins of kernels/time_step.cu and
//! series.cuh.

use crate::backend::cuda::clock::step_constants::ConstantAddresses;
use crate::backend::cuda::params::{float_assertions, laid_out, layouts, twin};
use crate::forcing::series::Piece;
use crate::time_step::{Bound, EPOCH, EVEN, FIRST, GROWTH, Limits, MARGIN, StepControl, Until};

laid_out! { StepControl: time number free rate epoch_rate taken shortest longest }
laid_out! { Limits: safety longest }
laid_out! { Piece: time value half_slope sum }
laid_out! { Bound: time longest }

twin! {
    /// The clock of a timed solver, in device memory.
    Clock (
        /// Step control of the run.
        control: StepControl
    ) {
        /// Time beyond which no step goes (s).
        target: f64,
        /// Time at or after which no step ends (s).
        before: f64,
        /// Number of the first step not to be taken.
        last_number: u64,
        /// Next sample time (s); infinite if there is none.
        sampled: f64,
        /// [`crate::backend::cuda::params::StepConstants::way`] of the next step.
        way: u32,
        /// Number of sample times that steps have passed.
        looked: u32,
        /// Number of samples since the host last read them.
        samples: u32,
        /// 1 plus the slot for a sample of the current state; 0 for none.
        slot: u32,
        /// Set if the state after the step is to be sampled.
        after: u32,
        /// Number of bounds that have begun.
        bound: u32,
        /// Maxima whose times are known ([`crate::run_diagnostics::Maxima::of_frame`]).
        maxima: [u64; 3],
        /// Times at which they were reached (s).
        times: [f64; 3],
    }
}

impl Clock {
    /// Creates the device's clock from the host's step control; `sampled` is the first sample time.
    pub fn new(control: &StepControl, until: Until, sampled: f64) -> Clock {
        Clock {
            control: *control,
            target: until.time,
            before: until.before,
            last_number: until.number,
            sampled,
            bound: until.bounds.partition_point(|bound| bound.time <= control.time) as u32,
            ..Clock::default()
        }
    }
}

twin! {
    /// Inputs and outputs of a tick of the clock: addresses and counts.
    Ticking {
        /// Pointer to the [`Clock`].
        clock: u64,
        /// The [`crate::backend::cuda::params::StepConstants`] of the coming step.
        step_constants: u64,
        /// Pointer to the [`crate::backend::cuda::params::Totals`], which record whether the run
        /// has halted.
        totals: u64,
        /// [`Series`] of the rate layers.
        rates: u64,
        /// Indices (u32) of the active rate layers.
        active: u64,
        /// Output: the rate layers' [`crate::forcing::Increment`]s.
        increments: u64,
        /// [`Series`] of the levels of the stage boundaries.
        levels: u64,
        /// Output: the levels of the stage boundaries (grains, i64).
        stages: u64,
        /// Pointer to the [`crate::backend::cuda::clock::sampling::Sampling`].
        sampling: u64,
        /// The [`Bound`]s of the run.
        bounds: u64,
        /// Number of grains per metre.
        per_metre: f64,
        /// [`crate::forcing::Forcing::elapsed`] (s).
        elapsed: f64,
        /// Number of rate layers that may be nonzero.
        active_count: i32,
        /// Number of stage boundaries.
        level_count: i32,
        /// Number of bounds.
        bound_count: u32,
        /// Unused padding of the struct.
        spare: u32,
        /// Limits on the step length.
        limits: Limits,
    }
}

twin! {
    /// A piecewise linear rate or level.
    Series {
        /// Address of its [`Piece`]s.
        pieces: u64,
        /// Number of pieces.
        count: u64,
    }
}

impl Ticking {
    /// Returns the place of the coming step's constants.
    pub fn place(&self) -> ConstantAddresses {
        let &Ticking { step_constants, increments, stages, .. } = self;
        ConstantAddresses { step_constants, increments, levels: stages }
    }
}

/// Returns the assertions for every struct and constant of the clock.
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
