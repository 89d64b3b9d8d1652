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
    /// Times at its start and end, counted from the start of the first run of a chain of continued
    /// runs ([`Forcing::elapsed`](super::Forcing::elapsed)); used by triggers and gates.
    pub elapsed: [f32; 2],
    /// Running totals of the forcing's rate layers, in their order.
    pub increments: Vec<Increment>,
    /// Stages of the stage boundaries, in order (grains above the bed's datum).
    pub levels: Vec<i64>,
}

/// Returns a step of a length from a start time, without rates and stage boundaries.
#[cfg(test)]
pub fn at(number: u64, start: f32, dt: f32) -> Step {
    let end = start + dt;
    let (increments, levels) = (Vec::new(), Vec::new());
    Step { number, dt, start, end, elapsed: [start, end], increments, levels }
}
