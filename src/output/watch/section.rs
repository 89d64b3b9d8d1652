//! Sections: lines through which the discharge is sampled.

use super::staircase::Stair;
use crate::engine::grid::Grid;
use serde::Serialize;

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

    /// Returns the cumulative volume at each time (m³), with linear interpolation of the
    /// discharges.
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
    /// Name of the section.
    pub name: String,
    /// Points, in the DEM's CRS.
    pub line: Vec<(f64, f64)>,
    /// Number of cell edges that it follows.
    pub edges: usize,
    /// Discharge of greatest magnitude in `sections.csv` (m³/s).
    pub peak_m3_s: f64,
    /// Time of that discharge (s).
    pub time_of_peak: f64,
    /// Total volume through the section (m³).
    pub volume_m3: f64,
}
