//! Processor of a run: its options are checked before anything is read, and it is selected and
//! opened while the input is read.

use crate::engine::backend::cpu::{self, CpuOptions};
use crate::engine::backend::cuda::device::choose::{Chosen, Processor, choose_awake};
use crate::engine::backend::cuda::device::library;
use crate::engine::backend::cuda::open::{ExpectedKernels, OpenDevices, open_from, open_on};
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::backend::ranks::{self as ranked, RankDevice};
use crate::engine::backend::saved::Resumed;
use crate::engine::backend::{Backend, Problem};
use crate::error::{Error, Result};
use crate::machine::ranks;
use crate::measures;
use crate::scenario::options::{Device, Options, Quantity, ValueOrFile};
use crate::scenario::{SolverChoice, solver_of};
use std::thread::JoinHandle;

/// The processor that a run uses.
pub struct TakenProcessor {
    /// Selected processor, and the reason.
    pub chosen: Chosen,
    /// Options for its use.
    pub how: RankDevice,
    /// Warnings about its options.
    pub warnings: Vec<String>,
    /// The GPUs, if they are already open.
    opened: Option<OpenDevices>,
}

/// A processor that is being selected and opened, with the kernels that the run will probably need,
/// while the input is read.
pub struct PendingProcessor {
    /// Result, if it was selected immediately.
    here: Option<TakenProcessor>,
    /// Thread that opens the processor.
    later: Option<JoinHandle<Result<TakenProcessor>>>,
}

impl PendingProcessor {
    /// Waits for the processor; fails like [`TakenProcessor::by`].
    pub fn wait(&mut self) -> Result<TakenProcessor> {
        if let Some(thread) = self.later.take() {
            return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        Ok(self.here.take().expect("what is not to come is here"))
    }
}

impl Drop for PendingProcessor {
    fn drop(&mut self) {
        // Ending the program while a driver starts may crash.
        let _ = self.later.take().map(JoinHandle::join);
    }
}

impl TakenProcessor {
    /// Selects the processor that the options request. Fails if it is unavailable or if its options
    /// are invalid.
    pub fn by(options: &Options) -> Result<TakenProcessor> {
        TakenProcessor::awake(options).map(|(taken, _)| taken)
    }

    /// Like [`TakenProcessor::by`], but in the background if a GPU may have to be started. Invalid
    /// options, and processors that are evidently unavailable, fail immediately.
    pub fn soon(options: &Options) -> Result<PendingProcessor> {
        TakenProcessor::beside(options, |options| {
            let (mut taken, awake) = TakenProcessor::awake(options)?;
            if let RankDevice::Cuda(gpu) = &taken.how {
                taken.opened = Some(OpenDevices::ahead(gpu, guess(options))?);
            }
            drop(awake);
            Ok(taken)
        })
    }

    /// Like [`TakenProcessor::soon`], for a rank that receives its subdomain later: opens nothing
    /// in advance.
    pub fn to_be_told(options: &Options) -> Result<PendingProcessor> {
        TakenProcessor::beside(options, TakenProcessor::by)
    }

    fn beside(
        options: &Options,
        take: impl FnOnce(&Options) -> Result<TakenProcessor> + Send + 'static,
    ) -> Result<PendingProcessor> {
        options.tile_size()?;
        cuda_options(0, options)?;
        if options.device == Some(Device::Cpu) || !library::is_there() {
            return Ok(PendingProcessor { here: Some(TakenProcessor::by(options)?), later: None });
        }
        let options = options.clone();
        let start = move || take(&options);
        let thread = std::thread::Builder::new().name("device".into()).spawn(start);
        let thread = thread.map_err(|error| Error::run("cannot start threads").because(error))?;
        Ok(PendingProcessor { here: None, later: Some(thread) })
    }

    /// Selects the processor that the options request, and returns a guard that keeps it open.
    fn awake(options: &Options) -> Result<(TakenProcessor, impl Sized)> {
        // Check all options on any processor, so that a scenario is valid on every machine or on
        // none.
        let cpu = CpuOptions { tile: options.tile_size()?, ..CpuOptions::default() };
        let mut gpu = cuda_options(0, options)?;
        let device = ranks::device_of(options.device.unwrap_or_default());
        let (chosen, awake) = choose_awake(device)?;
        let (how, warnings) = match chosen.what {
            Processor::Cpu => {
                let why = &chosen.why;
                let idle = options.device_memory.as_ref().map(|_| {
                    format!(
                        "device_memory: has no effect on the CPU, which was chosen because {why}"
                    )
                });
                (RankDevice::Cpu(cpu), idle.into_iter().collect())
            }
            Processor::Gpu(ordinal) => {
                gpu.gpu = ordinal;
                (RankDevice::Cuda(gpu), Vec::new())
            }
            Processor::Gpus(gpus) => {
                gpu.gpus = Some(gpus);
                (RankDevice::Cuda(gpu), Vec::new())
            }
        };
        Ok((TakenProcessor { chosen, how, warnings, opened: None }, awake))
    }

    /// Returns the same processor, not yet opened, for a problem that replaces another.
    pub fn again(&self) -> TakenProcessor {
        let TakenProcessor { chosen, how, .. } = self;
        TakenProcessor { chosen: chosen.clone(), how: *how, warnings: Vec::new(), opened: None }
    }

    /// Sets up a problem on the processor, with a saved state instead of the initial water if there
    /// is one.
    pub fn start(self, problem: Problem, saved: Option<Resumed>) -> Result<Box<dyn Backend>> {
        if let Some(wire) = ranks::wire() {
            return ranked::open(problem, wire, &self.how, self.opened, saved);
        }
        Ok(match (&self.how, saved) {
            (RankDevice::Cpu(options), None) => Box::new(cpu::open(problem, *options)),
            (RankDevice::Cpu(options), Some(saved)) => {
                Box::new(cpu::open_from(problem, *options, Some(saved))?)
            }
            (RankDevice::Cuda(options), saved) => match self.opened {
                Some(opened) => Box::new(open_on(opened, problem, options, saved)?),
                None => Box::new(open_from(problem, options, saved)?),
            },
        })
    }
}

/// Guesses from the options what the run will probably need.
fn guess(options: &Options) -> Option<ExpectedKernels> {
    let SolverChoice { info: solver, neighbourhood, .. } = solver_of(options).ok()?;
    let raster = options.roughness.as_ref().and_then(ValueOrFile::file);
    let rough = options.land_cover.is_some() || raster.is_some();
    Some(ExpectedKernels { solver, neighbourhood, rough })
}

/// Reads the GPU options.
pub fn cuda_options(gpu: usize, options: &Options) -> Result<CudaOptions> {
    let memory = options.device_memory.as_ref().map(|Quantity(text)| measures::parse_bytes(text));
    let memory = memory.transpose().map_err(|error| error.of("device_memory"))?;
    Ok(CudaOptions {
        gpu,
        memory,
        tile: options.tile.is_some().then(|| options.tile_size()).transpose()?,
        ..CudaOptions::default()
    })
}
