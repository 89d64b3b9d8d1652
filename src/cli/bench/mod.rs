//! `inundate bench`: measuring the speed of the solvers.

mod report;
mod scaling;
mod speeds;

use crate::engine::backend::cpu::CpuOptions;
use crate::engine::backend::cuda::device::choose::{Processor, choose};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::solver;
use crate::error::Result;
use crate::run::processor::cuda_options;
use crate::scenario::options::{Device, DeviceParser, Options, Quantity, neighbourhoods};
use crate::speed::gpu::Gpu;

#[derive(clap::Args)]
pub struct BenchArgs {
    /// Measure several GPUs against one: with a map of --size for each GPU, and with one for all
    #[arg(long, conflicts_with = "tile")]
    scaling: bool,
    /// Print a Markdown table of the whole machine: CPU with one thread and with all, and GPU
    #[arg(long, conflicts_with_all = ["scaling", "json"])]
    report: bool,
    /// Cells along each side of the map
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u16).range(16..=60000))]
    size: u16,
    /// Duration of each measurement, in seconds
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Measure only this solver
    #[arg(long, value_name = "SOLVER", value_parser = solver::names())]
    solver: Option<String>,
    /// Measure only this neighbourhood
    #[arg(long, value_name = "NAME", value_parser = neighbourhoods())]
    neighbourhood: Option<Neighbourhood>,
    /// Device to measure (default: cpu; with --scaling cuda:all)
    #[arg(long, value_name = "DEVICE", value_parser = DeviceParser)]
    device: Option<Device>,
    /// Device memory to use ("2GiB"; default: most of what is free)
    #[arg(long, value_name = "BYTES")]
    device_memory: Option<Quantity>,
    /// Tile size in cells, "N" or "COLUMNSxROWS"
    #[arg(long, value_name = "SIZE")]
    tile: Option<Quantity>,
    /// Number of threads (default: measure with 1 and with all)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    /// Returns the GPU to measure, or, as a clause, the reason for measuring the CPU.
    fn gpu(&self, otherwise: Device) -> Result<std::result::Result<Gpu, String>> {
        let chosen = choose(self.device.unwrap_or(otherwise))?;
        match chosen.what {
            Processor::Cpu => Ok(Err(chosen.why)),
            what => {
                let mut options = cuda_options(0, &self.options())?;
                match what {
                    Processor::Gpu(gpu) => options.gpu = gpu,
                    Processor::Gpus(gpus) => options.gpus = Some(gpus),
                    Processor::Cpu => {}
                }
                Gpu::new(options).map(Ok)
            }
        }
    }

    fn cpu(&self) -> Result<CpuOptions> {
        Ok(CpuOptions { tile: self.options().tile_size()?, ..CpuOptions::default() })
    }

    /// Returns the equivalent options of a run.
    fn options(&self) -> Options {
        Options {
            device_memory: self.device_memory.clone(),
            tile: self.tile.clone(),
            ..Options::default()
        }
    }
}

/// Measures and prints tables, or JSON.
pub fn bench(args: &BenchArgs) -> Result<()> {
    match args {
        BenchArgs { report: true, .. } => report::report(args),
        BenchArgs { scaling: true, .. } => scaling::scaling(args),
        _ => speeds::speeds(args),
    }
}
