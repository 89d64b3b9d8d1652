//! CUDA: from "is there a GPU" to loaded kernels, and the steps that they take.
//!
//! - [`device`]: the driver, looked for at run time, so that the same binary runs where there is none; which GPUs there are.
//! - [`mod@compile`]: the kernels, compiled for the device at hand and kept on disk, or come with the binary.
//! - [`memory`]: memory of a device, and what is copied to and from it; [`frame`], [`layout`]: how the grid lies in it.
//! - [`mod@launch`]: the kernels of a run, and how each is launched.
//! - [`clock`]: the time of the steps, on the device.
//!
//! [`open`] makes a backend of a GPU: a [`worker`] that takes steps ([`stepping`]) over its frames.

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
