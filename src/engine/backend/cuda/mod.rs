//! CUDA: from "is there a GPU" to loaded kernels.
//!
//! The driver ([`library`]) and the compiler NVRTC ([`nvrtc`]) are looked for at run time, so that
//! the same binary runs where there is neither. [`discover`] says which GPUs there are and whether
//! they can be used, [`choose`] takes one. The kernels ([`source`]) are compiled for the device at
//! hand ([`compile`]) and kept on disk ([`cache`]), or come with the binary ([`embedded`]);
//! [`load`] hands them to the driver.
//!
//! [`open`] makes a backend of a GPU: a [`worker`] that launches a [`program`] over the [`frame`]s in
//! its [`memory`], in which [`layout`] says how the grid lies.

mod assertions;
pub mod cache;
pub mod choose;
pub mod clock;
pub mod clock_params;
pub mod compile;
mod constants;
pub mod discover;
pub mod embedded;
pub mod entry;
pub mod failure;
pub mod fields;
pub mod flow;
pub mod frame;
pub mod gauges;
mod landing;
pub mod launch;
pub mod launcher;
pub mod layout;
pub mod library;
pub mod links;
pub mod listing;
pub mod load;
mod log;
pub mod memory;
pub mod moments;
pub mod notes;
pub mod nvrtc;
pub mod open;
pub mod options;
pub mod params;
mod peers;
pub mod ports;
pub mod program;
pub mod sampling;
mod share;
pub mod sites;
pub mod source;
pub mod stepping;
mod sum;
mod told;
pub mod transfer;
pub mod usage;
pub mod worker;
