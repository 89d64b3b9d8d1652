//! Cells where the water of a feature is evaluated: its own cells, or the cells around a building.

use crate::engine::grid::beside;
use crate::input::dem::topography::Topography;
use std::collections::BTreeSet;

/// Cells of a feature.
#[derive(Debug, PartialEq)]
pub struct Seen {
    /// Cells of the domain, ascending.
    pub cells: Vec<usize>,
    /// True if a part of the feature is on a building or a wall.
    pub on_raised: bool,
}

/// Returns the cells of the domain where a feature on some cells is evaluated: its cells without
/// buildings and walls. If these cover them all, the nearest cells around the connected buildings
/// and walls are used, since water is beside a house, not on its roof.
pub fn seen_from(ground: Topography, cells: &[usize]) -> Seen {
    let is_built = |cell: usize| {
        ground.raised_by(cell).is_some() || ground.bed.blocked.binary_search(&cell).is_ok()
    };
    let built: Vec<usize> = cells.iter().copied().filter(|cell| is_built(*cell)).collect();
    let open = cells.iter().copied().filter(|cell| ground.is_free(*cell));
    let mut seen: BTreeSet<usize> = open.collect();
    let on_raised = !built.is_empty();
    let mut passed: BTreeSet<usize> = built.iter().copied().collect();
    let mut ring = built;
    let size = (ground.grid.columns, ground.grid.rows);
    while !ring.is_empty() {
        let next: Vec<usize> = ring.iter().flat_map(|cell| beside(*cell, size)).collect();
        seen.extend(next.iter().filter(|cell| ground.is_free(**cell)));
        if !seen.is_empty() {
            break;
        }
        ring = next.into_iter().filter(|c| is_built(*c) && passed.insert(*c)).collect();
    }
    Seen { cells: seen.into_iter().collect(), on_raised }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::grid::{Bed, Grid};
    use crate::input::dem::topography::RaisedCells;

    #[test]
    fn a_house_is_seen_from_the_ground_nearest_to_it() {
        // A terrace of columns 1 to 5 in rows 1 to 3; row 4 below it is outside.
        let grid = Grid::plain(7, 5, 1.0);
        let mut bed = Bed { levels: vec![0; 35], ..Bed::default() };
        bed.levels[28..].fill(Bed::OUTSIDE);
        let roofs: Vec<usize> =
            (1..4).flat_map(|row| (1..6).map(move |column| row * 7 + column)).collect();
        let seen = |bed: &Bed, roofs: &[usize], cells: &[usize]| {
            let raised = &RaisedCells { roofs: roofs.to_vec(), walls: Vec::new() };
            seen_from(Topography { grid: &grid, bed, raised }, cells)
        };
        let of = |cells: &[usize], on_raised| Seen { cells: cells.to_vec(), on_raised };
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
