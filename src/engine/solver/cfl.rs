//! CFL condition: the longest step that an edge allows, and its limiting process. Each solver
//! defines it once ([`EdgeSolver::allows`](super::edge::EdgeSolver::allows),
//! [`MomentumSolver::allows`](super::momentum::MomentumSolver::allows)) for both the bounds on
//! upcoming forcing and the report of what limits a run's steps.

use super::G;
use serde::{Deserialize, Serialize};

/// Process that limits the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Waves faster than the water: it is deep.
    #[default]
    Wave,
    /// Water faster than the waves: it is steep.
    Water,
    /// Only `aqua-manning`: the level difference would reverse.
    Level,
    /// Only `aqua-manning`: a cell would give more than it holds.
    Supply,
}

impl By {
    /// All variants, each at the index of its number.
    pub const ALL: [By; 4] = [By::Wave, By::Water, By::Level, By::Supply];

    /// Returns a description for people.
    pub fn words(self) -> &'static str {
        match self {
            By::Wave => "waves on deep water",
            By::Water => "fast water",
            By::Level => "a level difference that would reverse",
            By::Supply => "a cell that would run dry",
        }
    }
}

/// State of an edge in a run.
#[derive(Clone, Copy, Debug)]
pub struct EdgeState {
    /// Level difference between the two cells (m), not negative.
    pub difference: f32,
    /// Flow depth (m): the higher level minus the higher bed.
    pub depth: f32,
    /// Water depth in the cell with the higher level (m).
    pub donor: f32,
    /// Manning's n at the edge (s/m^⅓).
    pub roughness: f32,
    /// Edge quantity that the solver keeps: discharge (m²/s) or velocity (m/s); 0 if it keeps none.
    pub flow: f32,
    /// Distance between the cell centres, and width of the edge (m).
    pub lengths: [f32; 2],
}

/// CFL limit of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CflLimit {
    /// 1 / the longest step (s⁻¹), before the safety factor.
    pub cfl_rate: f32,
    /// Process that limits the step.
    pub by: By,
    /// Speed of the water (m/s).
    pub speed: f32,
}

/// CFL limit for waves of celerity √(g·h) on water of a given speed (m/s), which may cross the
/// share `courant` of a cell in a step.
pub fn of_wave(edge: EdgeState, speed: f32, courant: f32) -> CflLimit {
    let wave = (G * edge.depth).sqrt();
    let by = if speed > wave { By::Water } else { By::Wave };
    CflLimit { cfl_rate: (speed + wave) / (courant * edge.lengths[0]), by, speed }
}
