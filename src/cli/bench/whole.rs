//! The table of whole runs.

use super::BenchArgs;
use crate::bench::whole::{How, Whole, cases};
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;

/// Side of the automaton's map unless it is given.
const SIZE: u16 = 2048;

/// Measures whole runs against the machine's floor.
pub fn whole(args: &BenchArgs) -> Result<()> {
    let size = usize::from(args.size.unwrap_or(SIZE));
    if size < 128 {
        return Err(Error::input(format!("size: with --whole {size} cells are too few"))
            .hint("give --size 128 or more"));
    }
    let how = How {
        device: args.device,
        threads: args.threads,
        runs: usize::from(args.runs.unwrap_or(3)),
    };
    let unusable = |error: std::io::Error| {
        Error::run(format!("cannot write where the runs are made: {error}"))
            .hint("set TMPDIR to a folder with room")
    };
    if !args.json {
        say!("whole runs, medians of {} (s)", how.runs);
        say!(
            "{:<15} {:>13} {:>8} {:>7} {:>6} {:>6} {:>8} {:>6} {:>6} {:>7} {:>6}",
            "case",
            "cells",
            "steps",
            "whole",
            "start",
            "read",
            "compute",
            "wait",
            "write",
            "floor",
            "ratio"
        );
    }
    let results = with_threads(args.threads, || {
        let mut results: Vec<Whole> = Vec::new();
        for case in cases(size) {
            let folder = tempfile::tempdir().map_err(unusable)?;
            let whole = case.measure(&how, folder.path())?;
            if !args.json {
                row(&whole);
            }
            results.push(whole);
        }
        Ok(results)
    })?;
    if args.json { print_json(&results) } else { Ok(()) }
}

fn row(whole: &Whole) {
    let parts = &whole.parts_s;
    say!(
        "{:<15} {:>13} {:>8} {:>7.2} {:>6.2} {:>6.2} {:>8.2} {:>6.2} {:>6.2} {:>7.2} {:>6.2}",
        whole.case,
        format!("{} x {}", whole.size.0, whole.size.1),
        whole.steps,
        whole.wall_s,
        parts.start,
        parts.read,
        parts.compute,
        parts.wait,
        parts.write,
        whole.floor_s.sum(),
        whole.ratio,
    );
}
