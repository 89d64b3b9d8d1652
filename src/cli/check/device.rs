//! Estimate of the memory and tiles of a run on its processor.

use crate::engine::backend::Problem;
use crate::engine::backend::cuda::device::choose::Chosen;
use crate::engine::backend::cuda::device::discover::names_of;
use crate::engine::backend::cuda::layout::{Layout, Room};
use crate::engine::backend::cuda::open::contexts;
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::backend::ranks::RankDevice;
use crate::error::Result;
use crate::run::processor::TakenProcessor;
use crate::units::show_bytes;
use serde::Serialize;

/// Part of the output of `check --json`.
#[derive(Serialize)]
pub struct DeviceEstimate {
    /// The processor, and the reason for choosing it.
    device: Chosen,
    /// Columns and rows of a tile; of the grid if a GPU holds all of it.
    tile: (usize, usize),
    tiles: usize,
    /// Details of a GPU run.
    gpu: Option<GpuEstimate>,
}

#[derive(Serialize)]
struct GpuEstimate {
    name: String,
    /// Number of steps of a tile before the next tile is computed; `None` if the grid is computed
    /// whole.
    steps_per_turn: Option<usize>,
    /// Set if each GPU computes a strip of the grid, with a halo exchange after that many steps.
    strips: bool,
    /// Memory used on each GPU (bytes).
    memory_bytes: usize,
    /// Device memory needed to hold the whole grid (bytes).
    whole_bytes: usize,
}

impl DeviceEstimate {
    /// Estimates the memory of a problem. Queries the free memory of a GPU, and computes nothing.
    pub fn new(taken: &TakenProcessor, problem: &Problem) -> Result<DeviceEstimate> {
        let device = taken.chosen.clone();
        let (tile, tiles, gpu) = match &taken.how {
            RankDevice::Cpu(options) => {
                let (across, down) = options.tile;
                let grid = &problem.grid;
                let tiles = grid.columns.div_ceil(across) * grid.rows.div_ceil(down);
                (options.tile, tiles, None)
            }
            RankDevice::Cuda(options) => {
                let (name, layout) = on_gpu(options, problem)?;
                let gpu = GpuEstimate {
                    name,
                    steps_per_turn: layout.plan.steps,
                    strips: layout.plan.spread,
                    memory_bytes: layout.bytes,
                    whole_bytes: layout.whole_bytes,
                };
                (layout.plan.tile, layout.plan.subdomains.len(), Some(gpu))
            }
        };
        Ok(DeviceEstimate { device, tile, tiles, gpu })
    }

    /// Prints the estimate.
    pub fn print(&self) {
        let DeviceEstimate { device, tile: (across, down), tiles, gpu } = self;
        let Some(gpu) = gpu else {
            outln!("device      the CPU, because {}", device.why);
            outln!("tiles       {tiles} of {across} x {down} cells");
            return;
        };
        outln!("device      {}, because {}", gpu.name, device.why);
        let memory = show_bytes(gpu.memory_bytes as u64);
        match gpu.steps_per_turn {
            None => outln!("on the GPU  whole, in {memory} of device memory"),
            Some(steps) if gpu.strips => {
                outln!(
                    "on the GPUs {tiles} strips of up to {down} rows that meet every {steps} steps, in {memory} of each one's memory"
                );
            }
            Some(steps) => {
                let plural = if steps == 1 { "" } else { "s" };
                outln!(
                    "on the GPU  {tiles} tiles of up to {across} x {down} cells that take turns of up to {steps} step{plural}"
                );
                let whole = show_bytes(gpu.whole_bytes as u64);
                outln!("            in {memory} of device memory (whole it would take {whole})");
            }
        }
    }
}

fn on_gpu(options: &CudaOptions, problem: &Problem) -> Result<(String, Layout)> {
    let contexts = contexts(options)?;
    let room = Room::of_all(&contexts, options.memory)?;
    let layout = Layout::new(problem, options, room, contexts.len())?;
    // A run leaves out GPUs that get no part of the grid.
    let taken = contexts.len().min(layout.plan.subdomains.len());
    Ok((names_of(&contexts[..taken])?, layout))
}
