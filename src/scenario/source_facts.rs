//! What is known of each source beside its water: its name, its size, and whether it lies where water leaves at once.

use super::open_rim::OpenRim;
use crate::input::notice::Notice;
use serde::Serialize;

/// A source of whose flow more than this part comes in along an open side is warned of.
const MUCH: f64 = 0.05;

/// A source, for `check` and messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceFacts {
    /// What it is called: the feature's name, or what was given.
    pub name: String,
    /// The cells in which it comes in.
    pub cells: usize,
    /// The greatest flow during the run (m³/s, or m³ per step).
    pub peak: f64,
    /// What it brings by the run's end (m³).
    pub volume_m3: f64,
    /// The part of its flow that comes in along open sides, 0 to 1.
    pub share_at_open_sides: f64,
    /// Those sides.
    pub at_sides: Vec<&'static str>,
}

impl SourceFacts {
    /// Those of a source on a rim, called `name`, with a share of its flow for each cell, its greatest flow and what it brings.
    pub fn of(
        rim: &OpenRim,
        name: String,
        cells: &[(usize, f64)],
        peak: f64,
        volume: f64,
    ) -> SourceFacts {
        let whole: f64 = cells.iter().map(|(_, share)| share).sum();
        let at_rim =
            cells.iter().filter(|(cell, _)| rim.each().any(|open| open.cells.contains(cell)));
        let part: f64 = at_rim.map(|(_, share)| share).sum();
        let touched =
            rim.each().filter(|open| cells.iter().any(|(cell, _)| open.cells.contains(cell)));
        SourceFacts {
            name,
            cells: cells.len(),
            peak,
            volume_m3: volume,
            share_at_open_sides: if whole > 0.0 { part / whole } else { 0.0 },
            at_sides: touched.map(|open| open.name).collect(),
        }
    }

    /// Whether much of its flow comes in where water leaves at once.
    pub fn is_at_rim(&self) -> bool {
        self.share_at_open_sides > MUCH && self.volume_m3 > 0.0
    }

    /// What is to be said of one at an open side.
    pub fn warning(&self) -> Option<Notice> {
        let sides = self.at_sides.join(",");
        let what = || {
            format!(
                "lies at the open edge {sides}: {:.0} % of its flow comes in beside it, and much of that leaves at once; move it some cells inward, or close that edge (--closed {sides})",
                100.0 * self.share_at_open_sides
            )
        };
        self.is_at_rim().then(|| Notice::of("source", &self.name, what()))
    }
}

/// What is to be said at the end of a run with such sources: `came` and `left` over open sides and at held levels (m³).
pub fn lost(sources: &[SourceFacts], came: f64, left: f64) -> Option<String> {
    let at_rim: Vec<String> = sources
        .iter()
        .filter(|source| source.is_at_rim())
        .map(|source| format!("'{}'", source.name))
        .collect();
    (!at_rim.is_empty() && came > 0.0).then(|| {
        let one = if at_rim.len() == 1 { "lies a source" } else { "lie sources" };
        format!(
            "source: {:.0} % of all the water of this run left over its open edges and at stage boundaries; at an open edge {one}: {}",
            100.0 * left / came,
            at_rim.join(", ")
        )
    })
}
