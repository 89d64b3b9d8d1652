//! The machine that a run has: the memory of its host, its threads, and the other processes that share the run.

pub mod allocator;
pub mod host_memory;
pub mod ranks;
pub mod threads;
