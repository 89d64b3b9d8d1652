//! Arrays that several threads write concurrently, each in its own cells.

use std::marker::PhantomData;
use std::ops::Range;

/// An array shared by threads that write to disjoint parts of it.
#[derive(Clone, Copy)]
pub struct Shared<'a, T> {
    start: *mut T,
    length: usize,
    of: PhantomData<&'a mut [T]>,
}

// SAFETY: `Shared` represents a `&mut [T]`, whose parts may be sent to other threads. Callers of
// the unsafe methods guarantee that the parts do not overlap.
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: a shared `Shared` only gives access through unsafe methods, whose callers guarantee that
// no two threads access the same cell.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Borrows an array for sharing.
    pub fn new(array: &'a mut [T]) -> Shared<'a, T> {
        Shared { start: array.as_mut_ptr(), length: array.len(), of: PhantomData }
    }

    /// Returns a range of its cells.
    ///
    /// # Safety
    /// Nobody else may access any of these cells while the result is in use.
    ///
    /// # Panics
    /// If the range is out of bounds.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn cells(&self, cells: Range<usize>) -> &'a mut [T] {
        assert!(cells.start <= cells.end && cells.end <= self.length);
        // SAFETY: the range is within the array (asserted), which is borrowed for `'a`. The caller
        // guarantees that nobody else accesses these cells.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(cells.start), cells.len()) }
    }

    /// Returns one of its cells.
    ///
    /// # Safety
    /// Nobody else may access this cell while the result is in use.
    ///
    /// # Panics
    /// If the index is out of bounds.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn cell(&self, cell: usize) -> &'a mut T {
        // SAFETY: the caller guarantees that nobody else accesses the cell.
        unsafe { &mut self.cells(cell..cell + 1)[0] }
    }

    /// Returns a rectangle of its cells: `columns` from `first` in each of `rows` rows that are
    /// `stride` elements apart.
    ///
    /// # Safety
    /// Nobody else may access any of these cells while the result is in use.
    ///
    /// # Panics
    /// If the rectangle is out of bounds.
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

/// A rectangle of an array with a single writer.
pub struct Target<'a, T> {
    array: Shared<'a, T>,
    first: usize,
    columns: usize,
    rows: usize,
    stride: usize,
}

impl<T> Target<'_, T> {
    /// Returns a row of the rectangle.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows);
        let start = self.first + row * self.stride;
        // SAFETY: `Shared::target` asserts that the rectangle is within the array, and its caller
        // guarantees that only this target accesses it. The row is borrowed no longer than the
        // target.
        unsafe { std::slice::from_raw_parts_mut(self.array.start.add(start), self.columns) }
    }
}
