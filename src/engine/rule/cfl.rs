//! The CFL condition: the longest step that an edge allows, and what asks for it. A rule states it once
//! ([`EdgeRule::allows`](super::edge::EdgeRule::allows), [`MomentumRule::allows`](super::momentum::MomentumRule::allows)): bounds of what is
//! yet to come and reports of what limits a run's steps ask it.

use super::G;
use serde::{Deserialize, Serialize};

/// What limits a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Waves run faster than the water: it is deep there.
    #[default]
    Wave,
    /// The water runs faster than waves: it is steep there.
    Water,
    /// With `aqua-manning`: levels would come to tip over.
    Level,
    /// With `aqua-manning`: a cell would give more than it has.
    Supply,
}

impl By {
    /// All of them, each at the place that it has as a number.
    pub const ALL: [By; 4] = [By::Wave, By::Water, By::Level, By::Supply];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            By::Wave => "waves on deep water",
            By::Water => "fast water",
            By::Level => "a level difference that would reverse",
            By::Supply => "a cell that would run dry",
        }
    }
}

/// An edge in a state of a run.
#[derive(Clone, Copy, Debug)]
pub struct EdgeState {
    /// The level of one cell above that of the other (m).
    pub difference: f32,
    /// Depth of flow (m), the higher level less the higher bed.
    pub depth: f32,
    /// Depth of water in the cell with the higher level (m).
    pub giver: f32,
    /// Manning's n (s/m^⅓).
    pub roughness: f32,
    /// What the rule remembers of the edge: its discharge (m²/s) or its velocity (m/s); 0 if it is nothing.
    pub flow: f32,
    /// The distance between the cells' centres, and the width of the edge (m).
    pub lengths: [f32; 2],
}

/// What an edge allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allowed {
    /// 1 / the longest step (s⁻¹), before the safety factor.
    pub cfl_rate: f32,
    /// What limits it.
    pub by: By,
    /// Speed of the water (m/s).
    pub speed: f32,
}

/// A wave that runs at √(g·h) on water of some speed (m/s) may go the share `courant` of the way across a cell.
pub fn of_wave(edge: EdgeState, speed: f32, courant: f32) -> Allowed {
    let wave = (G * edge.depth).sqrt();
    let by = if speed > wave { By::Water } else { By::Wave };
    Allowed { cfl_rate: (speed + wave) / (courant * edge.lengths[0]), by, speed }
}
