//! Inflow and outflow of the mass balance by account: the inflow of each source, the inflow and
//! outflow of each stage boundary, the outflow over each open side, and the volume through each
//! link.
//!
//! In a step, a cell receives its share of the increase of a rate layer's running total. These
//! increments telescope: the volume up to a time follows from the total at that time, independent
//! of the steps, with the same integers as the steps themselves. Where features share a cell of a
//! layer, its inflow is divided among them in proportion to their flows, exact to the grain.

use super::Sides;
use super::portions::{Portion, SourceShare};
use crate::engine::forcing::link::LinkState;
use crate::engine::forcing::ports::{self, BoundaryVolumes};
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Forcing, Increment};
use crate::engine::grains::Grain;
use crate::engine::ledger::Ledger;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Named sources and sinks of water.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    /// Names of the sources, all unique.
    pub sources: Vec<String>,
    /// Names of the links.
    pub links: Vec<String>,
    /// Names of the stage boundaries, followed by the rating curves.
    pub levels: Vec<String>,
    /// Number of rating curves.
    pub ratings: usize,
    /// Number of inlets of sewers, whose ports follow those of the rating curves.
    pub inlets: usize,
    /// Open sides of the raster.
    pub sides: Sides,
    /// Set if there are inflow cells outside sources.
    pub has_other: bool,
    /// Shares of each source; several if it was moved to another rate layer during the run.
    shares: Vec<Vec<SourceShare>>,
    /// Series of the rate layers of sources (m per second or step).
    series: Vec<Option<Series>>,
    /// Series of the rain, each with the number of its cells.
    rain: Vec<(Series, f64)>,
}

/// Boundaries with ports of their own, in the order of the ports.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoundaryPorts<'a> {
    /// Names of the stage boundaries, followed by the rating curves.
    pub levels: &'a [&'a str],
    /// Number of rating curves.
    pub ratings: usize,
    /// Number of inlets of sewers.
    pub inlets: usize,
}

/// Volumes by account until a time (grains).
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct VolumesByAccount {
    /// Inflow of each source.
    pub sources: Vec<u64>,
    /// Volume through each link, forward and backward.
    pub links: Vec<(u64, u64)>,
    /// Inflow and outflow of each stage boundary, and outflow of each rating curve.
    pub levels: Vec<(u64, u64)>,
    /// Outflow over each open side.
    pub sides: Vec<u64>,
    /// Inflow from the sewers and outflow into them.
    pub sewers: (u64, u64),
}

impl Accounts {
    /// Creates the accounts of a forcing over `domain_cells` cells, given the names and the shares
    /// of its sources.
    pub fn new(
        forcing: &Forcing,
        domain_cells: usize,
        names: &[&str],
        shares: Vec<SourceShare>,
        ports: BoundaryPorts,
        sides: Sides,
    ) -> Accounts {
        let links: Vec<&str> = forcing.links.iter().map(|link| link.name.as_str()).collect();
        let mut accounts = Accounts {
            sources: own_names(names),
            links: own_names(&links),
            levels: own_names(ports.levels),
            ratings: ports.ratings,
            inlets: ports.inlets,
            sides,
            has_other: !forcing.top_up.is_empty(),
            shares: shares.into_iter().map(|share| vec![share]).collect(),
            series: Vec::new(),
            rain: Vec::new(),
        };
        accounts.follow(forcing, domain_cells);
        accounts
    }

    /// Takes the series from a forcing in which the sources keep their shares.
    pub fn follow(&mut self, forcing: &Forcing, domain_cells: usize) {
        let is_source = |account| account == Account::Inflow;
        let series = forcing.rates.iter();
        let series = series.map(|rate| is_source(rate.account).then(|| rate.series.clone()));
        let rain = forcing.rates.iter().filter(|rate| rate.account == Account::Rain);
        let rain = rain.map(|rate| (rate.series.clone(), rate.cells(domain_cells)));
        (self.series, self.rain) = (series.collect(), rain.collect());
    }

