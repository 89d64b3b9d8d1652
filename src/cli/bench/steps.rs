//! The table of how long steps the parts of maps allow.

use super::BenchArgs;
use crate::bench::steps::{Steps, measure};
use crate::bench::whole;
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;

/// Side of the mountains' map unless it is given.
const SIZE: u16 = 1024;

/// Looks at the steps of made-up runs.
pub fn steps(args: &BenchArgs) -> Result<()> {
    let size = usize::from(args.size.unwrap_or(SIZE));
    if size < 128 {
        return Err(Error::input(format!("size: with --steps {size} cells are too few"))
            .hint("give --size 128 or more"));
    }
    let unusable = |error: std::io::Error| {
        Error::run(format!("cannot write where the runs are made: {error}"))
            .hint("set TMPDIR to a folder with room")
    };
    if !args.json {
        say!(
            "blocks of 32 x 32 cells with water by how many times longer a step they allow than the map, over all steps; and the share of work that steps of their own would save, each block alone, and as those beside it must"
        );
        say!(
            "{:<12} {:>13} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8}",
            "case",
            "cells",
            "steps",
            "1 to 2",
            "2 to 4",
            "4 to 8",
            "to 16",
            "more",
            "saved",
            "beside"
        );
    }
    let results = with_threads(args.threads, || {
        let mut results: Vec<Steps> = Vec::new();
        for case in whole::step_cases(size, args.rule.as_deref()) {
            let folder = tempfile::tempdir().map_err(unusable)?;
            let steps = measure(&case, args.device, folder.path())?;
            if !args.json {
                row(&steps);
            }
            results.push(steps);
        }
        Ok(results)
    })?;
    if args.json { print_json(&results) } else { Ok(()) }
}

fn row(steps: &Steps) {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let shares = steps.shares.map(percent).map(|share| format!("{share:>7}")).join(" ");
    say!(
        "{:<12} {:>13} {:>8} {shares} {:>8} {:>8}",
        steps.case,
        format!("{} x {}", steps.size.0, steps.size.1),
        steps.steps,
        percent(steps.saved),
        percent(steps.saved_beside),
    );
}
