//! The comparisons that the rules' papers made, on the machine at hand.

pub mod aqua_graph;
pub mod automata;
pub mod blocks;
pub mod kernels;
pub mod levels;
pub mod sheet;

use crate::bench::gpu::Gpu;
use crate::bench::target::simulation;
use crate::bench::timing::{median, time};
use crate::engine::backend::Problem;
use crate::engine::backend::cuda::open::open_with;
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::simulation::Simulation;
use crate::error::Result;
use kernels::{Setting, Threads};
use std::time::Instant;

/// Steps that times are told for.
pub const STEPS: u64 = 1000;
/// Times that so many steps are taken at the most: 5000 in all, as in the paper of 2008.
const TIMES: usize = 5;
/// Time after which they are not taken once more (s).
const ENOUGH: f64 = 2.0;
/// Steps before the first that counts.
const WARM_UP: u64 = 100;

/// Sets up a problem that lies whole on a GPU, with a kernel and its threads.
fn start(gpu: &Gpu, problem: Problem, setting: &Setting) -> Result<Simulation> {
    let (info, near) = (problem.rule.info(), problem.neighbourhood);
    let size = (problem.grid.columns, problem.grid.rows);
    gpu.synchronize()?;
    let flow = setting.flow(info, near, &gpu.context, size)?;
    let chunk_rows = match setting.threads {
        Threads::Cells { .. } => None,
        Threads::Chunks { rows, .. } => rows,
    };
    let options = CudaOptions { tile: None, chunk_rows, ..gpu.options };
    Ok(simulation(Box::new(open_with(problem, &options, flow)?), info))
}

/// Time of 1000 steps on a GPU (s): the median of up to five.
fn thousand(simulation: &mut Simulation) -> Result<f64> {
    simulation.advance(WARM_UP)?;
    let start = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || (times.len() < TIMES && start.elapsed().as_secs_f64() < ENOUGH) {
        times.push(time(simulation, STEPS)?);
    }
    Ok(median(&mut times))
}
