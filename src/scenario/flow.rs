//! Flow settings as listed by `check` and in the report.

use super::losses::LossRange;
use crate::engine::boundary::OpenSides;
use crate::engine::grains::Grain;
use crate::engine::neighbourhood::Neighbourhood;
use serde::{Serialize, Serializer};

/// Solver, roughness, losses, grain and open sides.
#[derive(Clone, Debug, Serialize)]
pub struct FlowFacts {
    /// Name of the solver.
    #[serde(rename = "rule")]
    pub solver: &'static str,
    /// Order in space.
    pub order: u32,
    /// Neighbours with which a cell exchanges water.
    #[serde(serialize_with = "name")]
    pub neighbourhood: Neighbourhood,
    /// Relaxation α; `None` for solvers with physical time.
    pub alpha: Option<f32>,
    /// Lowest and highest Manning's n (s/m^⅓); `None` for solvers without friction.
    pub roughness: Option<(f32, f32)>,
    /// Ranges of the losses over the domain.
    pub losses: Vec<LossRange>,
    /// Grain of the water.
    #[serde(rename = "grain_m", serialize_with = "metres")]
    pub grain: Grain,
    /// Open sides of the raster.
    #[serde(serialize_with = "names")]
    pub open: OpenSides,
    /// Sides that are open in part, with the open share of their cells.
    pub open_shares: Vec<(&'static str, f64)>,
    /// Sides with outflow at normal depth, which are open, and the bed slope beyond them.
    pub outflow_slopes: Vec<(&'static str, f64)>,
}

impl FlowFacts {
    /// Returns each open side: its name, and its open part unless all of it is open.
    pub fn open_sides(&self) -> Vec<(&'static str, String)> {
        let part = |side: &&'static str| {
            let share = self.open_shares.iter().find(|(name, _)| name == side);
            share.map_or(String::new(), |(_, share)| format!(", {:.0} % of it", 100.0 * share))
        };
        self.open.names().into_iter().map(|side| (side, part(&side))).collect()
    }
}

fn name<S: Serializer>(neighbourhood: &Neighbourhood, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(neighbourhood.name())
}

fn metres<S: Serializer>(grain: &Grain, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f32(grain.metres())
}

fn names<S: Serializer>(open: &OpenSides, to: S) -> Result<S::Ok, S::Error> {
    open.names().serialize(to)
}
