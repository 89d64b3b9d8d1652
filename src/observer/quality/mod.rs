//! What a run of a timed rule says of its own flow, so that no result lies in silence: how fast the water got and where,
//! how much of the flow was faster than waves run, and how far a level rose at once.

pub mod beforehand;
pub mod cfl_rates;
pub mod figure;
pub mod judge;
pub mod limits;
mod parted;
pub mod steady;

pub use crate::engine::extremes::{DEEP, FAST};
