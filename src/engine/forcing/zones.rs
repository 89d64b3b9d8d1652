//! Zones of the grid: the pixels of a radar, the polygons of rain gauges. Which cell lies in which is kept once
//! for all layers of a series; each has but a share for every zone.

use super::Share;
use crate::grid::Bed;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which zone each cell of the grid lies in.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Zones {
    /// The zone per cell, row-major over the grid.
    pub of: Vec<u32>,
    /// Per zone: how many cells of the domain lie in it.
    pub cells: Vec<u32>,
}

impl Zones {
    /// The zones 0 to `count` − 1 of a grid with a bed.
    ///
    /// # Panics
    /// If a cell lies in none of them, or the grid is another.
    pub fn new(of: Vec<u32>, count: usize, bed: &Bed) -> Zones {
        assert_eq!(of.len(), bed.levels.len(), "a zone for every cell");
        let mut cells = vec![0; count];
        for (&zone, &level) in of.iter().zip(&bed.levels) {
            assert!((zone as usize) < count, "zone {zone} of {count}");
            cells[zone as usize] += u32::from(level != Bed::OUTSIDE);
        }
        Zones { of, cells }
    }
}

/// A share of a rate for every zone.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Zoned {
    /// The zones, shared by all layers that fall on them. Where a run is told to others they go apart.
    #[serde(skip)]
    pub zones: Arc<Zones>,
    /// The share per zone.
    pub shares: Arc<[Share]>,
}

impl Zoned {
    /// A share for each of the zones.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn new(zones: &Arc<Zones>, shares: Vec<Share>) -> Zoned {
        assert_eq!(shares.len(), zones.cells.len(), "a share for every zone");
        Zoned { zones: zones.clone(), shares: shares.into() }
    }

    /// The share of a cell.
    #[inline(always)]
    pub fn share(&self, cell: usize) -> Share {
        self.shares[self.zones.of[cell] as usize]
    }

    /// The shares of the cells of the domain, added up.
    pub fn cells(&self) -> f64 {
        let zones = self.shares.iter().zip(&self.zones.cells);
        zones.map(|(share, &cells)| share.fraction() * f64::from(cells)).sum()
    }

    /// The number of its zones in a list of those that differ, to which they are added if they are new.
    pub fn number(&self, known: &mut Vec<Arc<Zones>>) -> usize {
        let found = known.iter().position(|zones| Arc::ptr_eq(zones, &self.zones));
        found.unwrap_or_else(|| {
            known.push(self.zones.clone());
            known.len() - 1
        })
    }
}
