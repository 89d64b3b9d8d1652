//! Solvers with momentum: in each step the water moves first, with the velocities on its edges, and
//! then the velocities are updated.
//!
//! Momentum must be carried by the same discharge that moved the water: recomputing the discharge
//! from the new water converges to wrong shocks. So a step has two halves, a mass update and a
//! momentum update. The momentum update sees the new water of every cell; stage boundaries, sinks
//! and ghosts already have their prescribed water.

use super::Solver;
use super::cfl::{CflLimit, EdgeState, of_wave};
use super::edge::Axis;
use super::ground::{FaceGeometry, Flat, FluxDepth};
use crate::lanes::Real;

/// Slopes of a cell's depth and level along an axis, times the cell length (m): the minmod of the
/// differences to the cells before and after. All are 0 if one of the three cells is dry or
/// missing, or if a bed step is not less than the depth.
#[derive(Clone, Copy, Debug)]
pub struct Slope<V> {
    /// Slope of the depth (m).
    pub depth: V,
    /// Slope of the level (m).
    pub level: V,
    /// 1 where slopes are allowed, else 0.
    pub wet: V,
}

/// An edge in the mass update.
#[derive(Clone, Copy, Debug)]
pub struct FluxStencil<V> {
    /// Bed behind minus bed ahead (m).
    pub rise: V,
    /// Depths behind and ahead (m).
    pub depth: [V; 2],
    /// Velocity on the edge (m/s), positive ahead.
    pub velocity: V,
    /// Velocities on the edges behind and ahead in its line (m/s); used at second order.
    pub line: [V; 2],
    /// Slopes of the cells behind and ahead; used at second order.
    pub slopes: [Slope<V>; 2],
}

/// Stream velocities of an edge and the edges around it, by which their velocities are compared;
/// see [`stream`].
#[derive(Clone, Copy, Debug)]
pub struct Streams<V> {
    /// Stream of the edge itself (m/s).
    pub own: V,
    /// Streams of the edges behind and ahead in its line (m/s).
    pub line: [V; 2],
    /// Streams of the parallel edges before and after it (m/s).
    pub beside: [V; 2],
}

/// An edge in the momentum update: the new water of its cells, and the edges around it as they were
/// in the mass update.
#[derive(Clone, Copy, Debug)]
pub struct MomentumStencil<V> {
    /// New level behind minus new level ahead (m).
    pub difference: V,
    /// Bed behind minus bed ahead (m).
    pub rise: V,
    /// The same on the edges behind and ahead in its line (m).
    pub line_rise: [V; 2],
    /// New depths behind and ahead (m).
    pub depth: [V; 2],
    /// Heights of the new levels above the beds behind and ahead, with tables above their lowest points
    /// (m).
    pub height: [V; 2],
    /// Manning's n, the mean of both cells (s/m^⅓).
    pub roughness: V,
    /// Velocity on the edge (m/s). A velocity of 0, here and below, marks a closed edge: a wall, or
    /// a bank that the water does not reach.
    pub velocity: V,
    /// Velocities on the edges behind and ahead in its line (m/s).
    pub line: [V; 2],
    /// Velocities on the parallel edges before and after it, across its direction (m/s).
    pub beside: [V; 2],
    /// Velocities on the edges behind and ahead in the line of the edge before it, then of the one
    /// after it (m/s).
    pub corners: [V; 4],
    /// Unit discharge across the edge (m²/s).
    pub discharge: V,
    /// Unit discharges across the edges behind and ahead (m²/s).
    pub flows: [V; 2],
    /// Unit discharges of the four edges at its ends (m²/s): behind and ahead on the side before
    /// it, then on the side after it.
    pub transverse: [V; 4],
    /// Velocities on the four edges at its ends (m/s).
    pub across: [V; 4],
    /// Streams of the edge and the edges around it.
    pub streams: Streams<V>,
    /// Velocities on the edges two behind and two ahead in its line (m/s); used at second order.
    pub far_line: [V; 2],
    /// Velocities on the parallel edges two before and two after it (m/s); used at second order.
    pub far_beside: [V; 2],
    /// For the cells behind and ahead, 1, or 0 where flow that converges leaves through the cell and
    /// is no shock; `None` if neither is such a cell.
    pub shocks: Option<[V; 2]>,
}

