//! What brings water and takes it: the source terms (rain, sources, inflow cells, sink cells), the boundary conditions (levels
//! that are held, outflow at normal depth, [`ports`] of open sides) and links. Rain or another source over many cells is a
//! *rate*; what happens at single cells is a *site* ([`sites`]).
//!
//! Rates enter as increments of an integer running total, per layer and cell, so no rate is too
//! small to count and the total at any time is right to a grain.

pub mod bounds;
pub mod culvert;
pub mod link;
pub mod outflow;
pub mod ports;
pub mod series;
pub mod sites;
pub mod steady;
pub mod step;
pub mod structures;
pub mod table;
pub mod timeline;
pub mod zones;

use crate::grains::{Grain, MAX_WATER};
use crate::units::Second;
use link::Link;
use outflow::FreeOutflow;
use ports::Port;
use serde::{Deserialize, Serialize};
use series::Series;
use sites::Placed;
use std::sync::Arc;
use structures::Structure;
use zones::{Zoned, Zones};

/// On which side of the ledger a layer's water is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Account {
    /// Rain.
    Rain,
    /// Sources.
    Inflow,
    /// Evaporation: it takes water from cells that have any ([`crate::losses`]).
    Evaporation,
}

/// Which cells a rate falls on, and with which share of the series' rate. Cells are numbered
/// row-major over the grid; those outside the domain get nothing.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub enum Footprint {
    /// Every cell of the domain, in full.
    Everywhere,
    /// A share for every cell of the grid.
    Shares(Vec<Share>),
    /// A share for some cells, in rising order of the cell.
    Cells(Vec<(usize, Share)>),
    /// A share for every zone of the grid.
    Zones(Zoned),
}

impl Footprint {
    /// The share of a cell.
    pub fn share(&self, cell: usize) -> Share {
        match self {
            Footprint::Everywhere => Share::WHOLE,
            Footprint::Shares(shares) => shares[cell],
            Footprint::Cells(cells) => cells
                .binary_search_by_key(&cell, |(cell, _)| *cell)
                .map_or(Share::NONE, |at| cells[at].1),
            Footprint::Zones(zoned) => zoned.share(cell),
        }
    }
}

/// A share of a series' rate, 0 to 1 in steps of 2⁻³¹.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[repr(transparent)]
pub struct Share(u32);

impl Share {
    const ONE: u32 = 1 << 31;
    /// Nothing of it.
    pub const NONE: Share = Share(0);
    /// The whole rate.
    pub const WHOLE: Share = Share(Share::ONE);

    /// The nearest share to a fraction, which is held within 0 and 1.
    pub fn of(fraction: f64) -> Share {
        Share((fraction.clamp(0.0, 1.0) * f64::from(Share::ONE)).round() as u32)
    }

    /// The share as a fraction.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / f64::from(Share::ONE)
    }

    /// The share of so many steps of 2⁻³¹, of which there are [`Share::WHOLE`] at the most.
    pub fn from_bits(steps: u32) -> Share {
        Share(steps.min(Share::ONE))
    }

    /// The share in steps of 2⁻³¹.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// This share of a running total, rounded down: ⌊share · total⌋. Wraps beyond u64.
    #[inline(always)]
    fn take(self, total: u64) -> u64 {
        let share = u64::from(self.0);
        let (high, low) = (total >> 31, total & (u64::from(Share::ONE) - 1));
        share.wrapping_mul(high).wrapping_add((share * low) >> 31)
    }

    /// What this share gains when the running total goes from `increment.before` to `.after`.
    #[inline(always)]
    pub fn gains(self, increment: Increment) -> u64 {
        self.take(increment.after).wrapping_sub(self.take(increment.before))
    }
}

/// A running total at the start and at the end of a step (grains).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct Increment {
    /// At the start.
    pub before: u64,
    /// At the end.
    pub after: u64,
}

/// A source of water with a rate.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RateLayer {
    /// Where it is booked.
    pub account: Account,
    /// Where it falls.
    pub footprint: Footprint,
    /// The rate (m per second, or m per step) over time.
    pub series: Series,
}

impl RateLayer {
    /// What the layer brings to the whole domain of `domain_cells` cells from time 0 to `end` (s, or steps), as
    /// depth summed over cells (m · cells).
    pub fn total(&self, domain_cells: usize, end: f64) -> f64 {
        (self.series.total(end) - self.series.total(0.0)) * self.cells(domain_cells)
    }

    /// How many cells of the `domain_cells` would get as much as all do, had each the whole rate.
    pub fn cells(&self, domain_cells: usize) -> f64 {
        match &self.footprint {
            Footprint::Everywhere => domain_cells as f64,
            Footprint::Shares(shares) => shares.iter().map(|share| share.fraction()).sum(),
            Footprint::Cells(cells) => cells.iter().map(|(_, share)| share.fraction()).sum(),
            Footprint::Zones(zoned) => zoned.cells(),
        }
    }
}

