//! Diagnostics of a row of edges: what is counted of the flow over them and what is greatest, for [`crate::extremes`].

use super::window::PADDING;
use crate::backend::Crossed;
use crate::extremes::{DEEP, FAST, Peak, Peaks};
use crate::lanes::{Real, Whole};

/// A row of facts, kept with a thread's scratch. Every place stands for the edges east and south of a cell.
pub(crate) struct FlowNotes {
    /// Whether anything was noted in the row at hand.
    any: bool,
    /// Edges that are deep, that are fast, and that were held, 0 to 2 each.
    deep: Vec<i32>,
    fast: Vec<i32>,
    held: Vec<i32>,
    /// The greater speed (m/s) and Froude number of the deep ones.
    speed: Vec<f32>,
    froude: Vec<f32>,
}

impl FlowNotes {
    /// Room for rows of `stride` cells.
    pub fn new(stride: usize) -> FlowNotes {
        let length = stride + PADDING;
        FlowNotes {
            any: false,
            deep: vec![0; length],
            fast: vec![0; length],
            held: vec![0; length],
            speed: vec![0.0; length],
            froude: vec![0.0; length],
        }
    }

    /// Notes edges of the row at hand by their velocity (m/s), depth of flow (m), the speed of waves (m/s), and
    /// whether they were held (0 or 1).
    ///
    /// # Safety
    /// `at` must be less than the stride.
    #[inline(always)]
    pub unsafe fn note<V: Real>(&mut self, at: usize, velocity: V, depth: V, wave: V, held: V) {
        let limit = V::splat(DEEP);
        if !depth.any_greater(limit) {
            return;
        }
        if !self.any {
            self.any = true;
            self.deep.fill(0);
            self.fast.fill(0);
            self.held.fill(0);
            self.speed.fill(0.0);
            self.froude.fill(0.0);
        }
        let (zero, none, one) = (V::zero(), V::Whole::splat(0), V::Whole::splat(1));
        let speed = V::if_greater(depth, limit, velocity.abs(), zero);
        let froude = V::if_greater(depth, limit, speed / wave, zero);
        // SAFETY: the rows are PADDING longer than the stride, and there are fewer lanes.
        unsafe {
            add::<V>(&mut self.deep, at, V::choose(depth, limit, one, none));
            add::<V>(&mut self.fast, at, V::choose(speed, V::splat(FAST) * wave, one, none));
            let held = V::choose(held, zero, one, none);
            add::<V>(&mut self.held, at, V::choose(depth, limit, held, none));
            V::load(&self.speed, at).higher(speed).store(&mut self.speed, at);
            V::load(&self.froude, at).higher(froude).store(&mut self.froude, at);
        }
    }

    /// Ends a row whose cells `own` (columns of the window) count; the first cell of the row is number `start` of the
    /// frame. `before` are the greatest values before the step.
    pub fn end_row(
        &mut self,
        own: std::ops::Range<usize>,
        start: usize,
        before: Peaks,
        found: &mut Peaks,
        crossed: &mut Crossed,
    ) {
        if !std::mem::take(&mut self.any) {
            return;
        }
        let sum = |counts: &[i32]| counts[own.clone()].iter().sum::<i32>() as u64;
        crossed.deep += sum(&self.deep);
        crossed.fast += sum(&self.fast);
        crossed.held += sum(&self.held);
        let greatest = |values: &[f32], before: Peak, found: &mut Peak| {
            let values = &values[own.clone()];
            // Numbers that are not negative are in order as their bits are.
            let most = values.iter().map(|value| value.to_bits()).max().unwrap_or(0);
            if most > 0 && most >= before.bits().max(found.bits()) {
                let place = values.iter().position(|value| value.to_bits() == most);
                let place = place.expect("the greatest is among them");
                *found = (*found).max(Peak::new(most, start + own.start + place));
            }
        };
        greatest(&self.speed, before.speed, &mut found.speed);
        greatest(&self.froude, before.froude, &mut found.froude);
    }

    /// Forgets the row at hand, whose cells do not count.
    pub fn forget(&mut self) {
        self.any = false;
    }
}

/// Adds to some numbers of a row. (Closures are not inlined into the code for the lanes.)
///
/// # Safety
/// The lanes from `at` on must lie in it.
#[inline(always)]
unsafe fn add<V: Real>(to: &mut [i32], at: usize, numbers: V::Whole) {
    // SAFETY: the caller's.
    unsafe { (V::Whole::load(to, at) + numbers).store(to, at) };
}
