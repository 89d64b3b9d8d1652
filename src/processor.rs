//! The processor of a run: chosen, and what is said about it checked, before anything is read or
//! written.

use crate::engine::backend::cpu::{self, CpuOptions};
use crate::engine::backend::ranks::{self as ranked, Here};
use crate::engine::backend::cuda::choose::{Chosen, Processor, choose};
use crate::engine::backend::cuda::open::{CudaOptions, open_from};
use crate::engine::backend::saved::Resumed;
use crate::engine::backend::{Backend, Problem};
use crate::error::{Error, Result};
use crate::ranks;
use crate::scenario::options::{Options, Quantity};
use crate::units;

/// A processor, and how it is used.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// The CPU.
    Cpu(CpuOptions),
    /// GPUs.
    Gpu(CudaOptions),
}

/// The processor that a run takes.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Which one, and why.
    pub chosen: Chosen,
    /// How it is used.
    pub how: Use,
    /// What may be wrong with what was said about it.
    pub warnings: Vec<String>,
}

impl Taken {
    /// Takes what the options ask for. An error if that is not there, or if what they say about it
    /// makes no sense.
    pub fn by(options: &Options) -> Result<Taken> {
        // Checked whichever processor it is, so that a scenario is right on every machine or on none.
        let cpu = CpuOptions { tile: options.tile_size()?, ..CpuOptions::default() };
        let mut gpu = cuda_options(0, options)?;
        let chosen = choose(ranks::device_of(options.device.unwrap_or_default()))?;
        Ok(match chosen.what {
            Processor::Cpu => {
                let warnings = idle_keys(options, &chosen.why).into_iter().collect();
                Taken { chosen, how: Use::Cpu(cpu), warnings }
            }
            Processor::Gpu(ordinal) => {
                gpu.gpu = ordinal;
                Taken { chosen, how: Use::Gpu(gpu), warnings: Vec::new() }
            }
            Processor::Gpus(gpus) => {
                gpu.gpus = Some(gpus);
                Taken { chosen, how: Use::Gpu(gpu), warnings: Vec::new() }
            }
        })
    }

    /// Sets up a problem on it, with a saved state in the place of its water at the start if there is one.
    pub fn start(&self, problem: Problem, saved: Option<Resumed>) -> Result<Box<dyn Backend>> {
        if let Some(wire) = ranks::wire() {
            return ranked::open(problem, wire, &self.here(), saved);
        }
        Ok(match (&self.how, saved) {
            (Use::Cpu(options), None) => Box::new(cpu::open(problem, *options)),
            (Use::Cpu(options), Some(saved)) => {
                Box::new(cpu::open_from(problem, *options, Some(saved))?)
            }
            (Use::Gpu(options), saved) => Box::new(open_from(problem, options, saved)?),
        })
    }
}

impl Taken {
    /// What this rank of several works on.
    pub fn here(&self) -> Here {
        match self.how {
            Use::Cpu(options) => Here::Cpu(options),
            Use::Gpu(options) => Here::Cuda(options),
        }
    }
}

/// A warning if something was said about a GPU, and the CPU computes.
fn idle_keys(options: &Options, why: &str) -> Option<String> {
    let said = options.device_memory.is_some();
    said.then(|| format!("device_memory: of no effect on the CPU, which computes because {why}"))
}

/// What the options say about a GPU.
pub fn cuda_options(gpu: usize, options: &Options) -> Result<CudaOptions> {
    let memory = options.device_memory.as_ref().map(|Quantity(text)| units::parse_bytes(text));
    let memory = memory
        .transpose()
        .map_err(|error| Error { what: format!("device_memory: {}", error.what), ..error })?;
    Ok(CudaOptions {
        gpu,
        memory,
        tile: options.tile.is_some().then(|| options.tile_size()).transpose()?,
        ..CudaOptions::default()
    })
}
