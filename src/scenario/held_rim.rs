//! Cells whose level is held along open sides: what their level brings would leave at once, and a sea would be drained
//! in a circle. So the stretch is closed there, with a warning.

use super::outflow::OutflowSlopes;
use crate::boundary::OpenEdges;
use crate::grid::{Bed, Grid};
use crate::words::counted;
use std::collections::BTreeSet;

/// What of the open sides is left, and what there is to say.
#[derive(Debug)]
pub struct HeldRim {
    /// The sides that stay open.
    pub open: OpenEdges,
    /// The cells whose stretch of an open side is closed, in rising order.
    pub shut: Vec<usize>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl HeldRim {
    /// Closes what can be closed: a side all of whose cells are held, stretches behind a collar of NoData, and those
    /// that water would leave at normal depth. Of the others there is a warning with the way out.
    pub fn close(
        open: OpenEdges,
        slopes: OutflowSlopes,
        held: &BTreeSet<usize>,
        grid: &Grid,
        bed: &Bed,
    ) -> HeldRim {
        let mut rim = HeldRim { open, shut: Vec::new(), warnings: Vec::new() };
        for name in open.names() {
            let side = OpenEdges::parse(name).expect("a side's own name");
            let along = side.rim(bed, grid.columns, grid.rows);
            let cells: Vec<usize> =
                along.iter().copied().filter(|cell| held.contains(cell)).collect();
            if cells.is_empty() {
                continue;
            }
            let has_slope = slopes.sides().names().contains(&name);
            let (left, closed): (Vec<usize>, Vec<usize>) =
                cells.iter().partition(|&&cell| !has_slope && is_at_edge(name, cell, grid));
            if cells.len() == along.len() {
                rim.open = rim.open.without(side);
                rim.shut.extend(&cells);
                rim.warnings.push(format!(
                    "level: the level of all cells along the open side {name} is held; that side is closed, for what the level brings would leave there at once"
                ));
                continue;
            }
            if !closed.is_empty() {
                let count = held_cells(closed.len());
                rim.warnings.push(format!(
                    "level: {count} along the open side {name}; that stretch of it is closed, for what the level brings would leave there at once"
                ));
                rim.shut.extend(closed);
            }
            if !left.is_empty() {
                let count = held_cells(left.len());
                rim.warnings.push(format!(
                    "level: {count} along the open side {name}, and what the level brings leaves there at once; close that side (--closed {name}), or hold the level in the cells of a vector layer that keeps away from it"
                ));
            }
        }
        rim.shut.sort_unstable();
        rim.shut.dedup();
        rim
    }
}

fn held_cells(count: usize) -> String {
    let lie = if count == 1 { "lies" } else { "lie" };
    format!("{} whose level is held {lie}", counted(count, "cell", "cells"))
}

/// Whether the raster ends at a side of a cell, without a collar of NoData.
fn is_at_edge(side: &str, cell: usize, grid: &Grid) -> bool {
    let (column, row) = (cell % grid.columns, cell / grid.columns);
    match side {
        "north" => row == 0,
        "south" => row + 1 == grid.rows,
        "west" => column == 0,
        _ => column + 1 == grid.columns,
    }
}
