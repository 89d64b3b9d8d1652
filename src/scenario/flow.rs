//! How the water moves and what it is counted in, as `check` and the report of a run both list it.

use super::losses::LossRange;
use crate::engine::boundary::OpenEdges;
use crate::engine::grains::Grain;
use crate::engine::neighbourhood::Neighbourhood;
use serde::{Serialize, Serializer};

/// The rule of the flow, with what slows the water, takes it up and lets it out.
#[derive(Clone, Debug, Serialize)]
pub struct FlowFacts {
    /// Name of the rule.
    pub rule: &'static str,
    /// Its order in space.
    pub order: u32,
    /// Who exchanges water with whom.
    #[serde(serialize_with = "name")]
    pub neighbourhood: Neighbourhood,
    /// Relaxation α; none for rules with physical time.
    pub alpha: Option<f32>,
    /// Lowest and highest Manning's n; none for rules without friction (s/m^⅓).
    pub roughness: Option<(f32, f32)>,
    /// What the losses are over the domain.
    pub losses: Vec<LossRange>,
    /// Grain of the water.
    #[serde(rename = "grain_m", serialize_with = "metres")]
    pub grain: Grain,
    /// Open sides of the raster.
    #[serde(serialize_with = "names")]
    pub open: OpenEdges,
    /// Those that are open in part, and the share of the cells along them that is.
    pub open_shares: Vec<(&'static str, f64)>,
    /// The sides that water leaves at normal depth, which are open, and the bed slope beyond them.
    pub outflow_slopes: Vec<(&'static str, f64)>,
}

impl FlowFacts {
    /// Each open side as it is told: its name, and the part of it that is open unless that is all.
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

fn names<S: Serializer>(open: &OpenEdges, to: S) -> Result<S::Ok, S::Error> {
    open.names().serialize(to)
}
