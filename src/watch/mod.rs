//! What is watched while a run goes on: gauges, sections and the balance of the volume.

mod accounts;
mod gauge;
mod records;
mod section;
mod sides;
mod staircase;

pub use accounts::{Accounts, Brought, Portion, Stake};
pub use gauge::{Gauge, GaugeReport, Reading};
pub use records::{Balance, Records, Sight};
pub use section::{Section, SectionReport};
pub use sides::Sides;
pub use staircase::staircase;

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
    /// Whether discharges must be kept for it.
    pub fn needs_discharge(&self) -> bool {
        self.flows && !(self.gauges.is_empty() && self.sections.is_empty())
    }
}
