//! The arrays of a frame, lent to a stage of a step by their fields: it names those that it reads and those that it writes.

use super::frame::Plane;
use super::shared::Shared;
use crate::field::{Field, Word, words, words_mut};
use crate::subgrid::layout;
use crate::subgrid::lookup::{CellTables, EdgeTables};

/// A field that is lent.
enum Loan<'a> {
    /// No one has it yet.
    Free(&'a mut [u32]),
    /// It is read.
    Read(&'a [u32]),
    /// It is written.
    Gone,
}

/// The fields of a frame, each with what it is now and, where a step works it out from that, what it is next.
pub struct Lent<'a>(Vec<(Field, Loan<'a>, &'a mut [u32])>);

impl<'a> Lent<'a> {
    /// Those of a frame.
    pub fn of(planes: &'a mut [Plane]) -> Lent<'a> {
        let lend =
            |plane: &'a mut Plane| (plane.field, Loan::Free(&mut plane.now), &mut plane.next[..]);
        Lent(planes.iter_mut().map(lend).collect())
    }

    /// What a field is now, to be written where it is.
    pub fn write_now<T: Word>(&mut self, field: Field) -> Option<Shared<'a, T>> {
        let (_, now, _) = self.0.iter_mut().find(|lent| lent.0 == field)?;
        match std::mem::replace(now, Loan::Gone) {
            Loan::Free(cells) => Some(Shared::new(words_mut(cells))),
            _ => None,
        }
    }

    /// A field to be written: what it is next, or, where there is but one array, what it is now. None if the frame does not have it, or
    /// someone has it already.
    pub fn write<T: Word>(&mut self, field: Field) -> Option<Shared<'a, T>> {
        let (_, _, next) = self.0.iter_mut().find(|lent| lent.0 == field)?;
        match std::mem::take(next) {
            [] => self.write_now(field),
            cells => Some(Shared::new(words_mut(cells))),
        }
    }

    /// What a field is now. Nothing if the frame does not have it, or if that is written.
    pub fn read<T: Word>(&mut self, field: Field) -> &'a [T] {
        let Some((_, now, _)) = self.0.iter_mut().find(|lent| lent.0 == field) else { return &[] };
        *now = match std::mem::replace(now, Loan::Gone) {
            Loan::Free(cells) => Loan::Read(cells),
            loan => loan,
        };
        match now {
            Loan::Read(cells) => words(cells),
            _ => &[],
        }
    }

    /// The same of both axes, by the field of each.
    pub fn read_both<T: Word>(&mut self, of: impl Fn(usize) -> Field) -> [&'a [T]; 2] {
        [0, 1].map(|axis| self.read(of(axis)))
    }

    /// The tables of the cells, if they have them.
    pub fn cell_tables(&mut self) -> Option<CellTables<'a>> {
        let first: &[u32] = self.read(Field::Table(0));
        let tables = || CellTables(std::array::from_fn(|word| self.read(Field::Table(word))));
        (!first.is_empty()).then(tables)
    }

    /// The tables of the edges of an axis, if cells have them.
    pub fn edge_tables(&mut self, axis: usize) -> EdgeTables<'a> {
        let first = layout::first_of(axis);
        EdgeTables(std::array::from_fn(|word| self.read(Field::Table(first + word))))
    }

    /// Both axes to be written, if the frame has them.
    pub fn write_both<T: Word>(
        &mut self,
        of: impl Fn(usize) -> Field,
    ) -> Option<[Shared<'a, T>; 2]> {
        let [east, south] = [0, 1].map(|axis| self.write(of(axis)));
        Some([east?, south?])
    }
}
