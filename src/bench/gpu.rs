//! A GPU to measure.

use crate::engine::backend::Problem;
use crate::engine::backend::cuda::device::discover::names_of;
use crate::engine::backend::cuda::device::failure::failed;
use crate::engine::backend::cuda::open::{CudaBackend, contexts, open};
use crate::engine::backend::cuda::options::CudaOptions;
use crate::error::Result;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// A GPU, or several together, kept open from one measurement to the next.
pub struct Gpu {
    /// Its context, or that of the first of several.
    pub context: Arc<CudaContext>,
    /// Its name: `NVIDIA H200 (cuda:0)`, or theirs.
    pub name: String,
    /// How it is used.
    pub options: CudaOptions,
}

impl Gpu {
    /// Opens the GPUs that the options name.
    pub fn new(options: CudaOptions) -> Result<Gpu> {
        let contexts = contexts(&options)?;
        let name = names_of(&contexts)?;
        Ok(Gpu { context: contexts[0].clone(), name, options })
    }

    /// Sets up a problem on it.
    pub fn open(&self, problem: Problem, options: &CudaOptions) -> Result<CudaBackend> {
        self.synchronize()?;
        open(problem, options)
    }

    /// Waits for everything: memory that was given back is free only then.
    pub fn synchronize(&self) -> Result<()> {
        self.context.synchronize().map_err(|error| failed("giving memory back", error))
    }
}
