//! Processors to measure, and simulations started on them.

use super::gpu::Gpu;
use crate::engine::backend::cpu::{self, CpuOptions};
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::backend::{Backend, Problem};
use crate::engine::clock::Clock;
use crate::engine::simulation::Simulation;
use crate::engine::solver::SolverInfo;
use crate::engine::time_step::DEFAULT_LONGEST;
use crate::error::Result;

/// A processor with its options.
pub enum BenchTarget {
    /// The CPU, on the current rayon pool.
    Cpu(CpuOptions),
    /// One or several GPUs.
    Gpu(Gpu),
}

impl BenchTarget {
    /// Sets up a problem on the processor.
    pub fn start(&self, problem: Problem) -> Result<Started> {
        let solver = problem.solver.info();
        match self {
            BenchTarget::Cpu(options) => Ok(Started {
                simulation: simulation(Box::new(cpu::open(problem, *options)), solver),
                tiles: None,
            }),
            BenchTarget::Gpu(gpu) => on_gpu(gpu, problem, &gpu.options),
        }
    }
}

/// A simulation with its memory layout on the device.
pub struct Started {
    /// The simulation, ready to step.
    pub simulation: Simulation,
    /// Number of streamed tiles; `None` if the grid is resident as a whole.
    pub tiles: Option<usize>,
}

/// Sets up a problem on a GPU with specific options.
pub fn on_gpu(gpu: &Gpu, problem: Problem, options: &CudaOptions) -> Result<Started> {
    let solver = problem.solver.info();
    let setup = gpu.open(problem, options)?;
    let plan = setup.plan();
    let tiles = plan.steps.map(|_| plan.subdomains.len());
    Ok(Started { simulation: simulation(Box::new(setup), solver), tiles })
}

/// Returns a simulation of a solver without forcing and without an end.
pub fn simulation(backend: Box<dyn Backend>, solver: &SolverInfo) -> Simulation {
    let clock = if solver.is_timed() {
        Clock::adaptive(f64::INFINITY, DEFAULT_LONGEST as f32, solver.safety())
    } else {
        Clock::steps(u64::MAX)
    };
    Simulation::new(backend, clock)
}
