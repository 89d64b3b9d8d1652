//! The full shallow-water equations, with momentum advection, on a staggered grid.
//!
//! Upwind advection that conserves momentum and, where the bed climbs, head: Stelling & Duinmeijer
//! (2003), Int. J. Numer. Meth. Fluids 43, eq. 9 to 12. Water before velocities, with one discharge
//! for both: Doyen & Gunawan (2014), Finite Volumes for Complex Applications VII. Shock viscosity:
//! von Neumann & Richtmyer (1950), its linear term after Landshoff (1955). Friction as in
//! [`super::inertial`]. At second order, depth, level and advected velocity have limited slopes
//! (Audusse et al. 2004; Zijlema, Stelling & Smit 2011), each with its own Courant factor. The
//! comments number equations as docs/theory.md does.

use super::edge::{Axis, DRY, least_of_one_way, minmod, open_of};
use super::ground::{FaceGeometry, FluxDepth};
use super::inertial::with_friction;
use super::momentum::{FluxStencil, MomentumSolver, MomentumStencil, NewVelocity};
use super::registry::{CudaTwin, SolverInfo, SolverKind};
use super::roots::rough_inverse_cube_root;
use super::{AnySolver, G, ROOT_G, Solver};
use crate::lanes::Real;
/// Share of the wave celerity with which a shock is spread, per order. Without it bores overshoot
/// by 11 to 20 %.
const VISCOSITY: [f32; 2] = [0.2, 0.4];
/// Speed of the critical discharge over a crest, divided by the celerity in still water before it:
/// √(8/27).
const FREE_FALL: f32 = 0.544_331_1;

/// The shallow-water solver of an order in space, 1 or 2.
#[derive(Clone, Copy, Debug)]
pub struct ShallowWater<const ORDER: usize>;

/// Registry entry of the first-order solver.
pub static INFO: SolverInfo = SolverInfo {
    name: "shallow-water",
    order: 1,
    about: "the full shallow-water equations: velocity remembered on every edge, friction by Manning",
    source: "Stelling & Duinmeijer (2003), eq. 9-12; Doyen & Gunawan (2014)",
    kind: SolverKind::Timed { solver: AnySolver::ShallowWater(ShallowWater), safety: 1.0 },
    cuda: cuda_twin!("ShallowWater<1>", "../kernels/", "solvers/shallow_water.cuh"),
};

/// Registry entry of the second-order solver.
pub static SECOND: SolverInfo = SolverInfo {
    name: "shallow-water",
    order: 2,
    about: "the same at second order in space: limited slopes of depth, level and velocity",
    source: "as above; Audusse et al. (2004); Zijlema, Stelling & Smit (2011)",
    kind: SolverKind::Timed { solver: AnySolver::ShallowWater2(ShallowWater), safety: 1.0 },
    cuda: cuda_twin!("ShallowWater<2>", "../kernels/", "solvers/shallow_water.cuh"),
};

/// Constants of a step for all edges of an axis.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// dt/dx (s/m).
    steps: f32,
    /// g·dt/dx (m/s per metre of level difference).
    push: f32,
    /// g·dt (m/s).
    gravity: f32,
    /// Twice [`VISCOSITY`]·√g (√m/s).
    shock: f32,
    /// dx/dt (m/s).
    over: f32,
}

impl<const ORDER: usize> Solver for ShallowWater<ORDER> {
    fn parameters(self) -> [f32; 4] {
        [0.0; 4]
    }
}

