//! Locations of edges whose values are read.

/// An edge of a cell of the grid. Along axis 0 it is crossed eastward, and is west of column
/// `place` (0 to columns) of row `line`. Along axis 1 it is crossed southward, and is north of row
/// `line` (0 to rows) in column `place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeAt {
    /// Axis: 0 for eastward, 1 for southward.
    pub axis: usize,
    /// Line of the edge field that contains it.
    pub line: usize,
    /// Index within the line.
    pub place: usize,
}

impl EdgeAt {
    /// Returns the edges west, east, north and south of a cell (column, row).
    pub fn around((column, row): (usize, usize)) -> [EdgeAt; 4] {
        [(0, row, column), (0, row, column + 1), (1, row, column), (1, row + 1, column)]
            .map(|(axis, line, place)| EdgeAt { axis, line, place })
    }
}
