//! Interface of the timed solvers: the flux across an edge in a step of known duration.
//!
//! An edge lies between a cell and the cell ahead of it, east or south; a flux is positive ahead.
//! Lengths are in metres, times in seconds.

use super::Solver;
use super::cfl::{CflLimit, EdgeState};
pub use super::ground::DRY;
use super::ground::{Face, OneLevel};
use crate::grains::Grain;
use crate::lanes::Real;

/// Maximum flux across an edge in a step (grains); the sum of four fits without a check.
pub const MAX_FACE_FLUX: f32 = 536_870_848.0;

/// Quantity that can be kept for every edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeField {
    /// Unit discharge across it in the last step (m²/s).
    Discharge,
    /// Velocity of the water flowing across it (m/s).
    Velocity,
}

impl EdgeField {
    /// Both variants, each at the index of its number.
    pub const ALL: [EdgeField; 2] = [EdgeField::Discharge, EdgeField::Velocity];
}

/// Constants of a step for the edges of one axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Duration of the step (s).
    pub dt: f32,
    /// 1 / the distance between the cell centres (m⁻¹).
    pub inverse_length: f32,
    /// 1 / the cell size along the other axis (m⁻¹).
    pub inverse_width: f32,
    /// Number of grains per metre.
    pub per_metre: f32,
}

impl Axis {
    /// Returns both axes, along and across the rows, for a step of `dt` (s); the second argument is
    /// [`crate::grid::Grid::inverse_cell`].
    pub fn both(dt: f32, [x, y]: [f32; 2], grain: Grain) -> [Axis; 2] {
        let per_metre = grain.per_metre();
        [
            Axis { dt, inverse_length: x, inverse_width: y, per_metre },
            Axis { dt, inverse_length: y, inverse_width: x, per_metre },
        ]
    }
}

/// An edge with its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Edge<V> {
    /// Level difference (m), positive if the level ahead is lower.
    pub difference: V,
    /// Flow depth (m), the higher level minus the higher bed, or with subgrid tables the section at
    /// that level divided by the width of the edge; at least [`DRY`].
    pub depth: V,
    /// Water depth in the cell with the higher level (m).
    pub donor: V,
    /// Manning's n, the mean of both cells (s/m^⅓).
    pub roughness: V,
    /// Flow transverse to the edge: the minmod of [`EdgeSolver::face`] over the four edges at its
    /// ends, that is the least in magnitude, or 0 if they differ in sign. Only its magnitude is
    /// meaningful.
    pub transverse: V,
    /// Discharge kept for the edge (m²/s), if the solver keeps it.
    pub discharge: V,
    /// Discharge kept for the edge behind in its line (m²/s).
    pub behind: V,
    /// Discharge kept for the edge ahead in its line (m²/s).
    pub ahead: V,
}

/// Result of a solver for an edge.
#[derive(Clone, Copy, Debug)]
pub struct FaceFlux<V> {
    /// Flux (grains, not rounded), positive ahead.
    pub grains: V,
    /// Part of the flux removed by the solver's caps (grains, magnitude).
    pub cut: V,
    /// Unit discharge to keep (m²/s).
    pub discharge: V,
    /// Velocity of the flux (m/s): the discharge divided by the flow depth.
    pub velocity: V,
    /// Wave celerity on the edge (m/s): √(g h).
    pub wave: V,
    /// 1 where the discharge was limited to the critical one, else 0.
    pub critical: V,
    /// 1 / the longest step that the edge allows (s⁻¹).
    pub cfl_rate: V,
}

/// A solver with physical time: computes the flux across each edge in an adaptive step.
pub trait EdgeSolver: Solver {
    /// Set if the discharge of an edge is kept from step to step.
    const REMEMBERS: bool;
    /// Set if the flux is capped, in whole grains, by a quarter of the donor's water and half the
    /// level difference. Without these caps, a cell asked for more water than it holds scales its
    /// outflows in proportion.
    const CAPPED: bool;
    /// Constants of a step for all edges of an axis.
    type Terms: Copy;

    /// Computes the constants of a step.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// Returns the value that the flow across transverse edges is computed from, for a wet
    /// edge with level difference `difference`, if the solver keeps no discharge.
    fn face<V: Real>(self, difference: V) -> V;

    /// Returns the CFL limit of an edge: the CFL rate of its [`EdgeSolver::flux`] if the flow stays
    /// as it is.
    fn allows(self, edge: EdgeState) -> CflLimit;

    /// Computes the flux across an edge over a kind of ground. Solvers that keep no discharge are
    /// only used with flat cells ([`knows_tables`](super::registry::SolverInfo::knows_tables)).
    fn flux_over<V: Real, On: Face<V>>(
        self,
        terms: Self::Terms,
        edge: Edge<V>,
        ground: On,
    ) -> FaceFlux<V>;

    /// Computes the flux across an edge between flat cells.
    #[inline(always)]
    fn flux<V: Real>(self, terms: Self::Terms, edge: Edge<V>) -> FaceFlux<V> {
        self.flux_over(terms, edge, OneLevel)
    }
}

/// Returns the argument of smaller magnitude, or 0 if the signs differ.
#[inline(always)]
pub fn minmod<V: Real>(a: V, b: V) -> V {
    // The lower one if both are positive, the higher one if both are negative.
    let zero = V::zero();
    a.lower(b).higher(a.higher(b).lower(zero))
}

/// Replaces closed edges (0) among the four at the ends of an edge, two before it and two after it,
/// by the other edge on their side.
#[inline(always)]
pub fn open_of<V: Real>([na, nb, sa, sb]: [V; 4]) -> [V; 4] {
    let zero = V::zero();
    let open = |this: V, other: V| V::if_greater(this.abs(), zero, this, other);
    [open(na, nb), open(nb, na), open(sa, sb), open(sb, sa)]
}

/// Returns the least magnitude of four numbers, or 0 if their signs differ: the magnitude of
/// [`minmod`] over all of them.
#[inline(always)]
pub fn least_of_one_way<V: Real>([a, b, c, d]: [V; 4]) -> V {
    let least = a.lower(b).lower(c.lower(d));
    let most = a.higher(b).higher(c.higher(d));
    // Unless all have one sign, one of the two terms is not positive.
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
