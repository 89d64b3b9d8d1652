//! How well cells with subgrid tables resolve the river: an estimate of the error of levels, and the
//! ratio up to which it is small.

use crate::observer::quality::beforehand::{RiverCell, Routed};
use crate::scenario::Scenario;
use serde::Serialize;

/// Error of levels as a share of the fall of the bed from cell to cell: a cell has one level, and
/// rapids shorter than two cells have no critical section of their own. Measured in a valley with
/// rapids and in the Environment Agency's test 5 (docs/choosing_cell_size.md).
const ERROR_PER_FALL: f64 = 0.05;

/// Error of levels up to which a river counts as resolved (m), and the share of its cells that must
/// be as good.
const RESOLVED: f64 = 0.05;
const MOST_CELLS: f64 = 0.9;

/// Part of the output of `check --json`.
#[derive(Serialize)]
pub struct River {
    /// Number of cells through which at least half of the peak inflow runs.
    cells: usize,
    /// Estimated error of levels that 90 % of them do not exceed (m).
    level_error_m: f64,
    /// Greatest estimate (m), and the middle of its cell.
    greatest_error_m: f64,
    x: f64,
    y: f64,
    /// Greatest ratio (`subgrid`) for which the error is at most 5 cm, of the ratio of the run times
    /// a power of two; below it, cells are assumed to fall evenly.
    resolved_ratio: Option<usize>,
}

/// Returns the error that [`MOST_CELLS`] of some cells do not exceed (m).
fn usual_error(cells: &[RiverCell]) -> f64 {
    let mut falls: Vec<f64> = cells.iter().map(|cell| cell.fall).collect();
    falls.sort_unstable_by(f64::total_cmp);
    let at = (MOST_CELLS * falls.len() as f64).ceil() as usize;
    ERROR_PER_FALL * at.checked_sub(1).map_or(0.0, |at| falls[at])
}

impl River {
    /// Estimates the error; `None` without subgrid tables or inflow by rate.
    pub fn of(scenario: &Scenario) -> Option<River> {
        let problem = &scenario.problem;
        let ratio = problem.subgrid.as_deref()?.ratio;
        let routed = Routed::of(problem, scenario.facts.flow.open, scenario.clock.end())?;
        let cells = |times| routed.river(times, problem.grid.columns);
        let own = cells(1);
        let worst = own.iter().max_by(|a, b| a.fall.total_cmp(&b.fall))?;
        let error = usual_error(&own);
        let mut resolved = Some(ratio);
        if error > RESOLVED {
            let halves = (error / RESOLVED).log2().ceil() as u32;
            resolved = Some(ratio.checked_shr(halves).unwrap_or(0)).filter(|ratio| *ratio > 0);
        } else {
            let longest = problem.grid.columns.min(problem.grid.rows) / 4;
            let mut times = 2;
            while times <= longest && usual_error(&cells(times)) <= RESOLVED {
                resolved = Some(ratio * times);
                times *= 2;
            }
        }
        let columns = problem.grid.columns;
        let (x, y) = problem.grid.centre(worst.cell % columns, worst.cell / columns);
        Some(River {
            cells: own.len(),
            level_error_m: error,
            greatest_error_m: ERROR_PER_FALL * worst.fall,
            x,
            y,
            resolved_ratio: resolved,
        })
    }

    /// Prints the estimate.
    pub fn print(&self) {
        let River { level_error_m, greatest_error_m, x, y, resolved_ratio, .. } = self;
        let resolved = match resolved_ratio {
            Some(ratio) => format!("resolved up to subgrid {ratio}"),
            None => "not resolved by cells of one pixel".into(),
        };
        outln!(
            "river       {resolved}: levels off by about {level_error_m:.2} m along 90 % of it, at most {greatest_error_m:.2} m at {x:.0}, {y:.0}"
        );
    }
}
