//! The techniques on a GPU: what is compiled ([`source`]), the device ([`device`], [`gpu`]), and how steps are taken with it
//! ([`machine`]).

pub mod device;
pub mod gpu;
pub mod kernels;
pub mod machine;
pub mod source;
