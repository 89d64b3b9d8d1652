//! Forcing, which adds and removes water: source terms (rain, sources, inflow cells, sink cells),
//! boundary conditions (stage boundaries, outflow at normal depth, [`ports`] of open sides) and links.
//! Rain or another source over many cells is a *rate*; forcing at single cells is a *site*
//! ([`sites`]).
//!
//! Rates are applied as increments of an integer running total, per layer and cell, so that no rate
//! is too small to count and the total at any time is correct to a grain.

pub mod approach;
pub mod bounds;
pub mod culvert;
pub mod link;
pub mod normal_depth;
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
use crate::solver::AnySolver;
use crate::units::Second;
use link::Link;
use normal_depth::NormalDepthOutflow;
use ports::Port;
use serde::{Deserialize, Serialize};
use series::Series;
use sites::{PlacedSite, SiteKind};
use std::sync::Arc;
use structures::Structure;
use zones::{Zoned, Zones};

/// Mass balance term on which a layer's water is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Account {
    /// Rain.
    Rain,
    /// Sources.
    Inflow,
    /// Evaporation, which removes water from wet cells ([`crate::losses`]).
    Evaporation,
}

/// The cells on which a rate falls, and their shares of the series' rate. Cells are numbered
/// row-major over the grid; cells outside the domain get nothing.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub enum Footprint {
    /// Every cell of the domain, at the full rate.
    Everywhere,
    /// A share for every cell of the grid.
    Shares(Vec<Share>),
    /// A share for some cells, in ascending order of the cell.
    Cells(Vec<(usize, Share)>),
    /// A share for every zone of the grid.
    Zones(Zoned),
}

impl Footprint {
    /// Returns `true` if every cell has the same share in another footprint of the same kind.
    pub fn is_same(&self, other: &Footprint) -> bool {
        match (self, other) {
            (Footprint::Everywhere, Footprint::Everywhere) => true,
            (Footprint::Shares(a), Footprint::Shares(b)) => a == b,
            (Footprint::Cells(a), Footprint::Cells(b)) => a == b,
            (Footprint::Zones(a), Footprint::Zones(b)) => {
                Arc::ptr_eq(&a.zones, &b.zones) && a.shares == b.shares
            }
            _ => false,
        }
    }

    /// Returns the share of a cell.
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
    /// No share.
    pub const NONE: Share = Share(0);
    /// The whole rate.
    pub const WHOLE: Share = Share(Share::ONE);

    /// Returns the share nearest to a fraction, which is clamped to 0 to 1.
    pub fn of(fraction: f64) -> Share {
        Share((fraction.clamp(0.0, 1.0) * f64::from(Share::ONE)).round() as u32)
    }

    /// Returns the share as a fraction.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / f64::from(Share::ONE)
    }

    /// Returns the share of `steps` steps of 2⁻³¹, at most [`Share::WHOLE`].
    pub fn from_bits(steps: u32) -> Share {
        Share(steps.min(Share::ONE))
    }

    /// Returns the share in steps of 2⁻³¹.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns this share of a running total, rounded down: ⌊share · total⌋. Wraps beyond u64.
    #[inline(always)]
    fn take(self, total: u64) -> u64 {
        let share = u64::from(self.0);
        let (high, low) = (total >> 31, total & (u64::from(Share::ONE) - 1));
        share.wrapping_mul(high).wrapping_add((share * low) >> 31)
    }

    /// Returns the gain of this share when the running total goes from `increment.before` to
    /// `.after`.
    #[inline(always)]
    pub fn gains(self, increment: Increment) -> u64 {
        self.take(increment.after).wrapping_sub(self.take(increment.before))
    }
}

/// A running total at the start and at the end of a step (grains).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct Increment {
    /// Total at the start.
    pub before: u64,
    /// Total at the end.
    pub after: u64,
}

/// Rain, a source or evaporation: a rate over cells.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RateLayer {
    /// Mass balance term.
    pub account: Account,
    /// Cells on which it falls.
    pub footprint: Footprint,
    /// The rate (m per second, or m per step) over time.
    pub series: Series,
}

impl RateLayer {
    /// Returns the layer's total over the domain of `domain_cells` cells from time 0 to `end` (s,
    /// or steps), as depth summed over cells (m · cells).
    pub fn total(&self, domain_cells: usize, end: f64) -> f64 {
        (self.series.total(end) - self.series.total(0.0)) * self.cells(domain_cells)
    }

