//! `inundate bench`.

mod scaling;
mod speeds;

use crate::bench::gpu::Gpu;
use crate::engine::backend::cpu::CpuOptions;
use crate::engine::backend::cuda::device::choose::{Processor, choose};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule;
use crate::error::Result;
use crate::run::processor::cuda_options;
use crate::scenario::options::{Device, DeviceParser, Options, Quantity, neighbourhoods};

#[derive(clap::Args)]
pub struct BenchArgs {
    /// Measure several GPUs against one, on a map of --size for each and on one for all
    #[arg(long, conflicts_with = "tile")]
    scaling: bool,
    /// Cells along each side of the map
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u16).range(16..=60000))]
    size: u16,
    /// Seconds per measurement
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Only this rule
    #[arg(long, value_name = "RULE", value_parser = rule::names())]
    rule: Option<String>,
    /// Only this neighbourhood
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
    /// Only so many threads (default: 1, and all)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    /// The GPU that is to be measured, or why it is the CPU: a clause.
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

    /// What a run would be told.
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
    if args.scaling { scaling::scaling(args) } else { speeds::speeds(args) }
}
