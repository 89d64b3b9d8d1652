//! Level difference and flow depth at edges.

use super::edge_rows::{EdgeBand, RowFluxes};
use super::window::Window;
use crate::grid::Bed;
use crate::lanes::{Real, Whole, fetch_lanes_ahead};

/// Level difference and flow depth of some edges (m).
pub(super) struct FaceLevels<V: Real> {
    pub difference: V,
    pub depth: V,
    /// Bed here minus bed ahead (m).
    pub rise: V,
    /// Water here and ahead (grains).
    pub water: [V::Whole; 2],
}

impl<R: RowFluxes> EdgeBand<'_, '_, R> {
    /// Computes the level differences and flow depths of some edges.
    ///
    /// # Safety
    /// `at` must be less than the window's width, and the row ahead must be in the window.
    #[inline(always)]
    pub(super) unsafe fn levels<V: Real>(
        &self,
        axis: usize,
        row: usize,
        at: usize,
    ) -> FaceLevels<V> {
        let Window { bed, water, stride, .. } = self.window;
        let here = row * stride + at;
        let ahead = here + if axis == 0 { 1 } else { stride };
        let metres = V::splat(self.metres);
        if axis == 1 {
            fetch_lanes_ahead::<V, _>(water, ahead + stride);
            fetch_lanes_ahead::<V, _>(bed, ahead + stride);
        }
        // SAFETY: the caller guarantees that `at` and the row ahead are in the window, whose arrays
        // are PADDING longer than its cells (see `flow`).
        let (water, bed) = unsafe {
            (
                [V::Whole::load(water, here), V::Whole::load(water, ahead)],
                V::Whole::load(bed, here) - V::Whole::load(bed, ahead),
            )
        };
        let step = bed.to_real() * V::splat(Bed::STEP);
        // Subtract first, in integers: the level, bed + water, is never formed.
        let difference = (water[0] - water[1]).to_real().fused(metres, step);
        let zero = V::zero();
        // A grain is a power of two of a metre, so products with it are exact.
        let donor = V::choose(zero, difference, water[1], water[0]).to_real();
        let lower = V::if_greater(zero, difference, zero - step, step).lower(zero);
        let depth = donor.fused(metres, lower);
        FaceLevels { difference, depth, rise: step, water }
    }
}
