//! Facts about each source: name, cells, flow, and its share along open sides.

use super::open_sides::OpenBoundaryCells;
use crate::engine::grid::{CellLocation, Grid};
use crate::input::notice::Notice;
use serde::Serialize;

/// Minimum share of a source's flow along open sides for a warning.
const MUCH: f64 = 0.05;

/// Source, as listed by `check` and in messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceFacts {
    /// Name: the feature's name, or the text as given.
    pub name: String,
    /// Number of cells with inflow.
    pub cells: usize,
    /// Centre of its cells, weighted by inflow, in the CRS of the run; `None` without cells.
    #[serde(skip)]
    pub centre: Option<(f64, f64)>,
    /// Greatest flow during the run (m³/s, or m³ per step).
    pub peak: f64,
    /// Volume by the end of the run (m³).
    pub volume_m3: f64,
    /// Fraction of the flow that enters along open sides, 0 to 1.
    pub share_at_open_sides: f64,
    /// Names of the open sides.
    pub at_sides: Vec<&'static str>,
}

impl SourceFacts {
    /// Computes the facts of a source. `cells` have its shares of flow; the greatest flow and the
    /// volume are for the whole source.
    pub fn of(
        open_cells: &OpenBoundaryCells,
        grid: &Grid,
        name: String,
        cells: &[(usize, f64)],
        peak: f64,
        volume: f64,
    ) -> SourceFacts {
        let whole: f64 = cells.iter().map(|(_, share)| share).sum();
        let at_rim = cells
            .iter()
            .filter(|(cell, _)| open_cells.each().any(|open| open.cells.contains(cell)));
        let part: f64 = at_rim.map(|(_, share)| share).sum();
        let touched = open_cells
            .each()
            .filter(|open| cells.iter().any(|(cell, _)| open.cells.contains(cell)));
        SourceFacts {
            name,
            cells: cells.len(),
            centre: (whole > 0.0).then(|| {
                let mean = |axis: fn(CellLocation) -> f64| {
                    let terms = cells.iter().map(|&(cell, share)| axis(grid.spot(cell)) * share);
                    terms.sum::<f64>() / whole
                };
                (mean(|at| at.x), mean(|at| at.y))
            }),
            peak,
            volume_m3: volume,
            share_at_open_sides: if whole > 0.0 { part / whole } else { 0.0 },
            at_sides: touched.map(|open| open.name).collect(),
        }
    }

    /// Returns true if much of the flow enters along open sides.
    pub fn is_at_rim(&self) -> bool {
        self.share_at_open_sides > MUCH && self.volume_m3 > 0.0
    }

    /// Returns a warning if the source is along an open side.
    pub fn warning(&self) -> Option<Notice> {
        let sides = self.at_sides.join(",");
        let what = || {
            format!(
                "is at the open side {sides}: {:.0} % of its flow enters there, and much of that leaves at once; move it some cells inward, or close that side (--closed {sides})",
                100.0 * self.share_at_open_sides
            )
        };
        self.is_at_rim().then(|| Notice::of("source", &self.name, what()))
    }
}

/// Returns a warning at the end of a run with sources along open sides: `came` is the inflow,
/// `left` the outflow over open sides and at stage boundaries (m³).
pub fn lost(sources: &[SourceFacts], came: f64, left: f64) -> Option<String> {
    let at_rim: Vec<String> = sources
        .iter()
        .filter(|source| source.is_at_rim())
        .map(|source| format!("'{}'", source.name))
        .collect();
    (!at_rim.is_empty() && came > 0.0).then(|| {
        let one = if at_rim.len() == 1 { "source" } else { "sources" };
        format!(
            "source: {:.0} % of all the water of this run left over its open sides and at stage boundaries; {one} at an open side: {}",
            100.0 * left / came,
            at_rim.join(", ")
        )
    })
}
