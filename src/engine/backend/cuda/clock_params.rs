//! What the clock of a timed rule is told on the device: the twins of kernels/pace.cu and series.cuh.

use super::params::twin;
use crate::forcing::series::Piece;
use cudarc::driver::DeviceRepr;

twin! {
    /// The clock of a timed rule, in the device's memory: [`crate::pace::Pace`] and where it is to stop.
    Pace {
        /// Time (s).
        time: f64,
        /// Time beyond which no step goes (s).
        target: f64,
        /// Time at or after which no step starts (s).
        horizon: f64,
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
        /// [`super::params::Moment::way`] of the next step.
        way: u32,
        /// Nothing; makes up the size.
        spare: u32,
        /// The greatest speed, Froude number and rise as far as their times are known ([`crate::extremes::Peak`]).
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
    PaceLimits {
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
    /// A piecewise linear rate or level.
    Series {
        /// Address of its [`Piece`]s.
        pieces: u64,
        /// How many there are.
        count: u64,
    }
}

// SAFETY: plain numbers in C layout.
unsafe impl DeviceRepr for Piece {}

/// C++ that fails to compile unless a piece is laid out the same.
fn piece_assertions() -> String {
    let fields = [
        ("time", std::mem::offset_of!(Piece, time)),
        ("value", std::mem::offset_of!(Piece, value)),
        ("half_slope", std::mem::offset_of!(Piece, half_slope)),
        ("sum", std::mem::offset_of!(Piece, sum)),
    ];
    let field = |(name, offset)| {
        format!(
            "static_assert(__INTADDR__(&((Piece *)0)->{name}) == {offset}, \"Piece::{name}\");\n"
        )
    };
    format!("static_assert(sizeof(Piece) == {}, \"Piece\");\n", size_of::<Piece>())
        + &fields.map(field).concat()
}

/// The assertions for every struct that the clock sees.
pub fn clock_assertions() -> String {
    [
        Pace::layout_assertions(),
        PaceLimits::layout_assertions(),
        Series::layout_assertions(),
        piece_assertions(),
    ]
    .concat()
}
