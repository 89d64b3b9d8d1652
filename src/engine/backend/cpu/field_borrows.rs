//! Borrowing of a frame's arrays by field, for a stage of a step that reads some and writes others.

use super::frame::Plane;
use super::shared::Shared;
use crate::field::{Field, Word, words, words_mut};
use crate::subgrid::layout::{self, cell};
use crate::subgrid::lookup::{CellTables, EdgeTables};

/// Borrow state of a field.
enum BorrowState<'a> {
    /// The field is not borrowed yet.
    Free(&'a mut [u32]),
    /// The field is borrowed for reading.
    Read(&'a [u32]),
    /// The field is borrowed for writing.
    Gone,
}

/// Fields of a frame, each with its current values and, if it has two buffers, those after the
/// step.
pub struct FieldBorrows<'a>(Vec<(Field, BorrowState<'a>, &'a mut [u32])>);

impl<'a> FieldBorrows<'a> {
    /// Borrows the fields of a frame.
    pub fn of(planes: &'a mut [Plane]) -> FieldBorrows<'a> {
        let lend = |plane: &'a mut Plane| {
            (plane.field, BorrowState::Free(&mut plane.now), &mut plane.next[..])
        };
        FieldBorrows(planes.iter_mut().map(lend).collect())
    }

    /// Borrows the current values of a field for writing in place.
    pub fn write_now<T: Word>(&mut self, field: Field) -> Option<Shared<'a, T>> {
        let (_, now, _) = self.0.iter_mut().find(|borrowed| borrowed.0 == field)?;
        match std::mem::replace(now, BorrowState::Gone) {
            BorrowState::Free(cells) => Some(Shared::new(words_mut(cells))),
            _ => None,
        }
    }

    /// Borrows a field for writing: the values after the step, or the current values if there is
    /// only one buffer. `None` if the frame does not have it, or if it is borrowed already.
    pub fn write<T: Word>(&mut self, field: Field) -> Option<Shared<'a, T>> {
        let (_, _, next) = self.0.iter_mut().find(|borrowed| borrowed.0 == field)?;
        match std::mem::take(next) {
            [] => self.write_now(field),
            cells => Some(Shared::new(words_mut(cells))),
        }
    }

    /// Borrows the current values of a field for reading. Empty if the frame does not have it, or
    /// if it is borrowed for writing.
    pub fn read<T: Word>(&mut self, field: Field) -> &'a [T] {
        let Some((_, now, _)) = self.0.iter_mut().find(|borrowed| borrowed.0 == field) else {
            return &[];
        };
        *now = match std::mem::replace(now, BorrowState::Gone) {
            BorrowState::Free(cells) => BorrowState::Read(cells),
            loan => loan,
        };
        match now {
            BorrowState::Read(cells) => words(cells),
            _ => &[],
        }
    }

    /// Borrows the fields of both axes for reading.
    pub fn read_both<T: Word>(&mut self, of: impl Fn(usize) -> Field) -> [&'a [T]; 2] {
        [0, 1].map(|axis| self.read(of(axis)))
    }

    /// Borrows the tables of the cells, if any.
    pub fn cell_tables(&mut self) -> Option<CellTables<'a>> {
        let first: &[u32] = self.read(Field::Table(0));
        let tables = || CellTables(std::array::from_fn(|word| self.read(Field::Table(word))));
        (!first.is_empty()).then(tables)
    }

    /// Borrows the tables of the edges of an axis, if any; `fall` as in [`EdgeTables`].
    pub fn edge_tables(&mut self, axis: usize, fall: f32) -> EdgeTables<'a> {
        let first = layout::first_of(axis);
        let planes = std::array::from_fn(|word| self.read(Field::Table(first + word)));
        EdgeTables { planes, cells: self.read(Field::Table(cell::FULL)), fall }
    }

    /// Borrows the fields of both axes for writing, if the frame has them.
    pub fn write_both<T: Word>(
        &mut self,
        of: impl Fn(usize) -> Field,
    ) -> Option<[Shared<'a, T>; 2]> {
        let [east, south] = [0, 1].map(|axis| self.write(of(axis)));
        Some([east?, south?])
    }
}
