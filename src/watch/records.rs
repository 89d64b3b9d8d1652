//! What was noted at the times at which a run was watched.

use super::{GaugeReport, Reading, Section, SectionReport, Watched};
use crate::backend::{Backend, StateLayer};
use crate::clock::Clock;
use crate::error::Result;
use crate::grains::Grain;
use crate::grid::Grid;
use crate::ledger::Ledger;
use crate::watch::Gauge;
use serde::{Deserialize, Serialize};

/// The volume at a time.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Balance {
    /// The ledger.
    #[serde(with = "crate::checkpoint::sums")]
    pub ledger: Ledger,
    /// Cells that hold water.
    pub wet_cells: usize,
}

/// Everything that was noted, one entry per time.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Records {
    /// Times (s, or steps).
    pub times: Vec<f64>,
    /// The ledger at each.
    pub balance: Vec<Balance>,
    /// Per gauge, what it showed at each.
    pub gauges: Vec<Vec<Reading>>,
    /// Per section, the discharge at each (m³/s).
    pub sections: Vec<Vec<f64>>,
}

impl Records {
    /// Nothing yet.
    pub fn new(watched: &Watched) -> Records {
        Records {
            gauges: vec![Vec::new(); watched.gauges.len()],
            sections: vec![Vec::new(); watched.sections.len()],
            ..Records::default()
        }
    }

    /// Whether they are of what is watched, and of every time.
    pub fn fits(&self, watched: &Watched) -> bool {
        let times = self.times.len();
        self.balance.len() == times
            && self.gauges.len() == watched.gauges.len()
            && self.sections.len() == watched.sections.len()
            && self.gauges.iter().all(|readings| readings.len() == times)
            && self.sections.iter().all(|discharges| discharges.len() == times)
    }

    /// Notes the state now, once per time.
    pub fn note(
        &mut self,
        watched: &Watched,
        grain: Grain,
        grid: &Grid,
        clock: &Clock,
        backend: &dyn Backend,
    ) -> Result<()> {
        if self.times.last() == Some(&clock.now()) {
            return Ok(());
        }
        let balance = Balance { ledger: backend.ledger(), wet_cells: backend.wet_cells() };
        let cells: Vec<usize> = watched.gauges.iter().map(|gauge| gauge.cell).collect();
        let mut water = vec![0; cells.len()];
        backend.read_cells(StateLayer::Water, &cells, &mut water)?;
        for (number, gauge) in watched.gauges.iter().enumerate() {
            let mut edges = [0.0; 4];
            if watched.flows {
                backend.read_edges(&gauge.edges(), &mut edges)?;
            }
            let depth = f64::from(grain.depth(water[number]));
            self.gauges[number].push(Gauge::reading(depth, edges.map(f64::from)));
        }
        for (section, discharges) in watched.sections.iter().zip(&mut self.sections) {
            let stairs: Vec<_> = section.stairs.iter().map(|(edge, _)| *edge).collect();
            let mut edges = vec![0.0; stairs.len()];
            backend.read_edges(&stairs, &mut edges)?;
            discharges.push(section.discharge(&edges, grid));
        }
        self.times.push(clock.now());
        self.balance.push(balance);
        Ok(())
    }

    /// What `run.json` tells of the gauges. Depth and arrival are of every step.
    pub fn gauge_reports(
        &self,
        watched: &Watched,
        grain: Grain,
        backend: &dyn Backend,
    ) -> Result<Vec<GaugeReport>> {
        let cells: Vec<usize> = watched.gauges.iter().map(|gauge| gauge.cell).collect();
        let mut most = vec![0; cells.len()];
        backend.read_cells(StateLayer::MaxWater, &cells, &mut most)?;
        let mut arrivals = vec![0.0; backend.shape().0];
        let mut reports = Vec::new();
        for ((gauge, readings), most) in watched.gauges.iter().zip(&self.gauges).zip(most) {
            backend.read_arrival(gauge.place.1, &mut arrivals)?;
            let arrival = f64::from(arrivals[gauge.place.0]);
            let depth = f64::from(grain.depth(most));
            let speed = readings.iter().map(Reading::speed).fold(0.0, f64::max);
            let deepest = first_greatest(readings.iter().map(|reading| reading.depth));
            reports.push(GaugeReport {
                name: gauge.name.clone(),
                x: gauge.x,
                y: gauge.y,
                column: gauge.place.0,
                row: gauge.place.1,
                bed_m: gauge.bed,
                max_depth_m: depth,
                max_level_m: gauge.bed + depth,
                time_of_max: deepest
                    .filter(|&at| readings[at].depth > 0.0)
                    .map(|at| self.times[at]),
                arrival: (arrival >= 0.0).then_some(arrival),
                max_velocity_m_s: watched.flows.then_some(speed),
            });
        }
        Ok(reports)
    }

    /// What `run.json` tells of the sections.
    pub fn section_reports(&self, watched: &Watched) -> Vec<SectionReport> {
        let report = |(section, discharges): (&Section, &Vec<f64>)| {
            let peak = first_greatest(discharges.iter().map(|discharge| discharge.abs()));
            let volumes = Section::volumes(&self.times, discharges);
            SectionReport {
                name: section.name.clone(),
                line: section.line.clone(),
                edges: section.stairs.len(),
                peak_m3_s: peak.map_or(0.0, |at| discharges[at]),
                time_of_peak: peak.map_or(0.0, |at| self.times[at]),
                volume_m3: volumes.last().copied().unwrap_or(0.0),
            }
        };
        watched.sections.iter().zip(&self.sections).map(report).collect()
    }
}

/// Where the greatest value is, the first of equals.
fn first_greatest(values: impl Iterator<Item = f64>) -> Option<usize> {
    let greater = |best: Option<(usize, f64)>, (at, value)| match best {
        Some((_, most)) if most >= value => best,
        _ => Some((at, value)),
    };
    values.enumerate().fold(None, greater).map(|(at, _)| at)
}
