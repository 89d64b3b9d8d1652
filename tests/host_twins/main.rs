//! Checks that kernels and their Rust twins give identical bits: the kernels' sources are compiled
//! as C++ for this processor, which needs no GPU, and their results are compared over millions of
//! inputs, for every instruction set.
//!
//! Device-specific parts (initial guesses of roots, and warps) are left to `make gpu-check`.

mod cell_diagnostics;
mod clock;
#[path = "../engine/common/mod.rs"]
mod common;
mod compare;
mod compile;
mod constants;
mod fields;
mod forcing;
mod kernels;
mod links;
mod losses;
mod numbers;
mod samples;
mod sheet;
mod solvers;
mod steps;
