//! Kernels and their twins in Rust give the same bits: the kernels' sources are compiled as C++ for this processor,
//! which needs no GPU, and what they work out is compared over millions of inputs, whatever the instruction set.
//!
//! What a GPU does on its own, its first guesses at roots and its warps, is left to `make gpu-check`.

#[path = "host_twins/clock.rs"]
mod clock;
mod common;
#[path = "host_twins/compare.rs"]
mod compare;
#[path = "host_twins/compile.rs"]
mod compile;
#[path = "host_twins/constants.rs"]
mod constants;
#[path = "host_twins/forcing.rs"]
mod forcing;
#[path = "host_twins/kernels.rs"]
mod kernels;
#[path = "host_twins/links.rs"]
mod links;
#[path = "host_twins/losses.rs"]
mod losses;
#[path = "host_twins/numbers.rs"]
mod numbers;
#[path = "host_twins/rules.rs"]
mod rules;
#[path = "host_twins/sheet.rs"]
mod sheet;
#[path = "host_twins/steps.rs"]
mod steps;
#[path = "host_twins/tracks.rs"]
mod tracks;
