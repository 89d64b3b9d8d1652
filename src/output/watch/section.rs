//! Sections: lines through which the discharge is sampled.

use super::staircase::Stair;
use crate::engine::grid::Grid;
use serde::{Deserialize, Serialize};

/// A line with the cell edges that it follows.
#[derive(Clone, Debug)]
pub struct Section {
    /// Name of the section.
    pub name: String,
    /// Points, in the DEM's CRS.
    pub line: Vec<(f64, f64)>,
    /// Edges, in order; at least one.
    pub stairs: Vec<Stair>,
}

impl Section {
    /// Returns the discharge (m³/s) from the unit discharges at its edges (m²/s), each multiplied
    /// by the length of its edge.
    pub fn discharge(&self, edges: &[f32], grid: &Grid) -> f64 {
        let width = [grid.dy, grid.dx];
        let stairs = self.stairs.iter().zip(edges);
        stairs.map(|((edge, count), &q)| f64::from(*count) * f64::from(q) * width[edge.axis]).sum()
    }
}

/// Discharge through a section, of which more samples are taken than recorded: waves may pass
/// between two records.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SectionFlow {
    /// Recorded discharges (m³/s), one per time.
    pub discharges: Vec<f64>,
    /// Volumes that have passed at the recorded times (m³), from all samples, linearly interpolated.
    pub volumes: Vec<f64>,
    /// Discharge of greatest magnitude of all samples (m³/s), the first of equals, and its time (s,
    /// or steps).
    peak: (f64, f64),
    /// Last sample: time (s, or steps), discharge (m³/s), and the volume until then (m³).
    last: Option<(f64, f64, f64)>,
    /// The same from every second sample only, and whether the next one counts.
    sparse: (Option<(f64, f64, f64)>, bool),
    /// Largest difference of the two volumes at a sample of both (m³).
    unsure: f64,
    /// Volume that has passed in either direction (m³).
    passed: f64,
}

/// Returns a sample after the last one, with the volume until then (m³).
fn after(last: Option<(f64, f64, f64)>, time: f64, discharge: f64) -> (f64, f64, f64) {
    let volume = last.map_or(0.0, |(before, former, volume)| {
        volume + 0.5 * (former + discharge) * (time - before)
    });
    (time, discharge, volume)
}

impl SectionFlow {
    /// Adds a sample, and records it if it is to be `kept`.
    pub fn add(&mut self, time: f64, discharge: f64, kept: bool) {
        let sample = after(self.last, time, discharge);
        let (_, _, volume) = sample;
        self.passed += (volume - self.last.map_or(0.0, |(_, _, before)| before)).abs();
        self.sparse.1 = !self.sparse.1;
        if self.sparse.1 {
            let sparse = after(self.sparse.0, time, discharge);
            self.unsure = self.unsure.max((sparse.2 - volume).abs());
            self.sparse.0 = Some(sparse);
        }
        if self.last.is_none() || discharge.abs() > self.peak.0.abs() {
            self.peak = (discharge, time);
        }
        self.last = Some(sample);
        if kept {
            self.discharges.push(discharge);
            self.volumes.push(volume);
        }
    }

    /// Returns the uncertainty of the volume from the discharge between samples (m³), and the volume
    /// that has passed in either direction (m³): how much half as many samples would change it.
    pub fn uncertainty(&self) -> (f64, f64) {
        (self.unsure, self.passed)
    }

    /// Returns the section of `run.json`.
    pub fn report(&self, section: &Section) -> SectionReport {
        SectionReport {
            name: section.name.clone(),
            line: section.line.clone(),
            edges: section.stairs.len(),
            peak_m3_s: self.peak.0,
            time_of_peak: self.peak.1,
            volume_m3: self.last.map_or(0.0, |(_, _, volume)| volume),
        }
    }
}

/// A section in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct SectionReport {
    /// Name of the section.
    pub name: String,
    /// Points, in the DEM's CRS.
    pub line: Vec<(f64, f64)>,
    /// Number of cell edges that it follows.
    pub edges: usize,
    /// Sampled discharge of greatest magnitude (m³/s).
    pub peak_m3_s: f64,
    /// Time of that discharge (s, or steps).
    pub time_of_peak: f64,
    /// Total volume through the section (m³).
    pub volume_m3: f64,
}
