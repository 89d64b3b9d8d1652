//! Opens GPUs as a backend.

use crate::backend::Problem;
use crate::backend::cuda::compile::source::Edges;
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::device::peers::befriend;
use crate::backend::cuda::launch::program::Modules;
use crate::backend::cuda::layout::{self, Layout, Room};
use crate::backend::cuda::options::CudaOptions;
use crate::backend::cuda::worker::CudaWorker;
use crate::backend::multi_device::MultiDeviceWorker;
use crate::backend::saved::Resumed;
use crate::backend::setup::Setup;
use crate::backend::tiled::TiledBackend;
use crate::error::Result;
use crate::neighbourhood::Neighbourhood;
use crate::notices;
use crate::solver::SolverInfo;
use crate::tiling::subdomain::SubdomainPlan;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// GPUs as a backend.
pub type CudaBackend = TiledBackend<MultiDeviceWorker<CudaWorker>>;

/// Sets up the state of a problem on GPUs.
pub fn open(problem: Problem, options: &CudaOptions) -> Result<CudaBackend> {
    open_from(problem, options, None)
}

/// Opens the context of each strip's GPU, or of the only GPU.
pub fn contexts(options: &CudaOptions) -> Result<Vec<Arc<CudaContext>>> {
    let open = |ordinal: usize| {
        let context =
            CudaContext::new(ordinal).map_err(|error| failed("opening the GPU", error))?;
        // SAFETY: each frame is used by its own stream only, which orders all work on it, so no
        // events are needed for synchronization between streams.
        unsafe { context.disable_event_tracking() };
        Ok(context)
    };
    options.ordinals().into_iter().map(open).collect()
}

/// GPUs opened, with kernels that a run will probably need, before its problem is known.
pub struct OpenDevices {
    contexts: Vec<Arc<CudaContext>>,
    /// Loaded kernels per context.
    modules: Vec<Modules>,
}

impl OpenDevices {
    /// Opens the GPUs of the options. Failures to load kernels are ignored: the run will load those
    /// that it needs.
    pub fn ahead(options: &CudaOptions, guess: Option<ExpectedKernels>) -> Result<OpenDevices> {
        let contexts = contexts(options)?;
        let load = |context: &Arc<CudaContext>| {
            guess.map_or_else(Modules::default, |guess| {
                let ExpectedKernels { solver, neighbourhood, rough } = guess;
                let edges = Edges { rough, ..Edges::default() };
                Modules::load(context, solver, neighbourhood, edges)
            })
        };
        let modules = contexts.iter().map(load).collect();
        Ok(OpenDevices { contexts, modules })
    }
}

/// Facts about a problem that are known before its input is read.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedKernels {
    /// Solver of the run.
    pub solver: &'static SolverInfo,
    /// Neighbourhood of the solver.
    pub neighbourhood: Neighbourhood,
    /// Set if Manning's n varies from cell to cell.
    pub rough: bool,
}

/// Sets up a problem on GPUs, with a saved state instead of its initial water if there is one.
pub fn open_from(
    problem: Problem,
    options: &CudaOptions,
    saved: Option<Resumed>,
) -> Result<CudaBackend> {
    open_on(OpenDevices::ahead(options, None)?, problem, options, saved)
}

/// Sets up a problem on GPUs that are already open.
pub fn open_on(
    opened: OpenDevices,
    mut problem: Problem,
    options: &CudaOptions,
    saved: Option<Resumed>,
) -> Result<CudaBackend> {
    let OpenDevices { mut contexts, modules } = opened;
    for context in &contexts {
        // They may have been opened by another thread.
        context.bind_to_thread().map_err(|error| failed("opening the GPU", error))?;
    }
    let room = Room::of_all(&contexts, options.memory)?;
    let Layout { plan, frames, .. } = Layout::new(&problem, options, room, contexts.len())?;
    // A grid of few rows has fewer strips than there are GPUs.
    if plan.subdomains.len() < contexts.len() {
        let (has, takes) = (contexts.len(), plan.subdomains.len());
        notices::say(&format!("{takes} of {has} GPUs are enough for a map of this size"));
        contexts.truncate(takes);
    }
    if plan.spread {
        befriend(&contexts)?;
    }
    let setup = Setup::new(&mut problem, &plan, saved)?;
    let member = |(context, modules)| {
        CudaWorker::new(context, modules, &problem, &setup, &plan, &frames, options)
    };
    let members = contexts.into_iter().zip(modules).map(member).collect::<Result<_>>()?;
    let worker = MultiDeviceWorker::new(members, &setup.owners(&plan));
    setup.into_backend(worker, plan)
}

/// Sets up a GPU as a member of a worker of several devices, with one resident subdomain; it may be open already.
pub fn member(
    problem: &Problem,
    setup: &Setup,
    plan: &SubdomainPlan,
    options: &CudaOptions,
    opened: Option<OpenDevices>,
) -> Result<CudaWorker> {
    let OpenDevices { mut contexts, mut modules } =
        opened.map_or_else(|| OpenDevices::ahead(options, None), Ok)?;
    let (context, modules) = (contexts.swap_remove(0), modules.swap_remove(0));
    context.bind_to_thread().map_err(|error| failed("opening the GPU", error))?;
    let room = Room::of(&context, options.memory)?;
    let frames = layout::strip(problem, room, plan)?;
    CudaWorker::new(context, modules, problem, setup, plan, &frames, options)
}
