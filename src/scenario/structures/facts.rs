//! What is told of structures.

use super::breach::BreachFacts;
use crate::units::Metre;
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
