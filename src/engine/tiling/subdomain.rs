//! Subdomains: the parts of the grid held in a device's memory, and the number of steps for which
//! they stay.
//!
//! A device sees the grid through *frames*. A frame that holds the whole grid is loaded once.
//! Otherwise the grid is cut into tiles, each with a halo deep enough for several steps before the
//! next exchange: with every step the valid part shrinks by the solver's reach on each side (a
//! trapezoid in time), until only the tile itself is left after the last.
//!
//! Cells are counted on the *padded grid*: the grid with a margin of [`MARGIN`] cells all around,
//! the first of them for the ghosts of open edges.

use super::rect::Rect;
use serde::{Deserialize, Serialize};

/// Maximum stencil reach of any solver (cells; see [`crate::solver::AnySolver::reach`]).
pub const MOST_REACH: usize = 4;

/// Width of the padded grid margin around the grid: a ghost, and as many cells behind it as its new
/// state may depend on.
pub const MARGIN: usize = 1 + MOST_REACH;

/// Returns the padded grid column and row of a cell (row-major) of a grid with `columns` columns.
pub fn on_padded_grid(cell: usize, columns: usize) -> (usize, usize) {
    (cell % columns + MARGIN, cell / columns + MARGIN)
}

/// Maximum number of steps per load of a tile: beyond it deeper halos cost more than fewer copies
/// save.
const MOST_STEPS: usize = 64;

/// A part of the padded grid, held in a device's memory for some steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Subdomain {
    /// Cells in memory (padded grid).
    pub extent: Rect,
    /// Cells that only this subdomain computes: the extent without its halo (padded grid).
    pub own: Rect,
}

/// Decomposition of the grid into subdomains.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SubdomainPlan {
    /// The subdomains, row by row from the north-west. Their own cells cover the grid and its
    /// ghosts, each once.
    pub subdomains: Vec<Subdomain>,
    /// Maximum number of steps before a subdomain is stored or its halo is exchanged; `None` if one
    /// frame holds everything.
    pub steps: Option<usize>,
    /// Maximum number of columns and rows of a tile of the grid.
    pub tile: (usize, usize),
    /// Columns and rows of the padded grid.
    pub padded_grid: (usize, usize),
    /// Stencil reach of a step (cells).
    pub reach: usize,
    /// Set if every subdomain permanently stays on a device of its own; otherwise they share memory
    /// and step alternately.
    pub spread: bool,
    /// Groups of cells (padded grid) that read each other in every step: the valid part of a frame
    /// contains all cells of a group or none.
    pub together: Vec<Rect>,
}

impl SubdomainPlan {
    /// Creates a plan of a single subdomain that stays in memory.
    pub fn whole(columns: usize, rows: usize) -> SubdomainPlan {
        let padded_grid = (columns + 2 * MARGIN, rows + 2 * MARGIN);
        let extent = Rect { column: 0, row: 0, columns: padded_grid.0, rows: padded_grid.1 };
        let subdomain = Subdomain { extent, own: with_ghosts(padded_grid) };
        let reach = MOST_REACH;
        SubdomainPlan {
            subdomains: vec![subdomain],
            steps: None,
            tile: (columns, rows),
            padded_grid,
            reach,
            spread: false,
            together: Vec::new(),
        }
    }

    /// Creates a plan of tiles of at most `tile` = (columns, rows) that take `steps` steps per
    /// load, for a solver with stencil reach `reach`.
    ///
    /// # Panics
    /// If a tile has no cells or takes no steps.
    pub fn tiled(
        columns: usize,
        rows: usize,
        tile: (usize, usize),
        steps: usize,
        reach: usize,
    ) -> SubdomainPlan {
        assert!(tile.0 > 0 && tile.1 > 0 && steps > 0, "a tile has cells and takes steps");
        let tile = (tile.0.min(columns), tile.1.min(rows));
        let padded_grid = (columns + 2 * MARGIN, rows + 2 * MARGIN);
        // A tile at the grid's edge also owns the ghosts beyond it.
        let pieces = |count: usize, tile: usize| {
            let pieces = count.div_ceil(tile);
            (0..pieces).map(move |piece| {
                let first = MARGIN + piece * tile - usize::from(piece == 0);
                let end = (MARGIN + (piece + 1) * tile).min(MARGIN + count)
                    + usize::from(piece + 1 == pieces);
                (first, end)
            })
        };
        let mut subdomains = Vec::new();
        for (north, south) in pieces(rows, tile.1) {
            for (west, east) in pieces(columns, tile.0) {
                let own =
                    Rect { column: west, row: north, columns: east - west, rows: south - north };
                let all = Rect { column: 0, row: 0, columns: padded_grid.0, rows: padded_grid.1 };
                subdomains.push(Subdomain { extent: own.grown(reach * steps).within(all), own });
            }
        }
        let together = Vec::new();
        SubdomainPlan {
            subdomains,
            steps: Some(steps),
            tile,
            padded_grid,
            reach,
            spread: false,
            together,
        }
    }

