//! Where a value on an edge is read.

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
