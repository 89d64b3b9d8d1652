//! The laboratory: automata that run on rasters ([`crate::automata`] has their rules), and the kernels that the papers compared.

pub mod automaton;
pub mod papers;