    /// Creates a plan of row strips starting at `firsts` (the first at 0), each permanently on its
    /// own device. They take up to `steps` steps between halo exchanges, for a solver with stencil
    /// reach `reach`.
    ///
    /// # Panics
    /// If a strip has no rows or takes no steps.
    pub fn spread(
        columns: usize,
        rows: usize,
        firsts: &[usize],
        steps: usize,
        reach: usize,
    ) -> SubdomainPlan {
        assert!(steps > 0 && firsts.first() == Some(&0), "strips cover the grid");
        let padded_grid = (columns + 2 * MARGIN, rows + 2 * MARGIN);
        let all = Rect { column: 0, row: 0, columns: padded_grid.0, rows: padded_grid.1 };
        let ghosts = with_ghosts(padded_grid);
        let ends = firsts[1..].iter().copied().chain([rows]);
        let subdomain = |(&first, end): (&usize, usize)| {
            assert!(first < end, "a strip has rows");
            let from = if first == 0 { ghosts.row } else { MARGIN + first };
            let to = if end == rows { ghosts.row + ghosts.rows } else { MARGIN + end };
            let own = Rect { row: from, rows: to - from, ..ghosts };
            Subdomain { extent: own.grown(reach * steps).within(all), own }
        };
        let subdomains: Vec<Subdomain> = firsts.iter().zip(ends).map(subdomain).collect();
        let tallest = subdomains.iter().map(|subdomain| subdomain.own.rows).max().unwrap_or(0);
        let tile = (columns, tallest.min(rows));
        let together = Vec::new();
        SubdomainPlan {
            subdomains,
            steps: Some(steps),
            tile,
            padded_grid,
            reach,
            spread: true,
            together,
        }
    }

    /// Creates a plan whose frames have at most `cells` cells, for a solver with stencil reach
    /// `reach`. `turn` chooses the number of steps per load, given the best number. Returns `None`
    /// if not even a small tile fits.
    pub fn within(
        columns: usize,
        rows: usize,
        cells: usize,
        turn: impl Fn(usize) -> usize,
        reach: usize,
    ) -> Option<SubdomainPlan> {
        let (across, down) = (columns + 2 * MARGIN, rows + 2 * MARGIN);
        if across * down <= cells {
            return Some(SubdomainPlan::whole(columns, rows));
        }
        if cells == 0 {
            return None;
        }
        // As square as possible: a long thin frame has a large halo.
        let side = cells.isqrt();
        let width = across.min(side);
        let height = down.min(cells / width);
        let width = across.min(cells / height);
        let steps = turn(steps_of((width, height), reach));
        // Between other tiles there is a halo on both sides; at the grid's edge a ghost and the
        // walls behind it replace one.
        let deep = reach * steps;
        let halo = deep + deep.max(MARGIN);
        let inner = |frame: usize, whole: usize, count: usize| {
            // A tile as long as the grid has no halo in that direction, but both margins.
            let most = if frame >= whole { count } else { frame.checked_sub(halo)?.min(count - 1) };
            (most > 0).then_some(most)
        };
        let tile = (inner(width, across, columns)?, inner(height, down, rows)?);
        Some(SubdomainPlan::tiled(columns, rows, tile, steps, reach))
    }

    /// Enlarges the frames as needed to keep groups of cells `together`.
    pub fn keeping(mut self, together: Vec<Rect>) -> SubdomainPlan {
        self.together = together;
        let Some(steps) = self.steps else { return self };
        let frames = self.subdomains.iter().map(|subdomain| self.right(subdomain, steps)[0]);
        let frames: Vec<Rect> = frames.collect();
        for (subdomain, frame) in self.subdomains.iter_mut().zip(frames) {
            subdomain.extent = frame;
        }
        self
    }

