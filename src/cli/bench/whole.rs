//! The table of whole runs.

use super::BenchArgs;
use crate::bench::whole::{How, Whole, cases};
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;

/// Side of the automaton's map unless it is given, and the least of which smaller cases leave something.
const SIZE: u16 = 2048;
const LEAST: u16 = 128;

/// The columns: what stands over each, and how wide it is.
const TABLE: [(&str, usize); 11] = [
    ("case", 15),
    ("cells", 13),
    ("steps", 8),
    ("whole", 7),
    ("start", 6),
    ("read", 6),
    ("compute", 8),
    ("wait", 6),
    ("write", 6),
    ("floor", 7),
    ("ratio", 6),
];

/// Measures whole runs against the machine's floor, each in a folder of its own, and tells of each as it is done.
pub fn whole(args: &BenchArgs) -> Result<()> {
    let size = args.size.unwrap_or(SIZE);
    if size < LEAST {
        return Err(Error::input(format!("size: with --whole {size} cells are too few"))
            .hint(format!("give --size {LEAST} or more")));
    }
    let how = How {
        device: args.device,
        threads: args.threads,
        runs: usize::from(args.runs.unwrap_or(5)),
    };
    let unusable = |error: std::io::Error| {
        Error::run("cannot write where the runs are made")
            .because(error)
            .hint("set TMPDIR to a folder with room")
    };
    if !args.json {
        say!("whole runs, medians of {} (s)", how.runs);
        say!("{}", padded(&TABLE.map(|(head, _)| head.to_string())));
    }
    let results = with_threads(args.threads, || {
        let mut results = Vec::new();
        for case in cases(size.into()) {
            let folder = tempfile::tempdir().map_err(unusable)?;
            let measured = case.measure(&how, folder.path())?;
            if !args.json {
                say!("{}", padded(&row(&measured)));
            }
            results.push(measured);
        }
        Ok(results)
    })?;
    if args.json { print_json(&results) } else { Ok(()) }
}

/// The first column begins at the left, all others end at the right.
fn padded(cells: &[String; TABLE.len()]) -> String {
    let padded = TABLE.iter().zip(cells).enumerate().map(|(at, ((_, width), cell))| match at {
        0 => format!("{cell:<width$}"),
        _ => format!("{cell:>width$}"),
    });
    padded.collect::<Vec<_>>().join(" ")
}

fn row(whole: &Whole) -> [String; TABLE.len()] {
    let parts = &whole.parts_s;
    let seconds = [whole.wall_s, parts.start, parts.read, parts.compute, parts.wait, parts.write];
    let [wall, start, read, compute, wait, write] = seconds.map(|s| format!("{s:.2}"));
    let [floor, ratio] = [whole.floor_s.sum(), whole.ratio].map(|x| format!("{x:.2}"));
    let (size, steps) = (format!("{} x {}", whole.size.0, whole.size.1), whole.steps.to_string());
    [whole.case.into(), size, steps, wall, start, read, compute, wait, write, floor, ratio]
}
