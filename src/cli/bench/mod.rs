//! `inundate bench`.

mod papers;
mod race;
mod scaling;
mod speeds;
mod whole;

use crate::bench::gpu::Gpu;
use crate::engine::backend::cpu::CpuOptions;
use crate::engine::backend::cuda::device::choose::{Processor, choose};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule;
use crate::error::Result;
use crate::run::processor::cuda_options;
use crate::scenario::options::{Device, DeviceParser, Options, Quantity, neighbourhoods};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct BenchArgs {
    /// Measure several GPUs against one, on a map of --size for each and on one for all
    #[arg(long, conflicts_with_all = ["papers", "tile"])]
    scaling: bool,
    /// Measure whole runs from made-up data, from the start of the program to its end, against the floor that the machine
    /// sets: its bytes at the speed of its disk and its cores, and the steps
    #[arg(long, conflicts_with_all = ["papers", "scaling", "tile", "rule", "neighbourhood", "device_memory"])]
    whole: bool,
    /// Run other models beside this program on the same rain and terrain, where they are installed
    #[arg(long, conflicts_with_all = ["whole", "papers", "scaling", "tile", "rule", "neighbourhood", "device_memory", "seconds"])]
    race: bool,
    /// Measure what the papers compared: CPU against GPU, blocks and threads, global memory against
    /// shared memory, and the techniques for automata
    #[arg(long, conflicts_with_all = ["rule", "neighbourhood", "tile"])]
    papers: bool,
    /// Cells along each side of the map (default: 4096; with --whole 2048, with --race 1000), or of the largest with --papers
    /// and --whole
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(16..=60000))]
    size: Option<u16>,
    /// How often each whole run of --whole and --race is made (default: 5)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: Option<u16>,
    /// Seconds per measurement (default: 2), or on the CPU with --papers (default: 1)
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Only this rule
    #[arg(long, value_name = "RULE", value_parser = rule::names())]
    rule: Option<String>,
    /// Only this neighbourhood
    #[arg(long, value_name = "NAME", value_parser = neighbourhoods())]
    neighbourhood: Option<Neighbourhood>,
    /// Device to measure (default: cpu; with --scaling cuda:all, with --papers auto)
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
    /// Also write the tables of --papers here, as CSV and as curves (SVG)
    #[arg(long, value_name = "FOLDER", requires = "papers")]
    out: Option<PathBuf>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    fn size(&self) -> usize {
        usize::from(self.size.unwrap_or(4096))
    }

    fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(2.0)
    }

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
    if args.papers {
        papers::papers(args)
    } else if args.race {
        race::race_others(args)
    } else if args.whole {
        whole::whole(args)
    } else if args.scaling {
        scaling::scaling(args)
    } else {
        speeds::speeds(args)
    }
}
