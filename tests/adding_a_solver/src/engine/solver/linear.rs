//! Linear: each lower neighbour gets a fixed part of the level difference.

use super::{AnySolver, CellSolver, CudaTwin, Solver, SolverInfo, SolverKind};
use crate::lanes::Real;

/// The linear solver.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    /// Relaxation α, dimensionless, 0 < α ≤ 1.
    pub alpha: f32,
}

/// The registry's entry.
pub static INFO: SolverInfo = SolverInfo {
    name: "linear",
    order: 1,
    about: "gives each lower neighbour alpha/8 of the level difference",
    source: "an example, of no author",
    kind: SolverKind::Automaton {
        default_alpha: |_| 1.0,
        with_alpha: |alpha| AnySolver::Linear(Linear { alpha }),
    },
    cuda: cuda_twin!("Linear", "../kernels/", "solvers/linear.cuh"),
};

impl Solver for Linear {
    fn parameters(self) -> [f32; 4] {
        [self.alpha, 0.0, 0.0, 0.0]
    }
}

impl CellSolver for Linear {
    const NEEDS_EDGE: bool = false;

    #[inline(always)]
    fn edge<V: Real>(self, difference: V) -> V {
        difference
    }

    #[inline(always)]
    fn give<V: Real, const K: usize>(self, depth: V, drop: [V; K], _edge: [V; K]) -> [V; K] {
        // A K-th each, so that the sum never exceeds the water.
        let most = depth * V::splat(1.0 / K as f32);
        let part = V::splat(self.alpha * 0.125);
        let mut give = drop;
        for k in 0..K {
            give[k] = (part * drop[k]).lower(most);
        }
        give
    }
}
