//! CUDA: from device discovery to loaded kernels, and the steps that they take.
//!
//! - [`device`]: the driver, loaded at run time so that the same binary runs without one, and the
//!   list of GPUs.
//! - [`mod@compile`]: the kernels, compiled for the current device and cached on disk, or embedded
//!   in the binary.
//! - [`memory`]: device memory and copies from and to it; [`frame`], [`layout`]: the placement of
//!   the grid in it.
//! - [`mod@launch`]: the kernels of a run, and their launches.
//! - [`clock`]: adaptive time steps on the device.
//!
//! [`open`] turns a GPU into a backend: a [`worker`] that takes steps ([`stepping`]) on its frames.

pub mod clock;
pub mod compile;
pub mod device;
pub mod diagnostics;
pub mod frame;
mod frame_params;
pub mod gauges;
pub mod launch;
pub mod layout;
pub mod links;
pub mod listing;
pub mod memory;
pub mod open;
pub mod options;
pub mod params;
pub mod ports;
pub mod sites;
pub mod stepping;
pub mod structures;
mod subgrid;
pub mod worker;
