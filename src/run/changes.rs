//! Changes of a run between two steps by whoever steps it: of its water, its flow, its rain and its inflows.
//!
//! Water that is set is a line of the mass balance of its own, `set`. Rain and inflows are replaced from now on: what has come so far has
//! come.

use super::processor::TakenProcessor;
use super::{Run, header::Header, lost};
use crate::engine::backend::Problem;
use crate::engine::field::Field;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint, RateLayer, Share, steady};
use crate::engine::simulation::Simulation;
use crate::engine::snapshot::Snapshot;
use crate::error::{Error, Result};
use crate::output::watch::Stake;
use std::collections::BTreeMap;

/// What a run must know for its state and its forcing to be changed.
pub struct Changeable {
    /// Its problem with the forcing as it is now, without the water at the start.
    pub(super) problem: Problem,
    /// What it is put on again.
    processor: TakenProcessor,
    /// The rate layer of rain that falls as no layer of the scenario does, once there is one.
    own_rain: Option<usize>,
    /// What was changed, and how often.
    changed: BTreeMap<&'static str, u64>,
}

impl Changeable {
    /// Of a run of a problem on a processor.
    pub fn new(problem: &Problem, processor: TakenProcessor) -> Changeable {
        let problem = Problem { initial: Vec::new(), ..problem.clone() };
        Changeable { problem, processor, own_rain: None, changed: BTreeMap::new() }
    }
}

impl Run {
    pub(super) fn changeable(&mut self) -> Result<&mut Changeable> {
        self.changeable.as_mut().ok_or_else(|| {
            Error::input("the run was not started to be changed").hint("start it to be changed")
        })
    }

    /// Sets the water of some cells, by their number row by row from the north-west (grains).
    ///
    /// # Errors
    /// As [`Snapshot::set_water`]; nothing is set then.
    pub fn set_water(&mut self, what: &'static str, cells: &[(usize, i32)]) -> Result<()> {
        if cells.is_empty() {
            return Ok(());
        }
        self.change(what, |state, problem| state.set_water(problem, cells))
    }

    /// Sets velocities (m/s) or discharges (m²/s) over some edges, by their places in a field.
    ///
    /// # Errors
    /// As [`Snapshot::set_flow`]; nothing is set then.
    pub fn set_flow(
        &mut self,
        what: &'static str,
        field: Field,
        edges: &[(usize, f32)],
    ) -> Result<()> {
        if edges.is_empty() {
            return Ok(());
        }
        self.change(what, |state, problem| state.set_flow(problem, field, edges))
    }

    /// Sets the rain from now on (m/s, or m per step): one rate everywhere, or one for every cell, row by row. What is NaN rains as before.
    ///
    /// # Errors
    /// If a rate is negative or infinite; nothing is set then.
    pub fn set_rain(&mut self, rates: &[f64]) -> Result<()> {
        let now = self.clock()?.now();
        let rates = match rates.iter().any(|rate| rate.is_nan()) {
            true => {
                let before = self.rain()?;
                let both = before.iter().zip(rates.iter().cycle());
                both.map(|(before, rate)| if rate.is_nan() { *before } else { *rate }).collect()
            }
            false => rates.to_vec(),
        };
        if let Some(rate) = rates.iter().find(|rate| !(0.0..f64::INFINITY).contains(*rate)) {
            return Err(Error::input(format!("rain: {rate} m/s"))
                .hint("rates are 0 or more; 1 mm/h is 1e-3 / 3600 m/s"));
        }
        let peak = rates.iter().copied().fold(0.0, f64::max);
        let same = rates.iter().all(|rate| *rate == peak);
        let footprint = match same {
            true => Footprint::Everywhere,
            false => Footprint::Shares(rates.iter().map(|rate| Share::of(rate / peak)).collect()),
        };
        let Changeable { problem, own_rain, changed, .. } = self.changeable()?;
        *changed.entry("rain").or_default() += 1;
        let layers = &mut problem.forcing.rates;
        let is_rain = |layer: &RateLayer| layer.account == Account::Rain;
        let falls_so = |layer: &RateLayer| is_rain(layer) && are_same(&layer.footprint, &footprint);
        let found = layers.iter().position(falls_so);
        for layer in layers.iter_mut().filter(|layer| is_rain(layer)) {
            layer.series = then(&layer.series, now, 0.0);
        }
        if let Some(found) = found {
            layers[found].series = then(&layers[found].series, now, peak);
        } else if peak > 0.0 {
            let series = Series::new(vec![(now, peak)]);
            let layer = RateLayer { account: Account::Rain, footprint, series };
            match *own_rain {
                Some(own) => layers[own] = layer,
                None => {
                    *own_rain = Some(layers.len());
                    layers.push(layer);
                }
            }
            self.put_back()?;
            return self.follow();
        }
        self.force()
    }

