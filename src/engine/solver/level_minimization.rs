//! Level minimization: pours a cell's water over its surroundings until the surface is level.
//!
//! Topa & Młocek (2013), "Using shared memory as a cache in cellular automata water flow
//! simulations on GPUs", algorithm 2 (its loop condition read `w > i·q[i] − qSum`) and listing 1;
//! after Di Gregorio & Serra (1999).

use super::water_filling::level_over_lowest;
use super::{AnySolver, CellSolver, CudaTwin, Solver, SolverInfo, SolverKind};
use crate::lanes::Real;

/// The level-minimization cell solver.
#[derive(Clone, Copy, Debug)]
pub struct LevelMinimization {
    /// Relaxation α, dimensionless, 0 < α ≤ 1; the paper has none, which corresponds to 1.
    pub alpha: f32,
}

/// Registry entry. With α = 1, the paper's solver, neighbours that pour simultaneously overshoot
/// and a lake flickers; a smaller α dampens this.
pub static INFO: SolverInfo = SolverInfo {
    name: "level-minimization",
    order: 1,
    about: "pours each cell's water over its surroundings until it lies level",
    source: "Topa & Młocek (2013), algorithm 2 and listing 1, corrected",
    kind: SolverKind::Automaton {
        default_alpha: |_| 1.0,
        with_alpha: |alpha| AnySolver::LevelMinimization(LevelMinimization { alpha }),
    },
    cuda: cuda_twin!("LevelMinimization", "../kernels/", "solvers/level_minimization.cuh"),
};

impl Solver for LevelMinimization {
    fn parameters(self) -> [f32; 4] {
        [self.alpha, 0.0, 0.0, 0.0]
    }
}

impl CellSolver for LevelMinimization {
    const NEEDS_EDGE: bool = false;

    #[inline(always)]
    fn edge<V: Real>(self, difference: V) -> V {
        difference
    }

    #[inline(always)]
    fn give<V: Real, const K: usize>(self, depth: V, drop: [V; K], _edge: [V; K]) -> [V; K] {
        let (level, height) = level_over_lowest(depth, drop);
        let mut give = height;
        for k in 0..K {
            give[k] = V::splat(self.alpha) * (level - height[k]).higher(V::zero());
        }
        give
    }
}
