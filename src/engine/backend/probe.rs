//! Single cells and edges of a state, by way of whole rows, for backends that have no shorter way.

use super::{Backend, StateLayer};
use crate::error::Result;
use crate::rule::edge::EdgeField;

/// An edge of a cell of the grid. Along axis 0 it is crossed eastward: it lies west of column `place`
/// (0 to columns) of row `line`. Along axis 1 it is crossed southward: it lies north of row `line` (0 to
/// rows) of column `place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeAt {
    /// 0 for eastward, 1 for southward.
    pub axis: usize,
    /// The line of the grid that it is part of.
    pub line: usize,
    /// Its place in the line.
    pub place: usize,
}

impl EdgeAt {
    /// The edges west, east, north and south of a cell (column, row).
    pub fn around((column, row): (usize, usize)) -> [EdgeAt; 4] {
        [(0, row, column), (0, row, column + 1), (1, row, column), (1, row + 1, column)]
            .map(|(axis, line, place)| EdgeAt { axis, line, place })
    }
}

/// Reads cells of a layer (grains), every row once as long as the cells of a row follow each other.
pub fn cells_by_rows(
    backend: &(impl Backend + ?Sized),
    layer: StateLayer,
    cells: &[usize],
    to: &mut [i32],
) -> Result<()> {
    let (columns, _) = backend.shape();
    let (mut held, mut grains) = (None, vec![0; columns]);
    for (&cell, to) in cells.iter().zip(to) {
        let row = cell / columns;
        if held != Some(row) {
            backend.read_grains(layer, row, &mut grains)?;
            held = Some(row);
        }
        *to = grains[cell % columns];
    }
    Ok(())
}

/// Reads discharges (m²/s) or velocities (m/s) over edges, every line once as long as the edges of a line follow each other.
pub fn edges_by_lines(
    backend: &(impl Backend + ?Sized),
    field: EdgeField,
    edges: &[EdgeAt],
    to: &mut [f32],
) -> Result<()> {
    let (columns, _) = backend.shape();
    let mut held = [None, None];
    let mut lines = [vec![0.0; columns + 1], vec![0.0; columns]];
    for (edge, to) in edges.iter().zip(to) {
        if held[edge.axis] != Some(edge.line) {
            backend.read_flow(field, edge.axis, edge.line, &mut lines[edge.axis])?;
            held[edge.axis] = Some(edge.line);
        }
        *to = lines[edge.axis][edge.place];
    }
    Ok(())
}
