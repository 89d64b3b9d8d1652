//! Reads patterns: RLE, and MCell's format.

pub mod mcl;
pub mod rle;

use crate::grid::Grid;

/// Places a pattern in the middle of a larger grid; `None` if it does not fit.
pub fn centred(pattern: &Grid, columns: usize, rows: usize) -> Option<Grid> {
    let (x, y) = (columns.checked_sub(pattern.columns)? / 2, rows.checked_sub(pattern.rows)? / 2);
    // Reject sizes that do not fit into memory.
    columns.checked_mul(rows).filter(|cells| *cells <= 1 << 34)?;
    let mut grid = Grid::new(columns, rows, 1);
    for (line, states) in pattern.states.chunks(pattern.columns.max(1)).enumerate() {
        let start = grid.place(x, y + line, 0);
        grid.states[start..start + states.len()].copy_from_slice(states);
    }
    Some(grid)
}