/// Result of the momentum update of an edge.
#[derive(Clone, Copy, Debug)]
pub struct NewVelocity<V> {
    /// New velocity (m/s); 0 if the edge is dry.
    pub velocity: V,
    /// Speed of the fastest wave across it (m/s): |u| + √(g h); 0 if it is dry.
    pub celerity: V,
    /// Wave celerity on it (m/s): √(g h).
    pub wave: V,
    /// Flow depth (m), the higher level minus the higher bed.
    pub depth: V,
    /// Discharge with which the water then moves (m²/s), with subgrid tables.
    pub discharge: V,
}

/// Returns the stream velocity of an edge (m/s). For an edge along a bank this is the velocity of
/// the next edge inward, if both flow in one direction; otherwise its own. There is a bank on a
/// side if the parallel edge `beside` is closed and so is the `transverse` edge of the donor cell,
/// of the four in the order of [`MomentumStencil::transverse`] (m/s). With `TABLES`, the edge inward
/// must be faster: an edge may be a whole channel, which runs faster than the lake beside it.
///
/// A bank that runs diagonally to the grid is a staircase, along which the water of a uniform
/// stream leaves and enters the outermost line of edges. Their velocities therefore differ from the
/// stream's although nothing changes its speed.
#[inline(always)]
pub fn stream<V: Real, const TABLES: bool>(
    own: V,
    [before, after]: [V; 2],
    transverse: [V; 4],
) -> V {
    let zero = V::zero();
    let [na, nb, sa, sb] = transverse;
    let [na, nb, sa, sb] = [na.abs(), nb.abs(), sa.abs(), sb.abs()];
    let opens_before = V::if_greater(own, zero, na, nb).higher(before.abs());
    let opens_after = V::if_greater(own, zero, sa, sb).higher(after.abs());
    // If one of them is 0, the sum is the other.
    let inside = before + after;
    let least = if TABLES { own * own } else { zero };
    let bank = V::if_greater(inside * own, least, inside, own);
    V::if_greater(opens_before.lower(opens_after), zero, own, bank)
}

/// A solver with physical time and momentum.
pub trait MomentumSolver: Solver {
    /// Order in space, 1 or 2. At first order, slopes are not computed.
    const ORDER: usize;
    /// Courant number of the fastest wave.
    const COURANT: f32;
    /// Constants of a step for all edges of an axis.
    type Terms: Copy;

    /// Computes the constants of a step.
    fn terms(self, axis: Axis) -> Self::Terms;

    /// Returns the CFL limit; see [`EdgeSolver::allows`](super::edge::EdgeSolver::allows).
    fn allows(self, edge: EdgeState) -> CflLimit {
        of_wave(edge, edge.flow.abs(), Self::COURANT)
    }

    /// Computes the unit discharge across an edge (m²/s), positive ahead.
    fn discharge_over<V: Real, On: FluxDepth<V>>(
        self,
        terms: Self::Terms,
        edge: FluxStencil<V>,
        ground: On,
    ) -> V;

    /// Computes the new velocity of an edge.
    fn new_velocity_over<V: Real, On: FaceGeometry<V>>(
        self,
        terms: Self::Terms,
        edge: MomentumStencil<V>,
        ground: On,
    ) -> NewVelocity<V>;

    /// Computes the unit discharge across an edge between flat cells.
    #[inline(always)]
    fn discharge<V: Real>(self, terms: Self::Terms, edge: FluxStencil<V>) -> V {
        self.discharge_over(terms, edge, Flat { rise: edge.rise, depth: edge.depth })
    }

    /// Computes the new velocity of an edge between flat cells.
    #[inline(always)]
    fn new_velocity<V: Real>(self, terms: Self::Terms, edge: MomentumStencil<V>) -> NewVelocity<V> {
        self.new_velocity_over(terms, edge, Flat { rise: edge.rise, depth: edge.depth })
    }
}
