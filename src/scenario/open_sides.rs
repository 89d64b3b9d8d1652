//! Open sides of the raster: given as sides, stretches of sides, or lines along the boundary.

use super::sides::Sides;
use super::value_or_file::{ValueOrFile, Written};
use crate::engine::boundary::OpenSides;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notices, Reading};
use crate::input::vector::{self, Fields, Shape};
use crate::words::counted;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FIELDS: Fields = Fields::optional("name").only(Shape::Lines).clipped();

/// Options of open sides, before the raster is read.
#[derive(Clone, Debug, Default)]
pub struct OpenSideOptions {
    open: Sides,
    closed: Sides,
    /// Layer of lines: sides are open at the cells that a line touches.
    lines: Option<PathBuf>,
}

impl OpenSideOptions {
    /// Reads the keys `open` and `closed`.
    ///
    /// # Errors
    /// If a text does not name sides, or names a side that is both open and closed.
    pub fn read(
        open: Option<&ValueOrFile<Written<Sides>>>,
        closed: Option<&Written<Sides>>,
    ) -> Result<OpenSideOptions> {
        let closed = closed.map_or(Ok(Sides::default()), |it| it.of("closed"))?;
        let open = match open {
            Some(ValueOrFile::File(path)) => {
                let lines = Some(path.clone());
                return Ok(OpenSideOptions { closed, lines, ..OpenSideOptions::default() });
            }
            Some(ValueOrFile::Value(said)) => said.of("open")?,
            None => Sides::default(),
        };
        let named = open.edges();
        let both = closed.whole_edges().names().into_iter().find(|it| named.names().contains(it));
        // Of all sides, `closed` excepts some.
        let excepts =
            open.whole_edges() == OpenSides::ALL && closed.whole_edges() != OpenSides::ALL;
        if let (Some(side), false) = (both, excepts) {
            return Err(Error::input(format!("closed: the side {side} is also open"))
                .hint("leave it out of one of the two"));
        }
        Ok(OpenSideOptions { open, closed, lines: None })
    }

    /// Returns `true` if the whole of a side is closed by name.
    pub fn closes(&self, side: OpenSides) -> bool {
        self.closed.whole_edges().without(side) != self.closed.whole_edges()
    }

    /// Opens further sides.
    pub fn and(&mut self, sides: Sides) {
        self.open.and(sides);
    }

    /// Returns the sides that may be open, at least in part.
    pub fn edges(&self) -> OpenSides {
        let open = if self.lines.is_some() { OpenSides::ALL } else { self.open.edges() };
        open.without(self.closed.whole_edges())
    }
}

/// A side of the raster that is open, at least in part.
#[derive(Clone, Debug)]
pub struct OpenSide {
    /// Index in the order north, east, south, west.
    pub at: usize,
    /// Name of the side.
    pub name: &'static str,
    /// This side alone, as a set of sides.
    pub side: OpenSides,
    /// Open cells of the domain along this side, inside of a collar of NoData if there is one.
    pub cells: BTreeSet<usize>,
}

/// The open sides of a raster.
#[derive(Clone, Debug, Default)]
pub struct OpenBoundaryCells(Vec<OpenSide>);

impl OpenBoundaryCells {
    /// Maps open sides onto a grid.
    ///
    /// # Errors
    /// If the layer of lines cannot be read, or no cell of the domain is along the open sides.
    pub fn on(said: &OpenSideOptions, ground: Topography) -> Result<Reading<OpenBoundaryCells>> {
        said.open.check_stretches("open", ground)?;
        said.closed.check_stretches("closed", ground)?;
        let mut notices = Notices::default();
        notices.warn_all(said.open.overlong("open", ground.grid));
        notices.warn_all(said.closed.overlong("closed", ground.grid));
        let touched = match &said.lines {
            None => None,
            Some(path) => Some(touched(path, ground, &mut notices)?),
        };
        let mut open_cells = OpenBoundaryCells::default();
        for (at, name, side) in said.edges().each() {
            let mut cells = match &touched {
                None => said.open.cells(Some(side), ground),
                // outflow_slope may open further sides beside the lines.
                Some(touched) => {
                    let on_lines = &Sides::whole(side).cells(None, ground) & touched;
                    &on_lines | &said.open.cells(Some(side), ground)
                }
            };
            let closed = said.closed.cells(Some(side), ground);
            cells.retain(|cell| !closed.contains(cell));
            let in_part = said.open.whole_edges().without(side) == said.open.whole_edges();
            if cells.is_empty() && touched.is_none() && in_part {
                return Err(Error::input(format!(
                    "open: no cell of the domain is along the open part of the side {name}"
                ))
                .hint("give the stretch in m from the northern or western end of the side"));
            }
            if touched.is_none() || !cells.is_empty() {
                open_cells.0.push(OpenSide { at, name, side, cells });
            }
        }
        match (&said.lines, open_cells.0.is_empty()) {
            (Some(path), true) => Err(Error::input(format!(
                "open: no line of '{}' touches a cell along a side of the domain",
                path.display()
            ))
            .hint("draw the lines across the outermost cells of the DEM")),
            _ => Ok(Reading { value: open_cells, notices }),
        }
    }

    /// Returns the sides that are open, at least in part.
    pub fn edges(&self) -> OpenSides {
        self.0.iter().fold(OpenSides::CLOSED, |all, open| all.and(open.side))
    }

    /// Iterates over the open sides.
    pub fn each(&self) -> impl Iterator<Item = &OpenSide> {
        self.0.iter()
    }

    /// Returns the cells, ascending, along the open sides that are not open on any side.
    pub fn shut(&self, ground: Topography) -> Vec<usize> {
        let along = Sides::whole(self.edges()).cells(None, ground).into_iter();
        along.filter(|cell| !self.0.iter().any(|open| open.cells.contains(cell))).collect()
    }

    /// Removes the cells that have a rating curve, and returns a warning for each side where there
    /// were some.
    pub fn leave_to_ratings(&mut self, rated: &BTreeSet<usize>) -> Vec<String> {
        let mut said = Vec::new();
        for OpenSide { name, cells, .. } in &mut self.0 {
            let before = cells.len();
            cells.retain(|cell| !rated.contains(cell));
            let taken = before - cells.len();
            if taken > 0 {
                said.push(format!(
                    "rating: {} along the open side {name}; water leaves there by the rating curve only",
                    counted(taken, "cell is", "cells are")
                ));
            }
        }
        said
    }

    /// Returns the sides that are open in part, each with its open share (0 to 1) of cells.
    pub fn shares(&self, ground: Topography) -> Vec<(&'static str, f64)> {
        let Topography { grid, bed, .. } = ground;
        let share = |open: &OpenSide| {
            let all = open.side.boundary_cells(bed, grid.columns, grid.rows).len();
            (open.name, open.cells.len() as f64 / all as f64)
        };
        self.each().map(share).filter(|(_, share)| *share < 1.0).collect()
    }
}

/// Returns the cells that the lines of a layer touch.
fn touched(path: &Path, ground: Topography, notices: &mut Notices) -> Result<BTreeSet<usize>> {
    let layer = notices.of(vector::read(path, "open", FIELDS, ground)?);
    Ok(layer.features.into_iter().flat_map(|feature| feature.cells).collect())
}
