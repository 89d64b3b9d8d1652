//! The ground of an edge, as rules see it: how deep the water flows over it at a level. Cells whose bed is one level, and cells with
//! tables of the finer ground in them ([`crate::subgrid`]), answer in their own way; the rules are the same.

use crate::lanes::Real;

/// Depth of flow over an edge below which nothing crosses it (m).
pub const DRY: f32 = 1e-5;

/// What a rule with momentum asks of the ground of some edges when water moves.
pub trait Crosses<V: Real>: Copy {
    /// Depth with which water crosses at the level of the cell that gives (m), by the sign of its velocity; 0 where less than [`DRY`].
    fn crossing(self, velocity: V) -> V;
}

/// What it asks when velocities are updated.
pub trait Ground<V: Real>: Crosses<V> {
    /// Whether the depth that friction is worked out with is the one that the water crosses with.
    const ONE_DEPTH: bool;

    /// [`Crosses::crossing`], and the depth that friction is worked out with (m).
    fn given(self, velocity: V) -> [V; 2];

    /// Depth over the edge at the higher level (m), by the difference of levels.
    fn face(self, difference: V) -> V;

    /// The depth with whose root waves run over the edge (m), by that over it.
    fn wave(self, face: V) -> V;

    /// What bores are spread with in the cells behind and ahead (m^(3/2)): h·√(g·h)/√g.
    fn bore(self) -> [V; 2];

    /// How much faster than its water a cell that gives over the edge empties: the speed times this bounds a step, too.
    fn empties(self, crossing: V, velocity: V) -> V;
}

/// What a rule without momentum asks of the ground of some edges, at the higher level of their cells. The depth that water crosses with it
/// is told (the depth of its `Edge`).
pub trait Face<V: Real>: Copy {
    /// Whether friction and waves go by the depth that the water crosses with.
    const ONE_DEPTH: bool;

    /// The depth that friction is worked out with (m), by that which the water crosses with.
    fn friction(self, depth: V) -> V;

    /// The depth with whose root waves run (m).
    fn wave(self, depth: V) -> V;

    /// See [`Ground::empties`].
    fn empties(self, depth: V) -> V;
}

/// Edges between cells whose bed is one level.
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

/// Cells whose bed is one level.
#[derive(Clone, Copy, Debug)]
pub struct Flat<V> {
    /// Bed behind less bed ahead (m).
    pub rise: V,
    /// Depths behind and ahead (m).
    pub depth: [V; 2],
}

impl<V: Real> Flat<V> {
    /// Depths of the cell behind and of that ahead over the higher bed (m).
    #[inline(always)]
    fn over_edge(self) -> [V; 2] {
        let zero = V::zero();
        let [behind, ahead] = self.depth;
        [behind + self.rise.lower(zero), ahead - self.rise.higher(zero)]
    }
}

impl<V: Real> Crosses<V> for Flat<V> {
    /// (SW 1)
    #[inline(always)]
    fn crossing(self, velocity: V) -> V {
        let zero = V::zero();
        let [from_behind, from_ahead] = self.over_edge();
        let depth = V::if_greater(velocity, zero, from_behind, from_ahead);
        V::if_greater(depth, V::splat(DRY), depth, zero)
    }
}

impl<V: Real> Ground<V> for Flat<V> {
    const ONE_DEPTH: bool = true;

    #[inline(always)]
    fn given(self, velocity: V) -> [V; 2] {
        [self.crossing(velocity); 2]
    }

    /// (SW 3)
    #[inline(always)]
    fn face(self, difference: V) -> V {
        let [from_behind, from_ahead] = self.over_edge();
        V::if_greater(V::zero(), difference, from_ahead, from_behind)
    }

    #[inline(always)]
    fn wave(self, face: V) -> V {
        face
    }

    #[inline(always)]
    fn bore(self) -> [V; 2] {
        let [a, b] = self.depth;
        [a * a.sqrt(), b * b.sqrt()]
    }

    #[inline(always)]
    fn empties(self, _crossing: V, _velocity: V) -> V {
        V::splat(1.0)
    }
}
