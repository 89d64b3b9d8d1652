//! Rules that carry momentum: in a step the water moves first, with the velocities of its edges, and then the
//! velocities are updated.
//!
//! The discharge that carries momentum must be the one that moved the water: worked out anew from the newest
//! water it converges to wrong shocks. So a step has two halves. Between them stands the new water of every
//! cell; cells whose level is held, sinks and ghosts have what they are to have already.

use super::Rule;
use super::cfl::{Allowed, EdgeState, of_wave};
use super::edge::Axis;
use super::ground::{Crosses, Flat, Ground};
use crate::lanes::Real;

/// How a cell's depth and level slope along an axis, times the cell's length (m), each the smaller of the
/// differences to the cells before and after. All 0 where one of the three is dry or missing, or where a bed step
/// is no less than the depth.
#[derive(Clone, Copy, Debug)]
pub struct Slope<V> {
    /// Of the depth (m).
    pub depth: V,
    /// Of the level (m).
    pub level: V,
    /// 1 where there may be slopes, else 0.
    pub wet: V,
}

/// An edge while the water moves.
#[derive(Clone, Copy, Debug)]
pub struct Passage<V> {
    /// Bed behind less bed ahead (m).
    pub rise: V,
    /// Depths behind and ahead (m).
    pub depth: [V; 2],
    /// Its velocity (m/s), above 0 ahead.
    pub velocity: V,
    /// The velocities of the edges behind and ahead in its line (m/s); used at second order.
    pub line: [V; 2],
    /// Slopes of the cells behind and ahead; used at second order.
    pub slopes: [Slope<V>; 2],
}

/// What the velocities of an edge and of those around it are compared by: [`stream`] of each.
#[derive(Clone, Copy, Debug)]
pub struct Streams<V> {
    /// Of the edge (m/s).
    pub own: V,
    /// Of the edges behind and ahead in its line (m/s).
    pub line: [V; 2],
    /// Of the edges beside it, before and after (m/s).
    pub beside: [V; 2],
}

/// An edge while its velocity is updated: the new water of its cells, and the edges around it as they were while the
/// water moved.
#[derive(Clone, Copy, Debug)]
pub struct Bend<V> {
    /// New level behind less that ahead (m).
    pub difference: V,
    /// Bed behind less bed ahead (m).
    pub rise: V,
    /// New depths behind and ahead (m).
    pub depth: [V; 2],
    /// Manning's n, the mean of both cells (s/m^⅓).
    pub roughness: V,
    /// Its velocity (m/s). Of this and all others 0 is that of a closed edge: a wall, or a bank that the water does not reach.
    pub velocity: V,
    /// Those of the edges behind and ahead in its line (m/s).
    pub line: [V; 2],
    /// Those of the edges beside it, before and after across its direction (m/s).
    pub beside: [V; 2],
    /// Its unit discharge (m²/s).
    pub discharge: V,
    /// Those of the edges behind and ahead (m²/s).
    pub flows: [V; 2],
    /// Those of the four edges that cross its ends (m²/s): behind and ahead on the side before it, and on the side
    /// after it.
    pub crossing: [V; 4],
    /// Velocities of those four (m/s).
    pub across: [V; 4],
    /// The streams around it.
    pub streams: Streams<V>,
    /// Velocities of the edges two behind and two ahead in its line (m/s); used at second order.
    pub far_line: [V; 2],
    /// Velocities of the edges two before it and two after it across its direction (m/s); used at second order.
    pub far_beside: [V; 2],
}

/// What an edge has become.
#[derive(Clone, Copy, Debug)]
pub struct NewVelocity<V> {
    /// Its velocity (m/s); 0 where it is dry.
    pub velocity: V,
    /// The speed with which the fastest wave runs over it (m/s): |u| + √(g h); 0 where it is dry.
    pub celerity: V,
    /// How fast waves run over it (m/s): √(g h).
    pub wave: V,
    /// Depth of flow over it (m), the higher level less the higher bed.
    pub depth: V,
    /// The discharge with which the water then moves (m²/s), where tables say it.
    pub discharge: V,
}

/// The velocity of the stream that an edge is part of (m/s): that of the edge inside of it where it lies along a
/// bank and both flow one way; else its own. A bank is on a side where the edge `beside` is closed, and so is the `crossing`
/// edge of the cell that the water comes from, of the four in the order of [`Bend::crossing`] (m/s).
///
/// A bank that runs across the grid is a flight of stairs, along which the water of a uniform stream leaves and enters
/// the outermost line of edges. These differ by that from the stream, though nothing changes its speed.
#[inline(always)]
pub fn stream<V: Real>(own: V, [before, after]: [V; 2], crossing: [V; 4]) -> V {
    let zero = V::zero();
    let [na, nb, sa, sb] = crossing.map(|crossing| crossing.abs());
    let opens_before = V::if_greater(own, zero, na, nb).higher(before.abs());
    let opens_after = V::if_greater(own, zero, sa, sb).higher(after.abs());
    // Where one of them is 0, the sum is the other.
    let inside = before + after;
    let bank = V::if_greater(inside * own, zero, inside, own);
    V::if_greater(opens_before.lower(opens_after), zero, own, bank)
}

/// A rule with physical time that carries momentum.
pub trait MomentumRule: Rule {
    /// Its order in space, 1 or 2. At first order slopes are not asked for.
    const ORDER: usize;
    /// Share of the way across a cell that the fastest wave may go in a step.
    const COURANT: f32;
    /// What is the same for all edges of an axis in a step.
    type Terms: Copy;

    /// Works the terms out.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// See [`EdgeRule::allows`](super::edge::EdgeRule::allows).
    fn allows(self, edge: EdgeState) -> Allowed {
        of_wave(edge, edge.flow.abs(), Self::COURANT)
    }

    /// The unit discharge over an edge (m²/s), above 0 ahead.
    fn discharge_over<V: Real, On: Crosses<V>>(
        self,
        terms: Self::Terms,
        edge: Passage<V>,
        ground: On,
    ) -> V;

    /// The new velocity of an edge.
    fn new_velocity_over<V: Real, On: Ground<V>>(
        self,
        terms: Self::Terms,
        edge: Bend<V>,
        ground: On,
    ) -> NewVelocity<V>;

    /// The unit discharge over an edge between cells whose bed is one level.
    #[inline(always)]
    fn discharge<V: Real>(self, terms: Self::Terms, edge: Passage<V>) -> V {
        self.discharge_over(terms, edge, Flat { rise: edge.rise, depth: edge.depth })
    }

    /// The new velocity of one.
    #[inline(always)]
    fn new_velocity<V: Real>(self, terms: Self::Terms, edge: Bend<V>) -> NewVelocity<V> {
        self.new_velocity_over(terms, edge, Flat { rise: edge.rise, depth: edge.depth })
    }
}
