//! Local inertia: the shallow-water equations without convective acceleration.
//!
//! Bates, Horritt, Fewtrell (2010), "A simple inertial formulation of the shallow water equations
//! for efficient two-dimensional flood inundation modelling"; the blend with the neighbouring
//! discharges after de Almeida et al. (2012). Friction is evaluated at the end of the step in its
//! quadratic form, so that friction-dominated flow has Manning's discharge, even in sheets of a
//! millimetre. Without convective acceleration nothing in the equation limits fast flow, so the
//! discharge of water deeper than 0.1 m is limited to the critical one, √(g·h)·h.

use super::cfl::{CflLimit, EdgeState, of_wave};
use super::edge::{Axis, Edge, EdgeSolver, FaceFlux};
use super::ground::Face;
use super::registry::{CudaTwin, SolverInfo, SolverKind};
use super::roots::{guess_inverse, guess_root, inverse_sixth_root, rough_inverse_root};
use super::{AnySolver, G, ROOT_G, Solver};
use crate::lanes::Real;
use crate::run_diagnostics::DEEP;
/// Blending of the discharges along a line: share per cell that a wave crosses.
const BLEND: f32 = 0.05;
/// Courant number of a wave on the moving water. At 0.7 waves form a checkerboard in two
/// dimensions.
pub const COURANT: f32 = 0.5;
/// Flow depth up to which the discharge may be supercritical (m): in sheets of rain on steep ground
/// friction dominates, and the discharge is Manning's at any Froude number.
const FREE: f32 = DEEP;
/// Discharge treated as 0 (m²/s), well above the subnormal range.
const STILL: f32 = 1e-20;

/// The local inertial solver.
#[derive(Clone, Copy, Debug)]
pub struct Inertial;

/// Registry entry of the solver.
pub static INFO: SolverInfo = SolverInfo {
    name: "inertial",
    order: 1,
    about: "local inertia: discharge remembered on every edge, friction by Manning",
    source: "Bates, Horritt, Fewtrell (2010), eq. 10; de Almeida et al. (2012), eq. 7",
    kind: SolverKind::Timed { solver: AnySolver::Inertial(Inertial), safety: 1.0 },
    cuda: cuda_twin!("Inertial", "../kernels/", "solvers/inertial.cuh"),
};

/// Constants of a step for all edges of an axis.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// g·dt (m/s).
    push: f32,
    /// g·dt/dx (m/s per metre of level difference).
    push_over_length: f32,
    /// [`BLEND`]·dt/dx·√g (m^−½).
    blend: f32,
    /// Grains per unit discharge: dt/dx · grains per metre.
    grains: f32,
    /// 1/([`COURANT`]·dx) (m⁻¹).
    per_speed: f32,
}

impl Solver for Inertial {
    fn parameters(self) -> [f32; 4] {
        [0.0; 4]
    }
}

impl EdgeSolver for Inertial {
    const REMEMBERS: bool = true;
    const CAPPED: bool = false;
    type Terms = Terms;

    #[inline(always)]
    fn terms(self, axis: Axis) -> Terms {
        let steps = axis.dt * axis.inverse_length;
        Terms {
            push: G * axis.dt,
            push_over_length: G * steps,
            blend: BLEND * ROOT_G * steps,
            grains: steps * axis.per_metre,
            per_speed: axis.inverse_length * (1.0 / COURANT),
        }
    }

    #[inline(always)]
    fn face<V: Real>(self, _difference: V) -> V {
        V::zero()
    }

    fn allows(self, edge: EdgeState) -> CflLimit {
        let speed = if edge.flow == 0.0 { 0.0 } else { (edge.flow / edge.depth).abs() };
        of_wave(edge, speed, COURANT)
    }

