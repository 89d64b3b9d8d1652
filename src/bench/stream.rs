//! A map that is larger than the memory of the device that computes it.

use super::copy;
use super::gpu::{Gpu, whole_bytes};
use super::map::BenchMap;
use super::target::on_gpu;
use super::timing::in_calls;
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::RuleInfo;
use crate::error::{Error, Result};
use crate::units::show_bytes;
use serde::Serialize;

/// Part of what the whole map takes that the device memory is cut down to.
const PART: u64 = 4;

/// A map computed whole, and in tiles that take turns.
#[derive(Clone, Debug, Serialize)]
pub struct Streamed {
    /// Rule.
    pub rule: &'static str,
    /// Neighbourhood.
    pub neighbourhood: &'static str,
    /// The GPU.
    pub device: String,
    /// Device memory that the whole map takes (bytes).
    pub whole_bytes: u64,
    /// Device memory that the tiles were given (bytes), unless their size was.
    pub budget_bytes: Option<u64>,
    /// Number of tiles.
    pub tiles: usize,
    /// Steps that each tile takes in its turn.
    pub steps_per_turn: usize,
    /// Cells times steps per second, the whole map in the device memory.
    pub whole_cell_steps_per_s: f64,
    /// The same, in tiles that take turns.
    pub streamed_cell_steps_per_s: f64,
    /// The second over the first.
    pub ratio: f64,
    /// From the host to the device (GB/s).
    pub to_device_gb_per_s: f64,
    /// From the device to the host (GB/s).
    pub to_host_gb_per_s: f64,
    /// Whether the system lets the host's memory be pinned.
    pub pinned: bool,
}

/// Measures a rule on the wet map of `size`² cells both ways, each for about `seconds` (s). The tiles
/// get the memory, or have the size, that the GPU's options name, else a quarter of what the whole
/// map takes.
pub fn stream(
    gpu: &Gpu,
    (info, neighbourhood): (&RuleInfo, Neighbourhood),
    size: usize,
    seconds: f64,
) -> Result<Streamed> {
    let rule = info.rule(neighbourhood, None);
    let whole_bytes = whole_bytes(size, rule, 0) as u64;
    let time = |options: &CudaOptions| {
        let start = || on_gpu(gpu, BenchMap::Wet.problem(size, rule, neighbourhood), options);
        let (seconds, started) = in_calls(start, seconds, BenchMap::most_steps(size))?;
        Ok(((size * size) as f64 / seconds, started.turns))
    };
    if whole_bytes > gpu.budget(None)? as u64 {
        return Err(Error::input(format!(
            "size: {size} x {size} cells take {}, which is not free on the device",
            show_bytes(whole_bytes)
        ))
        .hint("give a --size that fits, so that there is something to compare with"));
    }
    let (whole_rate, _) = time(&CudaOptions { memory: None, tile: None, ..gpu.options })?;
    let memory = gpu.options.memory.unwrap_or(whole_bytes / PART);
    let (streamed_rate, turns) = time(&CudaOptions { memory: Some(memory), ..gpu.options })?;
    let Some(turns) = turns else {
        return Err(Error::input(format!(
            "device_memory: {} hold all of {size} x {size} cells, and nothing streams",
            show_bytes(memory)
        ))
        .hint(format!("give less than {}", show_bytes(whole_bytes))));
    };
    let bus = copy::over_the_bus(&gpu.context)?;
    Ok(Streamed {
        rule: info.name,
        neighbourhood: neighbourhood.name(),
        device: gpu.name.clone(),
        whole_bytes,
        budget_bytes: gpu.options.tile.is_none().then_some(memory),
        tiles: turns.tiles,
        steps_per_turn: turns.steps,
        whole_cell_steps_per_s: whole_rate,
        streamed_cell_steps_per_s: streamed_rate,
        ratio: streamed_rate / whole_rate,
        to_device_gb_per_s: bus.to_gpu,
        to_host_gb_per_s: bus.to_host,
        pinned: bus.pinned,
    })
}
