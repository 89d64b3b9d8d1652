//! Ground at an edge, as solvers see it: the depth of the flow across it at a given level. Flat
//! cells and cells with subgrid tables ([`crate::subgrid`]) implement it separately; the solvers
//! are shared.

use crate::lanes::Real;

/// Flow depth below which nothing crosses an edge (m).
pub const DRY: f32 = 1e-5;

/// Ground at some edges for the mass update of a solver with momentum.
pub trait FluxDepth<V: Real>: Copy {
    /// Returns the flow depth at the level of the donor cell (m), selected by the sign of the
    /// velocity; the flow is 0 below [`DRY`].
    fn flux_depth(self, velocity: V) -> V;
}

/// Ground at some edges for the velocity update of a solver with momentum.
pub trait FaceGeometry<V: Real>: FluxDepth<V> {
    /// Set if friction uses the flow depth itself.
    const ONE_DEPTH: bool;

    /// Returns [`FluxDepth::flux_depth`] and the depth for friction (m).
    fn given(self, velocity: V) -> [V; 2];

    /// Returns the celerity of a wave in the water before a crest (m/s), given the velocity, the
    /// wave celerity on the edge, and one divided by the depth for friction (1/m). With tables, it is
    /// for the discharge per depth for friction.
    fn crest_celerity(self, velocity: V, wave: V, inverse: V) -> V;

    /// Returns the depth on the edge (m), given [`FluxDepth::flux_depth`].
    fn face(self, flux_depth: V) -> V;

    /// Returns the depth for the wave celerity (m), given the depth on the edge.
    fn wave(self, face: V) -> V;

    /// Returns the wave celerity in the cells behind and ahead divided by √g (√m).
    fn celerity(self) -> [V; 2];

    /// Returns the ratio of the speed at which the donor empties to the speed of its water; their
    /// product also limits the step.
    fn empties(self, flux_depth: V, velocity: V) -> V;
}

/// Ground at some edges for a solver without momentum, at the higher level of their cells. The flow
/// depth is given (the depth of `Edge`).
pub trait Face<V: Real>: Copy {
    /// Set if friction and waves use the flow depth itself.
    const ONE_DEPTH: bool;

    /// Returns the depth for friction (m), given the flow depth.
    fn friction(self, depth: V) -> V;

    /// Returns the depth for the wave celerity (m), given the flow depth.
    fn wave(self, depth: V) -> V;

    /// Returns the ratio described at [`FaceGeometry::empties`].
    fn empties(self, depth: V) -> V;
}

/// Edges between flat cells, for solvers without momentum.
#[derive(Clone, Copy, Debug)]
pub struct OneLevel;

impl<V: Real> Face<V> for OneLevel {
    const ONE_DEPTH: bool = true;

    #[inline(always)]
    fn friction(self, depth: V) -> V {
        depth
    }

    #[inline(always)]
    fn wave(self, depth: V) -> V {
        depth
    }

    #[inline(always)]
    fn empties(self, _depth: V) -> V {
        V::splat(1.0)
    }
}

/// Flat cells, for solvers with momentum.
#[derive(Clone, Copy, Debug)]
pub struct Flat<V> {
    /// Bed behind minus bed ahead (m).
    pub rise: V,
    /// Depths behind and ahead (m).
    pub depth: [V; 2],
}

impl<V: Real> Flat<V> {
    /// Returns the depths of the cells behind and ahead over the higher bed (m).
    #[inline(always)]
    fn over_edge(self) -> [V; 2] {
        let zero = V::zero();
        let [behind, ahead] = self.depth;
        [behind + self.rise.lower(zero), ahead - self.rise.higher(zero)]
    }
}

impl<V: Real> FluxDepth<V> for Flat<V> {
    /// Equation (SW 1) of docs/theory.md.
    #[inline(always)]
    fn flux_depth(self, velocity: V) -> V {
        let zero = V::zero();
        let [from_behind, from_ahead] = self.over_edge();
        V::if_greater(velocity, zero, from_behind, from_ahead)
    }
}

impl<V: Real> FaceGeometry<V> for Flat<V> {
    const ONE_DEPTH: bool = true;

    #[inline(always)]
    fn given(self, velocity: V) -> [V; 2] {
        [self.flux_depth(velocity); 2]
    }

    #[inline(always)]
    fn crest_celerity(self, _velocity: V, wave: V, _inverse: V) -> V {
        wave
    }

    /// Equation (SW 3) of docs/theory.md.
    #[inline(always)]
    fn face(self, _flux_depth: V) -> V {
        let [from_behind, from_ahead] = self.over_edge();
        from_behind.higher(from_ahead)
    }

    #[inline(always)]
    fn wave(self, face: V) -> V {
        face
    }

    #[inline(always)]
    fn celerity(self) -> [V; 2] {
        let [a, b] = self.depth;
        [a.sqrt(), b.sqrt()]
    }

    #[inline(always)]
    fn empties(self, _flux_depth: V, _velocity: V) -> V {
        V::splat(1.0)
    }
}