    /// Rain now (m/s, or m per step) in every cell, row by row.
    pub(super) fn rain(&mut self) -> Result<Vec<f64>> {
        let now = self.clock()?.now();
        let problem = &self.changeable()?.problem;
        let mut rates = vec![0.0; problem.grid.cells()];
        let rain = problem.forcing.rates.iter().filter(|layer| layer.account == Account::Rain);
        for layer in rain {
            let rate = layer.series.at(now);
            let add = |(to, share): (&mut f64, Share)| *to += rate * share.fraction();
            match &layer.footprint {
                _ if rate == 0.0 => {}
                Footprint::Everywhere => rates.iter_mut().for_each(|to| *to += rate),
                Footprint::Shares(shares) => {
                    rates.iter_mut().zip(shares.iter().copied()).for_each(add);
                }
                Footprint::Cells(cells) => {
                    cells.iter().for_each(|&(cell, share)| add((&mut rates[cell], share)));
                }
                Footprint::Zones(zoned) => {
                    let shares = (0..rates.len()).map(|cell| zoned.share(cell));
                    rates.iter_mut().zip(shares).for_each(add);
                }
            }
        }
        Ok(rates)
    }

    /// Sets what the sources bring from now on (m³/s, or m³ per step), in the order in which the scenario names them. What is NaN stays.
    ///
    /// # Errors
    /// If a discharge is negative or infinite, or if there are more or fewer sources; nothing is set then.
    pub fn set_inflow(&mut self, discharges: &[f64]) -> Result<()> {
        let (now, before) = (self.clock()?.now(), self.inflow()?);
        if discharges.len() != before.len() {
            return Err(Error::input(format!("inflow: {} discharges", discharges.len()))
                .hint(format!("the run has {} sources: one for each", before.len())));
        }
        let is_wrong = |flow: &&f64| !flow.is_nan() && !(0.0..f64::INFINITY).contains(*flow);
        if let Some(flow) = discharges.iter().find(is_wrong) {
            return Err(Error::input(format!("inflow: {flow} m3/s")).hint(
                "discharges are 0 or more; what takes water is a sink, an outlet or a pump",
            ));
        }
        let others = discharges.iter().zip(&before).enumerate();
        let others = others.filter(|(_, (new, old))| !new.is_nan() && new != old);
        let others: Vec<(usize, f64)> = others.map(|(at, (new, _))| (at, *new)).collect();
        if others.is_empty() {
            return Ok(());
        }
        for &(source, _) in &others {
            self.part(source, now)?;
        }
        let area = self.facts.grid.cell_area();
        let accounts = self.facts.watched.accounts.clone();
        let Changeable { problem, changed, .. } = self.changeable()?;
        for (source, discharge) in others {
            let (layer, share) = accounts.alone(source).expect("it was parted from others");
            let series = &mut problem.forcing.rates[layer].series;
            *series = then(series, now, discharge / (area * share));
        }
        *changed.entry("inflow").or_default() += 1;
        self.force()
    }

    /// Gives all sources of a rate layer layers of their own from now on, if one of them shares it with others.
    fn part(&mut self, source: usize, now: f64) -> Result<()> {
        let mut accounts = self.facts.watched.accounts.clone();
        if accounts.alone(source).is_some() {
            return Ok(());
        }
        let Some(layer) = accounts.layer(source) else {
            let name = &accounts.sources[source];
            return Err(Error::input(format!("inflow: the source '{name}' brings no water"))
                .hint("give it some in the scenario, so that it has a place in the run"));
        };
        let rates = &mut self.changeable()?.problem.forcing.rates;
        let shared = rates[layer].series.from(now);
        for (source, cells) in accounts.owners(layer) {
            let peak = cells.iter().map(|(_, part)| *part).fold(0.0, f64::max);
            let share = |part: f64| if peak > 0.0 { Share::of(part / peak) } else { Share::WHOLE };
            let cells: Vec<_> = cells.into_iter().map(|(at, part)| (at, share(part))).collect();
            accounts.move_on(source, Stake::whole(rates.len(), &cells));
            let (account, series) = (Account::Inflow, shared.scaled(peak));
            rates.push(RateLayer { account, footprint: Footprint::Cells(cells), series });
        }
        rates[layer].series = then(&rates[layer].series, now, 0.0);
        self.facts.watched.accounts = accounts;
        self.put_back()?;
        self.follow()
    }