/// Cells whose water level is held at the start of each step: water comes or goes as needed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct HeldLevel {
    /// The cells, in rising order.
    pub cells: Vec<usize>,
    /// The level (m, above the same zero as the bed) over time; it takes the step's end.
    pub level: Series,
    /// For each cell, who holds it, by its number: several with the same level are one group.
    pub holders: Vec<u32>,
}

impl HeldLevel {
    /// Water of a cell whose level is held (grains), for a level (grains above the datum) and the cell's
    /// bed (2⁻¹⁶ m above the datum).
    #[inline]
    pub fn water(level: i64, bed: i32, grain: Grain) -> i32 {
        (level - i64::from(bed) * grain.bed_step()).clamp(0, i64::from(MAX_WATER)) as i32
    }
}

/// Everything that brings or takes water in a run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Forcing {
    /// What carries water from cell to cell before the sources, in this order.
    pub links: Vec<Link>,
    /// Rain and sources.
    pub rates: Vec<RateLayer>,
    /// Inflow cells (Topa & Młocek's set A_i): cell and the water it is topped up to each step
    /// (grains), in rising order of the cell.
    pub top_up: Vec<(usize, i32)>,
    /// Cells whose level is held, in groups; no cell is in two.
    pub held: Vec<HeldLevel>,
    /// Cells that water leaves at normal depth after all sources, in rising order; for rules with
    /// physical time.
    pub free: Vec<FreeOutflow>,
    /// Sink cells (their set A_o): emptied at the end of each step, in rising order.
    pub sinks: Vec<usize>,
    /// Sites of other kinds, by their kind; of one kind in rising order of the cell.
    pub sites: Vec<Placed>,
    /// Structures, each on an edge of its own; for rules with physical time.
    pub structures: Vec<Structure>,
    /// [Tables](table) that laws look up, one after the other.
    pub tables: Vec<f32>,
    /// How long the earlier runs took from whose state this one starts (s); 0 without. Triggers and the tables of gates count from the
    /// start of the first of them: a run cut in two then works with the same numbers, to the bit.
    pub elapsed: Second,
}

impl Forcing {
    /// Whether a layer brings water all over the domain.
    pub fn covers_every_cell(&self) -> bool {
        let is_source = |rate: &RateLayer| rate.account != Account::Evaporation;
        let wide = |rate: &RateLayer| !matches!(rate.footprint, Footprint::Cells(_));
        self.rates.iter().any(|rate| is_source(rate) && wide(rate))
    }

    /// Whether sites remember something from step to step.
    pub fn remembers(&self) -> bool {
        self.sites.iter().any(|site| site.given.kind.info().remembers)
    }

    /// How many ports there are, used or not: their numbers are smaller.
    pub fn ports(&self) -> Port {
        let holders = self.held.iter().flat_map(|held| &held.holders);
        let holders = ports::of_holder(holders.max().map_or(0, |last| last + 1));
        self.sites.iter().fold(holders, |ports, site| ports.max(site.given.port + 1))
    }

    /// Takes the shares per cell out of rate layers that have them; none of others.
    pub(crate) fn take_shares(&mut self) -> Vec<Vec<Share>> {
        let shares = self.rates.iter_mut().map(|layer| match &mut layer.footprint {
            Footprint::Shares(shares) => std::mem::take(shares),
            _ => Vec::new(),
        });
        shares.collect()
    }

    /// Puts them back.
    pub(crate) fn put_shares(&mut self, all: Vec<Vec<Share>>) {
        for (layer, of_cells) in self.rates.iter_mut().zip(all) {
            if let Footprint::Shares(shares) = &mut layer.footprint {
                *shares = of_cells;
            }
        }
    }

    /// The zones that rate layers have, those that differ.
    pub fn zones(&self) -> Vec<Arc<Zones>> {
        let mut known = Vec::new();
        for layer in &self.rates {
            if let Footprint::Zones(zoned) = &layer.footprint {
                zoned.number(&mut known);
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_running_total_lose_nothing() {
        let total = |step: u64| step * 0x0003_1415_9265;
        for fraction in [0.0, 1e-9, 0.3, 0.999_999, 1.0] {
            let share = Share::of(fraction);
            let gained: u64 = (0..1000)
                .map(|step| share.gains(Increment { before: total(step), after: total(step + 1) }))
                .sum();
            let exact = (u128::from(share.0) * u128::from(total(1000))) >> 31;
            assert_eq!(u128::from(gained), exact);
        }
    }
}
