//! The automata: every technique takes the steps that the plain reference takes, and the reference does what is known of them.

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
