//! Flow rules: how water moves in one step.
//!
//! There are three kinds. A *cell rule* ([`CellRule`]) says what a cell gives to its neighbours: the automata
//! of the papers, whose steps have no duration of their own. An *edge rule* ([`edge::EdgeRule`]) says what
//! crosses the edge between two cells in a step of known duration, and how long that may be. A rule *with momentum*
//! ([`momentum::MomentumRule`]) does so with the velocity of the edge, and then updates that velocity.
//!
//! A rule knows two or three cells, never the raster, the device or the file. It is pure f32
//! arithmetic made of correctly rounded operations only (+ − × ÷ √, fused multiply-adds by name, comparisons, selects), so that
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
pub mod aqua_manning;
pub mod cfl;
pub mod edge;
pub mod ground;
pub mod inertial;
pub mod level_minimization;
pub mod momentum;
pub mod roots;
pub mod shallow_water;
pub mod water_filling;

pub(crate) use registry::cuda_twin;
pub use registry::{CudaTwin, RuleInfo, RuleKind, WithRule};

/// The least relaxation α that may be asked for. Below it a drop of a metre moves a few grains at the
/// most, and the kernels' quotient would leave the range in which it is correctly rounded
/// (kernels/arithmetic.cuh).
pub const LEAST_ALPHA: f64 = 1e-6;

/// Acceleration of gravity (m/s²).
pub const G: f32 = 9.81;

/// Its root (m^½/s): waves run so fast on water 1 m deep.
pub const ROOT_G: f32 = 3.132_092;

/// What all rules have.
pub trait Rule: Copy + Send + Sync {
    /// The rule's parameters, in the order in which its CUDA twin reads them.
    fn parameters(self) -> [f32; 4];
}

/// A rule without memory that says what a cell gives: depths in, transfers out.
///
/// Lengths are in one unit, the same for all that goes in and comes out; the rule must not mind which
/// (the engine counts in grains).
pub trait CellRule: Rule {
    /// Whether the rule uses [`CellRule::edge`]; where not, the engine spares itself the work.
    const NEEDS_EDGE: bool;

    /// A quantity of an edge that both its cells use, computed once: from the level difference
    /// `difference` (length) between the two cells, of either sign. It must change its sign with the
    /// difference; the cell on the other side sees its negative.
    fn edge<V: Real>(self, difference: V) -> V;

    /// Depth of water (length) given to each of the `K` neighbours (4 or 8, in the order of
    /// [`crate::neighbourhood::offset`]) by a cell `depth` (length) deep whose neighbours' levels lie
    /// `drop` (length) below its own (0 for those that are not lower); `edge` is [`CellRule::edge`] of each, seen from the cell.
    /// Must be ≥ 0, 0 where the drop is 0 and for a dry cell, and sum to `depth` at the most.
    fn give<V: Real, const K: usize>(self, depth: V, drop: [V; K], edge: [V; K]) -> [V; K];
}

// The registry: one line per rule.
registry! {
    ShallowWater: shallow_water::ShallowWater<1>, momentum, shallow_water::INFO;
    ShallowWater2: shallow_water::ShallowWater<2>, momentum, shallow_water::SECOND;
    Inertial: inertial::Inertial, edge, inertial::INFO;
    AquaManning: aqua_manning::AquaManning, edge, aqua_manning::INFO;
    AquaGraph: aqua_graph::AquaGraph, cell, aqua_graph::INFO;
    LevelMinimization: level_minimization::LevelMinimization, cell, level_minimization::INFO;
}

/// The rule of that name, at first order in space if it has several, if there is one.
pub fn find(name: &str) -> Option<&'static RuleInfo> {
    find_order(name, 1)
}

/// The rule of that name and order in space, if there is one.
pub fn find_order(name: &str, order: u32) -> Option<&'static RuleInfo> {
    RULES.iter().copied().find(|rule| rule.name == name && rule.order == order)
}

/// The names of all rules, each once.
pub fn names() -> Vec<&'static str> {
    RULES.iter().filter(|rule| rule.order == 1).map(|rule| rule.name).collect()
}
