//! `inundate bench`.

use super::print_json;
use crate::bench::{self, Measured};
use crate::error::Result;
use crate::neighbourhood::Neighbourhood;
use crate::rule;
use crate::run::with_threads;

#[derive(clap::Args)]
pub struct BenchArgs {
    /// Cells along each side of the map
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u16).range(16..))]
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
    /// Only so many threads (default: 1, and all)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Measures and prints a table, or JSON.
pub fn bench(args: &BenchArgs) -> Result<()> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let counts = match args.threads {
        Some(threads) => vec![threads],
        None if all > 1 => vec![1, all],
        None => vec![1],
    };
    let mut results: Vec<Measured> = Vec::new();
    if !args.json {
        say!(
            "{size} x {size} cells; T_eff counts 12 B per cell-step; wet: every cell, dry: 1 % of the cells wet",
            size = args.size
        );
        say!(
            "{:<20} {:<12} {:>7} {:>10} {:>10} {:>10} {:>7} {:>12} {:>8}",
            "rule",
            "neighbours",
            "threads",
            "wet M/s",
            "T_eff GB/s",
            "copy GB/s",
            "ratio",
            "dry M/s",
            "dry/wet"
        );
    }
    for threads in counts {
        with_threads(Some(threads), || {
            let copy = bench::copy_bandwidth();
            for (info, neighbourhood) in bench::cases(args.rule.as_deref(), args.neighbourhood) {
                let size = usize::from(args.size);
                let measured = bench::measure(info, neighbourhood, size, args.seconds, copy)?;
                if !args.json {
                    print(&measured);
                }
                results.push(measured);
            }
            Ok(())
        })?;
    }
    if args.json { print_json(&results) } else { Ok(()) }
}

fn print(measured: &Measured) {
    let Measured { rule, neighbourhood, threads, copy_gb_per_s, wet, dry } = measured;
    say!(
        "{rule:<20} {neighbourhood:<12} {threads:>7} {:>10.0} {:>10.2} {copy_gb_per_s:>10.2} {:>7.3} {:>12.0} {:>8.1}",
        wet.cell_steps_per_s / 1e6,
        wet.effective_gb_per_s,
        wet.copy_ratio,
        dry.cell_steps_per_s / 1e6,
        dry.cell_steps_per_s / wet.cell_steps_per_s,
    );
}
