//! Outflow at normal depth over sides of the raster.

use super::open_sides::{OpenBoundaryCells, OpenSide, OpenSideOptions};
use super::sides::Sides;
use super::value_or_file::{Place, Written};
use crate::engine::boundary::OpenSides;
use crate::engine::forcing::normal_depth::NormalDepthOutflow;
use crate::engine::forcing::ports::{self, Port};
use crate::engine::grid::Grid;
use crate::engine::roughness::Roughness;
use crate::engine::solver::SolverInfo;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Valid bed slopes.
const SLOPES: RangeInclusive<f64> = 1e-6..=1.0;
const HOW: &str =
    "write a slope, \"0.001\", for all sides that are open, or \"south,0.001\" for one side";

/// A bed slope, and the sides beyond which it lies: all open ones, if none are named.
#[derive(Clone, Debug)]
pub struct SideSlope {
    sides: Option<Sides>,
    slope: f64,
}

impl FromStr for SideSlope {
    type Err = Error;

    /// Parses `0.001` or `south,0.001`.
    fn from_str(text: &str) -> Result<SideSlope> {
        let (sides, number) = match Place::split(text) {
            Some((Place::Sides(sides), _, slope)) => (Some(sides), slope),
            _ => (None, text),
        };
        let (least, most) = (SLOPES.start(), SLOPES.end());
        match number.trim().parse() {
            Ok(slope) if SLOPES.contains(&slope) => Ok(SideSlope { sides, slope }),
            Ok(slope) => Err(Error::input(format!("a slope of {slope} is out of range"))
                .hint(format!("give {least} to {most} (m of fall per m)"))),
            Err(_) => Err(Error::input(format!("'{text}' is not a slope")).hint(HOW)),
        }
    }
}

/// Bed slope beyond each side, in the order north, east, south, west; `None` if water falls over
/// the edge or the side is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutflowSlopes([Option<f64>; 4]);

impl OutflowSlopes {
    /// Reads the slopes. `open` are the open sides; sides that are named with a slope are added to
    /// it.
    pub fn read(
        given: &[Written<SideSlope>],
        open: &mut OpenSideOptions,
        solver: &SolverInfo,
    ) -> Result<OutflowSlopes> {
        let mut slopes = OutflowSlopes::default();
        if let (Some(first), false) = (given.first(), solver.is_timed()) {
            return Err(Error::input(format!(
                "outflow_slope: '{first}': '{}' has no physical time, so a slope gives no flow",
                solver.name
            ))
            .hint(
                "leave it out: over an open side, water leaves an automaton as onto lower ground",
            ));
        }
        let named = open.edges();
        let mut by_name = [false; 4];
        for text in given {
            let SideSlope { sides, slope } = text.of("outflow_slope")?;
            let all = sides.is_none();
            if all && named == OpenSides::CLOSED {
                return Err(Error::input(format!("outflow_slope: '{text}': no side is open"))
                    .hint("open one, --open south, or name it here: \"south,0.001\""));
            }
            let sides = sides.unwrap_or_else(|| Sides::whole(named));
            // A named side takes precedence over a slope of all sides.
            for (at, name, side) in sides.edges().each() {
                if !all && open.closes(side) {
                    return Err(Error::input(format!(
                        "outflow_slope: '{text}': the side {name} is also closed"
                    ))
                    .hint("leave it out of one of the two"));
                }
                let stretch = sides.has_stretch_of(side);
                let opened = named.without(side) != named;
                let other = slopes.0[at].is_some_and(|other| other != slope);
                if stretch && (opened || other) {
                    return Err(Error::input(format!(
                        "outflow_slope: '{text}': the whole open part of the side {name} has one kind of outflow"
                    ))
                    .hint("name its stretches in open, and give the side one slope: --open south:0-500,south:900-1200 --outflow-slope south,0.001"));
                }
                if !all && std::mem::replace(&mut by_name[at], true) && other {
                    return Err(Error::input(format!(
                        "outflow_slope: '{text}': the side {name} has two slopes"
                    ))
                    .hint("leave one of them out"));
                }
                if !(all && slopes.0[at].is_some()) {
                    slopes.0[at] = Some(slope);
                }
            }
            // Sides without a name are already open, if only in part.
            if !all {
                open.and(sides);
            }
        }
        Ok(slopes)
    }

    /// Returns the relative conveyance of a cell over each side (north, east, south, west), per
    /// unit of its own conveyance.
    pub fn pulls(self, grid: &Grid) -> [f64; 4] {
        let across = [grid.dy, grid.dx, grid.dy, grid.dx];
        std::array::from_fn(|at| self.0[at].map_or(0.0, |slope| slope.sqrt() / across[at]))
    }

    /// Returns the sides that have a slope.
    pub fn sides(self) -> OpenSides {
        let [north, east, south, west] = self.0.map(|slope| slope.is_some());
        OpenSides { north, east, south, west }
    }

    /// Returns the free outflow of the open cells along the sides that have a slope.
    pub fn cells(
        self,
        grid: &Grid,
        open_cells: &OpenBoundaryCells,
        roughness: &Roughness,
    ) -> Vec<NormalDepthOutflow> {
        let mut cells: BTreeMap<usize, (f32, Port)> = BTreeMap::new();
        for &OpenSide { at, cells: ref along, .. } in open_cells.each() {
            let Some(slope) = self.0[at] else { continue };
            let length = if at % 2 == 0 { grid.dy } else { grid.dx };
            for &cell in along {
                let (conveyance, port) = cells.entry(cell).or_default();
                *conveyance += NormalDepthOutflow::over_side(slope, roughness.of(cell), length);
                *port |= ports::NAMES[at].0;
            }
        }
        let free = cells.into_iter();
        free.map(|(cell, (conveyance, port))| NormalDepthOutflow { cell, conveyance, port })
            .collect()
    }

    /// Returns the names of the sides that have a slope, each with its slope.
    pub fn named(self) -> Vec<(&'static str, f64)> {
        let sides = ["north", "east", "south", "west"].into_iter().zip(self.0);
        sides.filter_map(|(side, slope)| Some((side, slope?))).collect()
    }
}
