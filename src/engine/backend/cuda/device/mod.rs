//! The GPUs of this machine: the driver, which devices there are, and which are taken.

pub mod choose;
pub mod discover;
pub mod failure;
pub mod library;
pub(crate) mod peers;
