//! Opens a GPU for measurements.

use crate::engine::backend::Problem;
use crate::engine::backend::cuda::device::discover::names_of;
use crate::engine::backend::cuda::device::failure::failed;
use crate::engine::backend::cuda::open::{CudaBackend, contexts, open};
use crate::engine::backend::cuda::options::CudaOptions;
use crate::error::Result;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// One or several GPUs, kept open from one measurement to the next.
pub struct Gpu {
    /// CUDA context of the (first) GPU.
    pub context: Arc<CudaContext>,
    /// Display name, such as `NVIDIA H200 (cuda:0)`; lists all if there are several.
    pub name: String,
    /// Options of the CUDA backend.
    pub options: CudaOptions,
}

impl Gpu {
    /// Opens the GPUs that the options select.
    pub fn new(options: CudaOptions) -> Result<Gpu> {
        let contexts = contexts(&options)?;
        let name = names_of(&contexts)?;
        Ok(Gpu { context: contexts[0].clone(), name, options })
    }

    /// Sets up a problem on the GPU.
    pub fn open(&self, problem: Problem, options: &CudaOptions) -> Result<CudaBackend> {
        self.synchronize()?;
        open(problem, options)
    }

    /// Waits for all pending work; freed memory becomes available only then.
    pub fn synchronize(&self) -> Result<()> {
        self.context.synchronize().map_err(|error| failed("freeing memory", error))
    }
}
