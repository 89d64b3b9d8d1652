//! Reads a field of the state in bands of rows.

use crate::engine::backend::Backend;
use crate::engine::field::Field;
use crate::engine::grid::Grid;
use crate::error::Result;

/// Reads a field of all cells: calls `each` with the first cell of a band and the bits of its
/// cells.
///
/// # Errors
/// Backend errors while reading.
pub fn in_bands(
    backend: &dyn Backend,
    grid: &Grid,
    field: Field,
    mut each: impl FnMut(usize, &[u32]),
) -> Result<()> {
    let step = grid.rows_together();
    let mut bits = vec![0; step * grid.columns];
    for first in (0..grid.rows).step_by(step) {
        let bits = &mut bits[..step.min(grid.rows - first) * grid.columns];
        backend.read_lines(field, first, bits)?;
        each(first * grid.columns, bits);
    }
    Ok(())
}
