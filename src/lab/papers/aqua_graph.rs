//! Table 1 of Rinaldi et al. (2008): AQUA-GRAPH on one thread of the CPU against a GPU.

use super::kernels::{Kernel, Setting};
use super::{STEPS, TIMES, start, thousand};
use crate::bench::gpu::Gpu;
use crate::bench::map::BenchMap;
use crate::bench::target::simulation;
use crate::bench::timing::one_by_one;
use crate::engine::backend::Problem;
use crate::engine::backend::cpu::{self, CpuOptions};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::{AnyRule, aqua_graph};
use crate::error::Result;
use crate::run::with_threads;
use serde::Serialize;

/// Cells along each side of the grids. The paper's end at 1024.
pub const SIZES: [usize; 8] = [128, 256, 512, 1024, 2048, 4096, 8192, 16384];
/// Its relaxation.
pub const ALPHA: f32 = 0.005;
/// Its neighbourhood.
pub const NEIGHBOURHOOD: Neighbourhood = Neighbourhood::VonNeumann;

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Cells along each side.
    pub size: usize,
    /// Steps that the CPU took, to be scaled to 1000.
    pub cpu_steps: u64,
    /// Time of 1000 steps on one thread of the CPU (s).
    pub cpu_s: f64,
    /// Time of 1000 steps on the GPU (s), if there is one.
    pub gpu_s: Option<f64>,
    /// The first time over the second.
    pub speed_up: Option<f64>,
}

/// The rule of the paper.
pub fn rule() -> AnyRule {
    aqua_graph::INFO.rule(NEIGHBOURHOOD, Some(ALPHA))
}

/// The paper's plane of `size`² cells.
pub fn problem(size: usize) -> Problem {
    BenchMap::Plane.problem(size, rule(), NEIGHBOURHOOD)
}

/// Measures a grid: on the CPU for `seconds` (s) or as many steps as the paper took, and with the
/// fused kernel of a GPU, if there is one that holds it whole.
pub fn row(size: usize, gpu: Option<&Gpu>, seconds: f64) -> Result<Row> {
    let backend = cpu::open(problem(size), CpuOptions::default());
    let (step, cpu_steps) = with_threads(Some(1), || {
        let mut simulation = simulation(Box::new(backend), &aqua_graph::INFO);
        simulation.advance(1)?;
        one_by_one(&mut simulation, seconds, 1..=STEPS * TIMES as u64)
    })?;
    let cpu_s = step * STEPS as f64;
    let mut gpu_s = None;
    if let Some(gpu) = gpu
        && gpu.holds(size, rule(), 0)?
    {
        let fused = Setting::usual(Kernel::Fused);
        gpu_s = Some(thousand(&mut start(gpu, problem(size), &fused)?)?);
    }
    Ok(Row { size, cpu_steps, cpu_s, gpu_s, speed_up: gpu_s.map(|gpu_s| cpu_s / gpu_s) })
}
