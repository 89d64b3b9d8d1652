//! The laboratory: automata that run on rasters ([`crate::automata`] has their rules).

pub mod automaton;
