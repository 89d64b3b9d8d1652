//! GPU implementations of the techniques: compilation ([`source`]), the device ([`device`],
//! [`gpu`]), and stepping ([`machine`]).

pub mod device;
pub mod gpu;
pub mod kernels;
pub mod machine;
pub mod source;
