//! Sections: lines through which the discharge is watched.

use super::staircase::Stair;
use crate::engine::grid::Grid;
use serde::Serialize;

/// A line, and the cell edges that it follows.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its points, in the DEM's CRS.
    pub line: Vec<(f64, f64)>,
    /// The edges, in order; at least one.
    pub stairs: Vec<Stair>,
}

impl Section {
    /// The discharge (m³/s) with the unit discharges of its edges (m²/s): each times the length of the edge
    /// that it crosses.
    pub fn discharge(&self, edges: &[f32], grid: &Grid) -> f64 {
        let width = [grid.dy, grid.dx];
        let stairs = self.stairs.iter().zip(edges);
        stairs.map(|((edge, count), &q)| f64::from(*count) * f64::from(q) * width[edge.axis]).sum()
    }

    /// The volume that has gone through by each time (m³): straight lines between the discharges.
    pub fn volumes(times: &[f64], discharges: &[f64]) -> Vec<f64> {
        let mut volume = 0.0;
        let mut volumes = Vec::with_capacity(times.len());
        for at in 0..times.len() {
            if at > 0 {
                volume += 0.5 * (discharges[at - 1] + discharges[at]) * (times[at] - times[at - 1]);
            }
            volumes.push(volume);
        }
        volumes
    }
}

/// A section in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct SectionReport {
    /// Its name.
    pub name: String,
    /// Its points, in the DEM's CRS.
    pub line: Vec<(f64, f64)>,
    /// Cell edges that it follows.
    pub edges: usize,
    /// The discharge of greatest magnitude in `sections.csv` (m³/s).
    pub peak_m3_s: f64,
    /// When that was (s).
    pub time_of_peak: f64,
    /// What went through in all (m³).
    pub volume_m3: f64,
}
