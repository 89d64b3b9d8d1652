//! Parameters of a single step.

use super::Increment;
use serde::{Deserialize, Serialize};

/// Parameters of a single step.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Step {
    /// Number of the step, from 0.
    pub number: u64,
    /// Length (s, or 1 step).
    pub dt: f32,
    /// Start time (s, or steps).
    pub start: f32,
    /// End time (s, or steps).
    pub end: f32,
    /// Times at its start and end, counted from the start of the first of the runs that start from each other's state
    /// ([`Forcing::elapsed`](super::Forcing::elapsed)); triggers and gates go by them.
    pub elapsed: [f32; 2],
    /// Running totals of the forcing's rate layers, in their order.
    pub increments: Vec<Increment>,
    /// Levels of the groups of cells with a held level, in order (grains above the bed's datum).
    pub levels: Vec<i64>,
}
