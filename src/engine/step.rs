//! The order of a step, once for all that take it: whoever takes a step goes over [`STAGES`] and does each in its own way.
//!
//! Between steps, or epochs of them, parts of the grid take their halos from each other
//! ([`crate::backend::framed`]); that is no stage of a step.

/// A part of a step, done over the whole frame before the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Links carry water from cell to cell, by the levels that the step begins with ([`crate::forcing::link`]).
    Links,
    /// The state is looked at: tracks and gauges record it ([`crate::track`], [`crate::gauged`]).
    Look,
    /// Rain, and other sources over more than single cells.
    Rain,
    /// Sites act that do when a step begins ([`When::BeforeFlow`](crate::forcing::sites::When::BeforeFlow)).
    Sites,
    /// Ground, sewers and air take their part ([`crate::losses`]).
    Losses,
    /// Where cells have tables, levels and how fast they rise are looked up ([`crate::subgrid`]).
    Levels,
    /// What crosses edges with structures is worked out ([`crate::forcing::structures`]).
    Structures,
    /// The water moves. On what a cell then holds its sites act ([`When::WithFlow`](crate::forcing::sites::When::WithFlow)), and
    /// maxima and arrivals are recorded for it.
    Flow,
    /// Sites act that do when all water has moved ([`When::AfterFlow`](crate::forcing::sites::When::AfterFlow)); what is recorded for
    /// their cells is recorded then.
    AfterFlow,
    /// Under a rule with momentum, velocities are updated by the new levels.
    Momentum,
}

/// Whether levels are asked for: of rules with momentum when water has moved, and before by structures alone; of others before.
pub(crate) fn asks_levels(moved: bool, momentum: bool, structures: bool) -> bool {
    if momentum { moved || structures } else { !moved }
}

/// The stages of a step, in their order.
pub const STAGES: [Stage; 11] = [
    Stage::Links,
    Stage::Look,
    Stage::Rain,
    Stage::Sites,
    Stage::Losses,
    Stage::Levels,
    Stage::Structures,
    Stage::Flow,
    Stage::AfterFlow,
    Stage::Levels,
    Stage::Momentum,
];
