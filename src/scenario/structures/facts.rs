//! What is known of structures, and what begins breaches.

use crate::engine::forcing::sites::Placed;
use crate::engine::forcing::sites::trigger::Trigger;
use crate::engine::grains::Grain;
use crate::engine::grid::Bed;
use crate::units::{Metre, Second};
use serde::Serialize;

/// What is known of a structure beside what it does.
#[derive(Clone, Debug, Serialize)]
pub struct StructureFacts {
    /// What it is called.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its width (m).
    pub width_m: Metre,
    /// Edges between cells that it stands on.
    pub edges: usize,
    /// The lowest and the highest crest of its edges, a gate's sill (m).
    pub crest_m: (Metre, Metre),
    /// Of a breach how it is to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach: Option<BreachFacts>,
}

impl StructureFacts {
    /// A warning if it is a breach that has not begun by the end of the run.
    pub fn that_waits(&self) -> Option<String> {
        let waits = self.breach.is_some_and(|breach| breach.began_s.is_none());
        waits.then(|| {
            format!(
                "structures: '{}' did not breach: what it waits for did not come by the end of the run",
                self.name
            )
        })
    }
}

/// How a breach is to be in the end, and when it began.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BreachFacts {
    /// The cells on both sides of its middle, which remember that.
    #[serde(skip)]
    pub cells: [usize; 2],
    /// Level of its bottom (m).
    pub bottom_level_m: Metre,
    /// Its width there (m).
    pub bottom_width_m: Metre,
    /// So far do its sides go outward for each metre up.
    pub side_slope: f64,
    /// How long it takes to form (s).
    pub formation_s: Second,
    /// When it began (s), as far as the run has come: below 0 if that was in an earlier run from whose state this one starts; none
    /// before.
    pub began_s: Option<Second>,
}

/// What begins a breach: the first of a level and a time.
#[derive(Clone, Debug)]
pub struct Begins {
    /// Whose it is.
    pub name: String,
    /// The cells on both sides of its middle.
    pub cells: [usize; 2],
    /// A level of the water in one of these (m).
    pub level: Option<Metre>,
    /// A time (s).
    pub time: Option<Second>,
}

impl Begins {
    /// The sites that remember it.
    pub fn sites(&self, bed: &Bed, grain: Grain) -> [Placed; 2] {
        Trigger::at(self.cells, (self.level, self.time), bed, grain)
    }
}
