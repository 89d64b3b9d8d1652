//! GPUs of this machine: the driver, the list of devices, and the choice among them.

pub mod channels;
pub mod choose;
pub mod discover;
pub mod failure;
pub mod library;
pub(crate) mod peers;
