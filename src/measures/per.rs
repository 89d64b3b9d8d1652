//! Time bases of rates.

/// Time base of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Per second; needs steps with a duration.
    Second,
    /// Per step of an automaton without a duration.
    Step,
}
