//! Sides of the raster over which water leaves at normal depth.

use super::values::split_place;
use crate::engine::boundary::OpenEdges;
use crate::engine::forcing::outflow::FreeOutflow;
use crate::engine::forcing::ports::{self, Port};
use crate::engine::grid::{Bed, Grid};
use crate::engine::roughness::Roughness;
use crate::engine::rule::RuleInfo;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Slopes that make sense.
const SLOPES: RangeInclusive<f64> = 1e-6..=1.0;
const HOW: &str =
    "write a slope, \"0.001\", for all sides that are open, or \"south,0.001\" for one side";

/// The bed slope beyond each side, in the order north, east, south, west; none where water falls over an
/// edge, or the side is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutflowSlopes([Option<f64>; 4]);

impl OutflowSlopes {
    /// Reads them; `open` are the sides that are said to be open, to which those with a slope of their own
    /// are added.
    pub fn read(texts: &[String], open: &mut OpenEdges, rule: &RuleInfo) -> Result<OutflowSlopes> {
        let mut slopes = OutflowSlopes::default();
        if let (Some(first), false) = (texts.first(), rule.is_timed()) {
            return Err(Error::input(format!(
                "outflow_slope: '{first}': '{}' has no physical time, so no flow follows from a slope",
                rule.name
            ))
            .hint("leave it out: over an open edge an automaton's water leaves as to lower ground"));
        }
        let named = *open;
        for text in texts {
            let (sides, slope) = match split_place(text) {
                Some((side, slope)) if OpenEdges::parse(side).is_ok() => {
                    (OpenEdges::parse(side)?, slope)
                }
                _ if named == OpenEdges::CLOSED => {
                    return Err(Error::input(format!("outflow_slope: '{text}': no side is open"))
                        .hint("open one, --open south, or name it here: \"south,0.001\""));
                }
                _ => (named, text.as_str()),
            };
            let number = slope.trim().parse::<f64>().ok();
            let slope = number.ok_or_else(|| {
                Error::input(format!("outflow_slope: '{text}' is not a slope")).hint(HOW)
            })?;
            if !SLOPES.contains(&slope) {
                let error = Error::input(format!("outflow_slope: a slope of {slope}"));
                return Err(error.hint(format!(
                    "give {} to {} (m of fall per m)",
                    SLOPES.start(),
                    SLOPES.end()
                )));
            }
            // A side that is named wins over all of them.
            let all = split_place(text).is_none();
            for (at, is) in each(sides).into_iter().enumerate() {
                if is && !(all && slopes.0[at].is_some()) {
                    slopes.0[at] = Some(slope);
                }
            }
            *open = open.and(sides);
        }
        Ok(slopes)
    }

    /// What a cell along the north, east, south and west conveys, in proportion to other sides of the same cell.
    pub fn pulls(self, grid: &Grid) -> [f64; 4] {
        let across = [grid.dy, grid.dx, grid.dy, grid.dx];
        std::array::from_fn(|at| self.0[at].map_or(0.0, |slope| slope.sqrt() / across[at]))
    }

    /// The sides that have a slope.
    pub fn sides(self) -> OpenEdges {
        let [north, east, south, west] = self.0.map(|slope| slope.is_some());
        OpenEdges { north, east, south, west }
    }

    /// The cells along these sides, behind a collar of NoData if there is one.
    pub fn cells(self, grid: &Grid, bed: &Bed, roughness: &Roughness) -> Vec<FreeOutflow> {
        let mut cells: BTreeMap<usize, (f32, Port)> = BTreeMap::new();
        for (at, slope) in self.0.into_iter().enumerate() {
            let Some(slope) = slope else { continue };
            let mut one = [false; 4];
            one[at] = true;
            let [north, east, south, west] = one;
            let side = OpenEdges { north, east, south, west };
            let length = if north || south { grid.dy } else { grid.dx };
            for cell in side.rim(bed, grid.columns, grid.rows) {
                let (conveyance, port) = cells.entry(cell).or_default();
                *conveyance += FreeOutflow::over_side(slope, roughness.of(cell), length);
                *port |= ports::NAMES[at].0;
            }
        }
        let free = cells.into_iter();
        free.map(|(cell, (conveyance, port))| FreeOutflow { cell, conveyance, port }).collect()
    }

    /// Each side that has one, and its slope.
    pub fn named(self) -> Vec<(&'static str, f64)> {
        let sides = ["north", "east", "south", "west"].into_iter().zip(self.0);
        sides.filter_map(|(side, slope)| Some((side, slope?))).collect()
    }
}

fn each(sides: OpenEdges) -> [bool; 4] {
    [sides.north, sides.east, sides.south, sides.west]
}
