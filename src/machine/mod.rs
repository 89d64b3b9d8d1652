//! The machine that a run uses: host memory, threads, and the other processes that share the run,
//! and a library loaded at run time.

pub mod allocator;
pub mod host_memory;
pub mod ranks;
pub mod swmm;
pub mod threads;
