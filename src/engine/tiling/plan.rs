//! The tile plan: which tile holds which cells, and from where each gets its halo.

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub column: usize,
    /// First row.
    pub row: usize,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Rect {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Whether a cell lies in it.
    #[inline]
    pub fn holds(&self, column: usize, row: usize) -> bool {
        (self.column..self.column + self.columns).contains(&column)
            && (self.row..self.row + self.rows).contains(&row)
    }

    /// The part of it that lies within another.
    pub fn within(&self, other: Rect) -> Rect {
        let column = self.column.max(other.column);
        let row = self.row.max(other.row);
        let end_column = (self.column + self.columns).min(other.column + other.columns);
        let end_row = (self.row + self.rows).min(other.row + other.rows);
        Rect {
            column,
            row,
            columns: end_column.saturating_sub(column),
            rows: end_row.saturating_sub(row),
        }
    }

    /// The least rectangle with it and a cell (column, row).
    pub fn with(&self, (column, row): (usize, usize)) -> Rect {
        let (first_column, first_row) = (self.column.min(column), self.row.min(row));
        Rect {
            column: first_column,
            row: first_row,
            columns: (self.column + self.columns).max(column + 1) - first_column,
            rows: (self.row + self.rows).max(row + 1) - first_row,
        }
    }

    /// Whether it has a cell in common with another.
    pub fn meets(&self, other: Rect) -> bool {
        self.column < other.column + other.columns
            && other.column < self.column + self.columns
            && self.row < other.row + other.rows
            && other.row < self.row + self.rows
    }
}

/// A part of a tile's halo that another tile holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The tile that holds the cells.
    pub from: usize,
    /// Where they are there, in that tile's frame (its halo included).
    pub source: Rect,
    /// First column in this tile's frame.
    pub to_column: usize,
    /// First row in this tile's frame.
    pub to_row: usize,
}

/// A tile: a rectangle of the grid, and the links that fill its halo.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The cells it owns, in the grid.
    pub area: Rect,
    /// Where its halo comes from. Cells beyond the grid have no link, but for those right before its first
    /// column and row.
    pub links: Vec<Link>,
}

/// How a grid is cut into tiles.
#[derive(Clone, Debug)]
pub struct TilePlan {
    /// The tiles, row by row from the north-west.
    pub tiles: Vec<Tile>,
    /// Columns and rows of the grid.
    pub grid: (usize, usize),
}

impl TilePlan {
    /// Cuts a grid of `columns` × `rows` cells into tiles of at most `tile` = (columns, rows), each
    /// with a halo of `halo` cells.
    ///
    /// # Panics
    /// If a tile has no cells.
    pub fn new(columns: usize, rows: usize, tile: (usize, usize), halo: usize) -> TilePlan {
        assert!(tile.0 > 0 && tile.1 > 0, "tiles have at least one cell");
        let across = columns.div_ceil(tile.0);
        let down = rows.div_ceil(tile.1);
        let areas: Vec<Rect> = (0..down)
            .flat_map(|j| (0..across).map(move |i| (i, j)))
            .map(|(i, j)| {
                let (column, row) = (i * tile.0, j * tile.1);
                Rect {
                    column,
                    row,
                    columns: tile.0.min(columns - column),
                    rows: tile.1.min(rows - row),
                }
            })
            .collect();
        let tiles = (0..areas.len())
            .map(|me| {
                let area = areas[me];
                // The tiles that the frame touches.
                let west = area.column.saturating_sub(halo) / tile.0;
                let east = (area.column + area.columns + halo - 1).min(columns - 1) / tile.0;
                let north = area.row.saturating_sub(halo) / tile.1;
                let south = (area.row + area.rows + halo - 1).min(rows - 1) / tile.1;
                let links = (north..=south)
                    .flat_map(|j| (west..=east).map(move |i| j * across + i))
                    .filter(|&from| from != me)
                    .map(|from| link(area, from, areas[from], halo))
                    .collect();
                Tile { area, links }
            })
            .collect();
        TilePlan { tiles, grid: (columns, rows) }
    }

    /// The tile that owns a cell of the grid.
    pub fn owner(&self, column: usize, row: usize) -> usize {
        let first = self.tiles[0].area;
        let across = self.grid.0.div_ceil(first.columns);
        (row / first.rows) * across + column / first.columns
    }
}

/// The part of `area`'s frame that `other` holds.
fn link(area: Rect, from: usize, other: Rect, halo: usize) -> Link {
    let (column, columns, to_column) =
        shared([area.column, area.columns], [other.column, other.columns], halo);
    let (row, rows, to_row) = shared([area.row, area.rows], [other.row, other.rows], halo);
    Link { from, source: Rect { column, row, columns, rows }, to_column, to_row }
}

/// Along one axis, which part of the frame around some cells (first and number) lies in others: where it
/// starts in the others' frame, its length, and where it starts in the own frame.
fn shared(own: [usize; 2], other: [usize; 2], halo: usize) -> (usize, usize, usize) {
    let [start, count, other_start, other_count] =
        [own[0], own[1], other[0], other[1]].map(|number| number as isize);
    let halo = halo as isize;
    // The tile with the grid's first cells also has what lies before them: the edge from a ghost there to
    // such a cell belongs to the ghost, and may be remembered.
    let first = if other_start == 0 { -1 } else { other_start };
    let from = first.max(start - halo);
    let end = (other_start + other_count).min(start + count + halo);
    ((from - other_start + halo) as usize, (end - from) as usize, (from + halo - start) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every frame cell that lies on the grid, or right before its first column or row, and is not the
    /// tile's own to keep comes from exactly one link, and from the right place.
    #[test]
    fn links_fill_every_halo_cell_exactly_once() {
        for (columns, rows, tile) in
            [(7, 5, (3, 2)), (7, 5, (1, 4)), (9, 1, (2, 1)), (5, 6, (8, 8)), (6, 6, (1, 1))]
        {
            for halo in [2, 4] {
                let plan = TilePlan::new(columns, rows, tile, halo);
                for tile in &plan.tiles {
                    let (w, h) = (tile.area.columns + 2 * halo, tile.area.rows + 2 * halo);
                    let mut filled = vec![None; w * h];
                    for link in &tile.links {
                        let other = plan.tiles[link.from].area;
                        for j in 0..link.source.rows {
                            for i in 0..link.source.columns {
                                let global = (
                                    (other.column + link.source.column + i) as isize
                                        - halo as isize,
                                    (other.row + link.source.row + j) as isize - halo as isize,
                                );
                                let near = |at: isize| at.max(0) as usize;
                                assert_eq!(plan.owner(near(global.0), near(global.1)), link.from);
                                let at = (link.to_row + j) * w + link.to_column + i;
                                assert_eq!(filled[at].replace(global), None);
                            }
                        }
                    }
                    for (at, filled) in filled.iter().enumerate() {
                        let column = (tile.area.column + at % w) as isize - halo as isize;
                        let row = (tile.area.row + at / w) as isize - halo as isize;
                        let near = |at: isize| at.max(0) as usize;
                        let is_there = (-1..columns as isize).contains(&column)
                            && (-1..rows as isize).contains(&row);
                        let own = is_there && tile.area.holds(near(column), near(row));
                        let expected = (is_there && !own).then_some((column, row));
                        assert_eq!(*filled, expected);
                    }
                }
            }
        }
    }
}
