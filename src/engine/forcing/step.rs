//! What happens in one step.

use super::Increment;
use serde::{Deserialize, Serialize};

/// What happens in one step.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Step {
    /// Number of the step, from 0.
    pub number: u64,
    /// Its length (s, or 1 step).
    pub dt: f32,
    /// Time at its start (s, or steps).
    pub start: f32,
    /// Time at its end (s, or steps).
    pub end: f32,
    /// Times at its start and end, counted from the start of the first of the runs that start from each other's state
    /// ([`Forcing::elapsed`](super::Forcing::elapsed)); triggers and gates go by them.
    pub elapsed: [f32; 2],
    /// Running totals of the forcing's rate layers, in their order.
    pub increments: Vec<Increment>,
    /// Levels of the groups of cells whose level is held, in their order (grains above the bed's datum).
    pub levels: Vec<i64>,
}
