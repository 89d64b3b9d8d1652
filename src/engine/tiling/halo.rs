//! Halo exchange: one pair of calls for any number of tiles, wherever they are held.

use super::plan::Tile;

/// An array of a tile with its halo, row-major, as its neighbours see it.
#[derive(Clone, Copy)]
pub struct Shown<'a, X> {
    /// The cells.
    pub cells: &'a [X],
    /// Cells from one row to the next.
    pub stride: usize,
}

/// Collects what a tile's halo needs of a layer that the tiles show into `inbox`, link by link.
pub fn collect<'a, T: 'a, X: Copy + 'a>(
    tile: &Tile,
    tiles: &'a [T],
    layer: impl Fn(&'a T) -> Shown<'a, X>,
    inbox: &mut Vec<X>,
) {
    inbox.clear();
    for link in &tile.links {
        let Shown { cells, stride } = layer(&tiles[link.from]);
        for row in 0..link.source.rows {
            let start = (link.source.row + row) * stride + link.source.column;
            inbox.extend_from_slice(&cells[start..start + link.source.columns]);
        }
    }
}

/// Puts what [`collect`] gathered into the halo of the tile's own array, and shows each piece of a row to
/// `each_row` with the number of the row in the frame.
pub fn deliver<X: Copy>(
    tile: &Tile,
    inbox: &[X],
    stride: usize,
    to: &mut [X],
    mut each_row: impl FnMut(usize, &[X]),
) {
    let mut rest = inbox;
    for link in &tile.links {
        for row in 0..link.source.rows {
            let (cells, after) = rest.split_at(link.source.columns);
            rest = after;
            let row = link.to_row + row;
            let start = row * stride + link.to_column;
            to[start..start + cells.len()].copy_from_slice(cells);
            each_row(row, cells);
        }
    }
}
