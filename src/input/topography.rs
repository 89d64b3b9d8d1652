//! The DEM as it is seen by what is laid on it.

use crate::engine::grid::{Bed, Grid};
use crate::units::Metre;

/// The cells of a DEM, and how high they lie.
#[derive(Clone, Copy, Debug)]
pub struct Topography<'a> {
    /// The cells.
    pub grid: &'a Grid,
    /// The bed.
    pub bed: &'a Bed,
}

impl Topography<'_> {
    /// Whether a cell belongs to the domain.
    pub fn is_inside(self, cell: usize) -> bool {
        self.bed.levels[cell] != Bed::OUTSIDE
    }

    /// The level of a cell of the domain (m above the datum).
    pub fn level(self, cell: usize) -> Metre {
        f64::from(self.bed.levels[cell]) / Bed::PER_METRE
    }
}
