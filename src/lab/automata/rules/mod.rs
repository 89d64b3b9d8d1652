//! Rules of the automata.

pub mod clouds;
pub mod cyclic;
pub mod forest_fire;
pub mod life;
pub mod wireworld;
