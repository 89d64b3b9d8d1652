//! Rasters of a problem, which are dropped once copied to the padded grid.

use super::Problem;
use crate::arrays::zeros;
use crate::field::{bits, bits_mut};
use crate::roughness::Roughness;
use crate::subgrid::tables::Tables;
use std::sync::Arc;

/// The rasters of a problem, row-major over the grid; absent ones are empty.
#[derive(Debug, Default)]
pub struct Rasters {
    /// Levels of the bed.
    pub levels: Vec<i32>,
    /// Water at the start.
    pub initial: Vec<i32>,
    /// Manning's n of the cells.
    pub roughness: Vec<f32>,
    /// Kinds of ground, by index.
    pub grounds: Vec<u32>,
    /// Subgrid tables, if any.
    pub tables: Option<Arc<Tables>>,
}

impl Rasters {
    /// Returns all rasters (bits) in a fixed order, except for tables, which have more than one
    /// number per cell.
    pub fn each(&self) -> [&[u32]; 4] {
        [bits(&self.levels), bits(&self.initial), bits(&self.roughness), &self.grounds]
    }

    /// Allocates the rasters that are present, in that order, for `cells` cells, without touching
    /// their memory.
    pub fn blank(there: [bool; 4], cells: usize) -> Rasters {
        let [levels, initial, roughness, grounds] = there.map(|is| if is { cells } else { 0 });
        Rasters {
            levels: zeros(levels),
            initial: zeros(initial),
            roughness: zeros(roughness),
            grounds: zeros(grounds),
            tables: None,
        }
    }

    /// Returns all rasters (bits), mutably.
    pub fn each_mut(&mut self) -> [&mut [u32]; 4] {
        let Rasters { levels, initial, roughness, grounds, .. } = self;
        [bits_mut(levels), bits_mut(initial), bits_mut(roughness), grounds]
    }
}

impl Problem {
    /// Moves the rasters out. The problem still records whether it has roughness by cell, several
    /// kinds of ground, and tables.
    pub(crate) fn take_rasters(&mut self) -> Rasters {
        let roughness = match &mut self.roughness {
            Roughness::Cells(cells) => std::mem::take(cells),
            Roughness::Uniform(_) => Vec::new(),
        };
        let grounds = self.losses.as_mut().map(|losses| {
            let first = losses.of_cell.first().copied().into_iter().collect();
            std::mem::replace(&mut losses.of_cell, first)
        });
        Rasters {
            levels: std::mem::take(&mut self.bed.levels),
            initial: std::mem::take(&mut self.initial),
            roughness,
            grounds: grounds.unwrap_or_default(),
            tables: self.subgrid.as_mut().map(|tables| {
                let hollow = Arc::new(tables.hollow());
                std::mem::replace(tables, hollow)
            }),
        }
    }

    /// Moves the rasters back in.
    pub(crate) fn put_rasters(&mut self, rasters: Rasters) {
        (self.bed.levels, self.initial) = (rasters.levels, rasters.initial);
        if let Roughness::Cells(cells) = &mut self.roughness {
            *cells = rasters.roughness;
        }
        if let Some(losses) = &mut self.losses {
            losses.of_cell = rasters.grounds;
        }
        self.subgrid = rasters.tables;
    }
}
