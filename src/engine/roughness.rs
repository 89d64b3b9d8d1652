//! Manning's n, the roughness of the ground.

use crate::grid::Bed;
use serde::{Deserialize, Serialize};

/// Default roughness (s/m^⅓): between short grass and scrub on a flood plain.
pub const DEFAULT_ROUGHNESS: f64 = 0.035;

/// The plausible range of roughness (s/m^⅓): glass is 0.009, dense wood 0.2.
pub const RANGE: std::ops::RangeInclusive<f64> = 0.001..=10.0;

/// Returns the examples that end a message about a wrong roughness.
pub fn examples() -> String {
    format!(
        "Manning's n is {} to {} s/m^(1/3): 0.015 for asphalt, 0.03 for short grass, 0.1 for wood",
        RANGE.start(),
        RANGE.end()
    )
}

/// Manning's n of every cell (s/m^⅓).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Roughness {
    /// One value for all cells.
    Uniform(f32),
    /// One value per cell, row-major over the grid.
    Cells(Vec<f32>),
}

impl Roughness {
    /// Returns the value of a cell of the grid.
    #[inline]
    pub fn of(&self, cell: usize) -> f32 {
        match self {
            Roughness::Uniform(n) => *n,
            Roughness::Cells(cells) => cells[cell],
        }
    }

    /// Returns the uniform value, or 0 if it varies (s/m^⅓).
    pub fn uniform(&self) -> f32 {
        match self {
            Roughness::Uniform(n) => *n,
            Roughness::Cells(_) => 0.0,
        }
    }

    /// Returns the lowest and highest values in the domain (s/m^⅓).
    pub fn range(&self, bed: &Bed) -> (f32, f32) {
        match self {
            Roughness::Uniform(n) => (*n, *n),
            Roughness::Cells(cells) => {
                let all = cells.iter().zip(&bed.levels);
                let domain = all.filter(|(_, level)| **level != Bed::OUTSIDE);
                domain.fold((f32::INFINITY, 0.0), |(low, high), (&n, _)| (n.min(low), n.max(high)))
            }
        }
    }
}

impl Default for Roughness {
    fn default() -> Roughness {
        Roughness::Uniform(DEFAULT_ROUGHNESS as f32)
    }
}
