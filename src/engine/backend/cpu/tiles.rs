//! Division of a frame into tiles, with their activity and their wet rows.

use super::window::REACH;
use crate::backend::sites::SiteAt;
use crate::crossed_sides::CrossedSides;
use crate::tiling::rect::Rect;
use std::ops::Range;

/// Sites of a tile, in the order in which they act.
#[derive(Clone, Debug, Default)]
pub struct TileSites {
    /// Sites that act before the flow.
    pub before_flow: Vec<SiteAt>,
    /// Sites that act on finished rows, row by row.
    pub flowing: Vec<SiteAt>,
    /// Sites that act after the flow.
    pub after_flow: Vec<SiteAt>,
    /// Cells with crossed sides (column and row of the frame).
    pub crossed: Vec<((usize, usize), CrossedSides)>,
}

/// A rectangle of a frame that is stepped or skipped as a whole.
pub struct Tile {
    /// Cells of the tile (columns and rows of the frame).
    pub area: Rect,
    /// Cells of the tile on the grid.
    pub ground: Rect,
    /// Set if they are the subdomain's own cells, which count.
    pub own: bool,
    /// Index of its column of tiles.
    pub across: usize,
    /// Tiles with cells within [`REACH`] of its own, including itself.
    pub near: Vec<usize>,
    /// Upper bound on the water of its cells (grains).
    pub deepest: i32,
    /// Set if its levels are looked up and equal the dry ground: no water has arrived since.
    pub levels_of_bed: bool,
    /// Set if any of its kept discharges or velocities is nonzero.
    pub moving: bool,
    /// Set if all its flow fields are known to be 0, in the current buffers and in those after the
    /// step.
    pub still: [bool; 2],
    /// Sites in its cells.
    pub sites: TileSites,
}

impl Tile {
    /// Returns `true` if any of its cells holds water.
    pub fn is_wet(&self) -> bool {
        self.deepest > 0
    }
}

/// The tiles of a frame.
#[derive(Default)]
pub struct Tiles {
    /// The tiles, row by row from the north-west.
    pub each: Vec<Tile>,
    /// First columns of the columns of tiles, and the end of the last.
    columns: Vec<usize>,
    /// First rows of the rows of tiles, and the end of the last.
    rows: Vec<usize>,
    /// Per column of tiles and row of the frame: set if it holds water, now and after the step.
    wet: [Vec<bool>; 2],
    /// Per column of tiles and row of the frame: number of consecutive steps for which it and the
    /// adjacent rows were dry during the flow, up to a small maximum.
    quiet: Vec<u8>,
}

/// Tiles within a step.
pub(crate) struct TilesInStep<'a> {
    /// Returns the tiles, mutably.
    pub each: &'a mut [Tile],
    /// Flags of wet rows, in the order of [`Tiles::wet_rows`], now and after the step.
    pub wet: &'a [bool],
    pub next_wet: &'a mut [bool],
    /// Number of steps for which rows were quiet.
    pub quiet: &'a mut [u8],
    /// First columns of the columns of tiles, and the end of the last.
    pub columns: &'a [usize],
}

impl Tiles {
    /// Divides a frame of `columns` and `rows` into tiles of at most `size` = (columns, rows):
    /// `own` are the cells that count, `grid` those on the grid (columns and rows of the frame). No
    /// tile contains both cells that count and others.
    pub fn new(columns: usize, rows: usize, own: Rect, grid: Rect, size: (usize, usize)) -> Tiles {
        let x = breaks(columns, [own.column, own.columns], [grid.column, grid.columns], size.0);
        let y = breaks(rows, [own.row, own.rows], [grid.row, grid.rows], size.1);
        let areas: Vec<Rect> = y
            .windows(2)
            .flat_map(|y| x.windows(2).map(move |x| (x, y)))
            .map(|(x, y)| Rect { column: x[0], row: y[0], columns: x[1] - x[0], rows: y[1] - y[0] })
            .collect();
        let across = x.len() - 1;
        let tile = |(number, &area): (usize, &Rect)| Tile {
            area,
            ground: area.within(grid),
            own: own.holds(area.column, area.row),
            across: number % across,
            near: near(&areas, number, across),
            deepest: 0,
            levels_of_bed: false,
            moving: false,
            still: [true; 2],
            sites: TileSites::default(),
        };
        let each = areas.iter().enumerate().map(tile).collect();
        let wet = || vec![false; across * rows];
        let quiet = vec![0; across * rows];
        Tiles { each, columns: x, rows: y, wet: [wet(), wet()], quiet }
    }

    /// Returns the index of the tile that contains a cell of the frame.
    pub fn at(&self, column: usize, row: usize) -> usize {
        let find = |breaks: &[usize], at: usize| breaks.partition_point(|&first| first <= at) - 1;
        find(&self.rows, row) * (self.columns.len() - 1) + find(&self.columns, column)
    }

    /// Returns the number of rows of the frame.
    pub(crate) fn frame_rows(&self) -> usize {
        self.rows[self.rows.len() - 1]
    }

    /// Returns the tiles, and the flags of wet rows: one for each row of the frame in each column
    /// of tiles.
    pub(crate) fn wet_rows(&mut self) -> (&mut [Tile], &mut [bool]) {
        (&mut self.each, &mut self.wet[0])
    }

    /// Counts the cells in those rows of a tile that hold water.
    pub(crate) fn wet_cells(&self, tile: usize) -> usize {
        let Tile { area, across, .. } = self.each[tile];
        let rows = Tiles::rows_of(across, self.frame_rows(), area.row..area.row + area.rows);
        self.wet[0][rows].iter().map(|&wet| usize::from(wet)).sum::<usize>() * area.columns
    }