    /// Returns the sum of the shares over the domain of `domain_cells` cells: the equivalent number
    /// of cells at the full rate.
    pub fn cells(&self, domain_cells: usize) -> f64 {
        match &self.footprint {
            Footprint::Everywhere => domain_cells as f64,
            Footprint::Shares(shares) => shares.iter().map(|share| share.fraction()).sum(),
            Footprint::Cells(cells) => cells.iter().map(|(_, share)| share.fraction()).sum(),
            Footprint::Zones(zoned) => zoned.cells(),
        }
    }
}

/// Stage boundary: cells whose water level is prescribed at the start of each step, by adding or
/// removing water.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StageBoundary {
    /// The cells, in ascending order.
    pub cells: Vec<usize>,
    /// The level (m, above the zero of the bed) over time; a step uses the level at its end.
    pub level: Series,
    /// For each cell, the number of its holder: several holders with an equal level form one group.
    pub holders: Vec<u32>,
}

impl StageBoundary {
    /// Returns the water of a cell with a prescribed level (grains), for a level (grains above the
    /// datum) and the cell's bed (2⁻¹⁶ m above the datum).
    #[inline]
    pub fn water(level: i64, bed: i32, grain: Grain) -> i32 {
        (level - i64::from(bed) * grain.bed_step()).clamp(0, i64::from(MAX_WATER)) as i32
    }
}

/// All forcing of a run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Forcing {
    /// Links that carry water from cell to cell before the sources, in this order.
    pub links: Vec<Link>,
    /// Rain and sources.
    pub rates: Vec<RateLayer>,
    /// Inflow cells (Topa & Młocek's set A_i): cell and the water to which it is topped up each
    /// step (grains), in ascending order of the cell.
    pub top_up: Vec<(usize, i32)>,
    /// Stage boundaries; no cell is in two of them.
    pub stage_boundaries: Vec<StageBoundary>,
    /// Cells that drain at normal depth after all sources, in ascending order; for solvers with
    /// physical time.
    pub free: Vec<NormalDepthOutflow>,
    /// Sink cells (Topa & Młocek's set A_o): emptied at the end of each step, in ascending order.
    pub sinks: Vec<usize>,
    /// Sites of other kinds, ordered by kind and by cell.
    pub sites: Vec<PlacedSite>,
    /// Structures, each on its own edge; for solvers with physical time.
    pub structures: Vec<Structure>,
    /// [Tables](table) for the laws, concatenated.
    pub tables: Vec<f32>,
    /// Total duration of the earlier runs that this one continues (s); 0 if there are none.
    /// Triggers and gate tables count time from the start of the first run, so a run that is split
    /// in two computes the same bits.
    pub elapsed: Second,
}

impl Forcing {
    /// Returns `true` if a layer adds water over many cells.
    pub fn covers_every_cell(&self) -> bool {
        let is_source = |rate: &RateLayer| rate.account != Account::Evaporation;
        let wide = |rate: &RateLayer| !matches!(rate.footprint, Footprint::Cells(_));
        self.rates.iter().any(|rate| is_source(rate) && wide(rate))
    }

    /// Returns the cells through which water can leave other than across their edges, which matters
    /// to a solver with momentum: the ends of links, and inlets of sewers.
    pub(crate) fn intakes(&self, solver: AnySolver) -> impl Iterator<Item = usize> {
        let inlets = self.sites.iter().filter(|site| site.given.kind == SiteKind::SewerInlet);
        let ends = self.links.iter().flat_map(|link| [link.inlet, link.outlet]);
        let all = ends.chain(inlets.map(|site| site.cell));
        all.filter(move |_| solver.has_momentum())
    }

    /// Returns `true` if any site has a state that is kept between steps.
    pub fn remembers(&self) -> bool {
        self.sites.iter().any(|site| site.given.kind.info().remembers)
    }

    /// Returns the number of ports, used or not; port numbers are smaller.
    pub fn ports(&self) -> Port {
        let holders = self.stage_boundaries.iter().flat_map(|stage| &stage.holders);
        let holders = ports::of_holder(holders.max().map_or(0, |last| last + 1));
        self.sites.iter().fold(holders, |ports, site| ports.max(site.given.port + 1))
    }

    /// Takes the shares per cell out of rate layers that have them; empty for others.
    pub(crate) fn take_shares(&mut self) -> Vec<Vec<Share>> {
        let shares = self.rates.iter_mut().map(|layer| match &mut layer.footprint {
            Footprint::Shares(shares) => std::mem::take(shares),
            _ => Vec::new(),
        });
        shares.collect()
    }

    /// Puts the shares back.
    pub(crate) fn put_shares(&mut self, all: Vec<Vec<Share>>) {
        for (layer, of_cells) in self.rates.iter_mut().zip(all) {
            if let Footprint::Shares(shares) = &mut layer.footprint {
                *shares = of_cells;
            }
        }
    }

    /// Returns the distinct zones of the rate layers.
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
