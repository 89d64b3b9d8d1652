//! Ranks as helpers of the first one's reading: it asks them on the lane of orders, before there is a problem to compute.

use crate::engine::backend::ranks::ask_beside;
use crate::engine::backend::ranks::wire::{Lane, Wire};
use crate::error::{Error, Result};
use crate::input::helpers::{Helpers, WORTH_CELLS};
use std::sync::Arc;

/// The variable that says from how many cells on a raster is read by all ranks; tests set it.
const WORTH: &str = "INUNDATE_RANKS_WORTH_CELLS";

/// The other ranks.
pub struct Ranks {
    wire: Arc<dyn Wire>,
    worth_cells: usize,
}

impl Ranks {
    /// Those at the other ends of a wire.
    pub fn over(wire: Arc<dyn Wire>) -> Result<Ranks> {
        let worth_cells = match std::env::var(WORTH) {
            Err(_) => WORTH_CELLS,
            Ok(text) => text.parse().map_err(|_| {
                Error::input(format!("{WORTH}: '{text}' is no number of cells"))
                    .hint("leave it out")
            })?,
        };
        Ok(Ranks { wire, worth_cells })
    }
}

impl Helpers for Ranks {
    fn count(&self) -> usize {
        self.wire.ranks() - 1
    }

    fn worth_cells(&self) -> usize {
        self.worth_cells
    }

    fn ask(&self, who: usize, what: Vec<u8>) -> Result<()> {
        ask_beside(&*self.wire, who, what)
    }

    fn answer(&self, who: usize) -> Result<Vec<u8>> {
        self.wire.receive(who, Lane::Answer)
    }

    fn answered(&self, who: usize) -> Result<Option<Vec<u8>>> {
        self.wire.arrived(who, Lane::Answer)
    }
}
