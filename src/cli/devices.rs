//! `inundate devices`: the processors that a run can use.

use super::print_json;
use crate::engine::backend::cuda::compile::embedded::machine_code_for;
use crate::engine::backend::cuda::compile::load::{KernelSource, in_words};
use crate::engine::backend::cuda::device::choose::{Chosen, Processor, pick};
use crate::engine::backend::cuda::device::discover::{Discovery, Gpu, devices as discover};
use crate::engine::lanes::InstructionSet;
use crate::error::Result;
use crate::scenario::options::Device;
use serde::Serialize;

#[derive(clap::Args)]
pub struct DevicesArgs {
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Output of `devices --json`.
#[derive(Serialize)]
struct Devices {
    cpu: Cpu,
    #[serde(flatten)]
    found: Discovery,
    /// The processor chosen by `--device auto`.
    auto: Chosen,
}

#[derive(Serialize)]
struct Cpu {
    threads: usize,
    instructions: &'static str,
}

/// Prints all processors, the kernel compiler, and the processor that a run would use.
pub fn devices(args: &DevicesArgs) -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = Cpu { threads, instructions: InstructionSet::best().name() };
    let found = discover();
    let auto = pick(Device::Auto, &found)?;
    let devices = Devices { cpu, found, auto };
    if args.json {
        print_json(&devices)?;
    } else {
        print(&devices);
    }
    Ok(())
}

fn print(Devices { cpu, found, auto }: &Devices) {
    let Cpu { threads, instructions } = cpu;
    line("cpu", &format!("{threads} threads, {instructions}"));
    for gpu in &found.gpus {
        print_gpu(gpu);
    }
    if let Some(obstacle) = &found.obstacle {
        line("gpu", &format!("none: {}", obstacle.what));
        line("", &format!("hint: {}", obstacle.hint));
    }
    if let Some(version) = found.driver {
        line("driver", &format!("for CUDA {version}"));
    }
    match (&found.nvrtc, &found.no_nvrtc) {
        (Some(nvrtc), _) => line("nvrtc", &format!("{}, {}", nvrtc.version, nvrtc.path.display())),
        (None, why) => line("nvrtc", &format!("none: {}", why.as_deref().unwrap_or("not found"))),
    }
    match found.embedded_ptx {
        Some(oldest) => line("ptx", &format!("embedded, for drivers for CUDA {oldest} and later")),
        None => line("ptx", "none embedded in this binary"),
    }
    match &found.cache {
        Some(folder) => line("cache", &folder.display().to_string()),
        None => line("cache", "none, because there is no home folder"),
    }
    let what = match auto.what {
        Processor::Cpu => "the CPU".into(),
        Processor::Gpu(ordinal) => format!("GPU {ordinal}"),
        Processor::Gpus(gpus) => format!("GPUs {gpus}"),
    };
    outln!("`--device auto` takes {what}, because {}", auto.why);
}

fn print_gpu(gpu: &Gpu) {
    let memory = match gpu.free_bytes {
        Some(free) => format!("{} GiB, {} free", gib(gpu.memory_bytes), gib(free)),
        None => format!("{} GiB", gib(gpu.memory_bytes)),
    };
    let Gpu { ordinal, name, multiprocessors, .. } = gpu;
    let units = format!("{}, {multiprocessors} multiprocessors", in_words(gpu.capability));
    line(&format!("cuda:{ordinal}"), &format!("{name}, {memory}, compute capability {units}"));
    match (&gpu.obstacle, gpu.way) {
        (Some(obstacle), _) => {
            line("", &format!("cannot be used: {}", obstacle.what));
            line("", &format!("hint: {}", obstacle.hint));
        }
        (None, way) => {
            let origin = match (machine_code_for(gpu.capability), way) {
                (Some(architecture), _) => format!("from embedded machine code for {architecture}"),
                (None, Some(KernelSource::Compile(target))) => {
                    format!("compiled by NVRTC for {}", target.architecture())
                }
                (None, _) => "from the embedded PTX".into(),
            };
            line("", &format!("kernels {origin}"));
        }
    }
}

fn line(label: &str, text: &str) {
    outln!("{label:<8}{text}");
}

fn gib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1u64 << 30) as f64)
}
