//! The techniques on a CPU.

pub mod cells;
pub mod cloud_words;
pub mod lanes;
pub mod nibbles;
pub mod packed;
pub mod padded;
pub mod tile;
pub mod tiles;
