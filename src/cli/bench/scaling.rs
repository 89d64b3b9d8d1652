//! Scaling benchmarks of several GPUs, and of several ranks.

use super::BenchArgs;
use crate::bench::scaling::{Measured, Scaled, Scaling, counts, scale};
use crate::bench::{cases, ranks as of_ranks};
use crate::cli::print_json;
use crate::engine::backend::ranks::RankDevice;
use crate::error::{Error, Result};
use crate::machine::ranks::{self, RankPlace};
use crate::run::processor::TakenProcessor;
use crate::run::with_threads;
use crate::scenario::options::{DEFAULT_NEIGHBOURHOOD, DEFAULT_SOLVER, Device, Options};
use crate::speed::target::BenchTarget;

/// Measures one GPU against several; or ranks, if a launcher started several processes or the CPU
/// was selected.
pub fn scaling(args: &BenchArgs) -> Result<()> {
    if let Some(place) = ranks::meet()? {
        return one_of(args, &place);
    }
    if args.device == Some(Device::Cpu) {
        return on_this_host(args);
    }
    let gpu = args.gpu(Device::CudaAll)?.map_err(|why| {
        Error::input(format!("device: this benchmark measures GPUs, but the CPU was chosen because {why}"))
            .hint("give --device cuda:all on a machine with several GPUs, or --device cpu for ranks on its cores")
    })?;
    head(args, &gpu.name, "GPUs");
    let report = |scaled: &Scaled| row(args, scaled);
    let results = with_threads(args.threads, || of_cases(args, |what| scale(&gpu, what, report)))?;
    if args.json { print_json(&results) } else { Ok(()) }
}

/// Calls `measure` for every selected solver and neighbourhood.
fn of_cases(
    args: &BenchArgs,
    mut measure: impl FnMut(Measured) -> Result<Vec<Scaled>>,
) -> Result<Vec<Scaled>> {
    let solver = args.solver.as_deref().unwrap_or(DEFAULT_SOLVER);
    let neighbourhood = args.neighbourhood.unwrap_or(DEFAULT_NEIGHBOURHOOD);
    let mut results = Vec::new();
    for case in cases(Some(solver), Some(neighbourhood)) {
        results.extend(measure(Measured { case, size: args.size.into(), seconds: args.seconds })?);
    }
    Ok(results)
}

/// Runs as one of several ranks: the first rank measures, the others help it.
fn one_of(args: &BenchArgs, place: &RankPlace) -> Result<()> {
    let device = Some(args.device.unwrap_or(Device::Auto));
    let options = Options { device, threads: args.threads, ..args.options() };
    let here = TakenProcessor::by(&options)?.how;
    with_threads(args.threads, || {
        if place.rank > 0 {
            while ranks::work(|| Ok(here))? {}
            return Ok(());
        }
        let alone = match here {
            RankDevice::Cpu(options) => BenchTarget::Cpu(options),
            RankDevice::Cuda(options) => BenchTarget::Gpu(crate::speed::gpu::Gpu::new(options)?),
        };
        head(args, &format!("{} ranks", place.count), "ranks");
        let report = |scaled: &Scaled| row(args, scaled);
        let results = of_cases(args, |what| of_ranks::scale(&alone, &here, what, report));
        ranks::dismiss()?;
        if args.json { print_json(&results?) } else { results.map(|_| ()) }
    })
}

/// Measures ranks on the cores of this host: 1, 2, 4 and so on, with the selected number of threads
/// each (default: 1).
fn on_this_host(args: &BenchArgs) -> Result<()> {
    let threads = args.threads.unwrap_or(1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = cores / threads.max(1);
    if most < 2 {
        return Err(Error::input(format!(
            "threads: {cores} cores are too few for two ranks of {threads} threads"
        ))
        .hint("give fewer threads"));
    }
    let mut arguments: Vec<String> =
        ["bench", "--scaling", "--json", "--device", "cpu"].into_iter().map(String::from).collect();
    let mut say = |name: &str, value: String| arguments.extend([name.to_string(), value]);
    say("--threads", threads.to_string());
    say("--size", args.size.to_string());
    say("--seconds", args.seconds.to_string());
    args.solver.iter().for_each(|solver| say("--solver", solver.clone()));
    args.neighbourhood.iter().for_each(|near| say("--neighbourhood", near.name().into()));
    let with = if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    head(args, &format!("ranks with {with} each"), "ranks");
    let mut results: Vec<Scaled> = Vec::new();
    for &count in &counts(most)[1..] {
        let json = of_ranks::started(count, &arguments)?;
        let scaled: Vec<Scaled> = serde_json::from_str(&json)
            .map_err(|error| Error::run("cannot decode the output of the ranks").because(error))?;
        // Each measurement includes a single rank; keep only the first of these.
        let new = scaled
            .into_iter()
            .filter(|scaled| scaled.parts > 1 || (count == 2 && scaled.scaling == Scaling::Weak));
        for scaled in new {
            row(args, &scaled);
            results.push(scaled);
        }
    }
    if args.json { print_json(&results) } else { Ok(()) }
}

fn head(args: &BenchArgs, on: &str, parts: &str) {
    if args.json {
        return;
    }
    outln!("{0} x {0} cells on {on}, every cell wet", args.size);
    outln!(
        "{:<20} {:<12} {:>7} {parts:>5} {:>14} {:>10} {:>11} {:>9}",
        "solver",
        "neighbours",
        "scaling",
        "cells",
        "G/s",
        "efficiency",
        "exchange"
    );
}

fn row(args: &BenchArgs, scaled: &Scaled) {
    if args.json {
        return;
    }
    let scaling = if scaled.scaling == Scaling::Weak { "weak" } else { "strong" };
    let exchange =
        scaled.exchange_share.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share));
    outln!(
        "{:<20} {:<12} {scaling:>7} {:>5} {:>14} {:>10.2} {:>9.1} % {exchange:>9}",
        scaled.solver,
        scaled.neighbourhood,
        scaled.parts,
        format!("{} x {}", scaled.size.0, scaled.size.1),
        scaled.cell_steps_per_s / 1e9,
        100.0 * scaled.efficiency,
    );
}
