//! The parameters of the device's clock of a timed rule: the twins of kernels/time_step.cu and series.cuh.

use crate::backend::cuda::clock::step_constants::Place;
use crate::backend::cuda::params::twin;
use crate::forcing::series::Piece;
use crate::time_step::Bound;
use cudarc::driver::DeviceRepr;

twin! {
    /// The clock of a timed rule, in the device's memory: [`crate::time_step::StepControl`] and where it is to stop.
    StepControl {
        /// Time (s).
        time: f64,
        /// Time beyond which no step goes (s).
        target: f64,
        /// Time at or after which no step ends (s).
        look: f64,
        /// Number of the next step.
        number: u64,
        /// Number of the first step not taken.
        last_number: u64,
        /// Length of the last step had it not been cut short by a stop (s).
        free: f32,
        /// 1 / the longest step that the last step's flow allows (s⁻¹).
        rate: f32,
        /// The same that holds the steps of the epoch (s⁻¹).
        held: f32,
        /// Steps of the epoch taken.
        taken: u32,
        /// Shortest step so far (s).
        shortest: f32,
        /// Longest step so far (s).
        longest: f32,
        /// [`crate::backend::cuda::params::StepConstants::way`] of the next step.
        way: u32,
        /// Times of samples that steps have gone over.
        looked: u32,
        /// The next of them (s); infinite if there is none.
        sampled: f64,
        /// Samples since the host last asked.
        samples: u32,
        /// 1 and where what is now is to be put as a sample; 0 if it is not.
        slot: u32,
        /// Whether what is next is to be sampled.
        after: u32,
        /// Of the bounds, how many have begun.
        bound: u32,
        /// The greatest speed, Froude number and rise as far as their times are known ([`crate::extremes::Maximum`]).
        speed: u64,
        /// See `speed`.
        froude: u64,
        /// See `speed`.
        rise: u64,
        /// When they were reached (s).
        speed_time: f64,
        /// See `speed_time`.
        froude_time: f64,
        /// See `speed_time`.
        rise_time: f64,
    }
}

twin! {
    /// What holds the steps of a timed rule.
    StepLimits {
        /// Share of the longest step allowed that is taken.
        safety: f32,
        /// Growth from step to step at the most.
        growth: f32,
        /// The first step (s).
        first: f32,
        /// The longest step (s).
        longest_dt: f32,
        /// This many steps before a stop are of one length.
        even: f64,
        /// How much longer than the flow allows a step within an epoch may be.
        margin: f32,
        /// The most steps of an epoch.
        epoch: u32,
    }
}

twin! {
    /// Where a tick of the clock finds everything: addresses, and how many there are at them.
    Ticking {
        /// The [`StepControl`].
        clock: u64,
        /// The [`crate::backend::cuda::params::StepConstants`] of the step to come.
        step_constants: u64,
        /// The [`crate::backend::cuda::params::Totals`], which say whether the run has halted.
        totals: u64,
        /// [`Series`] of the rate layers.
        rates: u64,
        /// The numbers (u32) of those that may bring something.
        active: u64,
        /// Where their [`crate::backend::cuda::params::Increment`]s go.
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
        /// How many layers may bring something.
        active_count: i32,
        /// How many levels there are.
        level_count: i32,
        /// How many bounds there are.
        bound_count: u32,
        /// Nothing; makes up the size.
        spare: u32,
        /// What holds the steps.
        limits: StepLimits,
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

// SAFETY: plain numbers in C layout.
unsafe impl DeviceRepr for Piece {}
// SAFETY: plain numbers in C layout.
unsafe impl DeviceRepr for Bound {}

/// C++ that fails to compile unless pieces and bounds are laid out the same.
fn plain_assertions() -> String {
    let sizes = [("Piece", size_of::<Piece>()), ("Bound", size_of::<Bound>())];
    let size = |(of, size)| format!("static_assert(sizeof({of}) == {size}, \"{of}\");\n");
    let fields = [
        ("Piece", "time", std::mem::offset_of!(Piece, time)),
        ("Piece", "value", std::mem::offset_of!(Piece, value)),
        ("Piece", "half_slope", std::mem::offset_of!(Piece, half_slope)),
        ("Piece", "sum", std::mem::offset_of!(Piece, sum)),
        ("Bound", "time", std::mem::offset_of!(Bound, time)),
        ("Bound", "longest", std::mem::offset_of!(Bound, longest)),
    ];
    let field = |(of, name, offset)| {
        format!("static_assert(__INTADDR__(&(({of} *)0)->{name}) == {offset}, \"{of}::{name}\");\n")
    };
    sizes.map(size).concat() + &fields.map(field).concat()
}

/// The assertions for every struct that the clock sees.
pub(crate) fn clock_assertions() -> String {
    [
        StepControl::layout_assertions(),
        StepLimits::layout_assertions(),
        Ticking::layout_assertions(),
        Series::layout_assertions(),
        plain_assertions(),
    ]
    .concat()
}
