//! Cutting the grid into parts: which cells are in memory when, and which are brought forward there.

pub mod rect;
pub mod subdomain;
