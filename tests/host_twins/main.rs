//! Kernels and their twins in Rust give the same bits: the kernels' sources are compiled as C++ for this processor,
//! which needs no GPU, and what they work out is compared over millions of inputs, whatever the instruction set.
//!
//! What a GPU does on its own, its first guesses at roots and its warps, is left to `make gpu-check`.

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
mod looks;
mod losses;
mod numbers;
mod rules;
mod sheet;
mod steps;
mod tracks;
