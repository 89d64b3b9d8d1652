//! The flux over an edge, what crosses it in a step of known duration: the interface of the timed rules.
//!
//! An edge lies between a cell and the cell ahead of it, east or south; what crosses it is positive
//! ahead. Lengths are in metres, times in seconds.

use super::Rule;
use super::cfl::{Allowed, EdgeState};
pub use super::ground::DRY;
use super::ground::{Face, OneLevel};
use crate::grains::Grain;
use crate::lanes::Real;

/// The most that may cross an edge in a step (grains): four of them add up without a check.
pub const MOST_CROSSING: f32 = 536_870_848.0;

/// What may be known of every edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeField {
    /// Unit discharge over it in the last step (m²/s).
    Discharge,
    /// Velocity of the water that flows over it (m/s).
    Velocity,
}

impl EdgeField {
    /// Both, each at the place that it has as a number.
    pub const ALL: [EdgeField; 2] = [EdgeField::Discharge, EdgeField::Velocity];
}

/// What a step is for the edges of one axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Duration of the step (s).
    pub dt: f32,
    /// 1 / the distance between the cells' centres (m⁻¹).
    pub inverse_length: f32,
    /// The same of the other axis (m⁻¹).
    pub inverse_width: f32,
    /// Grains per metre.
    pub per_metre: f32,
}

impl Axis {
    /// A step of `dt` (s) along and across the rows of a grid; `inverse` is
    /// [`crate::grid::Grid::inverse_cell`].
    pub fn both(dt: f32, [x, y]: [f32; 2], grain: Grain) -> [Axis; 2] {
        let per_metre = grain.per_metre();
        [
            Axis { dt, inverse_length: x, inverse_width: y, per_metre },
            Axis { dt, inverse_length: y, inverse_width: x, per_metre },
        ]
    }
}

/// An edge and what is around it.
#[derive(Clone, Copy, Debug)]
pub struct Edge<V> {
    /// Level difference (m): above 0 if the level ahead is the lower one.
    pub difference: V,
    /// Depth of flow (m), the higher level less the higher bed, or the section at that level over the width of the edge; at
    /// least [`DRY`].
    pub depth: V,
    /// Depth of water in the cell with the higher level (m).
    pub giver: V,
    /// Manning's n, the mean of both cells (s/m^⅓).
    pub roughness: V,
    /// [`EdgeRule::face`] of the four edges beside it that cross its ends, the least in magnitude, or 0
    /// if they differ in sign (minmod): the flow across the edge's own direction. Its sign says nothing.
    pub transverse: V,
    /// What is remembered of the edge, and of the edges behind and ahead in its line (m²/s).
    pub discharge: V,
    /// See `discharge`.
    pub behind: V,
    /// See `discharge`.
    pub ahead: V,
}

/// What a rule makes of an edge.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<V> {
    /// What crosses it (grains), above 0 ahead, not yet whole.
    pub grains: V,
    /// What would have crossed it but for the rule's caps, less `grains` (grains, magnitude).
    pub cut: V,
    /// Unit discharge to remember (m²/s).
    pub discharge: V,
    /// Its velocity (m/s): the discharge over the depth of flow.
    pub velocity: V,
    /// How fast waves run over it (m/s): √(g h).
    pub wave: V,
    /// 1 where the discharge was held to the critical one, else 0.
    pub held: V,
    /// 1 / the longest step that the edge allows (s⁻¹).
    pub cfl_rate: V,
}

/// A rule with physical time: what crosses each edge in a step whose length follows from the flow.
pub trait EdgeRule: Rule {
    /// Whether the discharge of an edge is remembered from step to step.
    const REMEMBERS: bool;
    /// Whether a quarter of the giver's water and half the level difference hold what crosses an edge, in
    /// whole grains. Where not, a cell whose edges would take more than it has gives in proportion.
    const CAPPED: bool;
    /// What is the same for all edges of an axis in a step.
    type Terms: Copy;

    /// Works the terms out.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// What an edge with level difference `difference` shows to the edges across its ends, where it is not
    /// dry, and is not remembered.
    fn face<V: Real>(self, difference: V) -> V;

    /// What an edge in a state allows: the CFL rate of its [`EdgeRule::cross`], where the flow stays as it is.
    fn allows(self, edge: EdgeState) -> Allowed;

    /// The crossing of an edge over a kind of ground. Rules that do not remember their discharge are asked of cells of one level alone
    /// ([`knows_tables`](super::registry::RuleInfo::knows_tables)).
    fn cross_over<V: Real, On: Face<V>>(
        self,
        terms: Self::Terms,
        edge: Edge<V>,
        ground: On,
    ) -> Crossing<V>;

    /// The crossing of an edge between cells whose bed is one level.
    #[inline(always)]
    fn cross<V: Real>(self, terms: Self::Terms, edge: Edge<V>) -> Crossing<V> {
        self.cross_over(terms, edge, OneLevel)
    }
}

/// The one of smaller magnitude, or 0 if the signs differ.
#[inline(always)]
pub fn minmod<V: Real>(a: V, b: V) -> V {
    // Where both are positive that is the lower, where both are negative the higher.
    let zero = V::zero();
    a.lower(b).higher(zero) + a.higher(b).lower(zero)
}

/// What crosses the ends of an edge, before and after it, two and two: a closed one flows as the other at its side does.
#[inline(always)]
pub fn open_of<V: Real>([na, nb, sa, sb]: [V; 4]) -> [V; 4] {
    let zero = V::zero();
    let open = |this: V, other: V| V::if_greater(this.abs(), zero, this, other);
    [open(na, nb), open(nb, na), open(sa, sb), open(sb, sa)]
}

/// The least magnitude of four numbers, or 0 if their signs differ: that of [`minmod`] over all of them.
#[inline(always)]
pub fn least_of_one_way<V: Real>([a, b, c, d]: [V; 4]) -> V {
    let least = a.lower(b).lower(c.lower(d));
    let most = a.higher(b).higher(c.higher(d));
    // One of both lies beyond 0 unless all go one way.
    least.higher(V::zero() - most).higher(V::zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_four_numbers_the_least_counts_if_all_go_one_way() {
        let some = [-3.0f32, -1.5, -0.0, 0.0, 0.5, 2.0, 1e-30];
        for a in some {
            for b in some {
                for c in some {
                    for d in some {
                        let expected = minmod(minmod(a, b), minmod(c, d)).abs();
                        let found = least_of_one_way([a, b, c, d]);
                        assert_eq!(found.to_bits(), expected.to_bits(), "{a} {b} {c} {d}");
                    }
                }
            }
        }
    }
}
