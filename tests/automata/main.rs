//! The automata: every technique gives the steps of the plain reference, and the reference has the
//! known properties.

#[path = "../host_twins/compile.rs"]
mod compile;
mod cpu;
mod device;
mod kernels;
mod known_properties;
mod patterns;
mod registry;
mod sizes;
mod symmetry;
#[path = "../tier.rs"]
mod tier;
mod twins;
mod words;
