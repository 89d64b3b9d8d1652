//! What a kind of structure reads with, and what it makes of a line.

use super::edge_line::EdgeLine;
use super::facts::{Begins, BreachFacts};
use crate::engine::forcing::structures::{NUMBERS, StructureKind};
use crate::error::Result;
use crate::input::notice::Notices;
use crate::scenario::drawn::Drawn;
use crate::scenario::water::Time;
use crate::units::Metre;

/// What a kind makes of a line.
pub struct Made {
    pub name: &'static str,
    /// Its width (m).
    pub width: Metre,
    pub crest: Crest,
    /// On each edge of the line, in their order.
    pub edges: Vec<OnEdge>,
    /// What is known of a breach, and what begins it.
    pub breach: Option<(BreachFacts, Begins)>,
}

/// What stands on an edge.
pub struct OnEdge {
    pub kind: StructureKind,
    /// Its crest (m).
    pub crest: Metre,
    /// What its law is told.
    pub numbers: [f32; NUMBERS],
    /// Whether it waits for the beginning of the breach.
    pub waits: bool,
}

/// Where a crest lies.
#[derive(Clone, Copy, Debug)]
pub enum Crest {
    /// At a level (m).
    Level(Metre),
    /// So far above the ground of each edge (m).
    Height(Metre),
}

impl Crest {
    /// On an edge over some ground, which it is no lower than (m).
    pub fn over(self, ground: Metre) -> Metre {
        match self {
            Crest::Level(level) => level.max(ground),
            Crest::Height(height) => ground + height,
        }
    }
}

/// What kinds read with.
pub struct Reader<'a> {
    pub line: &'a Drawn,
    pub edge_line: &'a EdgeLine,
    pub time: Time<'a>,
    /// The run's tables that laws look up.
    pub tables: &'a mut Vec<f32>,
    pub notices: &'a mut Notices,
}

impl Reader<'_> {
    /// The same on all edges, by the share that a width (m) takes up and the crest (m).
    pub fn each(
        &self,
        kind: StructureKind,
        (crest, width): (Crest, Metre),
        numbers: impl Fn(f32, Metre) -> [f32; NUMBERS],
    ) -> Vec<OnEdge> {
        let share = self.edge_line.share(width) as f32;
        let crests = self.edge_line.edges.iter().map(|edge| crest.over(edge.ground));
        let on = |crest| OnEdge { kind, crest, numbers: numbers(share, crest), waits: false };
        crests.map(on).collect()
    }

    /// The structure's width (m): as much as the line is long unless it says less.
    pub fn width(&self) -> Result<Metre> {
        let length = self.edge_line.length;
        match self.line.length("width")? {
            Some(width) if width > length * 1.001 => Err(self
                .line
                .wrong(format_args!("a width of {width} m is more than its line of {length:.1} m"))
                .hint("draw the line as long as the structure is wide, or give a smaller width")),
            width => Ok(width.unwrap_or(length)),
        }
    }

    /// A number within a range.
    pub fn number(&self, name: &str, range: std::ops::Range<f64>, default: f32) -> Result<f32> {
        let Some(text) = self.line.text(name) else { return Ok(default) };
        let number = text.parse::<f64>().ok().filter(|number| range.contains(number));
        number.map(|number| number as f32).ok_or_else(|| {
            self.line
                .wrong(format_args!(
                    "{name}: '{text}' is not a number from {} to {}",
                    range.start, range.end
                ))
                .hint(format!("leave it out for {default}"))
        })
    }

    /// Reads a level (m above the DEM's zero).
    pub fn level(&self, name: &str) -> Result<Option<Metre>> {
        self.line.level(name)
    }
}
