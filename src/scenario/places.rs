//! Named points and lines of the options `gauges` and `sections`.

use super::value_or_file::{ValueOrFile, Written};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::Reading;
use crate::input::tables::columns::CsvTable;
use crate::input::tables::columns::coordinate;
use crate::input::tables::dialect::is_a_csv;
use crate::input::vector::Shape;
use crate::input::vector::named::{NAMES, read_named};
use crate::input::vector::point_position::{covered, likely, nearest_free};
use crate::words;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

/// Sample content of a CSV of points, for hints.
const EXAMPLE: &str = "the file starts like this:\n    name,x,y\n    bridge,500120.5,4999870";

/// An option that accepts points or lines.
#[derive(Clone, Copy, Debug)]
pub struct PlaceKind {
    /// Key of the option.
    pub key: &'static str,
    /// Singular noun for messages, such as `gauge`.
    pub one: &'static str,
    /// Expected geometry.
    pub wanted: Shape,
    /// Hint about the format.
    pub how: &'static str,
}

/// One point or the two of a line as given on the command line, with a name if there is one.
#[derive(Clone, Debug)]
pub struct Points<const N: usize> {
    name: Option<String>,
    points: [(f64, f64); N],
}

/// Named point or line.
#[derive(Clone, Debug)]
pub struct NamedPlace {
    /// Name, unique within the option.
    pub name: String,
    /// Points in the DEM's CRS.
    pub points: Vec<(f64, f64)>,
}

impl PlaceKind {
    /// Reads all values of an option. Places without a name are numbered.
    ///
    /// # Errors
    /// If a text cannot be read, or two places have the same name.
    pub fn read<const N: usize>(
        self,
        given: &[ValueOrFile<Written<Points<N>>>],
        grid: &Grid,
    ) -> Result<Reading<Vec<NamedPlace>>> {
        let mut places = Reading::<Vec<NamedPlace>>::default();
        for given in given {
            match given {
                ValueOrFile::Value(written) => {
                    let read = written.of(self.key).map_err(|error| error.hint(self.how));
                    let Points { name, points } = read?;
                    places.add(self, name, points.to_vec());
                }
                ValueOrFile::File(path) if is_a_csv(path) => places.table(self, path)?,
                ValueOrFile::File(path) => {
                    let layer = read_named(path, self.key, self.wanted, &[], grid)?;
                    for feature in places.notices.of(layer) {
                        places.add(self, feature.name, feature.points);
                    }
                }
            }
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, place) in places.iter().enumerate() {
            if let Some(first) = seen.insert(&place.name, at) {
                let numbers = format!("number {} and number {}", first + 1, at + 1);
                return Err(Error::input(format!(
                    "{}: two are called '{}' ({numbers})",
                    self.key, place.name
                ))
                .hint(format!("give every {} a unique name", self.one)));
            }
        }
        Ok(places)
    }
}

impl Reading<Vec<NamedPlace>> {
    fn add(&mut self, kind: PlaceKind, name: Option<String>, points: Vec<(f64, f64)>) {
        let number = self.len() + 1;
        let name = name.unwrap_or_else(|| format!("{} {number}", kind.one));
        self.push(NamedPlace { name, points });
    }

    /// Reads points from a CSV with the columns x, y and optionally name.
    fn table(&mut self, kind: PlaceKind, path: &Path) -> Result<()> {
        if kind.wanted == Shape::Lines {
            return Err(Error::input(format!(
                "{}: '{}' is a table, which cannot hold lines",
                kind.key,
                path.display()
            ))
            .hint(kind.how));
        }
        let table = CsvTable::read(path, kind.key, EXAMPLE)?;
        let label = table.any_column(&NAMES);
        for line in table.points()? {
            let (_, point, record) = line?;
            let name = label.map(|label| record[label].to_string());
            self.add(kind, name.filter(|name| !name.is_empty()), vec![point]);
        }
        self.notices.read(kind.key, path)?;
        Ok(())
    }
}

impl<const N: usize> FromStr for Points<N> {
    type Err = Error;

    /// Parses `x,y[,name]` or `x1,y1,x2,y2[,name]`.
    fn from_str(text: &str) -> Result<Points<N>> {
        let parts: Vec<&str> = text.splitn(2 * N + 1, ',').map(str::trim).collect();
        let numbers = parts.iter().take(2 * N).filter_map(|part| coordinate(part));
        let numbers: Vec<f64> = numbers.collect();
        if numbers.len() < 2 * N {
            let what = if N == 1 { "a point" } else { "a line (x1,y1,x2,y2)" };
            return Err(Error::input(format!("'{text}' is neither {what} nor a file")));
        }
        let name = parts.get(2 * N).filter(|name| !name.is_empty()).map(ToString::to_string);
        Ok(Points { name, points: std::array::from_fn(|i| (numbers[2 * i], numbers[2 * i + 1])) })
    }
}

/// Returns (column, row) and index of the domain cell that contains a point in the DEM's CRS.
/// `whose` names the point in messages (`source: the point (1, 2)`); `what` is a noun for the
/// object if it may be left out.
///
/// # Errors
/// If the point is outside the DEM or the domain.
pub fn cell_of(
    (x, y): (f64, f64),
    whose: &str,
    what: Option<&str>,
    ground: Topography,
) -> Result<((usize, usize), usize)> {
    let grid = ground.grid;
    let place = grid.cell_at(x, y).ok_or_else(|| {
        let or = what.map_or(String::new(), |it| format!("; move the {it}, or leave it out"));
        let degrees = likely(grid, &[(x, y)]);
        Error::input(format!("{whose} is outside the DEM"))
            .hint(format!("{}{degrees}{or}", covered(grid)))
    })?;
    let (column, row) = place;
    let cell = row * grid.columns + column;
    if !ground.is_inside(cell) {
        let on = ground.bed.why_outside(cell);
        let or = what.map_or("", |_| ", or leave it out");
        let free = nearest_free((x, y), ground);
        return Err(Error::input(format!("{whose} is on {on}"))
            .at(words::place(column, row))
            .hint(format!("move it onto the terrain{free}{or}")));
    }
    Ok((place, cell))
}
