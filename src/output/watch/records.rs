//! Recorded samples of a run.

use super::{
    Accounts, GaugeReport, Reading, Section, SectionFlow, SectionReport, VolumesByAccount, Watched,
};
use crate::engine::backend::{Backend, Sample};
use crate::engine::field::Field;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, CellLocation, Grid};
use crate::engine::hazard::FILM;
use crate::engine::ledger::Ledger;
use crate::error::Result;
use crate::output::layers::Maps;
use crate::output::layers::fine::FirstExceedance;
use serde::{Deserialize, Serialize};

/// Mass balance at a time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Balance {
    /// Totals of the mass balance.
    #[serde(with = "crate::engine::sums")]
    pub ledger: Ledger,
    /// Number of wet cells.
    pub wet_cells: usize,
    /// Inflow and outflow by account.
    pub brought: VolumesByAccount,
}

/// Sample of everything at one time.
#[derive(Clone, Debug)]
pub struct WatchSample {
    /// Time (s, or steps).
    pub time: f64,
    /// Mass balance at this time.
    pub balance: Balance,
    /// Samples of the gauges.
    pub gauges: Vec<Reading>,
    /// Discharges through the sections (m³/s).
    pub sections: Vec<f64>,
}

impl WatchSample {
    /// Evaluates the [wanted values](Watched::wanted) of a state.
    pub fn of(watched: &Watched, grain: Grain, grid: &Grid, seen: &Sample) -> WatchSample {
        let brought = watched.accounts.at(seen.time, grain, &seen.port_volumes, &seen.links);
        let balance = Balance { ledger: seen.ledger, wet_cells: seen.wet_cells, brought };
        let mut bits = seen.bits.iter().copied();
        let mut gauges = Vec::with_capacity(watched.gauges.len());
        for gauge in &watched.gauges {
            let water = bits.next().unwrap_or_default() as i32;
            let mut edges = [0.0; 4];
            if watched.flows {
                edges = edges.map(|none| bits.next().map_or(none, f32::from_bits));
            }
            gauges.push(gauge.reading(water, grain, edges.map(f64::from)));
        }
        let section = |section: &Section| {
            let edges: Vec<f32> =
                bits.by_ref().take(section.stairs.len()).map(f32::from_bits).collect();
            section.discharge(&edges, grid)
        };
        let sections = watched.sections.iter().map(section).collect();
        WatchSample { time: seen.time, balance, gauges, sections }
    }

    /// Interpolates between this sample and the one after the next step: rain and sources are exact
    /// to the grain, everything else is linear.
    pub fn between(
        &self,
        later: &WatchSample,
        time: f64,
        accounts: &Accounts,
        grain: Grain,
    ) -> WatchSample {
        let part = (time - self.time) / (later.time - self.time);
        let at = |a: f64, b: f64| a + (b - a) * part;
        let whole = |part: f64, a: i128, b: i128| a + ((b - a) as f64 * part).round() as i128;
        let (before, after) = (&self.balance, &later.balance);
        let rained = accounts.rained((self.time, later.time), time);
        let rain = whole(rained, before.ledger.rain, after.ledger.rain);
        let sources = accounts.sources_at(time, grain);
        let held = [before, after].map(|balance| balance.brought.held(&balance.ledger));
        let inflow =
            sources.iter().copied().map(i128::from).sum::<i128>() + whole(part, held[0], held[1]);
        let cells = at(self.balance.wet_cells as f64, later.balance.wet_cells as f64);
        let gauge = |(a, b): (&Reading, &Reading)| Reading {
            depth: at(a.depth, b.depth),
            level: at(a.level, b.level),
            velocity: [0, 1].map(|axis| at(a.velocity[axis], b.velocity[axis])),
        };
        WatchSample {
            time,
            balance: Balance {
                ledger: before.ledger.between(&after.ledger, part, rain, inflow),
                wet_cells: cells.round() as usize,
                brought: before.brought.between(&after.brought, part, sources),
            },
            gauges: self.gauges.iter().zip(&later.gauges).map(gauge).collect(),
            sections: self.sections.iter().zip(&later.sections).map(|(a, b)| at(*a, *b)).collect(),
        }
    }
}