/// Returns the flow depth (m) at second order. (SW2 1)
#[inline(always)]
fn flux_depth<V: Real>(terms: Terms, edge: FluxStencil<V>) -> V {
    let FluxStencil { rise, depth, velocity, line, slopes: [a, b] } = edge;
    let (zero, half, one) = (V::zero(), V::splat(0.5), V::splat(1.0));
    // Selects by the direction of flow.
    macro_rules! ahead {
        ($this:expr, $that:expr) => {
            V::if_greater(velocity, zero, $this, $that)
        };
    }
    let held = ahead!(depth[0], depth[1]);
    let climb = ahead!(zero - rise, rise);
    let (level, slope) = (ahead!(a.level, zero - b.level), ahead!(a.depth, zero - b.depth));
    let (their_level, their_slope) =
        (ahead!(b.level, zero - a.level), ahead!(b.depth, zero - a.depth));
    // The beds of both sides, extrapolated to the edge.
    let minus_half = V::splat(-0.5);
    let own_bed = half * (level - slope);
    let bed = own_bed.higher(minus_half.fused(their_level - their_slope, climb));
    let goes = (V::splat(terms.steps) * velocity.abs()).lower(one);
    let h = goes.fused(minus_half * slope, half.fused(level, held)) - bed;
    // The donor's water after it has spread in this step. The inflow from behind has the full depth
    // of its cell.
    let from = ahead!(line[0], zero - line[1]);
    let spreads = (velocity.abs() - from) * h - from * (bed - own_bed);
    let spreads = (V::splat(terms.steps) * ahead!(a.wet, b.wet)) * spreads;
    let most = half * h;
    let h = h - spreads.lower(most).higher(zero - most);
    h.lower(held + held)
}

/// Returns half of the share of a cell's length that a velocity leaves uncrossed in a step. (SW2 5)
#[inline(always)]
fn half_less<V: Real>(terms: Terms, velocity: V) -> V {
    let goes = (V::splat(terms.steps) * velocity.abs()).lower(V::splat(1.0));
    V::splat(-0.5).fused(goes, V::splat(0.5))
}

/// Returns the velocity excess of another edge over this one (m/s), limited by the excess of its
/// stream; 0 if the other edge is closed, since it has nothing to exchange. (SW 5)
#[inline(always)]
fn compared<V: Real>(other: V, own: V, other_stream: V, own_stream: V) -> V {
    let faster = minmod(other - own, other_stream - own_stream);
    V::if_greater(other.abs(), V::zero(), faster, V::zero())
}

/// Returns the velocity excess over an edge (m/s) of the water that enters from across beside a
/// closed edge. It has the velocity with which it ran `against` that edge, from behind or from
/// ahead; along a bank, where edges are slower than their stream, that of the `line` it joins, if
/// this is faster. 0 where the line ends in the donor cell, for which [`unfed`] counts. (SW 5)
#[inline(always)]
fn turned<V: Real>(own: V, line: [V; 2], against: [V; 2]) -> V {
    let zero = V::zero();
    let ran = against[0].higher(zero) + against[1].lower(zero);
    let least = V::if_greater(zero, ran, ran.lower(line[1]), ran);
    let most = V::if_greater(ran, zero, ran.higher(line[0]), ran);
    let behind = V::if_greater(own, zero, line[0], V::if_greater(zero, own, line[1], zero));
    V::if_greater(behind.abs(), zero, own.higher(least).lower(most) - own, zero)
}

/// Returns the limited velocity slopes of three edges, times the cell length (m/s). `faster` is the
/// excess of the outer edges over the middle one, `far` holds the velocities of the edges beyond;
/// slopes are 0 beside a closed edge. (SW2 5)
#[inline(always)]
fn slopes<V: Real>([before, after]: [V; 2], faster: [V; 2], far: [V; 2]) -> [V; 3] {
    let zero = V::zero();
    let (first, second) = (zero - faster[0], faster[1]);
    let from_far = V::if_greater(far[0].abs(), zero, before - far[0], zero);
    let to_far = V::if_greater(far[1].abs(), zero, far[1] - after, zero);
    [minmod(from_far, first), minmod(first, second), minmod(second, to_far)]
}

/// Returns the part of a discharge (m²/s) that starts from rest: if the line of edges ends in the
/// donor cell, the part not fed by inflow from across. `fed` is the net inflow from across into the
/// cells behind and ahead. (SW 5)
#[inline(always)]
fn unfed<V: Real>(discharge: V, line: [V; 2], fed: [V; 2]) -> V {
    let zero = V::zero();
    let end = V::if_greater(discharge, zero, line[0], line[1]);
    let fed = V::if_greater(discharge, zero, fed[0], fed[1]);
    let unfed = (discharge.abs() - fed.higher(zero)).higher(zero);
    V::if_greater(end.abs(), zero, zero, unfed)
}

