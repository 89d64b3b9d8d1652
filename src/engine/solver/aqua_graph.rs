//! AQUA-GRAPH: distributes water by the square root of the level difference.
//!
//! Rinaldi, García Bauza, Vénere, Clausse (2008), "Paralelización de autómatas celulares de aguas
//! superficiales sobre placas gráficas", eq. 1–6; the automaton of Dalponte et al. (2005) and
//! Rinaldi et al. (2007).

use super::water_filling::fall_over_own_bed;
use super::{AnySolver, CellSolver, CudaTwin, Solver, SolverInfo, SolverKind};
use crate::lanes::Real;
use crate::neighbourhood::Neighbourhood;

/// The AQUA-GRAPH cell solver.
#[derive(Clone, Copy, Debug)]
pub struct AquaGraph {
    /// Relaxation α (eq. 5), dimensionless, 0 < α ≤ 1.
    pub alpha: f32,
}

/// Smaller than any receiver's weight, which is at least the root of a grain in any unit.
const LEAST_WEIGHT: f32 = 1e-30;

/// Registry entry. The default α is the largest with which a disturbed flat lake settles without
/// its surface changing sign from step to step: 0.40 (von Neumann), 0.22 (Moore).
pub static INFO: SolverInfo = SolverInfo {
    name: "aqua-graph",
    order: 1,
    about: "distributes water by the square root of the level difference, relaxed by alpha",
    source: "Rinaldi, García Bauza, Vénere, Clausse (2008), eq. 1-6",
    kind: SolverKind::Automaton {
        default_alpha: |neighbourhood| match neighbourhood {
            Neighbourhood::VonNeumann => 0.40,
            Neighbourhood::Moore => 0.22,
        },
        with_alpha: |alpha| AnySolver::AquaGraph(AquaGraph { alpha }),
    },
    cuda: cuda_twin!("AquaGraph", "../kernels/", "solvers/aqua_graph.cuh"),
};

impl Solver for AquaGraph {
    fn parameters(self) -> [f32; 4] {
        [self.alpha, 0.0, 0.0, 0.0]
    }
}

impl CellSolver for AquaGraph {
    const NEEDS_EDGE: bool = true;

    /// Returns √|T_a − T_b|, the weight of eq. 4, negative towards the higher cell.
    #[inline(always)]
    fn edge<V: Real>(self, difference: V) -> V {
        let root = difference.abs().sqrt();
        V::if_greater(V::zero(), difference, V::zero() - root, root)
    }

    #[inline(always)]
    fn give<V: Real, const K: usize>(self, depth: V, drop: [V; K], edge: [V; K]) -> [V; K] {
        // eq. 3: Δw = min(T − T_eq, w)
        let leaving = fall_over_own_bed(drop).lower(depth);
        // eq. 4: the weights of the receivers. Opposite neighbours are added first, so that the sum
        // has the same bits in every orientation of the map.
        let mut weight = edge;
        for k in 0..K {
            weight[k] = edge[k].higher(V::zero());
        }
        let mut sum = (weight[0] + weight[1]) + (weight[2] + weight[3]);
        if K == 8 {
            sum = sum + ((weight[4] + weight[5]) + (weight[6] + weight[7]));
        }
        // Without receivers nothing leaves; the least weight only avoids 0/0.
        let share = (V::splat(self.alpha) * leaving) / sum.higher(V::splat(LEAST_WEIGHT));
        // eq. 5
        let mut give = weight;
        for k in 0..K {
            give[k] = share * weight[k];
        }
        give
    }
}