    /// What the sources bring now (m³/s, or m³ per step).
    pub(super) fn inflow(&mut self) -> Result<Vec<f64>> {
        let now = self.clock()?.now();
        let (area, accounts) = (self.facts.grid.cell_area(), &self.facts.watched.accounts);
        Ok(accounts.rates_at(now).into_iter().map(|rate| rate * area).collect())
    }

    /// Changes the state, which is then put back on the device; nothing is changed by an error of `what`.
    fn change(
        &mut self,
        name: &'static str,
        what: impl FnOnce(&mut Snapshot, &Problem) -> Result<()>,
    ) -> Result<()> {
        let simulation = self.simulation.as_ref().ok_or_else(lost)?;
        let changeable = self.changeable.as_mut();
        let changeable = changeable.expect("it is asked for by those who may change");
        let mut state = Snapshot::of(simulation, &changeable.problem)?;
        what(&mut state, &changeable.problem)?;
        *changeable.changed.entry(name).or_default() += 1;
        self.put(state)
    }

    /// Puts the state on the device again under a forcing of other layers, which fall on other cells.
    fn put_back(&mut self) -> Result<()> {
        let simulation = self.simulation.as_ref().ok_or_else(lost)?;
        let changeable = self.changeable.as_ref().expect("it was asked for");
        let state = Snapshot::of(simulation, &changeable.problem)?;
        self.put(state)
    }

    fn put(&mut self, state: Snapshot) -> Result<()> {
        let changeable = self.changeable.as_ref().expect("it was asked for");
        let (problem, processor) = (changeable.problem.clone(), changeable.processor.again());
        // The memory of the one before is given back first.
        self.simulation = None;
        let backend = state.with(|state| processor.start(problem, Some(state)))?;
        self.simulation = Some(Simulation::new(backend, state.clock));
        Ok(())
    }

    /// Forces the run by the series of the problem as it is now.
    fn force(&mut self) -> Result<()> {
        let timeline = self.changeable()?.problem.timeline();
        self.simulation.as_mut().ok_or_else(lost)?.force(timeline)?;
        self.follow()
    }

    /// Tells those who keep accounts of another forcing.
    fn follow(&mut self) -> Result<()> {
        let cells = self.facts.domain_cells;
        let changeable = self.changeable.as_ref().expect("it was asked for");
        self.facts.watched.accounts.follow(&changeable.problem.forcing, cells);
        self.observers.follow(&self.facts.watched.accounts);
        Ok(())
    }

    /// Says in the report what was changed, and what of the state at the end follows from that.
    pub(super) fn tell_of_changes(&mut self) -> Result<()> {
        let end = self.clock()?.end();
        let Some(Changeable { problem, changed, .. }) = &self.changeable else { return Ok(()) };
        if changed.is_empty() {
            return Ok(());
        }
        let times = |(what, count): (&&str, &u64)| match count {
            1 => format!("{what} once"),
            count => format!("{what} {count} times"),
        };
        let all: Vec<String> = changed.iter().map(times).collect();
        let what = format!(
            "the run was changed while it was stepped: {}; the scenario alone gives another",
            all.join(", ")
        );
        self.facts.warnings.push(what);
        self.facts.steady_since = steady::since(&problem.forcing, end);
        if self.at_end.is_some() {
            let header = Header::new(&self.options, &self.command, &self.facts, problem)?;
            self.at_end = Some(header.at_the_end(problem));
        }
        Ok(())
    }
}

/// A series that is something else from now on.
fn then(series: &Series, now: f64, value: f64) -> Series {
    let (last, at) = series.last();
    match last <= now && at == value && series.at(now) == value {
        true => series.clone(),
        false => series.then(now, value),
    }
}

/// Whether rain falls on the same cells in the same shares.
fn are_same(a: &Footprint, b: &Footprint) -> bool {
    match (a, b) {
        (Footprint::Everywhere, Footprint::Everywhere) => true,
        (Footprint::Shares(a), Footprint::Shares(b)) => a == b,
        _ => false,
    }
}
