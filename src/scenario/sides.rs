//! Parses sides of the raster, whole or in part: `west`, `west:0-1200`, `north,east`, `all`.

use crate::engine::boundary::{OpenSides, sides};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::units::Metre;
use std::collections::BTreeSet;
use std::str::FromStr;

const HOW: &str = "sides: north, east, south, west (separated by commas), all, none; a stretch of one by the distances from its northern or western end, in m: west:0-1200";

/// One or more whole sides, or a stretch of one side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    sides: OpenSides,
    /// Start and end (m, from the northern end of the west and east sides, from the western end of
    /// the north and south sides); `None` for whole sides.
    stretch: Option<[Metre; 2]>,
}

impl Part {
    /// Returns the length of its side, and that of a cell along it (m).
    fn length(&self, grid: &Grid) -> [Metre; 2] {
        match self.sides.north || self.sides.south {
            true => [grid.columns as f64 * grid.dx, grid.dx],
            false => [grid.rows as f64 * grid.dy, grid.dy],
        }
    }
}

/// Sides and stretches of sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides(Vec<Part>);

impl FromStr for Sides {
    type Err = Error;

    /// Parses `west`, `west:0-1200`, `north,east`, `all` or `none`.
    fn from_str(text: &str) -> Result<Sides> {
        text.split(',').map(str::trim).map(Part::parse).collect::<Result<_>>().map(Sides)
    }
}

impl Sides {
    /// Returns whole sides.
    pub fn whole(sides: OpenSides) -> Sides {
        Sides(vec![Part { sides, stretch: None }])
    }

    /// Returns the named sides, even if only a stretch is named.
    pub fn edges(&self) -> OpenSides {
        self.0.iter().fold(OpenSides::CLOSED, |all, part| all.and(part.sides))
    }

    /// Returns the sides that are named as a whole.
    pub fn whole_edges(&self) -> OpenSides {
        let whole = self.0.iter().filter(|part| part.stretch.is_none());
        whole.fold(OpenSides::CLOSED, |all, part| all.and(part.sides))
    }

    /// Returns true if a stretch of one of `sides` is named.
    pub fn has_stretch_of(&self, sides: OpenSides) -> bool {
        let mut parts = self.0.iter().filter(|part| part.stretch.is_some());
        parts.any(|part| sides.without(part.sides) != sides)
    }

    /// Adds further sides.
    pub fn and(&mut self, others: Sides) {
        self.0.extend(others.0);
    }

    /// Refuses stretches without a cell of the domain. `key` is the option for the message.
    ///
    /// # Errors
    /// If a stretch has no cell of the domain.
    pub fn check_stretches(&self, key: &str, ground: Topography) -> Result<()> {
        let Topography { grid, .. } = ground;
        for part in &self.0 {
            let Some([from, to]) = part.stretch else { continue };
            if !Sides(vec![*part]).cells(None, ground).is_empty() {
                continue;
            }
            let [length, _] = part.length(grid);
            let side = part.sides.names().concat();
            return Err(Error::input(format!(
                "{key}: no cell of the domain is along '{side}:{from}-{to}'; the side is {length} m long"
            ))
            .hint("give the stretch in m from the northern or western end of the side"));
        }
        Ok(())
    }

    /// Returns warnings about stretches that end more than a cell beyond their side. `key` is the
    /// option for the message.
    pub fn overlong(&self, key: &str, grid: &Grid) -> Vec<String> {
        let warning = |part: &Part| {
            let ([from, to], [length, cell]) = (part.stretch?, part.length(grid));
            let side = part.sides.names().concat();
            (to > length + cell).then(|| {
                format!(
                    "{key}: '{side}:{from}-{to}' ends beyond its side, which is {length} m long"
                )
            })
        };
        self.0.iter().filter_map(warning).collect()
    }

    /// Returns the cells of the domain along the sides, inside of a collar of NoData if there is
    /// one; with `side`, only the cells along that side.
    pub fn cells(&self, side: Option<OpenSides>, ground: Topography) -> BTreeSet<usize> {
        let Topography { grid, bed, .. } = ground;
        let mut cells = BTreeSet::new();
        for (_, _, one) in self.edges().each() {
            if side.is_some_and(|side| side != one) {
                continue;
            }
            let parts: Vec<&Part> =
                self.0.iter().filter(|part| part.sides.without(one) != part.sides).collect();
            let rim = one.boundary_cells(bed, grid.columns, grid.rows).into_iter();
            cells.extend(rim.filter(|&cell| {
                let along = match one.north || one.south {
                    true => (cell % grid.columns) as f64 * grid.dx + 0.5 * grid.dx,
                    false => (cell / grid.columns) as f64 * grid.dy + 0.5 * grid.dy,
                };
                parts.iter().any(|part| match part.stretch {
                    Some([from, to]) => (from..=to).contains(&along),
                    None => true,
                })
            }));
        }
        cells
    }
}

impl Part {
    fn parse(text: &str) -> Result<Part> {
        let Some((side, stretch)) = text.split_once(':') else {
            let sides = sides(text).map_err(|error| error.hint(HOW))?;
            return Ok(Part { sides, stretch: None });
        };
        let wrong = |what: &str| Error::input(format!("'{text}' {what}")).hint(HOW);
        let sides = sides(side).map_err(|error| error.hint(HOW))?;
        if sides.names().len() != 1 {
            return Err(wrong("is not a stretch of one side"));
        }
        let ends = stretch.trim().trim_end_matches('m').trim().split_once('-');
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|end| end.is_finite());
        match ends.and_then(|(from, to)| Some([number(from)?, number(to)?])) {
            Some([from, to]) if from < to => Ok(Part { sides, stretch: Some([from, to]) }),
            Some(_) => Err(wrong("is a stretch whose end is not after its start")),
            None => Err(wrong("is not a stretch of a side")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::grid::{Bed, Grid};

    #[test]
    fn a_stretch_is_of_the_cells_whose_centres_lie_along_it() {
        let grid = Grid::plain(5, 4, 10.0);
        let bed = Bed::from_metres([0.0; 20]);
        let cells = |text: &str| {
            let sides = text.parse::<Sides>().unwrap();
            sides.cells(None, Topography::new(&grid, &bed)).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(cells("west:10-29"), [5, 10]);
        assert_eq!(cells("west:0-10 m, south:0-15"), [0, 15, 16]);
        assert_eq!(cells("n:35-1e9,east:0-5"), [3, 4]);
        assert!(cells("west:0-4").is_empty());
        let sides = "west:0-10,south".parse::<Sides>().unwrap();
        assert_eq!(sides.edges().names(), ["south", "west"]);
        assert_eq!(sides.whole_edges().names(), ["south"]);
        for (text, what) in [
            ("west:10", "'west:10' is not a stretch"),
            ("all:0-10", "one side"),
            ("west:20-10", "is not after its start"),
            ("up", "'up' is not a side"),
        ] {
            let error = text.parse::<Sides>().unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
