//! Replaces the rain and the inflows of a run from now on, by its caller. The past is unaffected.

use super::Run;
use super::changeable::Changeable;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint, RateLayer, Share};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::output::watch::SourceShare;

impl Run {
    /// Sets the rain from now on (m/s, or m per step): one uniform rate, or one per cell, row by
    /// row. Cells with NaN keep the rain of the scenario.
    ///
    /// # Errors
    /// If a rate is negative or infinite; nothing is set then.
    pub fn set_rain(&mut self, rates: &[f64]) -> Result<()> {
        let is_wrong = |rate: &&f64| !rate.is_nan() && !(0.0..f64::INFINITY).contains(*rate);
        if let Some(rate) = rates.iter().find(is_wrong) {
            return Err(Error::input(format!("rain: {rate} m/s"))
                .hint("rates must be 0 or more; 1 mm/h is 1e-3 / 3600 m/s"));
        }
        if rates.iter().all(|rate| rate.is_nan()) {
            return Ok(());
        }
        let (now, end) = (self.clock()?.now(), self.clock()?.end());
        let Changeable { problem, own_rain, changed, .. } = self.changeable()?;
        *changed.entry("rain").or_default() += 1;
        let ground = Topography::new(&problem.grid, &problem.bed);
        // No rain falls outside the domain, whatever the rates there.
        let kept: Vec<bool> =
            (0..rates.len()).map(|cell| rates[cell].is_nan() && ground.is_inside(cell)).collect();
        let keeps = kept.contains(&true);
        let peak = rates.iter().copied().fold(0.0, f64::max);
        let same = !keeps && rates.iter().all(|rate| rate.is_nan() || *rate == peak);
        let footprint = match same {
            true => Footprint::Everywhere,
            false => Footprint::Shares(rates.iter().map(|rate| Share::of(rate / peak)).collect()),
        };
        let layers = &mut problem.forcing.rates;
        let is_rain = |layer: &RateLayer| layer.account == Account::Rain;
        let falls_so = |layer: &RateLayer| is_rain(layer) && are_same(&layer.footprint, &footprint);
        let found = layers.iter().position(falls_so).filter(|_| !keeps);
        let falls = |series: &Series| series.total(end) > series.total(now);
        for layer in layers.iter_mut().filter(|layer| is_rain(layer)) {
            let share = |(cell, kept): (usize, &bool)| match kept {
                true => layer.footprint.share(cell),
                false => Share::NONE,
            };
            let left: Vec<Share> = match keeps && falls(&layer.series) {
                true => kept.iter().enumerate().map(share).collect(),
                false => Vec::new(),
            };
            match left.iter().any(|share| *share > Share::NONE) {
                true => layer.footprint = Footprint::Shares(left),
                false => layer.series = then(&layer.series, now, 0.0),
            }
        }
        if let Some(found) = found {
            layers[found].series = then(&layers[found].series, now, peak);
        } else if peak > 0.0 {
            let series = Series::new(vec![(now, peak)]);
            let layer = RateLayer { account: Account::Rain, footprint, series };
            match own_rain.filter(|own| !falls(&layers[*own].series)) {
                Some(own) => layers[own] = layer,
                None => {
                    *own_rain = Some(layers.len());
                    layers.push(layer);
                }
            }
        }
        if found.is_some() || peak == 0.0 && !keeps {
            return self.force();
        }
        self.put_back()?;
        self.follow()
    }

    /// Returns the present rain of every cell, row by row (m/s, or m per step).
    pub(super) fn rain(&mut self) -> Result<Vec<f64>> {
        let now = self.clock()?.now();
        let problem = &self.changeable()?.problem;
        let mut rates = vec![0.0; problem.grid.cells()];
        let rain = problem.forcing.rates.iter().filter(|layer| layer.account == Account::Rain);
        for layer in rain {
            let rate = layer.series.at(now);
            if rate != 0.0 {
                let cells = rates.iter_mut().enumerate();
                cells.for_each(|(cell, to)| *to += rate * layer.footprint.share(cell).fraction());
            }
        }
        Ok(rates)
    }

