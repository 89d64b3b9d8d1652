//! The order of a step, once for all that take it: whoever takes a step goes over [`STAGES`] and does each in its own way.
//!
//! Between steps, or epochs of them, parts of the grid take their halos from each other
//! ([`crate::backend::framed`]); that is no stage of a step.

/// A part of a step, done over the whole frame before the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Links carry water from cell to cell, by the levels that the step begins with ([`crate::forcing::link`]).
    Links,
    /// The state is looked at: tracks and gauges note it ([`crate::track`], [`crate::gauged`]).
    Look,
    /// Rain falls, and whatever else comes over more than single cells.
    Rain,
    /// Sites act that do when a step begins ([`When::Coming`](crate::forcing::sites::When::Coming)).
    Sites,
    /// Ground, sewers and air take their part ([`crate::losses`]).
    Losses,
    /// What crosses edges with structures is worked out ([`crate::forcing::structures`]).
    Structures,
    /// The water moves. On what a cell then holds its sites act ([`When::Flowing`](crate::forcing::sites::When::Flowing)), and
    /// maxima and arrivals are noted of it.
    Flow,
    /// Sites act that do when all water has moved ([`When::Flowed`](crate::forcing::sites::When::Flowed)); what is noted of
    /// their cells is noted then.
    Settle,
    /// Under a rule with momentum, velocities turn by the new levels.
    Turn,
}

/// The stages of a step, in their order.
pub const STAGES: [Stage; 9] = [
    Stage::Links,
    Stage::Look,
    Stage::Rain,
    Stage::Sites,
    Stage::Losses,
    Stage::Structures,
    Stage::Flow,
    Stage::Settle,
    Stage::Turn,
];