/// Finds the least flows along an edge's line, through the cells behind and ahead, that keep the head
/// where the bed climbs and the flow becomes faster, twice (m²/s), otherwise 0 (SW 4); and a crest
/// there (SW 12). `own` and `line` are the velocities on the edge, and behind and ahead of it (m/s),
/// `rise` and `line_rise` the falls of the bed there (m), and `depth` is the mean depth of both
/// cells (m).
///
/// Returns the flows; and the height of the crest (m), by which the climb on the edge exceeds that on
/// the edge behind or that on the edge ahead, whichever is less, with the velocity on the edge behind,
/// 0 if it is not towards the edge (m/s). There is no crest if the height is not positive.
#[inline(always)]
fn climb<V: Real>(own: V, line: [V; 2], rise: V, line_rise: [V; 2], depth: V) -> ([V; 2], [V; 2]) {
    let zero = V::zero();
    let on = |forward, backward| V::if_greater(own, zero, forward, backward);
    // Values behind and ahead of the flow.
    let seen = |[behind, ahead]: [V; 2]| [on(behind, zero - ahead), on(ahead, zero - behind)];
    let ([from, to], [before, after]) = (seen(line), seen(line_rise.map(|rise| zero - rise)));
    let climb = on(zero - rise, V::if_greater(zero, own, rise, zero));
    let keeps = V::if_greater(climb, zero, (from + own.abs()) * depth, zero);
    let keeps = V::if_greater(from, zero, V::if_greater(own.abs(), from, keeps, zero), zero);
    // A closed edge may have any bed beyond it.
    let before = V::if_greater(from, zero, before, zero);
    let after = V::if_greater(to, zero, after, climb);
    (
        [on(keeps, zero), on(zero, keeps)],
        [climb - before.lower(after).higher(zero), from.higher(zero)],
    )
}

/// Limits a speed (m/s) on an edge with a crest, as [`climb`] returns it, to that of the critical
/// discharge over it. `wave` is [`FaceGeometry::crest_celerity`] (m/s), and `inverse` one divided by
/// the depth for friction (1/m). (SW 12)
#[inline(always)]
fn over_crest<V: Real>(speed: V, wave: V, inverse: V, [crest, from]: [V; 2]) -> V {
    let zero = V::zero();
    let head = (V::splat(0.5 / G) * from) * (from * inverse);
    // FREE_FALL·(1 + head)^(3/2)
    let of_head = V::splat(0.375 * FREE_FALL)
        .fused(head, V::splat(1.5 * FREE_FALL))
        .fused(head, V::splat(FREE_FALL));
    let low = (V::splat(-4.0) * crest).fused(inverse, V::splat(1.0)).higher(zero);
    let most = (of_head + low) * wave;
    V::if_greater(crest, zero, speed.lower(most), speed)
}

/// Returns the depth of a cell's water above the higher bed at an edge (m), negative if its level is
/// lower; `climb` is the rise of the bed to the other cell (m), and `height` that of the cell's level
/// above its bed (m).
#[inline(always)]
fn over_edge<V: Real, On: FaceGeometry<V>>(depth: V, height: V, climb: V) -> V {
    let over = height - climb.higher(V::zero());
    // Without tables it is never more than the depth.
    if On::ONE_DEPTH { over } else { over.lower(depth) }
}

/// Returns the net flow along a line into a cell (m²/s), given its depth, the depths of its water over
/// the edges behind and ahead (m), and the velocities on them (m/s): what comes in has the depth over
/// its edge, and what goes out the depth of the cell. (SW 6)
#[inline(always)]
fn net_inflow<V: Real>(depth: V, [behind, ahead]: [V; 2], [from, to]: [V; 2]) -> V {
    let zero = V::zero();
    let comes = from * V::if_greater(from, zero, behind, depth);
    comes - to * V::if_greater(to, zero, depth, ahead)
}