/// All recorded samples, one entry per time.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Records {
    /// Times (s, or steps).
    pub times: Vec<f64>,
    /// Mass balance at each time.
    pub balance: Vec<Balance>,
    /// Per gauge, the sample at each time.
    pub gauges: Vec<Vec<Reading>>,
    /// Flow through each section.
    pub sections: Vec<SectionFlow>,
}

impl Records {
    /// Creates empty records for a run.
    pub fn new(watched: &Watched) -> Records {
        Records {
            gauges: vec![Vec::new(); watched.gauges.len()],
            sections: vec![SectionFlow::default(); watched.sections.len()],
            ..Records::default()
        }
    }

    /// Returns `true` if the records match the gauges, sections and accounts, and are complete.
    pub fn fits(&self, watched: &Watched) -> bool {
        let times = self.times.len();
        self.balance.len() == times
            && self.balance.iter().all(|balance| balance.brought.fits(&watched.accounts))
            && self.gauges.len() == watched.gauges.len()
            && self.sections.len() == watched.sections.len()
            && self.gauges.iter().all(|readings| readings.len() == times)
            && self
                .sections
                .iter()
                .all(|flow| [&flow.discharges, &flow.volumes].map(Vec::len) == [times; 2])
    }

    /// Returns `true` if the times ascend from the start and end no later than `now` (s, or steps).
    pub fn end_by(&self, now: f64) -> bool {
        let times = &self.times;
        times.first().is_none_or(|&first| first >= 0.0)
            && times.windows(2).all(|pair| pair[0] < pair[1])
            && times.last().is_none_or(|&last| last <= now)
    }

    /// Adds a sample to the flow through the sections and, if it is to be `kept`, to the records.
    pub fn add(&mut self, sample: WatchSample, kept: bool) {
        for (flow, discharge) in self.sections.iter_mut().zip(sample.sections) {
            flow.add(sample.time, discharge, kept);
        }
        if kept {
            self.times.push(sample.time);
            self.balance.push(sample.balance);
            self.gauges.iter_mut().zip(sample.gauges).for_each(|(all, reading)| all.push(reading));
        }
    }

    /// Returns the gauges of `run.json`. All values except the place take every step into account.
    pub fn gauge_reports(
        watched: &Watched,
        maps: &Maps,
        backend: &dyn Backend,
    ) -> Result<Vec<GaugeReport>> {
        let mut reports = Vec::new();
        for (gauge, state) in watched.gauges.iter().zip(backend.gauge_states()?) {
            let arrival = match &gauge.table {
                None => {
                    let mut time = [0];
                    backend.read_places(Field::Arrival, &[gauge.place], &mut time)?;
                    Some(f64::from(f32::from_bits(time[0]))).filter(|time| *time >= 0.0)
                }
                Some(table) => {
                    let passing = FirstExceedance::at_gauge(maps, backend, gauge.cell, state.most)?;
                    let pixel = (gauge.bed * Bed::PER_METRE).round() as i32;
                    passing.first_above(pixel - table.lowest + maps.steps(maps.arrival))
                }
            };
            let (depth, level) = gauge.depth_and_level(state.most, maps.grain);
            let (column, row) = gauge.place;
            reports.push(GaugeReport {
                name: gauge.name.clone(),
                at: CellLocation { x: gauge.x, y: gauge.y, column, row },
                bed_m: gauge.bed,
                max_depth_m: depth,
                lowest_bed_m: gauge
                    .table
                    .as_ref()
                    .map(|table| f64::from(table.lowest) / Bed::PER_METRE),
                max_level_m: level,
                time_of_max: (state.most > 0).then_some(f64::from(state.time)),
                arrival,
                // A gauge that its cell's water never reaches, on a bank, has no velocity.
                max_velocity_m_s: watched.flows.then_some(if depth < f64::from(FILM) {
                    0.0
                } else {
                    f64::from(state.speed)
                }),
            });
        }
        Ok(reports)
    }

    /// Returns the sections of `run.json`.
    pub fn section_reports(&self, watched: &Watched) -> Vec<SectionReport> {
        watched
            .sections
            .iter()
            .zip(&self.sections)
            .map(|(section, flow)| flow.report(section))
            .collect()
    }
}