    /// Returns the cells of a subdomain's frame (padded grid) that must be valid before each of the
    /// steps, and after the last.
    pub fn right(&self, subdomain: &Subdomain, steps: usize) -> Vec<Rect> {
        if self.steps.is_none() {
            return vec![subdomain.own; steps + 1];
        }
        let all = Rect { column: 0, row: 0, columns: self.padded_grid.0, rows: self.padded_grid.1 };
        let before = |after: &Rect| Some(self.kept_together(after.grown(self.reach).within(all)));
        let mut right: Vec<Rect> =
            std::iter::successors(Some(subdomain.own), before).take(steps + 1).collect();
        right.reverse();
        right
    }

    /// Returns the smallest rectangle that contains some cells and all groups that touch it.
    fn kept_together(&self, mut cells: Rect) -> Rect {
        loop {
            let met = self.together.iter().filter(|group| group.meets(cells));
            let joined = met.fold(cells, |all, group| all.joined(*group));
            if joined == cells {
                return cells;
            }
            cells = joined;
        }
    }

    /// Returns the cells of a subdomain (padded grid) that each step must compute before the
    /// subdomain is stored.
    pub fn computed(&self, subdomain: &Subdomain, steps: usize) -> Vec<Rect> {
        let right = self.right(subdomain, steps).into_iter().skip(1);
        right.map(|cells| cells.within(with_ghosts(self.padded_grid))).collect()
    }

    /// Returns `true` if subdomains stay in memory permanently.
    pub fn stays(&self) -> bool {
        self.steps.is_none() || self.spread
    }

    /// Returns the columns and rows of the largest frame.
    pub fn largest_frame(&self) -> (usize, usize) {
        let columns = self.subdomains.iter().map(|subdomain| subdomain.extent.columns).max();
        let rows = self.subdomains.iter().map(|subdomain| subdomain.extent.rows).max();
        (columns.unwrap_or(0), rows.unwrap_or(0))
    }
}

/// Returns the best number of steps per load for a tile of (columns, rows) and a solver with
/// stencil reach `reach`. Small tiles take fewer, so that no more than about a quarter of a frame
/// is halo.
pub(crate) fn steps_of(tile: (usize, usize), reach: usize) -> usize {
    (tile.0.min(tile.1) / (16 * reach)).clamp(1, MOST_STEPS)
}

