//! Arrays that several threads write to at a time, each in cells of its own.

use std::marker::PhantomData;
use std::ops::Range;

/// An array lent to threads that write to different parts of it.
#[derive(Clone, Copy)]
pub struct Shared<'a, T> {
    start: *mut T,
    length: usize,
    of: PhantomData<&'a mut [T]>,
}

// SAFETY: it stands for a `&mut [T]`, whose parts may go to other threads; that they do not overlap is what callers of its
// unsafe methods promise.
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Lends an array.
    pub fn new(array: &'a mut [T]) -> Shared<'a, T> {
        Shared { start: array.as_mut_ptr(), length: array.len(), of: PhantomData }
    }

    /// Some of its cells.
    ///
    /// # Safety
    /// No one else may have any of them.
    ///
    /// # Panics
    /// If it does not have them.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn cells(&self, cells: Range<usize>) -> &'a mut [T] {
        assert!(cells.start <= cells.end && cells.end <= self.length);
        // SAFETY: they lie in the array, and the caller has them alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(cells.start), cells.len()) }
    }

    /// One of its cells.
    ///
    /// # Safety
    /// No one else may have it.
    ///
    /// # Panics
    /// If it does not have it.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn cell(&self, cell: usize) -> &'a mut T {
        // SAFETY: the caller's.
        unsafe { &mut self.cells(cell..cell + 1)[0] }
    }

    /// A rectangle of its cells: `columns` from `first` on in each of `rows` rows that are `stride` cells apart.
    ///
    /// # Safety
    /// No one else may have any of them.
    ///
    /// # Panics
    /// If it does not have them.
    pub unsafe fn target(
        self,
        first: usize,
        columns: usize,
        rows: usize,
        stride: usize,
    ) -> Target<'a, T> {
        assert!(rows == 0 || first + (rows - 1) * stride + columns <= self.length);
        assert!(columns <= stride);
        Target { array: self, first, columns, rows, stride }
    }
}

/// A rectangle of an array, written by one alone.
pub struct Target<'a, T> {
    array: Shared<'a, T>,
    first: usize,
    columns: usize,
    rows: usize,
    stride: usize,
}

impl<T> Target<'_, T> {
    /// A row of it.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows);
        let start = self.first + row * self.stride;
        // SAFETY: it lies in the array and is this target's alone (see `Shared::target`); it is lent on for as long as the
        // target is.
        unsafe { std::slice::from_raw_parts_mut(self.array.start.add(start), self.columns) }
    }
}
