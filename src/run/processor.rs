//! The processor of a run: what is said about it is checked before anything is read, and it is chosen and opened while the
//! input is read.

use crate::engine::backend::cpu::{self, CpuOptions};
use crate::engine::backend::cuda::device::choose::{Chosen, Processor, choose_awake};
use crate::engine::backend::cuda::device::library;
use crate::engine::backend::cuda::open::{Guess, Opened, open_from, open_on};
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::backend::ranks::{self as ranked, Here};
use crate::engine::backend::saved::Resumed;
use crate::engine::backend::{Backend, Problem};
use crate::error::{Error, Result};
use crate::machine::ranks;
use crate::measures;
use crate::scenario::options::{Device, Options, Quantity, looks_like_a_file};
use crate::scenario::rule_of;
use std::thread::JoinHandle;

/// The processor that a run takes.
pub struct TakenProcessor {
    /// Which one, and why.
    pub chosen: Chosen,
    /// How it is used.
    pub how: Here,
    /// What may be wrong with what was said about it.
    pub warnings: Vec<String>,
    /// The GPUs, where they are open already.
    opened: Option<Opened>,
}

/// A processor that is chosen, and opened with the kernels that a run will most likely want, while its input is read.
pub struct Coming {
    /// What is chosen already.
    here: Option<TakenProcessor>,
    /// The thread that is at it.
    later: Option<JoinHandle<Result<TakenProcessor>>>,
}

impl Coming {
    /// The processor, when it is there; an error as that of [`TakenProcessor::by`].
    pub fn wait(&mut self) -> Result<TakenProcessor> {
        if let Some(thread) = self.later.take() {
            return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        Ok(self.here.take().expect("what is not to come is here"))
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        // No driver likes a program to end while it starts.
        let _ = self.later.take().map(JoinHandle::join);
    }
}

impl TakenProcessor {
    /// Takes what the options ask for. An error if that is not there, or if what they say about it
    /// makes no sense.
    pub fn by(options: &Options) -> Result<TakenProcessor> {
        TakenProcessor::awake(options).map(|(taken, _)| taken)
    }

    /// The same beside what follows, where a GPU may have to be started. What makes no sense, or can be seen not to be there, is
    /// an error at once.
    pub fn soon(options: &Options) -> Result<Coming> {
        TakenProcessor::beside(options, |options| {
            let (mut taken, awake) = TakenProcessor::awake(options)?;
            if let Here::Cuda(gpu) = &taken.how {
                taken.opened = Some(Opened::ahead(gpu, guess(options))?);
            }
            drop(awake);
            Ok(taken)
        })
    }

    /// The same for a rank that is told later what it computes: nothing is opened.
    pub fn to_be_told(options: &Options) -> Result<Coming> {
        TakenProcessor::beside(options, TakenProcessor::by)
    }

    fn beside(
        options: &Options,
        take: impl FnOnce(&Options) -> Result<TakenProcessor> + Send + 'static,
    ) -> Result<Coming> {
        options.tile_size()?;
        cuda_options(0, options)?;
        if options.device == Some(Device::Cpu) || !library::is_there() {
            return Ok(Coming { here: Some(TakenProcessor::by(options)?), later: None });
        }
        let options = options.clone();
        let start = move || take(&options);
        let thread = std::thread::Builder::new().name("device".into()).spawn(start);
        let thread = thread.map_err(|error| Error::run("cannot start threads").because(error))?;
        Ok(Coming { here: None, later: Some(thread) })
    }

    /// Takes what the options ask for, with what keeps it open.
    fn awake(options: &Options) -> Result<(TakenProcessor, impl Sized)> {
        // Checked whichever processor it is, so that a scenario is right on every machine or on none.
        let cpu = CpuOptions { tile: options.tile_size()?, ..CpuOptions::default() };
        let mut gpu = cuda_options(0, options)?;
        let device = ranks::device_of(options.device.unwrap_or_default());
        let (chosen, awake) = choose_awake(device)?;
        let (how, warnings) = match chosen.what {
            Processor::Cpu => {
                (Here::Cpu(cpu), idle_keys(options, &chosen.why).into_iter().collect())
            }
            Processor::Gpu(ordinal) => {
                gpu.gpu = ordinal;
                (Here::Cuda(gpu), Vec::new())
            }
            Processor::Gpus(gpus) => {
                gpu.gpus = Some(gpus);
                (Here::Cuda(gpu), Vec::new())
            }
        };
        Ok((TakenProcessor { chosen, how, warnings, opened: None }, awake))
    }

    /// The same, not yet opened, for a problem that comes in the place of another.
    pub fn again(&self) -> TakenProcessor {
        let TakenProcessor { chosen, how, .. } = self;
        TakenProcessor { chosen: chosen.clone(), how: *how, warnings: Vec::new(), opened: None }
    }

    /// Sets up a problem on it, with a saved state in the place of its water at the start if there is one.
    pub fn start(self, problem: Problem, saved: Option<Resumed>) -> Result<Box<dyn Backend>> {
        if let Some(wire) = ranks::wire() {
            return ranked::open(problem, wire, &self.how, self.opened, saved);
        }
        Ok(match (&self.how, saved) {
            (Here::Cpu(options), None) => Box::new(cpu::open(problem, *options)),
            (Here::Cpu(options), Some(saved)) => {
                Box::new(cpu::open_from(problem, *options, Some(saved))?)
            }
            (Here::Cuda(options), saved) => match self.opened {
                Some(opened) => Box::new(open_on(opened, problem, options, saved)?),
                None => Box::new(open_from(problem, options, saved)?),
            },
        })
    }
}

/// What a run will most likely want, as far as the options tell.
fn guess(options: &Options) -> Option<Guess> {
    let (rule, neighbourhood, _) = rule_of(options).ok()?;
    let is_raster = |Quantity(text): &Quantity| looks_like_a_file(text);
    let rough = options.land_cover.is_some() || options.roughness.as_ref().is_some_and(is_raster);
    Some(Guess { rule, neighbourhood, rough })
}

/// A warning if something was said about a GPU, and the CPU computes.
fn idle_keys(options: &Options, why: &str) -> Option<String> {
    let said = options.device_memory.is_some();
    said.then(|| format!("device_memory: of no effect on the CPU, which computes because {why}"))
}

/// What the options say about a GPU.
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