    /// Returns the rate of each source at a time, as depth summed over cells (m · cells per second
    /// or step).
    pub fn rates_at(&self, time: f64) -> Vec<f64> {
        let rate = |share: &SourceShare| match self.series.get(share.layer) {
            Some(Some(series)) => series.at(time) * share.total(),
            _ => 0.0,
        };
        self.shares.iter().map(|shares| shares.iter().map(rate).sum()).collect()
    }

    /// Returns a source's rate layer and the equivalent number of its cells; `None` if the source
    /// brings nothing or shares the layer.
    pub fn alone(&self, source: usize) -> Option<(usize, f64)> {
        let own = self.last(source).filter(|share| share.total() > 0.0)?;
        (self.owners(own.layer).len() == 1).then(|| (own.layer, own.total()))
    }

    /// Returns the present owners of a rate layer, with the fraction of its rate in each of their
    /// cells.
    pub fn owners(&self, layer: usize) -> Vec<(usize, Vec<(usize, f64)>)> {
        let all = (0..self.shares.len()).filter_map(|source| Some((source, self.last(source)?)));
        let of_layer = all.filter(|(_, share)| share.layer == layer && !share.portions.is_empty());
        let cell = |portion: &Portion| (portion.cell, portion.fraction());
        of_layer.map(|(at, share)| (at, share.portions.iter().map(cell).collect())).collect()
    }

    /// Returns the present rate layer of a source; `None` if it has none.
    pub fn layer(&self, source: usize) -> Option<usize> {
        self.last(source).filter(|share| !share.portions.is_empty()).map(|share| share.layer)
    }

    fn last(&self, source: usize) -> Option<&SourceShare> {
        self.shares.get(source)?.last()
    }

    /// Gives a source another share from now on; its previous layer must bring nothing more.
    pub fn move_on(&mut self, source: usize, share: SourceShare) {
        self.shares[source].push(share);
    }

    /// Returns the number of stage boundaries; later names belong to rating curves.
    pub fn stages(&self) -> usize {
        self.levels.len() - self.ratings
    }

    /// Returns `true` if the volumes booked per port are needed.
    pub fn asks_ports(&self) -> bool {
        !(self.levels.is_empty() && self.sides.names.is_empty() && self.inlets == 0)
    }