/// Returns the grid and its ghosts on a padded grid.
pub fn with_ghosts(padded_grid: (usize, usize)) -> Rect {
    let ring = MARGIN - 1;
    Rect {
        column: ring,
        row: ring,
        columns: padded_grid.0 - 2 * ring,
        rows: padded_grid.1 - 2 * ring,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a padded grid beyond the ghosts: walls, always dry, that no step computes. They
    /// overlap in the corners.
    fn walls(padded_grid: (usize, usize)) -> [Rect; 4] {
        let (columns, rows) = padded_grid;
        let inner = with_ghosts(padded_grid);
        let (east, south) = (inner.column + inner.columns, inner.row + inner.rows);
        [
            Rect { column: 0, row: 0, columns, rows: inner.row },
            Rect { column: 0, row: south, columns, rows: rows - south },
            Rect { column: 0, row: 0, columns: inner.column, rows },
            Rect { column: east, row: 0, columns: columns - east, rows },
        ]
    }

    fn contains(outer: Rect, inner: Rect) -> bool {
        outer.column <= inner.column
            && outer.row <= inner.row
            && outer.column + outer.columns >= inner.column + inner.columns
            && outer.row + outer.rows >= inner.row + inner.rows
    }

    #[test]
    fn subdomains_own_every_cell_and_ghost_once() {
        for (columns, rows, tile, steps) in
            [(7, 5, (3, 2), 1), (9, 1, (2, 1), 3), (65, 33, (20, 11), 4), (4, 4, (9, 9), 2)]
        {
            let plan = SubdomainPlan::tiled(columns, rows, tile, steps, 3);
            let mut owners = vec![0; plan.padded_grid.0 * plan.padded_grid.1];
            for subdomain in &plan.subdomains {
                for row in subdomain.own.row..subdomain.own.row + subdomain.own.rows {
                    for column in subdomain.own.column..subdomain.own.column + subdomain.own.columns
                    {
                        owners[row * plan.padded_grid.0 + column] += 1;
                    }
                }
            }
            for (cell, owners) in owners.iter().enumerate() {
                let (column, row) = (cell % plan.padded_grid.0, cell / plan.padded_grid.0);
                let outer = column < MOST_REACH
                    || row < MOST_REACH
                    || column + MOST_REACH >= plan.padded_grid.0
                    || row + MOST_REACH >= plan.padded_grid.1;
                assert_eq!(*owners, usize::from(!outer), "{column}, {row}");
                let wall = walls(plan.padded_grid).iter().any(|wall| wall.holds(column, row));
                assert_eq!(wall, outer, "{column}, {row}");
            }
        }
    }

    /// Every computed cell has valid input: all cells within the solver's reach were valid before,
    /// or are beyond the ghosts, where there is never any water.
    #[test]
    fn the_right_part_shrinks_no_faster_than_it_may() {
        for reach in [2, 3, 4] {
            shrinks(reach);
        }
    }

    fn shrinks(reach: usize) {
        let plan = SubdomainPlan::tiled(65, 33, (20, 11), 4, reach);
        is_right(&plan, reach);
        let group = |column, row, columns, rows| Rect { column, row, columns, rows };
        // Across a border, beside it, and in a corner of it.
        let together = vec![group(23, 8, 6, 2), group(30, 20, 2, 3), group(45, 25, 20, 1)];
        let kept = plan.clone().keeping(together);
        is_right(&kept, reach);
        for (subdomain, before) in kept.subdomains.iter().zip(&plan.subdomains) {
            assert!(contains(subdomain.extent, before.extent));
            // All of a group or none of it, except for own cells after the last step.
            for right in &kept.right(subdomain, 4)[..4] {
                let all = |group: &Rect| contains(*right, *group) || !right.meets(*group);
                assert!(kept.together.iter().all(all), "{right:?}");
            }
        }
    }

    fn is_right(plan: &SubdomainPlan, reach: usize) {
        let wide =
            Rect { column: 0, row: 0, columns: plan.padded_grid.0, rows: plan.padded_grid.1 };
        for subdomain in &plan.subdomains {
            let mut right = subdomain.extent;
            for computed in plan.computed(subdomain, 4) {
                assert!(
                    contains(right, computed.grown(reach).within(wide)),
                    "{subdomain:?} {computed:?}"
                );
                assert!(contains(computed, subdomain.own));
                // Cells beyond the ghosts stay valid forever.
                right = with_border(computed, plan.padded_grid);
            }
            assert_eq!(plan.computed(subdomain, 1), [subdomain.own]);
        }
    }

    /// A computed rectangle and the outermost cells of the padded grid beside it.
    fn with_border(rect: Rect, padded_grid: (usize, usize)) -> Rect {
        let border = |at_border: bool| if at_border { MOST_REACH } else { 0 };
        let west = border(rect.column == MOST_REACH);
        let north = border(rect.row == MOST_REACH);
        let east = border(rect.column + rect.columns + MOST_REACH == padded_grid.0);
        let south = border(rect.row + rect.rows + MOST_REACH == padded_grid.1);
        Rect {
            column: rect.column - west,
            row: rect.row - north,
            columns: rect.columns + west + east,
            rows: rect.rows + north + south,
        }
    }

    #[test]
    fn strips_own_every_row_once_and_know_their_neighbours_to_their_reach() {
        for (rows, firsts, steps) in [(9, vec![0, 4, 5], 2), (40, vec![0, 13], 16), (5, vec![0], 1)]
        {
            let plan = SubdomainPlan::spread(7, rows, &firsts, steps, 3);
            assert!(plan.spread && plan.stays() && plan.subdomains.len() == firsts.len());
            let mut next = MARGIN - 1;
            for subdomain in &plan.subdomains {
                assert_eq!((subdomain.own.row, subdomain.own.columns), (next, 9));
                next += subdomain.own.rows;
                let wide = Rect {
                    column: 0,
                    row: 0,
                    columns: plan.padded_grid.0,
                    rows: plan.padded_grid.1,
                };
                assert_eq!(subdomain.extent, subdomain.own.grown(3 * steps).within(wide));
            }
            assert_eq!(next, MARGIN + rows + 1);
        }
    }

    #[test]
    fn plans_stay_within_their_cells() {
        for (columns, rows) in [(65, 33), (1000, 777), (10_000, 3), (1, 5000), (2, 2), (1, 1)] {
            for cells in (0..300).chain([400, 2500, 4225, 16_500, 40_000, 1 << 30]) {
                let Some(plan) = SubdomainPlan::within(columns, rows, cells, |fits| fits, 3) else {
                    assert!(cells < 121, "{columns} x {rows} in {cells}");
                    continue;
                };
                let (across, down) = plan.largest_frame();
                assert!(across * down <= cells, "{columns} x {rows}: {across} x {down} in {cells}");
            }
        }
    }
}