/// Returns the compression along the line in a cell (m²/s), limited by that of the whole cell, including
/// the flow across; 0 if the line ends there. (SW 6)
#[inline(always)]
fn squeezed<V: Real>(along: V, across: V, end: V) -> V {
    let zero = V::zero();
    let squeezed = along.lower(along + across).higher(zero);
    V::if_greater(end.abs(), zero, squeezed, zero)
}

impl<const ORDER: usize> MomentumSolver for ShallowWater<ORDER> {
    const ORDER: usize = ORDER;
    const COURANT: f32 = 0.5;
    type Terms = Terms;

    #[inline(always)]
    fn terms(self, axis: Axis) -> Terms {
        let steps = axis.dt * axis.inverse_length;
        Terms {
            steps,
            push: G * steps,
            gravity: G * axis.dt,
            shock: (2.0 * VISCOSITY[ORDER - 1]) * ROOT_G,
            over: 1.0 / steps,
        }
    }

    #[inline(always)]
    fn discharge_over<V: Real, On: FluxDepth<V>>(
        self,
        terms: Terms,
        edge: FluxStencil<V>,
        ground: On,
    ) -> V {
        let depth =
            if ORDER == 1 { ground.flux_depth(edge.velocity) } else { flux_depth(terms, edge) };
        V::if_greater(depth, V::splat(DRY), edge.velocity * depth, V::zero())
    }

