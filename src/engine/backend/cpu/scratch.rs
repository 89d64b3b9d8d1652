//! Scratch rows for the step of a cell solver, kept per thread.

use super::window::PADDING;

/// Adds a function `with_kept` to a type, which runs a closure with this thread's instance; the instance
/// is recreated if it does not fit.
macro_rules! kept_per_thread {
    ($type:ty) => {
        impl $type {
            fn with_kept<T>(
                fits: impl FnOnce(&$type) -> bool,
                make: impl FnOnce() -> $type,
                what: impl FnOnce(&mut $type) -> T,
            ) -> T {
                thread_local! {
                    static KEPT: std::cell::RefCell<Option<$type>> =
                        const { std::cell::RefCell::new(None) };
                }
                // Taken out while in use: a thread that waits for others may be given another band.
                let mut scratch = KEPT.take().filter(|kept| fits(kept)).unwrap_or_else(make);
                let result = what(&mut scratch);
                KEPT.replace(Some(scratch));
                result
            }
        }
    };
}
pub(super) use kept_per_thread;

kept_per_thread!(Scratch);

/// Rows of intermediate results, reused from step to step, each with [`PADDING`] spare cells.
pub(crate) struct Scratch {
    /// Columns and neighbours for which it was made.
    fits: (usize, usize),
    pub(super) length: usize,
    /// Level differences (grains) and edge quantities: `[family][row mod 2]`.
    pub(super) difference: Vec<f32>,
    pub(super) edge: Vec<f32>,
    /// Transfers `[row mod 3][neighbour]` and the water kept `[row mod 3]` (grains).
    pub(super) outflow: Vec<i32>,
    pub(super) kept: Vec<i32>,
    /// Set if the row in that slot has no outflow at all.
    pub(super) still: [bool; 3],
}

impl Scratch {
    /// Runs a closure with this thread's scratch, for windows of up to `stride` columns and a
    /// neighbourhood of `neighbours` cells. Its initial contents are arbitrary.
    pub fn with<T>(stride: usize, neighbours: usize, what: impl FnOnce(&mut Scratch) -> T) -> T {
        let is_enough = |kept: &Scratch| kept.fits.0 >= stride && kept.fits.1 == neighbours;
        Scratch::with_kept(is_enough, || Scratch::new(stride, neighbours), what)
    }

    fn new(stride: usize, neighbours: usize) -> Scratch {
        let length = stride + 2 * PADDING;
        Scratch {
            fits: (stride, neighbours),
            length,
            difference: vec![0.0; length * neighbours],
            edge: vec![0.0; length * neighbours],
            outflow: vec![0; length * 3 * neighbours],
            kept: vec![0; length * 3],
            still: [false; 3],
        }
    }

    #[inline(always)]
    pub(super) fn edge_start(&self, family: usize, row: usize) -> usize {
        (2 * family + row % 2) * self.length + PADDING
    }

    #[inline(always)]
    pub(super) fn outflow_start<const K: usize>(&self, row: usize, k: usize) -> usize {
        ((row % 3) * K + k) * self.length + PADDING
    }

    #[inline(always)]
    pub(super) fn kept_start(&self, row: usize) -> usize {
        (row % 3) * self.length + PADDING
    }
}
