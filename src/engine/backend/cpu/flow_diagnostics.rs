//! Flow diagnostics of a row for [`crate::run_diagnostics`]: counts over its edges and maxima over
//! its cells.

use super::lanes_of_row::{greatest, within};
use super::window::PADDING;
use crate::backend::FluxStatistics;
use crate::cell_diagnostics::RowFlow;
use crate::lanes::{Real, Whole};
use crate::run_diagnostics::{DEEP, FAST, Maxima, Maximum};
use crate::solver::ROOT_G;
use std::ops::Range;

/// Counts of a row, kept with a thread's scratch. Each element covers the edges east and south of a
/// cell.
pub(crate) struct FlowDiagnostics {
    /// Set if anything was recorded in the current row.
    any: bool,
    /// Number of edges that are deep, fast, or limited to critical flow, 0 to 2 each.
    deep: Vec<i32>,
    fast: Vec<i32>,
    critical: Vec<i32>,
}

impl FlowDiagnostics {
    /// Allocates counts for rows of `stride` cells.
    pub fn new(stride: usize) -> FlowDiagnostics {
        let length = stride + PADDING;
        FlowDiagnostics {
            any: false,
            deep: vec![0; length],
            fast: vec![0; length],
            critical: vec![0; length],
        }
    }

    /// Records edges of the current row by velocity (m/s), flow depth (m), wave celerity (m/s), and
    /// whether they were limited (0 or 1).
    ///
    /// # Safety
    /// `at` must be less than the stride.
    #[inline(always)]
    pub unsafe fn record<V: Real>(
        &mut self,
        at: usize,
        velocity: V,
        depth: V,
        wave: V,
        critical: V,
    ) {
        let limit = V::splat(DEEP);
        if !depth.any_greater(limit) {
            return;
        }
        if !self.any {
            self.any = true;
            self.deep.fill(0);
            self.fast.fill(0);
            self.critical.fill(0);
        }
        let (zero, none, one) = (V::zero(), V::Whole::splat(0), V::Whole::splat(1));
        let speed = V::if_greater(depth, limit, velocity.abs(), zero);
        // SAFETY: the caller keeps `at` below the stride. The rows are PADDING longer, and there
        // are at most PADDING lanes.
        unsafe {
            add::<V>(&mut self.deep, at, V::choose(depth, limit, one, none));
            add::<V>(&mut self.fast, at, V::choose(speed, V::splat(FAST) * wave, one, none));
            let critical = V::choose(critical, zero, one, none);
            add::<V>(&mut self.critical, at, V::choose(depth, limit, critical, none));
        }
    }

    /// Finishes a row, adding the counts of its cells `own` (columns of the window).
    pub fn end_row(&mut self, own: Range<usize>, crossed: &mut FluxStatistics) {
        if !std::mem::take(&mut self.any) {
            return;
        }
        let sum = |counts: &[i32]| counts[own.clone()].iter().sum::<i32>() as u64;
        crossed.deep += sum(&self.deep);
        crossed.fast += sum(&self.fast);
        crossed.critical += sum(&self.critical);
    }

    /// Discards the current row, whose cells do not count.
    pub fn forget(&mut self) {
        self.any = false;
    }
}

/// A row of cells with flowing water.
#[derive(Clone, Copy)]
pub(crate) struct FlowingRow<'a> {
    /// Water of the cells (grains).
    pub water: &'a [i32],
    /// Size of a grain (m).
    pub metres: f32,
    /// Velocities on the edges (m/s).
    pub flow: RowFlow<'a>,
    /// Number of cells in the row.
    pub cells: usize,
    /// Index of the first cell in the frame.
    pub number: usize,
}

impl FlowingRow<'_> {
    /// Records the greatest speed and Froude number of its deep cells; `before` holds the maxima
    /// before the step.
    ///
    /// # Safety
    /// Water and velocities must be longer than the row's cells by the number of lanes minus one.
    #[inline(always)]
    pub unsafe fn record<V: Real>(self, before: Maxima, found: &mut Maxima) {
        let (mut fastest, mut max_froude) = (V::zero(), V::zero());
        for at in (0..self.cells).step_by(V::LANES) {
            // SAFETY: the caller guarantees that the arrays extend far enough beyond the row's last
            // cell for a full vector.
            let Some([speed, froude]) = (unsafe { self.at::<V>(at) }) else { continue };
            fastest = fastest.higher(within(speed, at, 0..self.cells));
            max_froude = max_froude.higher(within(froude, at, 0..self.cells));
        }
        self.raise(0, greatest(fastest), before.speed, &mut found.speed);
        self.raise(1, greatest(max_froude), before.froude, &mut found.froude);
    }

    /// Returns the speed (m/s) and Froude number of some cells, 0 where they are not deep; `None`
    /// if none is deep.
    ///
    /// # Safety
    /// As for `record`.
    #[inline(always)]
    unsafe fn at<V: Real>(&self, at: usize) -> Option<[V; 2]> {
        let RowFlow { along, before, after } = self.flow;
        let (deep, half, zero) = (V::splat(DEEP), V::splat(0.5), V::zero());
        // SAFETY: the caller guarantees that the arrays extend far enough beyond the row's last
        // cell for a full vector.
        let (depth, along, across) = unsafe {
            (
                V::Whole::load(self.water, at).to_real() * V::splat(self.metres),
                half * (V::load(along, at) + V::load(along, at + 1)),
                half * (V::load(before, at) + V::load(after, at)),
            )
        };
        if !depth.any_greater(deep) {
            return None;
        }
        let speed = (along * along + across * across).sqrt();
        let froude = speed / (V::splat(ROOT_G) * depth.sqrt());
        Some([V::if_greater(depth, deep, speed, zero), V::if_greater(depth, deep, froude, zero)])
    }

    /// Records the row's maximum of a value, if it is not less than the maximum so far.
    #[inline(never)]
    fn raise(&self, which: usize, most: f32, before: Maximum, found: &mut Maximum) {
        // Non-negative floats are ordered like their bits.
        let bits = most.to_bits();
        if bits == 0 || bits < before.bits().max(found.bits()) {
            return;
        }
        let is_it = |&cell: &usize| {
            // SAFETY: a single lane at `cell` stays within the row's cells.
            let here = unsafe { self.at::<f32>(cell) };
            here.is_some_and(|values| values[which].to_bits() == bits)
        };
        let place = (0..self.cells).find(is_it).expect("the greatest is among them");
        *found = (*found).max(Maximum::new(bits, self.number + place));
    }
}

/// Adds to some numbers of a row. (A function because closures are not inlined into the code for
/// the lanes.)
///
/// # Safety
/// The lanes from `at` must be within the row.
#[inline(always)]
unsafe fn add<V: Real>(to: &mut [i32], at: usize, numbers: V::Whole) {
    // SAFETY: the caller guarantees that all lanes from `at` are within the row.
    unsafe { (V::Whole::load(to, at) + numbers).store(to, at) };
}