    #[inline(always)]
    fn flux_over<V: Real, On: Face<V>>(
        self,
        terms: Terms,
        edge: Edge<V>,
        ground: On,
    ) -> FaceFlux<V> {
        let h = edge.depth;
        // h^(−1/6), and from it √h, 1/h and h^(−7/3). With subgrid tables, the wave depth is the
        // section divided by its wet width, and friction uses the section A with its own depth:
        // 1/(A·R^(4/3)).
        let s = inverse_sixth_root(ground.friction(h));
        let s2 = s * s;
        let s3 = s2 * s;
        let one_inverse = s3 * s3;
        let (root, inverse) = match On::ONE_DEPTH {
            true => (h * s3, one_inverse),
            false => (ground.wave(h).sqrt(), h.reciprocal()),
        };
        let steep = (inverse * one_inverse) * s2;
        // q_a: the edge's own discharge blended with the mean of its line (de Almeida et al. 2012,
        // eq. 7). A closed edge, at a wall or a bank, counts as this one, so that water turning
        // there is not slowed.
        let blend = (V::splat(terms.blend) * root).lower(V::splat(1.0));
        let mean =
            V::splat(0.5) * (open(edge.behind, edge.discharge) + open(edge.ahead, edge.discharge));
        let before = blend.fused(mean - edge.discharge, edge.discharge);
        // q*: the discharge without friction (Bates et al. 2010, eq. 7).
        let free = (V::splat(terms.push_over_length) * h).fused(edge.difference, before);
        let resistance = (V::splat(terms.push) * (edge.roughness * edge.roughness)) * steep;
        let wanted = with_friction(free.abs(), edge.transverse, resistance);
        // Limited to the wave celerity: the equation lacks the convective term that would limit
        // faster flow.
        let wave = V::splat(ROOT_G) * root;
        let critical = wave * h;
        let most = V::if_greater(ground.wave(h), V::splat(FREE), critical, V::splat(f32::MAX));
        let size = wanted.lower(most);
        let discharge = V::if_greater(V::zero(), free, V::zero() - size, size);
        // Waves run at √(g·h) on water that flows at q/h.
        let velocity = discharge * inverse;
        let speed = size.fused(inverse, wave);
        let speed = match On::ONE_DEPTH {
            true => speed,
            false => speed.higher((size * inverse) * ground.empties(h)),
        };
        FaceFlux {
            grains: discharge * V::splat(terms.grains),
            cut: V::zero(),
            discharge,
            velocity,
            wave,
            critical: V::if_greater(wanted, most, V::splat(1.0), V::zero()),
            cfl_rate: speed * V::splat(terms.per_speed),
        }
    }
}

/// Returns the discharge of an edge (m²/s), or another one if it is closed.
#[inline(always)]
fn open<V: Real>(edge: V, other: V) -> V {
    V::if_greater(edge.abs(), V::zero(), edge, other)
}

/// Returns the discharge q (m²/s) that friction leaves of `free`: q·(1 + B·√(q² + t²)) = q*, with
/// the transverse discharge t and B = g·dt·n²/h^(7/3) (`resistance`).
///
/// √(q² + t²) is replaced by its tangent at x, an estimate of q, which gives a quadratic in q. It
/// is exact for t = 0 and for x = q. The estimate x solves the quadratic with q + 0.6·|t| for the
/// root, using a root and a quotient guessed to a few percent. The total error of friction is 0.2
/// %.
#[inline(always)]
pub fn with_friction<V: Real>(free: V, transverse: V, resistance: V) -> V {
    let one = V::splat(1.0);
    let (twice, four) = (V::splat(2.0) * free, V::splat(4.0) * free);
    let across = transverse.abs();
    let guessed = V::splat(0.6).fused(resistance * across, one);
    let under = guessed.fused(guessed, four * resistance);
    let x = twice * guess_inverse(guessed + guess_root(under));
    let across_squared = across * across;
    let slope = resistance * rough_inverse_root(x.fused(x, across_squared));
    let linear = slope.fused(across_squared, one);
    let root = linear.fused(linear, four * (slope * x)).sqrt();
    let slow = twice * (linear + root).reciprocal();
    V::if_greater(free, V::splat(STILL), slow, V::zero())
}
