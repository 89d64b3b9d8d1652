//! A GPU to measure.

use crate::engine::backend::Problem;
use crate::engine::backend::cuda::compile::load::{Means, Way, capability, way};
use crate::engine::backend::cuda::device::failure::failed;
use crate::engine::backend::cuda::device::library::driver;
use crate::engine::backend::cuda::frame::Shape;
use crate::engine::backend::cuda::layout::budget;
use crate::engine::backend::cuda::open::{CudaBackend, contexts, names_of, open};
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::rule::AnyRule;
use crate::engine::rule::edge::EdgeField;
use crate::engine::tiling::subdomain::MARGIN;
use crate::error::Result;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// The fewest rows of a chunk, which take the most memory.
const CHUNK_ROWS: usize = 4;

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

    /// Device memory that may be used (bytes): what is asked for, else most of what is free.
    pub fn budget(&self, asked: Option<u64>) -> Result<usize> {
        self.synchronize()?;
        budget(&self.context, asked)
    }

    /// Whether a map of `size`² cells fits the device memory whole, with so many arrays of 32 bits a cell beside it.
    pub fn holds(&self, size: usize, rule: AnyRule, planes: usize) -> Result<bool> {
        Ok(whole_bytes(size, rule, planes) <= self.budget(self.options.memory)?)
    }

    /// Whether kernels can be compiled for it here.
    pub fn has_compiler(&self) -> Result<bool> {
        let Ok(driver) = driver() else { return Ok(false) };
        let way = way(capability(&self.context)?, Means::here(driver));
        Ok(matches!(way, Ok(Way::Compile(_))))
    }

    /// Waits for everything: memory that was given back is free only then.
    pub fn synchronize(&self) -> Result<()> {
        self.context.synchronize().map_err(|error| failed("giving memory back", error))
    }
}

/// Device memory that a map of `size`² cells takes whole (bytes), or a little less, with so many arrays of 32 bits a cell
/// beside it.
pub fn whole_bytes(size: usize, rule: AnyRule, planes: usize) -> usize {
    let canvas = size + 2 * MARGIN;
    let of_edges = match rule.remembers() {
        Some(EdgeField::Velocity) => 2 * (2 + 1),
        Some(EdgeField::Discharge) => 2 * 2,
        None => 0,
    };
    // Bed, water twice, maximum and arrival.
    let arrays = 5 + of_edges + planes;
    Shape::new(canvas, canvas, CHUNK_ROWS).bytes(arrays)
}
