//! Boundary conditions at the sides of the raster: closed walls, or open so that water leaves.
//!
//! Beyond an open edge the engine places a row of ghost cells that never hold water: the solver
//! moves water into them as into any lower neighbour, and this water is counted as outflow. The
//! ground continues to a ghost with the slope towards the edge ([`ghost_level`]): a ghost as high
//! as its cell would hold back sheet flow on a steep slope. If the raster ends in a collar of
//! NoData, as warped DEMs do, the ghosts are placed along the domain boundary behind it.

use crate::error::{Error, Result};
use crate::grid::{Bed, beside};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The open sides of a raster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSides {
    /// Side of the first row.
    pub north: bool,
    /// Side of the last column.
    pub east: bool,
    /// Side of the last row.
    pub south: bool,
    /// Side of the first column.
    pub west: bool,
}

impl OpenSides {
    /// All four sides closed.
    pub const CLOSED: OpenSides =
        OpenSides { north: false, east: false, south: false, west: false };
    /// All four sides open.
    pub const ALL: OpenSides = OpenSides { north: true, east: true, south: true, west: true };

    /// Returns the sides that are open in either set.
    pub fn and(self, other: OpenSides) -> OpenSides {
        OpenSides {
            north: self.north || other.north,
            east: self.east || other.east,
            south: self.south || other.south,
            west: self.west || other.west,
        }
    }

    /// Returns the sides that are open in this set but not in the other.
    pub fn without(self, other: OpenSides) -> OpenSides {
        OpenSides {
            north: self.north && !other.north,
            east: self.east && !other.east,
            south: self.south && !other.south,
            west: self.west && !other.west,
        }
    }

    /// The names that [`OpenSides::parse`] accepts; the four sides also have short forms.
    pub const NAMES: [&str; 11] =
        ["north", "east", "south", "west", "all", "none", "n", "e", "s", "w", ""];

    /// Parses `north,east`, `all` or `none`.
    pub fn parse(text: &str) -> Result<OpenSides> {
        sides(text).map_err(|error| error.of("open"))
    }

    /// Returns the NoData cells that open sides turn into ghost cells, each with the domain cell
    /// whose bed it takes (the lowest of its neighbours), sorted by ghost (row-major).
    ///
    /// If a side of the raster has a collar of NoData, the domain boundary behind it is open: a
    /// NoData cell with nothing but NoData up to the open side, and directly in front of a domain
    /// cell, is the ghost of that cell. So is the cell diagonally across a corner between two such
    /// ghosts. NoData inside the domain remains a wall, as does NoData beside a cell at which the
    /// side is closed.
    pub fn boundary_ghosts(self, bed: &Bed, columns: usize, rows: usize) -> Vec<(usize, usize)> {
        let mut ghosts: BTreeMap<usize, usize> = BTreeMap::new();
        // From an open side inwards: find the last NoData cell before the domain.
        self.each_line(columns, rows, |cells| {
            let mut before = None;
            for cell in cells {
                if bed.levels[cell] != Bed::OUTSIDE {
                    let is_shut = bed.shut.binary_search(&cell).is_ok();
                    if let Some(ghost) = before.filter(|_| !is_shut) {
                        let lowest = ghosts.entry(ghost).or_insert(cell);
                        if bed.levels[cell] < bed.levels[*lowest] {
                            *lowest = cell;
                        }
                    }
                    return;
                }
                // A building is not part of a collar.
                if bed.blocked.binary_search(&cell).is_ok() {
                    return;
                }
                before = Some(cell);
            }
        });
        for (corner, cell) in self.boundary_corners(bed, &ghosts, columns, rows) {
            let lowest = ghosts.entry(corner).or_insert(cell);
            if bed.levels[cell] < bed.levels[*lowest] {
                *lowest = cell;
            }
        }
        // A cell at which the side is closed must not drain into its neighbour's ghost either.
        for &cell in &bed.shut {
            for ghost in beside(cell, (columns, rows)) {
                ghosts.remove(&ghost);
            }
        }
        ghosts.into_iter().collect()
    }

    /// Returns the domain cells along these sides, behind a collar of NoData if there is one, in
    /// ascending order.
    pub fn boundary_cells(self, bed: &Bed, columns: usize, rows: usize) -> Vec<usize> {
        let mut boundary = BTreeSet::new();
        self.each_line(columns, rows, |mut cells| {
            let end = |&cell: &usize| {
                bed.levels[cell] != Bed::OUTSIDE || bed.blocked.binary_search(&cell).is_ok()
            };
            let found = Iterator::find(&mut cells, end);
            boundary.extend(found.filter(|&cell| bed.levels[cell] != Bed::OUTSIDE));
        });
        boundary.into_iter().collect()
    }

