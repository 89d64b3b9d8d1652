//! Table of the speeds of all solvers.

use super::BenchArgs;
use crate::bench::{Measured, cases, copy, grounds, measure};
use crate::cli::print_json;
use crate::error::Result;
use crate::run::with_threads;
use crate::scenario::options::Device;
use crate::speed::gpu::Gpu;
use crate::speed::target::BenchTarget;

/// Measures all solvers on one device.
pub fn speeds(args: &BenchArgs) -> Result<()> {
    let results = match args.gpu(Device::Cpu)? {
        Err(_) => on_cpu(args)?,
        Ok(gpu) => with_threads(args.threads, || on_gpu(args, gpu))?,
    };
    if args.json { print_json(&results) } else { Ok(()) }
}

fn on_cpu(args: &BenchArgs) -> Result<Vec<Measured>> {
    let target = BenchTarget::Cpu(args.cpu()?);
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let counts = match args.threads {
        Some(threads) => vec![threads],
        None if all > 1 => vec![1, all],
        None => vec![1],
    };
    let mut results = Vec::new();
    head(args, "", "threads", 'M');
    for threads in counts {
        with_threads(Some(threads), || {
            let copy = copy::on_host();
            rows(args, &target, copy, &threads.to_string(), 1e6, &mut results)
        })?;
    }
    Ok(results)
}

fn on_gpu(args: &BenchArgs, gpu: Gpu) -> Result<Vec<Measured>> {
    let mut results = Vec::new();
    head(args, &format!(" on {}", gpu.name), "device", 'G');
    let copy = copy::on_gpu(&gpu.context)?;
    rows(args, &BenchTarget::Gpu(gpu), copy, "cuda", 1e9, &mut results)?;
    Ok(results)
}

fn head(args: &BenchArgs, on: &str, what: &str, unit: char) {
    if args.json {
        return;
    }
    let size = args.size;
    outln!(
        "{size} x {size} cells{on}; T_eff counts 12 B per cell-step, of solvers that remember flow 28 B; wet: every cell, dry: 1 % of the cells wet"
    );
    outln!(
        "{:<24} {:<12} {what:>7} {:>10} {:>10} {:>10} {:>7} {:>12} {:>8}",
        "solver",
        "neighbours",
        format!("wet {unit}/s"),
        "T_eff GB/s",
        "copy GB/s",
        "ratio",
        format!("dry {unit}/s"),
        "dry/wet"
    );
}

/// Measures and prints a row for each solver; rates are shown in units of `unit` cell-steps/s.
fn rows(
    args: &BenchArgs,
    target: &BenchTarget,
    copy: f64,
    how: &str,
    unit: f64,
    results: &mut Vec<Measured>,
) -> Result<()> {
    for case in cases(args.solver.as_deref(), args.neighbourhood) {
        for &finer in grounds(case.0) {
            let measured = measure(target, case, finer, args.size.into(), args.seconds, copy)?;
            if !args.json {
                row(&measured, how, unit);
            }
            results.push(measured);
        }
    }
    Ok(())
}

fn row(measured: &Measured, how: &str, unit: f64) {
    let Measured { solver, neighbourhood, copy_gb_per_s, wet, dry, tiles, .. } = measured;
    let decimals = if unit > 1e6 { 2 } else { 0 };
    let tiles = tiles.map_or(String::new(), |tiles| format!("  ({tiles} tiles in turns)"));
    outln!(
        "{solver:<24} {neighbourhood:<12} {how:>7} {:>10.decimals$} {:>10.2} {copy_gb_per_s:>10.2} {:>7.3} {:>12.decimals$} {:>8.1}{tiles}",
        wet.cell_steps_per_s / unit,
        wet.effective_gb_per_s,
        wet.copy_ratio,
        dry.cell_steps_per_s / unit,
        dry.cell_steps_per_s / wet.cell_steps_per_s,
    );
}
