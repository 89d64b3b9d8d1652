//! The automata: every technique gives the steps of the plain reference, and the reference has the
//! known properties.

mod chosen;
#[path = "../host_twins/compile.rs"]
mod compile;
mod cpu;
mod device;
mod kernels;
mod known;
mod patterns;
mod sizes;
mod symmetry;
#[path = "../tier.rs"]
mod tier;
mod twins;
mod words;
