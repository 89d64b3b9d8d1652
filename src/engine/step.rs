//! The order of the stages in a step, defined once for all backends: each backend runs through
//! [`STAGES`] and implements them in its own way.
//!
//! Halo exchange takes place between steps, or between epochs ([`crate::backend::tiled`]); it is
//! not a stage of a step.

/// A stage of a step, finished over the whole frame before the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Links (pumps, culverts) move water between cells, based on the levels at the start of the
    /// step ([`crate::forcing::link`]).
    Links,
    /// Cell diagnostics and gauges record the state ([`crate::cell_diagnostics`],
    /// [`crate::gauged`]).
    Record,
    /// Rain and other sources that cover more than single cells.
    Rain,
    /// Applies the sites that act before the flow
    /// ([`SiteTiming::BeforeFlow`](crate::forcing::sites::SiteTiming::BeforeFlow)).
    Sites,
    /// Losses to ground, sewers and air ([`crate::losses`]).
    Losses,
    /// With subgrid tables: looks up levels and their rate of rise ([`crate::subgrid`]).
    Levels,
    /// Computes the flux across edges with structures ([`crate::forcing::structures`]).
    Structures,
    /// Moves the water. Applies the sites that act on the result
    /// ([`SiteTiming::WithFlow`](crate::forcing::sites::SiteTiming::WithFlow)) and records maxima
    /// and arrivals.
    Flow,
    /// Applies the sites that act after the flow
    /// ([`SiteTiming::AfterFlow`](crate::forcing::sites::SiteTiming::AfterFlow)) and records
    /// diagnostics for their cells.
    AfterFlow,
    /// Updates velocities from the new levels, under a solver with momentum.
    Momentum,
}

/// Returns `true` if levels are looked up at a time in a step: before the water moves (`moved`
/// false) or afterwards. Solvers with momentum need them afterwards, and before only for
/// structures; other solvers need them before.
pub(crate) fn asks_levels(moved: bool, momentum: bool, structures: bool) -> bool {
    if momentum { moved || structures } else { !moved }
}

/// The stages of a step, in order.
pub const STAGES: [Stage; 11] = [
    Stage::Links,
    Stage::Record,
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