    /// Returns the fraction (0 to 1) of the rain of a step that has fallen by a time within it (s).
    pub fn rained(&self, (start, end): (f64, f64), time: f64) -> f64 {
        let by = |time: f64| -> f64 {
            self.rain.iter().map(|(series, cells)| series.total(time) * cells).sum()
        };
        let (before, after) = (by(start), by(end));
        if after > before { ((by(time) - before) / (after - before)).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Returns the volumes of the sources until a time (s, or steps; grains).
    pub fn sources_at(&self, time: f64, grain: Grain) -> Vec<u64> {
        let total = |series: &Option<Series>| {
            let total = |time| series.as_ref().map_or(0, |series| series.grains(time, grain));
            Increment { before: total(0.0), after: total(time) }
        };
        let totals: Vec<Increment> = self.series.iter().map(total).collect();
        let brought = |share: &SourceShare| -> u64 {
            let Some(&total) = totals.get(share.layer) else { return 0 };
            share.portions.iter().map(|portion| portion.of(portion.share.gains(total))).sum()
        };
        self.shares.iter().map(|shares| shares.iter().map(brought).sum()).collect()
    }

    /// Returns the inflow from the sewers and the outflow into them, given the volumes per port
    /// (grains).
    fn sewers(&self, port_volumes: &BoundaryVolumes) -> (u64, u64) {
        if self.inlets == 0 {
            return (0, 0);
        }
        let first = ports::of_holder(self.levels.len() as u32);
        let inlets = port_volumes.each().filter(|(port, ..)| *port >= first);
        inlets.fold((0, 0), |sums, (_, came, left)| (sums.0 + came, sums.1 + left))
    }

    /// Returns the volumes of all accounts until a time (s, or steps), given those booked per port
    /// and link.
    pub fn at(
        &self,
        time: f64,
        grain: Grain,
        port_volumes: &BoundaryVolumes,
        links: &[LinkState],
    ) -> VolumesByAccount {
        let holders = 0..self.levels.len() as u32;
        VolumesByAccount {
            sources: self.sources_at(time, grain),
            links: links.iter().map(|link| (link.forward, link.back)).collect(),
            levels: holders.map(|number| port_volumes.at(ports::of_holder(number))).collect(),
            sides: self.sides.left(port_volumes),
            sewers: self.sewers(port_volumes),
        }
    }
}

impl VolumesByAccount {
    /// Returns `true` if the volumes match these accounts.
    pub fn fits(&self, accounts: &Accounts) -> bool {
        (self.sources.len(), self.links.len()) == (accounts.sources.len(), accounts.links.len())
            && self.levels.len() == accounts.levels.len()
            && self.sides.len() == accounts.sides.names.len()
    }

    /// Returns the other inflow of the mass balance, through inflow cells (grains).
    pub fn other(&self, ledger: &Ledger) -> i128 {
        let levels = self.levels.iter().map(|&(came, _)| i128::from(came)).sum::<i128>();
        self.held(ledger) - levels - i128::from(self.sewers.0)
    }

    /// Returns the unaccounted outflow of the mass balance (grains). Anything but 0 is a defect.
    pub fn other_out(&self, ledger: &Ledger) -> i128 {
        let levels = self.levels.iter().map(|&(_, left)| left);
        let booked = self.sides.iter().copied().chain(levels).chain([self.sewers.1]);
        ledger.outflow - booked.map(i128::from).sum::<i128>()
    }

    /// Returns the inflow of the mass balance that is not from sources (grains).
    pub fn held(&self, ledger: &Ledger) -> i128 {
        ledger.inflow - self.sources.iter().copied().map(i128::from).sum::<i128>()
    }

    /// Interpolates the volumes at a fraction (0 to 1) of the time to a later sample, given the
    /// volumes of the `sources`. Running sums are rounded rather than single terms, so that the
    /// terms add up to the outflow of [`Ledger::between`].
    pub fn between(
        &self,
        later: &VolumesByAccount,
        part: f64,
        sources: Vec<u64>,
    ) -> VolumesByAccount {
        let (mut came, mut left) = (Between::at(part), Between::at(part));
        let link =
            |(a, b): (&(u64, u64), &(u64, u64))| (between(part, a.0, b.0), between(part, a.1, b.1));
        let levels = self.levels.iter().zip(&later.levels);
        let levels = levels.map(|(a, b)| (came.next(a.0, b.0), left.next(a.1, b.1))).collect();
        let sides = self.sides.iter().zip(&later.sides);
        let sides = sides.map(|(&a, &b)| left.next(a, b)).collect();
        let sewers =
            (came.next(self.sewers.0, later.sewers.0), left.next(self.sewers.1, later.sewers.1));
        VolumesByAccount {
            sources,
            links: self.links.iter().zip(&later.links).map(link).collect(),
            levels,
            sides,
            sewers,
        }
    }
}

/// Interpolates a number (grains).
fn between(part: f64, before: u64, after: u64) -> u64 {
    before + (after.saturating_sub(before) as f64 * part).round() as u64
}

/// Interpolates several terms so that no partial sum deviates by more than its own rounding.
struct Between {
    part: f64,
    /// Partial sums at both times, and interpolated.
    sums: (u64, u64),
    sum: u64,
}

impl Between {
    fn at(part: f64) -> Between {
        Between { part, sums: (0, 0), sum: 0 }
    }

    /// Interpolates the next term (grains).
    fn next(&mut self, before: u64, after: u64) -> u64 {
        self.sums = (self.sums.0 + before, self.sums.1 + after);
        let sum = between(self.part, self.sums.0, self.sums.1);
        sum - std::mem::replace(&mut self.sum, sum)
    }
}

/// Makes names unique: the second `mill` becomes `mill (2)`.
fn own_names(names: &[&str]) -> Vec<String> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut own = |name: &&str| loop {
        let count = known.entry(name.to_string()).or_default();
        *count += 1;
        let tried = if *count == 1 { name.to_string() } else { format!("{name} ({count})") };
        if *count == 1 || !known.contains_key(&tried) {
            known.entry(tried.clone()).or_insert(1);
            return tried;
        }
    };
    names.iter().map(&mut own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::case::Case;
    use crate::engine::forcing::{Footprint, RateLayer, Share};
    use crate::engine::time_step::Stride;

    #[test]
    fn portions_of_a_cell_make_up_what_it_gets_at_any_time() {
        let share = Share::of(0.7);
        let portions = Portion::split((7, share), &[1.0, 0.0, 2.0, 4.5]);
        for gained in [0, 1, 2, 7, 1000, 123_456_789_012_345] {
            let parts: Vec<u64> = portions.iter().map(|portion| portion.of(gained)).collect();
            assert_eq!(parts.iter().sum::<u64>(), gained);
            assert_eq!(parts[1], 0);
        }
        let parts = portions.iter().map(|portion| portion.of(7_500_000));
        let parts: Vec<u64> = parts.collect();
        assert!(
            parts.iter().zip([1_000_000, 0, 2_000_000, 4_500_000]).all(|(a, b)| a.abs_diff(b) <= 1)
        );
    }

    /// The inflow of a hydrograph's cell equals its total at the end, whatever the steps.
    #[test]
    fn gains_telescope() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut problem = Case::new(1, 1, 1.0).problem().expect("a cell");
        let share = Share::of(0.37);
        for _ in 0..200 {
            let mut pairs = vec![(random() * 9.0, 0.0)];
            for _ in 0..6 {
                let (time, _) = pairs[pairs.len() - 1];
                let flow = if random() < 0.4 { 0.0 } else { random() * 1e-2 };
                pairs.push((time + 0.1 + random() * 90.0, flow));
            }
            let rate = RateLayer {
                account: Account::Inflow,
                footprint: Footprint::Cells(vec![(0, share)]),
                series: Series::linear(pairs),
            };
            problem.forcing.rates = vec![rate];
            let timeline = problem.timeline();
            let series = &problem.forcing.rates[0].series;
            let (mut time, mut came) = (0.0, 0);
            for number in 0..300 {
                let dt = (0.01 + random() * 3.0) as f32;
                let end = time + f64::from(dt);
                let step = timeline.step(Stride { number, dt, start: time, end });
                came += share.gains(step.increments[0]);
                time = end;
                let total = Increment { before: 0, after: series.grains(time, Grain::Fine) };
                assert_eq!(came, share.gains(total), "at {time} s");
            }
        }
    }

    #[test]
    fn lines_between_two_times_make_up_the_ledgers_inflow_and_outflow() {
        let sums = [(3u64, 8u64), (10, 11), (0, 7)];
        let brought = |pick: &dyn Fn(&(u64, u64)) -> u64| VolumesByAccount {
            sources: sums.iter().map(pick).collect(),
            links: vec![(1, 0)],
            levels: sums.iter().map(|pair| (pick(pair), pick(pair) + 2)).collect(),
            sides: sums[..2].iter().map(pick).collect(),
            sewers: (pick(&(5, 9)), pick(&(2, 7))),
        };
        let (before, after) = (brought(&|pair| pair.0), brought(&|pair| pair.1));
        let ledger = |inflow: i128, outflow: i128| Ledger { inflow, outflow, ..Ledger::default() };
        for part in [0.0, 0.1, 0.37, 0.5, 0.9, 1.0] {
            let between = before.between(&after, part, vec![4, 10, 1]);
            let held = (17.0 * part).round() as i128 + 18;
            let ledger = ledger(31, 34).between(&ledger(61, 58), part, 0, 15 + held);
            assert_eq!((between.other(&ledger), between.other_out(&ledger)), (0, 0), "{part}");
        }
    }

    #[test]
    fn names_are_made_unlike() {
        let names = own_names(&["mill", "ford", "mill", "mill (2)", "mill"]);
        let unlike: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(unlike.len(), 5, "{names:?}");
        assert_eq!(names[..3], ["mill", "ford", "mill (2)"]);
    }
}
