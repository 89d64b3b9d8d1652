//! The ledger's inflow by the names of those who bring it: what each source has brought until now, and what went through
//! each link.
//!
//! A cell gets of a rate layer what its share of the layer's running total gains in a step, and such gains telescope: what
//! has come until a time follows from the total at that time, whatever the steps, with the integers of the steps
//! themselves. Where features share a cell of a layer, its gain is parted among them by their flows, to the grain.

use crate::engine::backend::Backend;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Forcing, Increment, Share};
use crate::engine::grains::Grain;
use crate::engine::ledger::Ledger;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The whole of what a cell gets (2⁻³¹).
const WHOLE: u32 = 1 << 31;

/// What a source has of a cell of its rate layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The cell's share of the layer.
    share: Share,
    /// The part of what the cell gets, from and to (2⁻³¹).
    part: (u32, u32),
}

impl Portion {
    /// The portions of the owners of a cell, by the size of what each brings there. They make up the whole.
    pub fn split(share: Share, sizes: &[f64]) -> Vec<Portion> {
        let whole: f64 = sizes.iter().sum();
        let (mut before, mut sum) = (0, 0.0);
        let mut portions = Vec::with_capacity(sizes.len());
        for (at, size) in sizes.iter().enumerate() {
            sum += size;
            let is_last = at + 1 == sizes.len();
            let part = if whole > 0.0 { sum / whole } else { 1.0 };
            let after = if is_last { WHOLE } else { (part * f64::from(WHOLE)) as u32 };
            let after = after.clamp(before, WHOLE);
            portions.push(Portion { share, part: (before, after) });
            before = after;
        }
        portions
    }

    /// Of what a cell has gained (grains).
    fn of(self, gained: u64) -> u64 {
        let up_to = |part: u32| ((u128::from(gained) * u128::from(part)) >> 31) as u64;
        up_to(self.part.1) - up_to(self.part.0)
    }
}

/// What a source has of the forcing.
#[derive(Clone, Debug, Default)]
pub struct Stake {
    /// Its rate layer, by its number among the forcing's.
    pub layer: usize,
    /// Its portions of that; none if it brings nothing.
    pub portions: Vec<Portion>,
}

impl Stake {
    /// One that has all of what some cells get.
    pub fn whole(layer: usize, shares: impl Iterator<Item = Share>) -> Stake {
        let portions = shares.map(|share| Portion { share, part: (0, WHOLE) }).collect();
        Stake { layer, portions }
    }
}

/// Those who bring water, by name.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    /// The sources, each with a name of its own.
    pub sources: Vec<String>,
    /// The links.
    pub links: Vec<String>,
    /// Whether there is other inflow: of held levels and inflow cells.
    pub has_other: bool,
    stakes: Vec<Stake>,
    /// The series of the rate layers that are sources (m per second or step).
    series: Vec<Option<Series>>,
}

/// What they have brought until a time (grains).
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Brought {
    /// Each source.
    pub sources: Vec<u64>,
    /// Each link, from its inlet to its outlet and back.
    pub links: Vec<(u64, u64)>,
}

impl Accounts {
    /// Those of a forcing whose sources have names and stakes.
    pub fn new(forcing: &Forcing, names: &[&str], stakes: Vec<Stake>) -> Accounts {
        let links: Vec<&str> = forcing.links.iter().map(|link| link.name.as_str()).collect();
        let is_source = |account| account == Account::Inflow;
        let series = forcing.rates.iter();
        let series = series.map(|rate| is_source(rate.account).then(|| rate.series.clone()));
        Accounts {
            sources: own_names(names),
            links: own_names(&links),
            has_other: !(forcing.held.is_empty() && forcing.top_up.is_empty()),
            stakes,
            series: series.collect(),
        }
    }

