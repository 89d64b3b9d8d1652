//! Ground at a place on the grid or beside it: domain cell, ghost or wall.

use super::Problem;
use crate::boundary::ghost_level;
use crate::forcing::ports::{self, Port};
use crate::grid::Bed;
use serde::{Deserialize, Serialize};

/// Data on the whole grid that the ground at a place depends on.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct GhostBed {
    /// The level from which heights are counted ([`Bed::datum`]).
    pub datum: i32,
    /// Ghosts within collars of NoData; see [`crate::boundary::OpenSides::boundary_ghosts`].
    pub ghosts: Vec<(usize, usize)>,
    /// The bed level of each of them (2⁻¹⁶ m).
    pub ghost_levels: Vec<i32>,
}

impl GhostBed {
    /// Computes the data for a problem that holds its whole bed.
    pub fn of(problem: &Problem) -> GhostBed {
        let size = (problem.grid.columns, problem.grid.rows);
        let ghosts = problem.open.boundary_ghosts(&problem.bed, size.0, size.1);
        let level = |&(ghost, source): &(usize, usize)| {
            let place = [ghost % size.0, ghost / size.0].map(|at| at as isize);
            ghost_level(&problem.bed, size, place, source)
        };
        let ghost_levels = ghosts.iter().map(level).collect();
        GhostBed { datum: problem.bed.datum(), ghosts, ghost_levels }
    }
}

/// A cell of the bed, or its ghost beyond an open edge: a place that water can reach.
pub struct BedCell {
    /// Bed height above the datum (2⁻¹⁶ m).
    pub height: i32,
    /// The domain cell itself (row-major over the grid), or the one that it is a ghost of.
    pub source: usize,
    /// Port of a ghost beyond an open edge; `None` for a domain cell.
    pub port: Option<Port>,
}

/// Returns the bed cell at a place (column, row), which may be off the grid; `None` for a wall.
pub fn bed_cell(
    problem: &Problem,
    around: &GhostBed,
    [column, row]: [isize; 2],
) -> Option<BedCell> {
    let ghosts = &around.ghosts[..];
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    let on_grid = (0..columns as isize).contains(&column) && (0..rows as isize).contains(&row);
    let (from_column, from_row) = if on_grid {
        (column as usize, row as usize)
    } else {
        problem.open.ghost_of(column, row, columns, rows)?
    };
    let cell = from_row * columns + from_column;
    if !on_grid && problem.bed.shut.binary_search(&cell).is_ok() {
        return None;
    }
    let levels = &problem.bed.levels;
    let in_domain = levels[cell] != Bed::OUTSIDE;
    let beyond = |source| {
        let level = ghost_level(&problem.bed, (columns, rows), [column, row], source);
        (source, level)
    };
    let (source, level) = match (in_domain, on_grid) {
        (true, true) => (cell, levels[cell]),
        (true, false) => beyond(cell),
        // NoData behind an open side.
        (false, true) => {
            let ghost = ghosts.binary_search_by_key(&cell, |&(ghost, _)| ghost).ok()?;
            (ghosts[ghost].1, around.ghost_levels[ghost])
        }
        (false, false) => beyond(problem.open.corner_beside(
            &problem.bed,
            ghosts,
            (columns, rows),
            [column, row],
        )?),
    };
    let height = Bed::height(level, around.datum);
    let port = || ports::of_ghost([column, row], [source % columns, source / columns]);
    Some(BedCell { height, source, port: (!on_grid || !in_domain).then(port) })
}
