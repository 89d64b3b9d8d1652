//! The table of the race with other models.

use super::BenchArgs;
use crate::bench::race::{Ran, found, how_to, race, run};
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;
use serde::Serialize;

/// Side of the map unless it is given.
const SIZE: u16 = 1000;

/// What `bench --race --json` prints.
#[derive(Serialize)]
struct Raced {
    size: usize,
    runs: usize,
    models: Vec<Ran>,
    missing: Vec<String>,
}

/// Runs other models beside this program.
pub fn race_others(args: &BenchArgs) -> Result<()> {
    let (size, runs) = (usize::from(args.size.unwrap_or(SIZE)), args.runs.unwrap_or(5).into());
    let (here, missing) = found();
    let missing = how_to(&missing);
    let unusable = |error: std::io::Error| {
        Error::run("cannot write where the race is run")
            .because(error)
            .hint("set TMPDIR to a folder with room")
    };
    let folder = tempfile::tempdir().map_err(unusable)?;
    let models =
        with_threads(args.threads, || run(&race(size), args.device, runs, &here, folder.path()))?;
    if args.json {
        return print_json(&Raced { size, runs, models, missing });
    }
    say!("rain of 20 minutes on {size} x {size} cells, whole processes, medians of {runs}");
    say!("{:<18} {:>9} {:>8}", "model", "wall s", "ratio");
    for Ran { model, wall_s, ratio } in &models {
        say!("{model:<18} {wall_s:>9.2} {ratio:>8.2}");
    }
    for line in missing {
        say!("not here: {line}");
    }
    Ok(())
}
