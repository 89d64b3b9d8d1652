//! Totals over the cells of a subdomain.

use super::FluxStatistics;
use crate::forcing::sites::Tally;
use crate::losses::Taken;
use crate::run_diagnostics::Maxima;
use serde::{Deserialize, Serialize};

/// Totals over a subdomain's own cells, as counted by a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Totals {
    /// Volume added by rain, over the whole run (grains).
    pub rain: u64,
    /// Volume added by sources and inflow cells, over the whole run (grains).
    pub inflow: u64,
    /// Volume taken by sinks, over the whole run (grains).
    pub losses: u64,
    /// Volumes taken by ground, sewers and air, over the whole run (grains).
    pub taken: Taken,
    /// Volume that left across open edges, over the whole run (grains).
    pub outflow: u64,
    /// Flux statistics, over the whole run.
    pub crossed: FluxStatistics,
    /// Run diagnostics over the whole run, with cell indices in the frame (row-major).
    pub maxima: Maxima,
    /// Water in the cells when last counted (grains).
    pub stored: u64,
    /// Number of wet cells when last counted.
    pub wet: u64,
    /// The step in which water got too deep, if it did.
    pub too_deep: Option<u64>,
}

impl Totals {
    /// Adds the volumes that sites added and removed.
    pub fn book(&mut self, tally: &Tally) {
        self.rain += tally.rain;
        self.inflow += tally.came;
        self.outflow += tally.left;
        self.losses += tally.lost;
    }
}
