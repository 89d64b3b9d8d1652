//! Flow rules: what a cell gives to its neighbours in one step.
//!
//! A rule knows a cell and its neighbours, never the raster, the device or the file. It is pure f32
//! arithmetic made of correctly rounded operations only (+ − × ÷ √, comparisons, selects), so that
//! every processor computes the same bits, for any number of lanes ([`crate::lanes`]). Rounding to
//! whole grains, and keeping the volume, is the backend's part and the same for all rules
//! ([`crate::grains`]).
//!
//! To add a rule: one file here, its twin in `kernels/rules/`, one line in the registry at the end of
//! this file (docs/adding_a_rule.md).

use crate::lanes::Real;

#[macro_use]
mod registry;

pub mod aqua_graph;
pub mod level_minimization;
pub mod water_filling;

pub use registry::{CudaTwin, RuleInfo, WithRule};

/// The least relaxation α that may be asked for. Below it a drop of a metre moves a few grains at the
/// most, and the kernels' quotient would leave the range in which it is correctly rounded
/// (kernels/arithmetic.cuh).
pub const LEAST_ALPHA: f64 = 1e-6;

/// A flow rule without memory: depths in, transfers out.
///
/// Lengths are in one unit, the same for all that goes in and comes out; the rule must not mind which
/// (the engine counts in grains).
pub trait Rule: Copy + Send + Sync {
    /// Whether the rule uses [`Rule::edge`]; where not, the engine spares itself the work.
    const NEEDS_EDGE: bool;

    /// The rule's parameters, in the order in which its CUDA twin reads them.
    fn parameters(self) -> [f32; 4];

    /// A quantity of an edge that both its cells use, computed once: from the level difference
    /// `difference` (length) between the two cells, of either sign. It must change its sign with the
    /// difference; the cell on the other side sees its negative.
    fn edge<V: Real>(self, difference: V) -> V;

    /// Depth of water (length) given to each of the `K` neighbours (4 or 8, in the order of
    /// [`crate::neighbourhood::offset`]) by a cell `depth` (length) deep whose neighbours' levels lie
    /// `drop` (length) below its own (0 for those that are not lower); `edge` is [`Rule::edge`] of each, seen from the cell.
    /// Must be ≥ 0, 0 where the drop is 0 and for a dry cell, and sum to `depth` at the most.
    fn give<V: Real, const K: usize>(self, depth: V, drop: [V; K], edge: [V; K]) -> [V; K];
}

// The registry: one line per rule.
registry! {
    AquaGraph: aqua_graph::AquaGraph, aqua_graph::INFO;
    LevelMinimization: level_minimization::LevelMinimization, level_minimization::INFO;
}

/// The rule of that name, if there is one.
pub fn find(name: &str) -> Option<&'static RuleInfo> {
    RULES.iter().copied().find(|rule| rule.name == name)
}