    /// Sets the discharges of the sources from now on (m³/s, or m³ per step), in scenario order.
    /// Sources with NaN are unchanged.
    ///
    /// # Errors
    /// If a discharge is negative or infinite, or if the number of discharges is wrong; nothing is
    /// set then.
    pub fn set_inflow(&mut self, discharges: &[f64]) -> Result<()> {
        let (now, before) = (self.clock()?.now(), self.inflow()?);
        if discharges.len() != before.len() {
            return Err(Error::input(format!("inflow: {} discharges", discharges.len()))
                .hint(format!("the run has {} sources: give one for each", before.len())));
        }
        let is_wrong = |flow: &&f64| !flow.is_nan() && !(0.0..f64::INFINITY).contains(*flow);
        if let Some(flow) = discharges.iter().find(is_wrong) {
            return Err(Error::input(format!("inflow: {flow} m3/s")).hint(
                "discharges must be 0 or more; to remove water, use a sink, an outlet or a pump",
            ));
        }
        let others = discharges.iter().zip(&before).enumerate();
        // Setting a discharge also replaces later values of the series, even if the present value
        // is equal. A source that never brings water has no series to replace.
        let accounts = &self.facts.watched.accounts;
        let is_nothing = |at: usize, new: f64| new == 0.0 && accounts.layer(at).is_none();
        let others = others.filter(|(at, (new, _))| !new.is_nan() && !is_nothing(*at, **new));
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

    /// Splits the rate layer of a source so that each of its sources has its own, if it is shared.
    fn part(&mut self, source: usize, now: f64) -> Result<()> {
        let mut accounts = self.facts.watched.accounts.clone();
        if accounts.alone(source).is_some() {
            return Ok(());
        }
        let Some(layer) = accounts.layer(source) else {
            let name = &accounts.sources[source];
            return Err(Error::input(format!("inflow: the source '{name}' brings no water"))
                .hint("give it a discharge in the scenario, so that it is part of the run"));
        };
        let rates = &mut self.changeable()?.problem.forcing.rates;
        let shared = rates[layer].series.from(now);
        for (source, cells) in accounts.owners(layer) {
            let peak = cells.iter().map(|(_, part)| *part).fold(0.0, f64::max);
            let share = |part: f64| if peak > 0.0 { Share::of(part / peak) } else { Share::WHOLE };
            let cells: Vec<_> = cells.into_iter().map(|(at, part)| (at, share(part))).collect();
            accounts.move_on(source, SourceShare::whole(rates.len(), &cells));
            let (account, series) = (Account::Inflow, shared.scaled(peak));
            rates.push(RateLayer { account, footprint: Footprint::Cells(cells), series });
        }
        rates[layer].series = then(&rates[layer].series, now, 0.0);
        self.facts.watched.accounts = accounts;
        self.put_back()?;
        self.follow()
    }

    /// Returns the present discharges of the sources (m³/s, or m³ per step).
    pub(super) fn inflow(&mut self) -> Result<Vec<f64>> {
        let now = self.clock()?.now();
        let (area, accounts) = (self.facts.grid.cell_area(), &self.facts.watched.accounts);
        Ok(accounts.rates_at(now).into_iter().map(|rate| rate * area).collect())
    }
}

/// Returns a series that has a constant value from `now` on.
fn then(series: &Series, now: f64, value: f64) -> Series {
    let (last, at) = series.last();
    match last <= now && at == value && series.at(now) == value {
        true => series.clone(),
        false => series.then(now, value),
    }
}

/// Returns `true` if two footprints have the same cells and shares.
fn are_same(a: &Footprint, b: &Footprint) -> bool {
    match (a, b) {
        (Footprint::Everywhere, Footprint::Everywhere) => true,
        (Footprint::Shares(a), Footprint::Shares(b)) => a == b,
        _ => false,
    }
}
