//! EPA's Storm Water Management Model (SWMM 5.2), a library that is loaded at run time.

pub mod library;
pub mod network;
