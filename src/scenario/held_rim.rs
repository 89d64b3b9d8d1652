//! Cells whose level is held along open sides: what their level brings would leave at once, and a sea would be drained
//! in a circle. So the stretch is closed there, with a warning.

use super::open_rim::{OpenRim, OpenSide};
use crate::engine::boundary::OpenEdges;
use crate::input::notice::{Notices, Reading};
use crate::input::topography::Topography;
use crate::words::counted;
use std::collections::BTreeSet;

/// What of the open sides is left, and what there is to say.
#[derive(Debug)]
pub struct HeldRim {
    /// The sides that stay open.
    pub open: OpenEdges,
    /// The cells whose stretch of an open side is closed, in rising order.
    pub shut: Vec<usize>,
}

impl HeldRim {
    /// Closes each open side at the cells whose level is held, or all of it where all its cells are.
    pub fn close(open: &OpenRim, held: &BTreeSet<usize>, ground: Topography) -> Reading<HeldRim> {
        let value = HeldRim { open: open.edges(), shut: open.shut(ground) };
        let mut rim = Reading { value, notices: Notices::default() };
        for OpenSide { name, side, cells: along, .. } in open.each() {
            let cells: Vec<usize> = along.intersection(held).copied().collect();
            if cells.is_empty() {
                continue;
            }
            if cells.len() == along.len() {
                rim.open = rim.open.without(*side);
                rim.shut.extend(&cells);
                rim.notices.warn(format!(
                    "level: a stage boundary lies along all of the open edge {name}; that edge is closed, for what the level brings would leave there at once"
                ));
                continue;
            }
            let count = held_cells(cells.len());
            rim.notices.warn(format!(
                "level: {count} along the open edge {name}; that part of it is closed, for what the level brings would leave there at once"
            ));
            rim.shut.extend(cells);
        }
        rim.shut.sort_unstable();
        rim.shut.dedup();
        rim
    }
}

fn held_cells(count: usize) -> String {
    let lie = if count == 1 { "lies" } else { "lie" };
    format!("{} with a stage boundary {lie}", counted(count, "cell", "cells"))
}
