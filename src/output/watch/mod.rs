//! Samples taken during a run: gauges, sections and the mass balance.

mod accounts;
mod gauge;
mod portions;
mod records;
mod section;
mod sides;
mod staircase;

pub use accounts::{Accounts, BoundaryPorts, VolumesByAccount};
pub use gauge::{Gauge, GaugeReport, GaugeTable, Reading};
pub use portions::{Portion, SourceShare};
pub use records::{Balance, Records, WatchSample};
pub use section::{Section, SectionFlow, SectionReport};
pub use sides::Sides;
pub use staircase::{Stair, staircase};

use crate::engine::backend::SampleRequest;
use crate::engine::solver::edge::EdgeField;

/// Gauges and sections of a run, with the sampling interval.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Points at which depth, level and velocity are sampled.
    pub gauges: Vec<Gauge>,
    /// Lines through which the discharge is sampled.
    pub sections: Vec<Section>,
    /// Sampling interval (s, or steps).
    pub every: f64,
    /// Set if the solver has discharges at edges, and therefore velocities.
    pub flows: bool,
    /// Named sources and sinks of water.
    pub accounts: Accounts,
}

impl Watched {
    /// Returns the values to sample from a state: for each gauge its water and the flow around it,
    /// then for each section the flow across it.
    pub fn wanted(&self) -> SampleRequest {
        let mut wanted = SampleRequest {
            places: Vec::new(),
            ports: self.accounts.asks_ports(),
            links: !self.accounts.links.is_empty(),
        };
        for gauge in &self.gauges {
            wanted.add_water(gauge.place);
            if self.flows {
                wanted.add_edges(EdgeField::Velocity, gauge.edges());
            }
        }
        for section in &self.sections {
            wanted.add_edges(EdgeField::Discharge, section.stairs.iter().map(|(edge, _)| *edge));
        }
        wanted
    }

    /// Returns `true` if discharges must be stored.
    pub fn needs_discharge(&self) -> bool {
        self.flows && !(self.gauges.is_empty() && self.sections.is_empty())
    }
}
