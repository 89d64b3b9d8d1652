//! Cells where the water of a feature is evaluated: its own cells, or the cells around a building.

use crate::engine::grid::{Bed, Grid, beside};
use std::collections::BTreeSet;

/// Grid with its bed and the buildings on it.
#[derive(Clone, Copy)]
pub struct BuiltTerrain<'a> {
    /// Geometry of the grid.
    pub grid: &'a Grid,
    /// Bed of the cells.
    pub bed: &'a Bed,
    /// Cells raised by buildings, ascending.
    pub roofs: &'a [usize],
}

/// Cells of a feature.
#[derive(Debug, PartialEq)]
pub struct Seen {
    /// Cells of the domain, ascending.
    pub cells: Vec<usize>,
    /// True if the feature is on a building.
    pub on_building: bool,
}

impl BuiltTerrain<'_> {
    /// Returns the cells of the domain where a feature on some cells is evaluated: its cells
    /// without a building. If a building covers them all, the nearest cells around the connected
    /// buildings are used, since water is beside a house, not on its roof.
    pub fn seen_from(&self, cells: &[usize]) -> Seen {
        let built: Vec<usize> = cells.iter().copied().filter(|cell| self.is_built(*cell)).collect();
        let open = cells.iter().copied().filter(|cell| self.is_open(*cell));
        let mut seen: BTreeSet<usize> = open.collect();
        let on_building = !built.is_empty();
        let mut passed: BTreeSet<usize> = built.iter().copied().collect();
        let mut ring = built;
        let size = (self.grid.columns, self.grid.rows);
        while !ring.is_empty() {
            let next: Vec<usize> = ring.iter().flat_map(|cell| beside(*cell, size)).collect();
            seen.extend(next.iter().filter(|cell| self.is_open(**cell)));
            if !seen.is_empty() {
                break;
            }
            ring = next.into_iter().filter(|c| self.is_built(*c) && passed.insert(*c)).collect();
        }
        Seen { cells: seen.into_iter().collect(), on_building }
    }

    fn is_built(&self, cell: usize) -> bool {
        self.roofs.binary_search(&cell).is_ok() || self.bed.blocked.binary_search(&cell).is_ok()
    }

    fn is_open(&self, cell: usize) -> bool {
        self.bed.levels[cell] != Bed::OUTSIDE && self.roofs.binary_search(&cell).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_house_is_seen_from_the_ground_nearest_to_it() {
        // A terrace of columns 1 to 5 in rows 1 to 3; row 4 below it is outside.
        let grid = Grid::plain(7, 5, 1.0);
        let mut bed = Bed { levels: vec![0; 35], ..Bed::default() };
        bed.levels[28..].fill(Bed::OUTSIDE);
        let roofs: Vec<usize> =
            (1..4).flat_map(|row| (1..6).map(move |column| row * 7 + column)).collect();
        let seen = |bed: &Bed, roofs: &[usize], cells: &[usize]| {
            BuiltTerrain { grid: &grid, bed, roofs }.seen_from(cells)
        };
        let of = |cells: &[usize], on_building| Seen { cells: cells.to_vec(), on_building };
        // The northern row's houses see the street, one in the middle no further than that.
        assert_eq!(seen(&bed, &roofs, &[9, 10]), of(&[2, 3], true));
        assert_eq!(seen(&bed, &roofs, &[17]), of(&[3], true));
        assert_eq!(seen(&bed, &roofs, &[8]), of(&[1, 7], true), "its corner");
        // A garden, and a point outside.
        assert_eq!(seen(&bed, &roofs, &[3, 10]), of(&[3], true));
        assert_eq!(seen(&bed, &roofs, &[0]), of(&[0], false));
        assert_eq!(seen(&bed, &roofs, &[30]), of(&[], false));
        // Blocked cells are no different.
        roofs.iter().for_each(|&cell| bed.levels[cell] = Bed::OUTSIDE);
        bed.blocked = roofs.clone();
        assert_eq!(seen(&bed, &[], &[17]), of(&[3], true));
    }
}
