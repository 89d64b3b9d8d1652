//! `inundate bench`.

mod speeds;

use crate::backend::cpu::CpuOptions;
use crate::backend::cuda::choose::{Processor, choose};
use crate::backend::cuda::source::Kernel;
use crate::bench::gpu::Gpu;
use crate::error::Result;
use crate::neighbourhood::Neighbourhood;
use crate::rule;
use crate::run::cuda_options;
use crate::scenario::options::{Device, Options, Quantity};

#[derive(clap::Args)]
pub struct BenchArgs {
    /// Cells along each side of the map
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u16).range(16..=32768))]
    size: u16,
    /// Seconds per measurement
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Only this rule
    #[arg(long, value_name = "RULE", value_parser = rule::RULES.iter().map(|r| r.name).collect::<Vec<_>>())]
    rule: Option<String>,
    /// Only this neighbourhood
    #[arg(long, value_name = "NAME")]
    neighbourhood: Option<Neighbourhood>,
    /// Device to measure (default: cpu)
    #[arg(long, value_name = "DEVICE")]
    device: Option<Device>,
    /// How water flows on a GPU (default: fused)
    #[arg(long, value_name = "KERNEL")]
    kernel: Option<Kernel>,
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
    /// The GPU that is to be measured, unless it is the CPU.
    fn gpu(&self, device: Device) -> Result<Option<Gpu>> {
        match choose(device)?.what {
            Processor::Cpu => Ok(None),
            Processor::Gpu(gpu) => Gpu::new(cuda_options(gpu, &self.options())?).map(Some),
        }
    }

    fn cpu(&self) -> Result<CpuOptions> {
        Ok(CpuOptions { tile: self.options().tile_size()?, ..CpuOptions::default() })
    }

    /// What a run would be told.
    fn options(&self) -> Options {
        Options {
            device_memory: self.device_memory.clone(),
            kernel: self.kernel,
            tile: self.tile.clone(),
            ..Options::default()
        }
    }
}

/// Measures and prints tables, or JSON.
pub fn bench(args: &BenchArgs) -> Result<()> {
    speeds::speeds(args)
}
