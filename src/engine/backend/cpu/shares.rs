//! Work sharing: divides the cells of a step among threads, into bands of rows of one tile or of
//! several adjacent tiles.

use super::tiles::Tile;
use crate::tiling::rect::Rect;
use rayon::prelude::*;
use std::ops::Range;

/// Number of jobs per thread that suffices for all to end at about the same time.
const JOBS: usize = 4;

/// Number of columns beyond which longer rows are not faster.
const LONG: usize = 2048;

/// Preferred minimum number of rows per job; a job computes three additional rows of edges.
const HIGH: usize = if TESTED { 4 } else { 64 };

/// Minimum number of rows per job.
const LOW: usize = if TESTED { 2 } else { 8 };

/// Number of wet cells that are stepped sooner than other threads wake up.
const FEW: usize = if TESTED { 64 } else { 4096 };

/// Tests step small grids, which should be divided all the same.
const TESTED: bool = cfg!(debug_assertions);

/// Division of a step's cells into jobs.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// Number of columns up to which adjacent tiles form one job.
    columns: usize,
    /// Number of wet cells per job.
    cells: usize,
    /// Set if other threads help.
    pub together: bool,
}

impl Shares {
    /// Chooses the division for rows with `wet` cells in total and a number of threads.
    pub fn new(wet: usize, threads: usize) -> Shares {
        if threads == 1 || wet <= FEW {
            return Shares { columns: LONG, cells: usize::MAX, together: false };
        }
        let cells = wet / (JOBS * threads);
        Shares { columns: LONG.min(cells / HIGH), cells, together: true }
    }
}

/// A part of a row of tiles to be stepped.
#[derive(Clone, Debug)]
pub struct Job {
    /// The tiles, side by side.
    pub tiles: Range<usize>,
    /// Cells of the job (columns and rows of the frame).
    pub area: Rect,
}

impl Job {
    /// Divides the part of some tiles within `computed` into jobs. Adjacent wet tiles may be
    /// merged, since long rows are faster.
    pub fn all(tiles: &[Tile], active: &[usize], computed: Rect, shares: Shares) -> Vec<Job> {
        let mut whole: Vec<Job> = Vec::with_capacity(active.len());
        for &number in active {
            let tile = &tiles[number];
            let area = tile.area.within(computed);
            if area.columns == 0 || area.rows == 0 {
                continue;
            }
            let goes_on = |last: &&mut Job| {
                let before = &tiles[last.tiles.start];
                let beside = last.tiles.end == number && before.across < tile.across;
                let wet = tiles[last.tiles.end - 1].is_wet() && tile.is_wet();
                let fits = last.area.columns + area.columns <= shares.columns;
                beside && wet && before.own == tile.own && fits
            };
            match whole.last_mut().filter(goes_on) {
                Some(last) => {
                    last.tiles.end = number + 1;
                    last.area.columns += area.columns;
                }
                None => whole.push(Job { tiles: number..number + 1, area }),
            }
        }
        let mut jobs = Vec::with_capacity(whole.len());
        for Job { tiles, area } in whole {
            let size = (shares.cells / area.columns).max(LOW);
            // Bands of about equal height.
            let size = area.rows.div_ceil(area.rows.div_ceil(size));
            for row in (area.row..area.row + area.rows).step_by(size) {
                let rows = size.min(area.row + area.rows - row);
                jobs.push(Job { tiles: tiles.clone(), area: Rect { row, rows, ..area } });
            }
        }
        jobs
    }

    /// Runs a closure for each job, on all threads or on this one.
    pub fn each<T: Send>(
        jobs: &[Job],
        shares: Shares,
        what: impl Fn(&Job) -> T + Sync + Send,
    ) -> Vec<T> {
        match shares.together {
            true => jobs.par_iter().map(what).collect(),
            false => jobs.iter().map(what).collect(),
        }
    }

    /// Iterates over its tiles, each with its columns of the job.
    pub fn parts<'t>(&self, tiles: &'t [Tile]) -> impl Iterator<Item = (&'t Tile, Range<usize>)> {
        let (first, end) = (self.area.column, self.area.column + self.area.columns);
        tiles[self.tiles.clone()].iter().map(move |tile| {
            let Rect { column, columns, .. } = tile.area;
            (tile, column.max(first) - first..(column + columns).min(end) - first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tiles::Tiles;
    use super::*;

    #[test]
    fn jobs_have_each_cell_once_whoever_shares_them() {
        let grid = Rect { column: 5, row: 5, columns: 150, rows: 90 };
        let own = Rect { column: 4, row: 4, columns: 152, rows: 92 };
        let mut tiles = Tiles::new(160, 100, own, grid, (32, 40)).each;
        for (number, tile) in tiles.iter_mut().enumerate() {
            tile.deepest = i32::from(number % 7 > 1);
        }
        let active: Vec<usize> = (0..tiles.len()).filter(|number| number % 11 > 0).collect();
        for (wet, threads) in [(15_000, 1), (15_000, 2), (15_000, 16), (50, 16), (4_000_000, 16)] {
            let mut times = vec![0; 160 * 100];
            for job in Job::all(&tiles, &active, own, Shares::new(wet, threads)) {
                let Rect { column, row, columns, rows } = job.area;
                let parts: Vec<_> = job.parts(&tiles).collect();
                assert_eq!(parts.iter().map(|part| part.1.len()).sum::<usize>(), columns);
                assert!(parts.iter().all(|part| part.0.own == parts[0].0.own));
                for (row, tile, part) in (row..row + rows)
                    .flat_map(|row| parts.iter().map(move |(tile, part)| (row, tile, part.clone())))
                {
                    for column in part.map(|at| column + at) {
                        assert!(tile.area.holds(column, row));
                        times[row * 160 + column] += 1;
                    }
                }
            }
            for (number, tile) in tiles.iter().enumerate() {
                let Rect { column, row, columns, rows } = tile.area.within(own);
                let expected = i32::from(active.contains(&number));
                for row in row..row + rows {
                    let cells = &times[row * 160 + column..][..columns];
                    assert!(cells.iter().all(|times| *times == expected), "{wet}, {threads}");
                }
            }
        }
    }
}
