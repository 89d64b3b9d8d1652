//! Input and result of a kind of structure.

use super::edge_line::{EdgeBetween, EdgeLine};
use super::facts::{BreachFacts, BreachStart};
use crate::engine::forcing::structures::{NUMBERS, StructureKind};
use crate::error::Result;
use crate::input::notice::Notices;
use crate::scenario::line_features::LineFeature;
use crate::scenario::water::Time;
use crate::units::Metre;

/// Ground this far above the lowest of a structure is taken for a bank (m).
const BANK: Metre = 1.0;

/// Structure that a kind creates on a line.
pub struct BuiltStructure {
    pub name: &'static str,
    /// Width of the structure (m).
    pub width: Metre,
    pub crest: Crest,
    /// Parts on the edges of the line, in their order.
    pub edges: Vec<FaceStructure>,
    /// Shape and trigger of a breach.
    pub breach: Option<(BreachFacts, BreachStart)>,
}

/// Part of a structure on an edge.
pub struct FaceStructure {
    pub kind: StructureKind,
    /// Crest on the edge (m).
    pub crest: Metre,
    /// Parameters of the law.
    pub numbers: [f32; NUMBERS],
    /// True if the part waits for the start of a breach.
    pub waits: bool,
}

/// Reference of a crest.
#[derive(Clone, Copy, Debug)]
pub enum Crest {
    /// Crest at a level (m).
    Level(Metre),
    /// Crest at a height above the ground of each edge (m).
    Height(Metre),
}

impl Crest {
    /// Returns the level of the crest on an edge (m), at least the ground.
    pub fn over(self, ground: Metre) -> Metre {
        match self {
            Crest::Level(level) => level.max(ground),
            Crest::Height(height) => ground + height,
        }
    }
}

/// Input of a kind's reader.
pub struct StructureReader<'a> {
    pub line: &'a LineFeature,
    pub edge_line: &'a EdgeLine,
    pub time: Time<'a>,
    /// Lookup tables of the laws, for the whole run.
    pub tables: &'a mut Vec<f32>,
    pub notices: &'a mut Notices,
}

impl StructureReader<'_> {
    /// Creates equal parts on all edges; `numbers` computes the parameters of the law from the
    /// covered fraction and the crest (m).
    pub fn each(
        &self,
        kind: StructureKind,
        crest: Crest,
        width: Metre,
        numbers: impl Fn(f32, Metre) -> [f32; NUMBERS],
    ) -> Vec<FaceStructure> {
        let share = self.edge_line.share(width);
        let on = |edge: &EdgeBetween| {
            let crest = crest.over(edge.ground);
            let numbers = numbers((share * edge.part) as f32, crest);
            FaceStructure { kind, crest, numbers, waits: false }
        };
        self.edge_line.edges.iter().map(on).collect()
    }

    /// Returns the width of the structure (m), by default the length of the line on the terrain.
    /// Warns if a given width is partly on banks.
    pub fn width(&mut self) -> Result<Metre> {
        let length = self.edge_line.width;
        let Some(width) = self.line.length("width")? else { return Ok(length) };
        if width > length * 1.001 {
            return Err(self
                .line
                .wrong(format_args!(
                    "a width of {width} m is more than the length of its line on the terrain, {length:.1} m"
                ))
                .hint("draw the line as long as the structure is wide, or give a smaller width"));
        }
        let banks = self.edge_line.share_above(BANK);
        if banks > 0.0 {
            self.notices.warn(self.line.notice(format_args!(
                "{:.0} % of the width of {width} m is on ground more than {BANK} m above the lowest ground of its line; draw the line only across the opening",
                100.0 * banks
            )));
        }
        Ok(width)
    }

    /// Parses a number within a range.
    pub fn number(&self, name: &str, range: std::ops::Range<f64>, default: f32) -> Result<f32> {
        let Some(text) = self.line.text(name) else { return Ok(default) };
        let number = text.parse::<f64>().ok().filter(|number| range.contains(number));
        number.map(|number| number as f32).ok_or_else(|| {
            self.line
                .wrong(format_args!(
                    "{name}: '{text}' is not a number from {} to {}",
                    range.start, range.end
                ))
                .hint(format!("leave it out to use {default}"))
        })
    }
}