    /// What they have brought until a time (s, or steps), which is that of the backend's state.
    pub fn at(&self, time: f64, grain: Grain, backend: &dyn Backend) -> Result<Brought> {
        let total = |series: &Option<Series>| {
            let total = |time| series.as_ref().map_or(0, |series| series.grains(time, grain));
            Increment { before: total(0.0), after: total(time) }
        };
        let totals: Vec<Increment> = self.series.iter().map(total).collect();
        let brought = |stake: &Stake| -> u64 {
            let Some(&total) = totals.get(stake.layer) else { return 0 };
            stake.portions.iter().map(|portion| portion.of(portion.share.gains(total))).sum()
        };
        let links = if self.links.is_empty() { Vec::new() } else { backend.links()? };
        Ok(Brought {
            sources: self.stakes.iter().map(brought).collect(),
            links: links.into_iter().map(|link| (link.forward, link.back)).collect(),
        })
    }
}

impl Brought {
    /// Whether it is of these accounts.
    pub fn fits(&self, accounts: &Accounts) -> bool {
        (self.sources.len(), self.links.len()) == (accounts.sources.len(), accounts.links.len())
    }

    /// What else has come in by the ledger: at held levels and in inflow cells (grains).
    pub fn other(&self, ledger: &Ledger) -> i128 {
        ledger.inflow - self.sources.iter().map(|&grains| i128::from(grains)).sum::<i128>()
    }

    /// What was brought at a part of the way, 0 to 1, from this to a later time. With the rest it makes up the inflow of
    /// [`Ledger::between`]: sums are rounded, not lines.
    pub fn between(&self, later: &Brought, part: f64) -> Brought {
        let at = |a: u64, b: u64| a + (b.saturating_sub(a) as f64 * part).round() as u64;
        let (mut sums, mut before) = ((0, 0), 0);
        let mut source = |(a, b): (&u64, &u64)| {
            sums = (sums.0 + a, sums.1 + b);
            let sum = at(sums.0, sums.1);
            sum - std::mem::replace(&mut before, sum)
        };
        let link = |(a, b): (&(u64, u64), &(u64, u64))| (at(a.0, b.0), at(a.1, b.1));
        Brought {
            sources: self.sources.iter().zip(&later.sources).map(&mut source).collect(),
            links: self.links.iter().zip(&later.links).map(link).collect(),
        }
    }
}

/// Names of which no two are the same: the second `mill` is `mill (2)`.
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
    use crate::engine::forcing::timeline::Timeline;
    use crate::engine::forcing::{Footprint, RateLayer};
    use crate::engine::grid::Bed;
    use crate::engine::pace::Stride;

    #[test]
    fn portions_of_a_cell_make_up_what_it_gets_at_any_time() {
        let share = Share::of(0.7);
        let portions = Portion::split(share, &[1.0, 0.0, 2.0, 4.5]);
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

    /// Whatever the steps, what they bring a cell of a hydrograph is what the total at their end says.
    #[test]
    fn gains_telescope() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        };
        let (bed, share) = (Bed::from_metres([0.0]), Share::of(0.37));
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
            let forcing = Forcing { rates: vec![rate], ..Forcing::default() };
            let timeline = Timeline::of(&forcing, Grain::Fine, &bed);
            let series = &forcing.rates[0].series;
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
    fn lines_between_two_times_make_up_the_ledgers_inflow() {
        let sums = [(3u64, 8u64), (10, 11), (0, 7)];
        let brought = |pick: &dyn Fn(&(u64, u64)) -> u64| Brought {
            sources: sums.iter().map(pick).collect(),
            links: vec![(1, 0)],
        };
        let (before, after) = (brought(&|pair| pair.0), brought(&|pair| pair.1));
        let ledger = |inflow: i128| Ledger { inflow, ..Ledger::default() };
        for part in [0.0, 0.1, 0.37, 0.5, 0.9, 1.0] {
            let between = before.between(&after, part);
            assert_eq!(between.other(&ledger(13).between(&ledger(26), part)), 0, "{part}");
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
