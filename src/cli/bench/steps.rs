//! The table of how long steps the parts of maps allow.

use super::BenchArgs;
use super::table::{Table, grid, side};
use crate::bench::steps::{Steps, measure};
use crate::bench::whole::step_cases;
use crate::error::Result;

/// Side of the mountains' map unless it is given.
const SIZE: u16 = 1024;

const TABLE: Table<10> = Table([
    ("case", 12),
    ("cells", 13),
    ("steps", 8),
    ("1 to 2", 7),
    ("2 to 4", 7),
    ("4 to 8", 7),
    ("to 16", 7),
    ("more", 7),
    ("saved", 8),
    ("beside", 8),
]);

/// Looks at the steps of made-up runs.
pub fn steps(args: &BenchArgs) -> Result<()> {
    let size = side(args, SIZE, "--steps")?;
    let words = "blocks of 32 x 32 cells with water by how many times longer a step they allow than the map, over all \
                 steps; and the share of work that steps of their own would save, each block alone, and as those beside it must";
    let cases = step_cases(size, args.rule.as_deref());
    TABLE.fill(args, words, &cases, |case, folder| measure(case, args.device, folder), row)
}

fn row(steps: &Steps) -> [String; 10] {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let [one, two, four, eight, more] = steps.shares.map(percent);
    let (saved, beside) = (percent(steps.saved), percent(steps.saved_beside));
    let (size, count) = (grid(steps.size), steps.steps.to_string());
    [steps.case.into(), size, count, one, two, four, eight, more, saved, beside]
}
