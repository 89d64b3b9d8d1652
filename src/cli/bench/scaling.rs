//! The table of several GPUs together.

use super::BenchArgs;
use crate::bench::cases;
use crate::bench::scaling::{Scaled, Scaling, scale};
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;
use crate::scenario::options::{DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, Device};

/// Measures one GPU and several together.
pub fn scaling(args: &BenchArgs) -> Result<()> {
    let gpu = args.gpu(Device::CudaAll)?.map_err(|why| {
        Error::input(format!("device: GPUs are measured, and the CPU was taken because {why}"))
            .hint("give --device cuda:all on a machine with several GPUs")
    })?;
    if !args.json {
        say!("{0} x {0} cells on {1}, every cell wet", args.size(), gpu.name);
        say!(
            "{:<20} {:<12} {:>7} {:>5} {:>14} {:>10} {:>11} {:>9}",
            "rule",
            "neighbours",
            "scaling",
            "GPUs",
            "cells",
            "G/s",
            "efficiency",
            "exchange"
        );
    }
    let rule = args.rule.as_deref().unwrap_or(DEFAULT_RULE);
    let neighbourhood = args.neighbourhood.unwrap_or(DEFAULT_NEIGHBOURHOOD);
    let tell = |scaled: &Scaled| {
        if !args.json {
            row(scaled);
        }
    };
    let results = with_threads(args.threads, || {
        let mut results = Vec::new();
        for case in cases(Some(rule), Some(neighbourhood)) {
            results.extend(scale(&gpu, case, args.size(), args.seconds(), tell)?);
        }
        Ok(results)
    })?;
    if args.json { print_json(&results) } else { Ok(()) }
}

fn row(scaled: &Scaled) {
    let scaling = if scaled.scaling == Scaling::Weak { "weak" } else { "strong" };
    let exchange =
        scaled.exchange_share.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share));
    say!(
        "{:<20} {:<12} {scaling:>7} {:>5} {:>14} {:>10.2} {:>9.1} % {exchange:>9}",
        scaled.rule,
        scaled.neighbourhood,
        scaled.gpus,
        format!("{} x {}", scaled.size.0, scaled.size.1),
        scaled.cell_steps_per_s / 1e9,
        100.0 * scaled.efficiency,
    );
}
