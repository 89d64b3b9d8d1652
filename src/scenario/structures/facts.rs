//! Facts about structures, and the triggers of breaches.

use crate::engine::forcing::sites::PlacedSite;
use crate::engine::forcing::sites::trigger::Trigger;
use crate::engine::grains::Grain;
use crate::engine::grid::Bed;
use crate::units::{Metre, Second};
use serde::Serialize;
use std::collections::BTreeMap;

/// Facts about a structure for outputs and messages.
#[derive(Clone, Debug, Serialize)]
pub struct StructureFacts {
    /// Name of the structure.
    pub name: String,
    /// Kind, such as `weir`.
    pub kind: &'static str,
    /// Width of the structure (m).
    pub width_m: Metre,
    /// Number of edges between cells.
    pub edges: usize,
    /// Lowest and highest crest of its edges, for a gate the sill (m).
    pub crest_m: (Metre, Metre),
    /// Levels given for its parts: crest, sill, top, soffit and deck (m).
    pub levels_m: BTreeMap<&'static str, Metre>,
    /// Shape and start of a breach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach: Option<BreachFacts>,
}

impl StructureFacts {
    /// Names of the levels that may be given, in the order of [`StructureFacts::shown_levels`].
    pub(super) const LEVELS: [&'static str; 5] = ["crest", "sill", "top", "soffit", "deck"];

    /// Formats the levels of its parts (m), each with a unit behind it:
    /// `soffit 262.00, deck 263.20`. Without a given level, the crests of its edges.
    pub fn shown_levels(&self, unit: &str) -> String {
        let given = Self::LEVELS.iter().filter_map(|name| Some((name, self.levels_m.get(name)?)));
        let mut shown: Vec<String> =
            given.map(|(name, level)| format!("{name} {level:.2}{unit}")).collect();
        let has_crest = ["crest", "sill", "soffit"].iter().any(|it| self.levels_m.contains_key(it));
        if !has_crest {
            let (low, high) = self.crest_m;
            let range = if high - low < 0.005 { String::new() } else { format!("{low:.2} to ") };
            let name = if self.kind == "gate" { "sill" } else { "crest" };
            shown.insert(0, format!("{name} {range}{high:.2}{unit}"));
        }
        shown.join(", ")
    }

    /// Returns a warning if the structure is a breach whose trigger level was not reached by the
    /// end of the run. A start after the end is warned of before the run.
    pub fn that_waits(&self) -> Option<String> {
        let breach = self.breach.filter(|breach| breach.began_s.is_none())?;
        let level = breach.trigger_level?;
        Some(format!(
            "structures: '{}' did not breach: the water beside it did not reach its trigger_level of {level} m",
            self.name
        ))
    }
}

/// Final shape and start of a breach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BreachFacts {
    /// Cells on both sides of the middle of the breach, which hold the trigger's state.
    #[serde(skip)]
    pub cells: [usize; 2],
    /// Water level at which it begins (m); `None` if it begins at a time.
    #[serde(skip)]
    pub trigger_level: Option<Metre>,
    /// Level of the bottom (m).
    pub bottom_level_m: Metre,
    /// Width of the bottom (m).
    pub bottom_width_m: Metre,
    /// Side slope, horizontal to vertical.
    pub side_slope: f64,
    /// Time from start to final size (s).
    pub formation_s: Second,
    /// Start of the breach (s), `None` before it. Below 0 if it began in an earlier run whose state
    /// this run continues.
    pub began_s: Option<Second>,
}

/// Trigger of a breach: a level or a time, whichever comes first.
#[derive(Clone, Debug)]
pub struct BreachStart {
    /// Name of the breach.
    pub name: String,
    /// Cells on both sides of the middle of the breach.
    pub cells: [usize; 2],
    /// Water level in one of the cells (m).
    pub level: Option<Metre>,
    /// Time of the start (s).
    pub time: Option<Second>,
}

impl BreachStart {
    /// Returns the sites that hold the trigger's state.
    pub fn sites(&self, bed: &Bed, grain: Grain) -> [PlacedSite; 2] {
        Trigger::at(self.cells, self.level, self.time, bed, grain)
    }
}
