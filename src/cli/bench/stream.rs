//! The table of a map that is larger than the device memory.

use super::BenchArgs;
use crate::bench::cases;
use crate::bench::gpu::Gpu;
use crate::bench::stream::{Streamed, stream as measure};
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;
use crate::scenario::options::{DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, Device};
use crate::units::show_bytes;

/// Measures maps in the device memory and larger than it.
pub fn stream(args: &BenchArgs) -> Result<()> {
    let gpu = args.gpu(Device::Cuda(None))?.map_err(|why| {
        Error::input(format!(
            "device: nothing streams through the CPU, and it was taken because {why}"
        ))
        .hint("give --device cuda on a machine with a GPU")
    })?;
    let results = with_threads(args.threads, || rows(args, &gpu))?;
    if args.json { print_json(&results) } else { Ok(()) }
}

fn rows(args: &BenchArgs, gpu: &Gpu) -> Result<Vec<Streamed>> {
    let rule = args.rule.as_deref().unwrap_or(DEFAULT_RULE);
    let neighbourhood = args.neighbourhood.unwrap_or(DEFAULT_NEIGHBOURHOOD);
    if !args.json {
        head(args, gpu);
    }
    let mut results = Vec::new();
    for case in cases(Some(rule), Some(neighbourhood)) {
        let streamed = measure(gpu, case, args.size(), args.seconds())?;
        if !args.json {
            row(&streamed);
        }
        results.push(streamed);
    }
    Ok(results)
}

fn head(args: &BenchArgs, gpu: &Gpu) {
    let size = args.size();
    say!("{size} x {size} cells on {}, every cell wet", gpu.name);
    say!(
        "{:<20} {:<12} {:>10} {:>10} {:>10} {:>6} {:>6} {:>10} {:>7} {:>12} {:>12}",
        "rule",
        "neighbours",
        "whole",
        "whole G/s",
        "memory",
        "tiles",
        "steps",
        "turns G/s",
        "ratio",
        "to GPU GB/s",
        "to host GB/s"
    );
}

fn row(streamed: &Streamed) {
    let pinned = if streamed.pinned { "" } else { "  (the system lets no memory be pinned)" };
    say!(
        "{:<20} {:<12} {:>10} {:>10.2} {:>10} {:>6} {:>6} {:>10.2} {:>7.3} {:>12.2} {:>12.2}{pinned}",
        streamed.rule,
        streamed.neighbourhood,
        show_bytes(streamed.whole_bytes),
        streamed.whole_cell_steps_per_s / 1e9,
        streamed.budget_bytes.map_or("-".into(), show_bytes),
        streamed.tiles,
        streamed.steps_per_turn,
        streamed.streamed_cell_steps_per_s / 1e9,
        streamed.ratio,
        streamed.to_device_gb_per_s,
        streamed.to_host_gb_per_s,
    );
}
