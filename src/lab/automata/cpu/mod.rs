//! CPU implementations of the techniques.

pub mod cells;
pub mod cloud_words;
pub mod lanes;
pub mod padded;
pub mod tile;
pub mod tiles;