    #[inline(always)]
    fn new_velocity_over<V: Real, On: FaceGeometry<V>>(
        self,
        terms: Terms,
        edge: MomentumStencil<V>,
        ground: On,
    ) -> NewVelocity<V> {
        let (zero, half) = (V::zero(), V::splat(0.5));
        let dry = V::splat(DRY);
        let MomentumStencil { depth: [a, b], velocity: u, line, beside, streams, .. } = edge;
        // (SW 4) twice the inflow through the sides of the edge's box
        let [north_a, north_b, south_a, south_b] = edge.transverse;
        let through = [edge.flows[0] + edge.discharge, edge.discharge + edge.flows[1]];
        let (least, crest) = climb(u, line, edge.rise, edge.line_rise, half * (a + b));
        let [behind, ahead] = [through[0], zero - through[1]];
        let north = north_a + north_b;
        let south = zero - (south_a + south_b);
        let (ib, ia) = (behind.higher(least[0]), ahead.higher(least[1]));
        let (i_n, i_s) = (north.higher(zero), south.higher(zero));
        let flows_in = (ib + ia) + (i_n + i_s);
        // (SW 5) the momentum of the inflow
        let db = compared(line[0], u, streams.line[0], streams.own);
        let da = compared(line[1], u, streams.line[1], streams.own);
        let dn = compared(beside[0], u, streams.beside[0], streams.own);
        let ds = compared(beside[1], u, streams.beside[1], streams.own);
        let [mut brought_n, mut brought_s] = [dn, ds];
        if V::splat(f32::MIN_POSITIVE).any_greater(beside[0].abs().lower(beside[1].abs())) {
            let [n0, n1, s0, s1] = edge.corners;
            let closed = |beside: V, open, turned| V::if_greater(beside.abs(), zero, open, turned);
            brought_n = closed(beside[0], dn, turned(u, line, [n0, n1]));
            brought_s = closed(beside[1], ds, turned(u, line, [s0, s1]));
        }
        let (carried, most, in_a, in_b) = if ORDER == 1 {
            let carried = (ib * db + ia * da) + (i_n * brought_n + i_s * brought_s);
            (carried, flows_in, [line[0], u], [u, line[1]])
        } else {
            let (ob, oa) = ((zero - behind).higher(zero), (zero - ahead).higher(zero));
            let (on, os) = ((zero - north).higher(zero), (zero - south).higher(zero));
            let [m_na, m_nb, m_sa, m_sb] = edge.across;
            let kn = half_less(terms, half * (m_na + m_nb));
            let ks = half_less(terms, half * (m_sa + m_sb));
            let (kb, ku, ka) =
                (half_less(terms, line[0]), half_less(terms, u), half_less(terms, line[1]));
            // Velocity slopes along the line and across it.
            let [l_behind, l, l_ahead] = slopes(line, [db, da], edge.far_line);
            let [t_before, t, t_after] = slopes(beside, [dn, ds], edge.far_beside);
            let from_behind = kb.fused(l_behind, db);
            let from_ahead = (zero - ka).fused(l_ahead, da);
            let along = (ob - oa).fused(ku * l, ib * from_behind + ia * from_ahead);
            let from_north = kn.fused(t_before, brought_n);
            let from_south = (zero - ks).fused(t_after, brought_s);
            let across = (on * kn - os * ks).fused(t, i_n * from_north + i_s * from_south);
            let flows_out = (ob + oa) + (on + os);
            let less = zero - half;
            let in_a = [half.fused(l_behind, line[0]), less.fused(l, u)];
            let in_b = [half.fused(l, u), less.fused(l_ahead, line[1])];
            (along + across, flows_in.higher(flows_out), in_a, in_b)
        };
        let (na, nb, sa, sb) = (north_a, north_b, south_a, south_b);
        let unfed = unfed(edge.discharge, line, [na - sa, nb - sb]);
        let carried = (zero - unfed).fused(u, carried);
        // (SW 6) the shock
        let [v_na, v_nb, v_sa, v_sb] = edge.across;
        let ([height_a, height_b], [rise_behind, rise_ahead]) = (edge.height, edge.line_rise);
        let over_a = [
            over_edge::<V, On>(a, height_a, rise_behind),
            over_edge::<V, On>(a, height_a, zero - edge.rise),
        ];
        let over_b = [
            over_edge::<V, On>(b, height_b, edge.rise),
            over_edge::<V, On>(b, height_b, zero - rise_ahead),
        ];
        let (along_a, along_b) = (net_inflow(a, over_a, in_a), net_inflow(b, over_b, in_b));
        let mut squeezed = [
            squeezed(along_a, a * (v_na - v_sa), line[0]),
            squeezed(along_b, b * (v_nb - v_sb), line[1]),
        ];
        if let Some([behind, ahead]) = edge.shocks {
            squeezed = [behind * squeezed[0], ahead * squeezed[1]];
        }
        let [wave_a, wave_b] = ground.celerity();
        let shock = wave_a * squeezed[0] - wave_b * squeezed[1];
        // (SW 7) the velocity without friction
        let holds = (V::splat(terms.over) * (a + b).higher(dry)).higher(most);
        let brought = V::splat(terms.shock).fused(shock, carried);
        let mixed = holds.reciprocal().fused(brought, u);
        let free = V::splat(terms.push).fused(edge.difference, mixed);
        // (SW 8) the donor's depth for it
        let [given, rubs] = ground.given(free);
        // (SW 3) depth over the face
        let face = ground.face(given);
        // (SW 9) Manning's friction at the end of the step
        let c = rough_inverse_cube_root(rubs.higher(dry));
        let inverse = (c * c) * c;
        let resistance =
            (V::splat(terms.gravity) * (edge.roughness * edge.roughness)) * (inverse * c);
        let per_depth = if On::ONE_DEPTH { inverse } else { given.higher(dry).reciprocal() };
        let beside = least_of_one_way(open_of([north_a, north_b, south_a, south_b])) * per_depth;
        let size = with_friction(free.abs(), beside, resistance);
        let size = V::if_greater(given, dry, size, zero);
        // (SW 10) the fastest wave
        let wave = V::splat(ROOT_G) * ground.wave(face.higher(dry)).sqrt();
        // (SW 12) free overfall
        let size = over_crest(size, ground.crest_celerity(free, wave, inverse), inverse, crest);
        let fastest = if On::ONE_DEPTH {
            size + wave
        } else {
            (size + wave).higher(size * ground.empties(given, free))
        };
        let velocity = V::if_greater(zero, free, zero - size, size);
        NewVelocity {
            velocity,
            discharge: if On::ONE_DEPTH { zero } else { velocity * given },
            celerity: if On::ONE_DEPTH {
                // A dry edge has no velocity, and the celerity of the least depth.
                V::if_greater(fastest, V::splat(ROOT_G) * dry.sqrt(), fastest, zero)
            } else {
                V::if_greater(face, dry, fastest, zero)
            },
            wave,
            depth: face,
        }
    }
}
