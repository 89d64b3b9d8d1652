//! Halo exchange: one pair of calls for any number of tiles, wherever they are held.

use super::plan::Tile;

/// What a tile shows of itself to its neighbours.
pub trait Exchange {
    /// Its water with halo (grains), row-major.
    fn water(&self) -> &[i32];
    /// Cells from one row of it to the next.
    fn stride(&self) -> usize;
}

/// Collects what a tile's halo needs from the tiles that hold it into `inbox`, link by link.
pub fn collect<T: Exchange>(tile: &Tile, tiles: &[T], inbox: &mut Vec<i32>) {
    inbox.clear();
    for link in &tile.links {
        let from = &tiles[link.from];
        for row in 0..link.source.rows {
            let start = (link.source.row + row) * from.stride() + link.source.column;
            inbox.extend_from_slice(&from.water()[start..start + link.source.columns]);
        }
    }
}

/// Puts what [`collect`] gathered into the halo of the tile's water, and marks in `row_wet` which
/// frame rows got water.
pub fn deliver(tile: &Tile, inbox: &[i32], stride: usize, water: &mut [i32], row_wet: &mut [bool]) {
    let mut rest = inbox;
    for link in &tile.links {
        for row in 0..link.source.rows {
            let (cells, after) = rest.split_at(link.source.columns);
            rest = after;
            let row = link.to_row + row;
            let start = row * stride + link.to_column;
            water[start..start + cells.len()].copy_from_slice(cells);
            row_wet[row] |= cells.iter().any(|&water| water != 0);
        }
    }
}
