//! Reference implementation against which every technique is tested: one cell after the other, by
//! the rule as printed.

use crate::grid::{Edges, Grid};
use crate::registry::Model;
use crate::rule::Rule;
use crate::with_rule;

/// Returns the grid after `steps` steps.
pub fn steps(model: Model, edges: Edges, grid: &Grid, steps: u64) -> Grid {
    let mut grid = grid.clone();
    for _ in 0..steps {
        grid = with_rule!(model.rule(), rule => step(rule, edges, &grid));
    }
    grid
}

fn step(rule: impl Rule, edges: Edges, grid: &Grid) -> Grid {
    let mut next = grid.clone();
    for z in 0..grid.layers {
        for y in 0..grid.rows {
            for x in 0..grid.columns {
                let at = |dx, dy, dz| grid.at(edges, x as i64 + dx, y as i64 + dy, z as i64 + dz);
                next.states[grid.place(x, y, z)] = rule.next(at);
            }
        }
    }
    next
}
