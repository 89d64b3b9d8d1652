//! What is counted in the cells of a subdomain.

use super::Crossed;
use crate::extremes::Maxima;
use crate::forcing::sites::Tally;
use crate::losses::Taken;
use serde::{Deserialize, Serialize};

/// What a worker counted in a subdomain's own cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Totals {
    /// Came as rain, over the whole run (grains).
    pub rain: u64,
    /// Came from sources and inflow cells, over the whole run (grains).
    pub inflow: u64,
    /// Taken by sinks, over the whole run (grains).
    pub losses: u64,
    /// Taken by ground, sewers and air, over the whole run.
    pub taken: Taken,
    /// Left over open edges, over the whole run (grains).
    pub outflow: u64,
    /// What cells gave over edges, over the whole run.
    pub crossed: Crossed,
    /// The greatest speed and the like over the whole run, by the cells' numbers in the frame (row-major).
    pub maxima: Maxima,
    /// In the cells when last counted (grains).
    pub stored: u64,
    /// Cells that held water when last counted.
    pub wet: u64,
    /// The step in which water got too deep, if it did.
    pub too_deep: Option<u64>,
}

impl Totals {
    /// Adds what sites brought and took.
    pub fn book(&mut self, tally: &Tally) {
        self.rain += tally.rain;
        self.inflow += tally.came;
        self.outflow += tally.left;
        self.losses += tally.lost;
    }
}