    /// Returns the tiles, flags and counters that a step reads and changes.
    pub(crate) fn in_step(&mut self) -> TilesInStep<'_> {
        let [wet, next_wet] = &mut self.wet;
        let Tiles { each, quiet, columns, .. } = self;
        TilesInStep { each, wet, next_wet, quiet, columns }
    }

    /// Resets the quiet counters, because rows may have changed.
    pub(crate) fn stir(&mut self) {
        self.quiet.fill(0);
    }

    /// Makes the flags after the step the current ones.
    pub fn swap(&mut self) {
        self.wet.swap(0, 1);
        self.each.iter_mut().for_each(|tile| tile.still.swap(0, 1));
    }

    /// Returns the range of a tile's rows in the order of [`Tiles::wet_rows`].
    pub(crate) fn rows_of(across: usize, frame_rows: usize, rows: Range<usize>) -> Range<usize> {
        across * frame_rows + rows.start..across * frame_rows + rows.end
    }

    /// Returns `true` if any cell in a row of a window holds water. The window starts at a column
    /// of the frame, possibly before the first, and ends before `end`. `is_wet` checks some columns
    /// of the row.
    pub(crate) fn row_is_wet(
        columns: &[usize],
        wet: &[bool],
        frame_rows: usize,
        row: usize,
        window: [usize; 2],
        is_wet: impl Fn(Range<usize>) -> bool,
    ) -> bool {
        let first = columns.partition_point(|&first| first <= window[0]) - 1;
        for (across, tile) in columns.windows(2).enumerate().skip(first) {
            if tile[0] >= window[1] {
                break;
            }
            let seen = tile[0].max(window[0])..tile[1].min(window[1]);
            let all = seen.len() == tile[1] - tile[0];
            if wet[across * frame_rows + row] && (all || is_wet(seen)) {
                return true;
            }
        }
        false
    }
}

/// Returns the positions where tiles begin along an axis of a frame of `count` cells, and where the
/// last one ends.
fn breaks(count: usize, own: [usize; 2], grid: [usize; 2], size: usize) -> Vec<usize> {
    assert!(size > 0, "tiles have at least one cell");
    let [first, end] = [own[0], own[0] + own[1]];
    let mut breaks = vec![0, first, end, count];
    // Divide the own cells on the grid; ghosts are added to the adjacent tiles.
    let from = first.max(grid[0]);
    let to = end.min(grid[0] + grid[1]);
    breaks.extend((from..to).step_by(size).skip(1));
    // Also divide the halo around them.
    breaks.extend((end..count).step_by(size).skip(1));
    breaks.extend((1..).map(|piece| first.saturating_sub(piece * size)).take_while(|at| *at > 0));
    breaks.sort_unstable();
    breaks.dedup();
    breaks
}

/// Returns the tiles with cells within [`REACH`] of a tile's cells.
fn near(areas: &[Rect], me: usize, across: usize) -> Vec<usize> {
    let Rect { column, row, columns, rows } = areas[me];
    let (left, top) = (column.saturating_sub(REACH), row.saturating_sub(REACH));
    let wide = Rect {
        column: left,
        row: top,
        columns: column + columns + REACH - left,
        rows: row + rows + REACH - top,
    };
    let (i, j) = (me % across, me / across);
    // Every tile has at least one cell per axis.
    let lines = j.saturating_sub(REACH)..=(j + REACH).min(areas.len() / across - 1);
    let places = i.saturating_sub(REACH)..=(i + REACH).min(across - 1);
    let all = lines.flat_map(|j| places.clone().map(move |i| j * across + i));
    all.filter(|&other| areas[other].meets(wide)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_a_frame_once_and_part_what_counts_from_the_rest() {
        let grid = Rect { column: 5, row: 5, columns: 20, rows: 9 };
        for (own, size) in [
            (Rect { column: 4, row: 4, columns: 22, rows: 11 }, (512, 256)),
            (Rect { column: 4, row: 4, columns: 22, rows: 11 }, (7, 2)),
            (Rect { column: 9, row: 6, columns: 3, rows: 8 }, (1, 1)),
        ] {
            let tiles = Tiles::new(30, 19, own, grid, size);
            let mut owners = vec![usize::MAX; 30 * 19];
            for (number, tile) in tiles.each.iter().enumerate() {
                for row in tile.area.row..tile.area.row + tile.area.rows {
                    for column in tile.area.column..tile.area.column + tile.area.columns {
                        assert_eq!(owners[row * 30 + column], usize::MAX);
                        owners[row * 30 + column] = number;
                        assert_eq!(tile.own, own.holds(column, row));
                        assert_eq!(tile.ground.holds(column, row), grid.holds(column, row));
                        assert_eq!(tiles.at(column, row), number);
                    }
                }
                assert!(tile.near.contains(&number));
                for (other, tile) in tiles.each.iter().enumerate() {
                    let far = |a: usize, m: usize, b: usize, n: usize| {
                        a >= b + n + REACH || b >= a + m + REACH
                    };
                    let (a, b) = (tiles.each[number].area, tile.area);
                    let is_far = far(a.column, a.columns, b.column, b.columns)
                        || far(a.row, a.rows, b.row, b.rows);
                    assert_eq!(tiles.each[number].near.contains(&other), !is_far);
                }
            }
            assert!(owners.iter().all(|owner| *owner != usize::MAX));
        }
    }
}
