//! Domain decomposition: which cells are in memory, and which of them are stepped there.

pub mod rect;
pub mod subdomain;
