//! AQUA-MANNING: AQUA-GRAPH's successor with physical time, using Manning's equation on every edge,
//! without memory.
//!
//! The flux across an edge is still proportional to the square root of the level difference;
//! Manning's equation (Manning 1891; as a diffusive wave Hunter et al. 2005, eq. 3) sets its size
//! for a step of dt.

use super::cfl::{By, CflLimit, EdgeState};
use super::edge::{Axis, DRY, Edge, EdgeSolver, FaceFlux};
use super::ground::Face;
use super::registry::{CudaTwin, SolverInfo, SolverKind};
use super::roots::{inverse_fourth_root, inverse_sixth_root};
use super::{AnySolver, ROOT_G, Solver};
use crate::lanes::Real;
/// Share of the level difference that may cross an edge in a step (β), so that a pool does not
/// overshoot.
const OF_DIFFERENCE: f32 = 0.2;
/// Share of the donor's water that may cross one of its four edges in a step (γ).
const OF_WATER: f32 = 0.25;
/// Lower limit of the slope in the CFL condition (S_tol): without it, level water would force the
/// step towards 0.
const LEAST_SLOPE: f32 = 1e-3;
/// 1/√[`LEAST_SLOPE`], precomputed.
const LEAST_SLOPE_ROOT: f32 = 31.622_777;
/// Smaller than the square of any slope that moves water.
const NO_SLOPE: f32 = 1e-24;

/// The AQUA-MANNING edge solver.
#[derive(Clone, Copy, Debug)]
pub struct AquaManning;

/// Registry entry of the solver.
pub static INFO: SolverInfo = SolverInfo {
    name: "aqua-manning",
    order: 1,
    about: "diffusion wave: Manning's equation on every edge, no memory",
    source: "Manning (1891); Hunter et al. (2005), eq. 3; after Rinaldi et al. (2008)",
    kind: SolverKind::Timed { solver: AnySolver::AquaManning(AquaManning), safety: 0.9 },
    cuda: cuda_twin!("AquaManning", "../kernels/", "solvers/aqua_manning.cuh"),
};

/// Constants of a step for all edges of an axis.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    inverse_length: f32,
    inverse_width: f32,
    /// [`LEAST_SLOPE`] times the cell length (m).
    least_difference: f32,
    /// dt times grains per metre.
    grains: f32,
    per_metre: f32,
    /// Unit discharge of one grain per step (m²/s).
    discharge: f32,
}

impl Solver for AquaManning {
    fn parameters(self) -> [f32; 4] {
        [0.0; 4]
    }
}

impl EdgeSolver for AquaManning {
    const REMEMBERS: bool = false;
    const CAPPED: bool = true;
    type Terms = Terms;

    #[inline(always)]
    fn terms(self, axis: Axis) -> Terms {
        let grains = axis.dt * axis.per_metre;
        Terms {
            inverse_length: axis.inverse_length,
            inverse_width: axis.inverse_width,
            least_difference: LEAST_SLOPE / axis.inverse_length,
            grains,
            per_metre: axis.per_metre,
            discharge: 1.0 / (grains * axis.inverse_length),
        }
    }

    #[inline(always)]
    fn face<V: Real>(self, difference: V) -> V {
        difference
    }

    fn allows(self, state: EdgeState) -> CflLimit {
        let EdgeState { mut difference, mut depth, mut donor, roughness, lengths, .. } = state;
        if depth < DRY {
            // A film that has yet to reach the least flow depth.
            (difference, depth, donor) = (DRY, DRY, DRY);
        }
        let [inverse_length, inverse_width] = lengths.map(|length| 1.0 / length);
        let axis = Axis { dt: 1.0, inverse_length, inverse_width, per_metre: 1.0 };
        let flux_with = |donor: f32| {
            let edge = Edge {
                difference,
                depth,
                donor,
                roughness,
                transverse: 0.0,
                discharge: 0.0,
                behind: 0.0,
                ahead: 0.0,
            };
            self.flux(self.terms(axis), edge)
        };
        let flux = flux_with(donor);
        // Would the rate be the same with unlimited water in the donor?
        let by = if flux_with(f32::MAX).cfl_rate == flux.cfl_rate { By::Level } else { By::Supply };
        CflLimit { cfl_rate: flux.cfl_rate, by, speed: flux.velocity.abs() }
    }

    #[inline(always)]
    fn flux_over<V: Real, On: Face<V>>(
        self,
        terms: Terms,
        edge: Edge<V>,
        _one_level: On,
    ) -> FaceFlux<V> {
        let size = edge.difference.abs();
        let along = size * V::splat(terms.inverse_length);
        let across = edge.transverse * V::splat(terms.inverse_width);
        let squared = along.fused(along, across * across).higher(V::splat(NO_SLOPE));
        // 1/√S of the slope S = √(along² + across²).
        let root = inverse_fourth_root(squared);
        let s = inverse_sixth_root(edge.depth);
        // Conveyance h^(5/3)/n, divided by the cell length: depth per second and unit of slope.
        let per_roughness = edge.roughness.reciprocal() * V::splat(terms.inverse_length);
        let conveyance = ((edge.depth * edge.depth) * (s * s)) * per_roughness;
        let wanted = (conveyance * along) * root;
        let of_water = V::splat(OF_WATER) * edge.donor;
        let cap = (V::splat(OF_DIFFERENCE) * size).lower(of_water);
        let wanted_grains = wanted * V::splat(terms.grains);
        let grains = wanted_grains.lower(cap * V::splat(terms.per_metre));
        // The step that would just meet the caps, with slopes of at least LEAST_SLOPE.
        let counted = (conveyance * along.higher(V::splat(LEAST_SLOPE)))
            * root.lower(V::splat(LEAST_SLOPE_ROOT));
        let difference = size.higher(V::splat(terms.least_difference));
        let allowed = (V::splat(OF_DIFFERENCE) * difference).lower(of_water);
        let signed = V::if_greater(V::zero(), edge.difference, V::zero() - grains, grains);
        let discharge = signed * V::splat(terms.discharge);
        // 1/h.
        let s3 = (s * s) * s;
        FaceFlux {
            cut: wanted_grains - grains,
            grains: signed,
            discharge,
            velocity: discharge * (s3 * s3),
            wave: V::splat(ROOT_G) * (edge.depth * s3),
            critical: V::zero(),
            // Level water allows any step.
            cfl_rate: V::if_greater(size, V::zero(), counted * allowed.reciprocal(), V::zero()),
        }
    }
}