    /// Calls `line` with every line of cells from one of these sides across the raster.
    fn each_line(
        self,
        columns: usize,
        rows: usize,
        mut line: impl FnMut(&mut dyn Iterator<Item = usize>),
    ) {
        for column in 0..columns {
            let cells = (0..rows).map(|row| row * columns + column);
            if self.north {
                line(&mut cells.clone());
            }
            if self.south {
                line(&mut cells.rev());
            }
        }
        for row in 0..rows {
            let cells = row * columns..(row + 1) * columns;
            if self.west {
                line(&mut cells.clone());
            }
            if self.east {
                line(&mut cells.rev());
            }
        }
    }

    /// Finds the NoData cells diagonally across a domain cell, between two of its ghosts.
    fn boundary_corners(
        self,
        bed: &Bed,
        ghosts: &BTreeMap<usize, usize>,
        columns: usize,
        rows: usize,
    ) -> Vec<(usize, usize)> {
        let is_ghost = |column: usize, row: usize| ghosts.contains_key(&(row * columns + column));
        let mut corners = Vec::new();
        for &ghost in ghosts.keys() {
            let (column, row) = (ghost % columns, ghost / columns);
            // A ghost above or below its cell; the corner is beside the ghost.
            for (side, cell_row) in [(-1, row.wrapping_sub(1)), (1, row + 1)] {
                let open = if side < 0 { self.south } else { self.north };
                if !open || cell_row >= rows {
                    continue;
                }
                let cell = cell_row * columns + column;
                for (beside, open) in [(column.wrapping_sub(1), self.west), (column + 1, self.east)]
                {
                    let corner = row * columns + beside;
                    if open
                        && beside < columns
                        && bed.levels[cell] != Bed::OUTSIDE
                        && is_ghost(beside, cell_row)
                        && bed.levels[corner] == Bed::OUTSIDE
                        && !ghosts.contains_key(&corner)
                    {
                        corners.push((corner, cell));
                    }
                }
            }
        }
        corners
    }

    /// Returns the lowest domain cell diagonally across from a place off the grid, beside NoData,
    /// between two of that cell's ghosts. This extends [`OpenSides::boundary_ghosts`], which finds
    /// corners within a collar; `boundary` is its result.
    pub fn corner_beside(
        self,
        bed: &Bed,
        boundary: &[(usize, usize)],
        (columns, rows): (usize, usize),
        [column, row]: [isize; 2],
    ) -> Option<usize> {
        let on_grid = |[column, row]: [isize; 2]| {
            let inside =
                (0..columns as isize).contains(&column) && (0..rows as isize).contains(&row);
            inside.then_some(row as usize * columns + column as usize)
        };
        // Returns `true` if a place beside a domain cell is a ghost of an open side, not of a
        // corner.
        let is_ghost = |place: [isize; 2], open: bool| match on_grid(place) {
            None => open,
            Some(at) => {
                boundary.binary_search_by_key(&at, |&(ghost, _)| ghost).is_ok_and(|found| {
                    let source = boundary[found].1;
                    open && (source % columns == at % columns || source / columns == at / columns)
                })
            }
        };
        let mut found = Vec::new();
        for (dx, dy) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
            let Some(cell) = on_grid([column + dx, row + dy]) else { continue };
            let beyond_row = if dy < 0 { self.south } else { self.north };
            let beyond_column = if dx < 0 { self.east } else { self.west };
            if bed.levels[cell] != Bed::OUTSIDE
                && is_ghost([column + dx, row], beyond_row)
                && is_ghost([column, row + dy], beyond_column)
            {
                found.push(cell);
            }
        }
        found.into_iter().min_by_key(|&cell| bed.levels[cell])
    }

    /// Iterates over the open sides: index in the order north, east, south, west; name; and a set
    /// holding only that side.
    pub fn each(self) -> impl Iterator<Item = (usize, &'static str, OpenSides)> {
        let closed = OpenSides::CLOSED;
        let sides = [
            (self.north, "north", OpenSides { north: true, ..closed }),
            (self.east, "east", OpenSides { east: true, ..closed }),
            (self.south, "south", OpenSides { south: true, ..closed }),
            (self.west, "west", OpenSides { west: true, ..closed }),
        ];
        let open = sides.into_iter().enumerate().filter(|(_, (open, ..))| *open);
        open.map(|(at, (_, name, side))| (at, name, side))
    }

    /// Returns the names of the open sides.
    pub fn names(self) -> Vec<&'static str> {
        self.each().map(|(_, name, _)| name).collect()
    }

    /// Returns the cell of a `columns` × `rows` raster whose bed the ghost cell at (`column`,
    /// `row`) takes; `None` for a wall. A corner is open if both its sides are.
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

