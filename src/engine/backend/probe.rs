//! Reading fields as what they are: grains, times, discharges.

use super::Backend;
use crate::error::Result;
use crate::field::{Field, bits_mut};

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

/// What backends are asked, in words of numbers.
pub trait Read {
    /// A row of water or its maximum (grains).
    fn read_grains(&self, field: Field, row: usize, to: &mut [i32]) -> Result<()>;

    /// A line of a field of floats.
    fn read_floats(&self, field: Field, line: usize, to: &mut [f32]) -> Result<()>;

    /// Some cells of water or its maximum (grains), by their numbers, row-major over the grid.
    fn read_cells(&self, field: Field, cells: &[usize], to: &mut [i32]) -> Result<()>;
}

impl<B: Backend + ?Sized> Read for B {
    fn read_grains(&self, field: Field, row: usize, to: &mut [i32]) -> Result<()> {
        self.read(field, row, bits_mut(to))
    }

    fn read_floats(&self, field: Field, line: usize, to: &mut [f32]) -> Result<()> {
        self.read(field, line, bits_mut(to))
    }

    fn read_cells(&self, field: Field, cells: &[usize], to: &mut [i32]) -> Result<()> {
        let (columns, _) = self.shape();
        let places: Vec<_> = cells.iter().map(|cell| (cell % columns, cell / columns)).collect();
        self.read_places(field, &places, bits_mut(to))
    }
}
