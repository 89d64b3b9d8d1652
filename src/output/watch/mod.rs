//! What is watched while a run goes on: gauges, sections and the balance of the volume.

mod accounts;
mod gauge;
mod records;
mod section;
mod sides;
mod staircase;

pub use accounts::{Accounts, Brought, Portion, Stake};
pub use gauge::{Gauge, GaugeReport, GaugeTable, Reading};
pub use records::{Balance, Records, Sight};
pub use section::{Section, SectionReport};
pub use sides::Sides;
pub use staircase::{Stair, staircase};

use crate::engine::backend::Wanted;
use crate::engine::rule::edge::EdgeField;

/// What a run watches, and how often.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Points at which depth, level and velocity are noted.
    pub gauges: Vec<Gauge>,
    /// Lines through which the discharge is noted.
    pub sections: Vec<Section>,
    /// Interval (s, or steps).
    pub every: f64,
    /// Whether the rule knows discharges over the edges, and so velocities.
    pub flows: bool,
    /// Those who bring and take water, by name.
    pub accounts: Accounts,
}

impl Watched {
    /// What must be seen of a state for it: gauge by gauge its water and what flows around it, and then section by section what
    /// flows over it.
    pub fn wanted(&self) -> Wanted {
        let mut wanted = Wanted {
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

    /// Whether discharges must be kept for it.
    pub fn needs_discharge(&self) -> bool {
        self.flows && !(self.gauges.is_empty() && self.sections.is_empty())
    }
}
