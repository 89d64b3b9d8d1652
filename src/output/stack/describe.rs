//! Arrays of a series file and their attributes.

use super::grid_mapping::{GRID_MAPPING, grid_mapping};
use super::{Array, Attribute, Stack, Values, text};
use crate::engine::clock::TimeUnit;
use crate::output::results::Map;

/// Names of the dimensions.
pub const TIME: &str = "time";
pub const STEP: &str = "step";
pub const Y: &str = "y";
pub const X: &str = "x";

impl<'a> Stack<'a> {
    /// Returns the times of the maps (s, or steps).
    pub fn times(&self) -> Vec<f64> {
        let first = self.maps.first().map(|map| map.layer.key);
        let of_first = self.maps.iter().filter(|map| Some(map.layer.key) == first);
        of_first.filter_map(|map| map.time).collect()
    }

    /// Returns all arrays, coordinates first.
    pub(super) fn arrays(&self) -> Vec<Array<'a>> {
        let mut arrays = vec![self.time(), self.axis(Y), self.axis(X)];
        if let Some(attributes) = grid_mapping(self.grid) {
            let (name, values) = (GRID_MAPPING, Values::Nothing);
            arrays.push(Array { name, dimensions: &[], attributes, values });
        }
        let mut keys: Vec<&'static str> = self.maps.iter().map(|map| map.layer.key).collect();
        keys.dedup();
        keys.sort_unstable();
        keys.dedup();
        arrays.extend(keys.into_iter().map(|key| self.layer(key)));
        arrays
    }

    /// Returns the attributes of the file.
    pub(super) fn about(&self) -> Vec<(&'static str, Attribute)> {
        vec![
            ("Conventions", text("CF-1.10")),
            ("title", text(self.title)),
            ("source", text(concat!("inundate ", env!("CARGO_PKG_VERSION")))),
        ]
    }

    fn timed(&self) -> bool {
        self.clock.unit == TimeUnit::Seconds
    }

    /// Returns the time coordinate, with a calendar if the start of the run is known.
    fn time(&self) -> Array<'a> {
        let values = Values::Numbers(self.times());
        if !self.timed() {
            let attributes = vec![("long_name", text("step")), ("units", text("1"))];
            return Array { name: STEP, dimensions: &[STEP], attributes, values };
        }
        let mut attributes = vec![("axis", text("T"))];
        match self.start {
            Some(start) => {
                let start = start.timestamp().strftime("seconds since %Y-%m-%d %H:%M:%S%.f");
                attributes.extend([
                    ("standard_name", text("time")),
                    ("long_name", text("time (UTC)")),
                    ("units", text(start.to_string())),
                    ("calendar", text("proleptic_gregorian")),
                ]);
            }
            None => attributes.extend([
                ("long_name", text("time since the start of the run")),
                ("units", text("s")),
            ]),
        }
        Array { name: TIME, dimensions: &[TIME], attributes, values }
    }

    /// Returns the cell centres along an axis.
    fn axis(&self, name: &'static str) -> Array<'a> {
        let [west, dx, _, north, _, dy] = self.grid.transform;
        let (from, by, count, letter) = match name {
            X => (west, dx, self.grid.columns, "X"),
            _ => (north, dy, self.grid.rows, "Y"),
        };
        let centres = (0..count).map(|cell| from + (cell as f64 + 0.5) * by).collect();
        let standard = format!("projection_{name}_coordinate");
        let attributes = vec![
            ("axis", text(letter)),
            ("standard_name", text(standard)),
            ("long_name", text(format!("{name} of the cell's centre"))),
            ("units", text(unit(self.grid.metres_per_unit()))),
        ];
        let dimensions: &[&str] = if name == X { &[X] } else { &[Y] };
        Array { name, dimensions, attributes, values: Values::Numbers(centres) }
    }

    fn layer(&self, key: &'static str) -> Array<'a> {
        let maps: Vec<&'a Map> =
            self.maps.iter().copied().filter(|map| map.layer.key == key).collect();
        let unit = if maps[0].unit.is_empty() { "1" } else { &maps[0].unit };
        let mut attributes =
            vec![("long_name", text(&*maps[0].about)), ("units", text(ascii(unit)))];
        if self.grid.crs.is_some() {
            attributes.push(("grid_mapping", text(GRID_MAPPING)));
        }
        let dimensions: &[&str] = if self.timed() { &[TIME, Y, X] } else { &[STEP, Y, X] };
        Array { name: key, dimensions, attributes, values: Values::Maps(maps) }
    }
}

/// Returns the name of a length unit, given in metres.
fn unit(metres: f64) -> String {
    let known = [(1.0, "m"), (0.3048, "foot"), (1200.0 / 3937.0, "US_survey_foot"), (1000.0, "km")];
    match known.into_iter().find(|(size, _)| (size - metres).abs() < 1e-9 * size) {
        Some((_, name)) => name.into(),
        None => format!("{metres} m"),
    }
}

/// Converts a unit to the notation of UDUNITS, which CF requires.
fn ascii(unit: &str) -> String {
    unit.replace('²', "2").replace('³', "3")
}
