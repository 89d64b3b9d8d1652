//! Zones of the grid: pixels of a radar, or polygons of rain gauges. The assignment of cells to
//! zones is stored once for all layers of a series; each layer stores only a share per zone.

use super::Share;
use crate::grid::Bed;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Assignment of grid cells to zones.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Zones {
    /// The zone of each cell, row-major over the grid.
    pub of: Vec<u32>,
    /// Number of domain cells in each zone.
    pub cells: Vec<u32>,
}

impl Zones {
    /// Creates the zones 0 to `count` − 1 of a grid with a bed.
    ///
    /// # Panics
    /// If a cell is in none of them, or the grid has another number of cells.
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
    /// The zones, shared by all layers that use them. They are serialized separately when a run is
    /// sent to other ranks.
    #[serde(skip)]
    pub zones: Arc<Zones>,
    /// Share of each zone.
    pub shares: Arc<[Share]>,
}

impl Zoned {
    /// Creates a footprint with a share for each zone.
    ///
    /// # Panics
    /// If the number of shares differs from the number of zones.
    pub fn new(zones: &Arc<Zones>, shares: Vec<Share>) -> Zoned {
        assert_eq!(shares.len(), zones.cells.len(), "a share for every zone");
        Zoned { zones: zones.clone(), shares: shares.into() }
    }

    /// Returns the share of a cell.
    #[inline(always)]
    pub fn share(&self, cell: usize) -> Share {
        self.shares[self.zones.of[cell] as usize]
    }

    /// Returns the sum of the shares over the domain's cells.
    pub fn cells(&self) -> f64 {
        let zones = self.shares.iter().zip(&self.zones.cells);
        zones.map(|(share, &cells)| share.fraction() * f64::from(cells)).sum()
    }

    /// Returns the index of its zones in a list of distinct zones, adding them if they are new.
    pub fn number(&self, known: &mut Vec<Arc<Zones>>) -> usize {
        let found = known.iter().position(|zones| Arc::ptr_eq(zones, &self.zones));
        found.unwrap_or_else(|| {
            known.push(self.zones.clone());
            known.len() - 1
        })
    }
}
