//! Closes open sides at cells of stage boundaries. Otherwise the water of the boundary would leave
//! at once, and a sea would drain in a circle.

use super::open_sides::{OpenBoundaryCells, OpenSide};
use crate::engine::boundary::OpenSides;
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notices, Reading};
use crate::words::counted;
use std::collections::BTreeSet;

/// Open sides that remain, and the closed cells.
#[derive(Debug)]
pub struct StageSides {
    /// Sides that stay open.
    pub open: OpenSides,
    /// Cells, ascending, whose stretch of an open side is closed.
    pub shut: Vec<usize>,
}

impl StageSides {
    /// Closes each open side at the cells of stage boundaries, or the whole side if all its cells
    /// are.
    pub fn close(
        open: &OpenBoundaryCells,
        occupied: &BTreeSet<usize>,
        ground: Topography,
    ) -> Reading<StageSides> {
        let value = StageSides { open: open.edges(), shut: open.shut(ground) };
        let mut rim = Reading { value, notices: Notices::default() };
        for OpenSide { name, side, cells: along, .. } in open.each() {
            let cells: Vec<usize> = along.intersection(occupied).copied().collect();
            if cells.is_empty() {
                continue;
            }
            if cells.len() == along.len() {
                rim.open = rim.open.without(*side);
                rim.shut.extend(&cells);
                rim.notices.warn(format!(
                    "level: a stage boundary is along all of the open side {name}; that side is closed, because the water of the boundary would leave there at once"
                ));
                continue;
            }
            let (one, many) = ("cell with a stage boundary is", "cells with a stage boundary are");
            let count = counted(cells.len(), one, many);
            rim.notices.warn(format!(
                "level: {count} along the open side {name}; that part of it is closed, because the water of the boundary would leave there at once"
            ));
            rim.shut.extend(cells);
        }
        rim.shut.sort_unstable();
        rim.shut.dedup();
        rim
    }
}
