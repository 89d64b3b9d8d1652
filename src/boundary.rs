//! The edges of the raster: closed walls, or open so that water leaves.
//!
//! Beyond an open edge the engine lays a row of ghost cells with the bed of the edge's own cells and
//! never any water: the rule lets water go there as to any lower neighbour, and what goes is counted
//! as outflow.

use crate::error::{Error, Result};
use crate::grid::Bed;
use serde::{Deserialize, Serialize};

/// Which sides of the raster are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenEdges {
    /// The first row's side.
    pub north: bool,
    /// The last column's side.
    pub east: bool,
    /// The last row's side.
    pub south: bool,
    /// The first column's side.
    pub west: bool,
}

impl OpenEdges {
    /// All four sides closed.
    pub const CLOSED: OpenEdges =
        OpenEdges { north: false, east: false, south: false, west: false };
    /// All four sides open.
    pub const ALL: OpenEdges = OpenEdges { north: true, east: true, south: true, west: true };

    /// Reads `north,east`, `all` or `none`.
    pub fn parse(text: &str) -> Result<OpenEdges> {
        let mut open = OpenEdges::CLOSED;
        for side in text.split(',').map(str::trim) {
            match side {
                "north" | "n" => open.north = true,
                "east" | "e" => open.east = true,
                "south" | "s" => open.south = true,
                "west" | "w" => open.west = true,
                "all" => open = OpenEdges::ALL,
                "none" | "" => {}
                other => {
                    return Err(Error::input(format!("open: '{other}' is not a side"))
                        .hint("sides: north, east, south, west (separated by commas), all, none"));
                }
            }
        }
        Ok(open)
    }

    /// Warnings of open sides along which less than half of the cells lie in the domain: NoData is a
    /// wall on open sides too, and a warped DEM often has a collar of it.
    pub fn warnings(self, bed: &Bed, columns: usize, rows: usize) -> Vec<String> {
        let last = columns * (rows - 1);
        let inside = |cell: usize| bed.levels[cell] != Bed::OUTSIDE;
        let along = |start: usize, step: usize, count: usize| {
            (0..count).filter(|i| inside(start + i * step)).count()
        };
        let sides = [
            (self.north, "north", along(0, 1, columns), columns),
            (self.east, "east", along(columns - 1, columns, rows), rows),
            (self.south, "south", along(last, 1, columns), columns),
            (self.west, "west", along(0, columns, rows), rows),
        ];
        sides
            .into_iter()
            .filter(|&(open, _, inside, count)| open && 2 * inside < count)
            .map(|(_, side, inside, count)| {
                format!(
                    "open: only {inside} of {count} cells along the {side} edge are in the domain; NoData is a wall, so water leaves nowhere else (crop the DEM to its valid cells to open more)"
                )
            })
            .collect()
    }

    /// The names of the open sides.
    pub fn names(self) -> Vec<&'static str> {
        let sides = [
            (self.north, "north"),
            (self.east, "east"),
            (self.south, "south"),
            (self.west, "west"),
        ];
        sides.iter().filter(|(open, _)| *open).map(|(_, name)| *name).collect()
    }

    /// The cell of a `columns` × `rows` raster whose bed the ghost cell at (`column`, `row`)
    /// takes; `None` if there is a wall. A corner is open where both its sides are.
    pub fn ghost_of(
        self,
        column: isize,
        row: isize,
        columns: usize,
        rows: usize,
    ) -> Option<(usize, usize)> {
        let along = |at: isize, count: usize, low: bool, high: bool| match at {
            -1 => low.then_some(0),
            at if at == count as isize => high.then(|| count - 1),
            at if at >= 0 && at < count as isize => Some(at as usize),
            _ => None,
        };
        let column = along(column, columns, self.west, self.east)?;
        let row = along(row, rows, self.north, self.south)?;
        Some((column, row))
    }
}