/// Returns the bed level (2⁻¹⁶ m) of the ghost at (column, row), next to the cell `source` of the
/// domain.
///
/// From the cell to its ghost, the ground falls by the median of the last three drops between cells
/// in the line towards the ghost, and never rises. Drops from or to NoData count as 0. A plane thus
/// continues beyond the boundary, while a building, a ditch or a single wrong cell next to it does
/// not create a cliff.
pub fn ghost_level(
    bed: &Bed,
    (columns, rows): (usize, usize),
    [column, row]: [isize; 2],
    source: usize,
) -> i32 {
    let inward = [(source % columns) as isize - column, (source / columns) as isize - row];
    let level = |steps: isize| {
        let [column, row] = [column + steps * inward[0], row + steps * inward[1]];
        let on_grid = (0..columns as isize).contains(&column) && (0..rows as isize).contains(&row);
        let level = on_grid.then(|| bed.levels[row as usize * columns + column as usize]);
        level.filter(|&level| level != Bed::OUTSIDE)
    };
    let levels = [1, 2, 3, 4].map(level);
    let mut drops = [0, 1, 2].map(|at| match (levels[at], levels[at + 1]) {
        (Some(lower), Some(higher)) => i64::from(higher) - i64::from(lower),
        _ => 0,
    });
    drops.sort_unstable();
    bed.levels[source] - drops[1].clamp(0, i64::from(Bed::ROOM_BELOW)) as i32
}

/// Parses sides like [`OpenSides::parse`], but without naming a key in the error.
pub fn sides(text: &str) -> Result<OpenSides> {
    let mut named = OpenSides::CLOSED;
    for side in text.split(',').map(str::trim) {
        match side {
            "north" | "n" => named.north = true,
            "east" | "e" => named.east = true,
            "south" | "s" => named.south = true,
            "west" | "w" => named.west = true,
            "all" => named = OpenSides::ALL,
            "none" | "" => {}
            other => {
                return Err(Error::input(format!("'{other}' is not a side"))
                    .hint("sides: north, east, south, west (separated by commas), all, none"));
            }
        }
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the drop (m) from a cell to its ghost towards each side; `line` holds the levels
    /// from that cell inward.
    fn drops(line: &[f64]) -> [f64; 4] {
        let count = line.len();
        let back: Vec<f64> = line.iter().rev().copied().collect();
        let at = |levels: &[f64], size, place, source| {
            let bed = Bed::from_metres(levels.iter().copied());
            let fall = bed.levels[source] - ghost_level(&bed, size, place, source);
            f64::from(fall) / Bed::PER_METRE
        };
        let end = count as isize;
        [
            at(line, (1, count), [0, -1], 0),
            at(&back, (count, 1), [end, 0], count - 1),
            at(&back, (1, count), [0, end], count - 1),
            at(line, (count, 1), [-1, 0], 0),
        ]
    }

    #[test]
    fn the_ground_falls_on_beyond_an_open_side_by_the_median_of_the_last_drops() {
        let nodata = f64::NAN;
        for (line, drop) in [
            (&[5.0, 7.0, 9.0, 11.0][..], 2.0),
            // A wrong cell in the boundary or behind it, and a building.
            (&[5.5, 7.0, 9.0, 11.0], 2.0),
            (&[5.0, 5.0, 9.0, 11.0], 2.0),
            (&[5.0, 15.0, 7.0, 8.0], 1.0),
            (&[5.0, 15.0, 15.0, 5.0], 0.0),
            (&[5.0, 15.0, 15.0, 15.0], 0.0),
            // Ground that rises towards the side, and level ground.
            (&[11.0, 9.0, 7.0, 5.0], 0.0),
            (&[5.0, 5.0, 5.0, 5.0], 0.0),
            // NoData and short lines.
            (&[5.0, 7.0, 8.0, nodata], 1.0),
            (&[5.0, 7.0, nodata, 9.0], 0.0),
            (&[5.0, 7.0, 8.0], 1.0),
            (&[5.0, 7.0], 0.0),
            (&[5.0], 0.0),
            // No further than there is room for.
            (&[0.0, 900.0, 1800.0, 2700.0], 256.0),
        ] {
            assert_eq!(drops(line), [drop; 4], "{line:?}");
        }
    }

    #[test]
    fn a_cell_at_which_a_side_is_shut_has_no_ghost_of_its_neighbours_beside_it() {
        // A boundary that steps down eastward behind a collar in the north; the cell on the higher
        // step is closed.
        let (columns, rows) = (4, 3);
        let mut bed = Bed::from_metres(
            [f64::NAN; 4].into_iter().chain([1.0, f64::NAN, f64::NAN, 1.0]).chain([1.0; 4]),
        );
        let ghosts = |bed: &Bed| {
            let north = OpenSides { north: true, ..OpenSides::CLOSED };
            north.boundary_ghosts(bed, columns, rows)
        };
        assert_eq!(ghosts(&bed), [(0, 4), (3, 7), (5, 9), (6, 10)]);
        bed.shut = vec![7];
        assert_eq!(ghosts(&bed), [(0, 4), (5, 9)]);
    }
}
