//! The table of whole runs.

use super::BenchArgs;
use super::table::{Table, grid, side};
use crate::bench::whole::{How, Whole, cases};
use crate::error::Result;

/// Side of the automaton's map unless it is given.
const SIZE: u16 = 2048;

const TABLE: Table<11> = Table([
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
]);

/// Measures whole runs against the machine's floor.
pub fn whole(args: &BenchArgs) -> Result<()> {
    let size = side(args, SIZE, "--whole")?;
    let how = How {
        device: args.device,
        threads: args.threads,
        runs: usize::from(args.runs.unwrap_or(5)),
    };
    let words = format!("whole runs, medians of {} (s)", how.runs);
    TABLE.fill(args, &words, &cases(size), |case, folder| case.measure(&how, folder), row)
}

fn row(whole: &Whole) -> [String; 11] {
    let parts = &whole.parts_s;
    let seconds = [whole.wall_s, parts.start, parts.read, parts.compute, parts.wait, parts.write];
    let [wall, start, read, compute, wait, write] = seconds.map(|s| format!("{s:.2}"));
    let [floor, ratio] = [whole.floor_s.sum(), whole.ratio].map(|x| format!("{x:.2}"));
    let (size, steps) = (grid(whole.size), whole.steps.to_string());
    [whole.case.into(), size, steps, wall, start, read, compute, wait, write, floor, ratio]
}
