//! Options that are a value or name a file.
//!
//! One rule decides which of the two a text is. It depends only on the text, never on the files
//! that exist.

use super::sides::Sides;
use super::values::written;
use crate::engine::boundary::sides;
use crate::engine::losses::parameter::Model;
use crate::error::{Error, Result};
use crate::input::tables::columns::coordinate;
use crate::input::tables::{class_table, loss_table};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};
use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The rule in short, for hints.
pub const RULE: &str = "a text that starts with a number is a value, unless it ends like a file name; write ./ in front of the name of any other file that could be a value";

/// Returns true if a text can only be a path, because of its extension or a slash.
pub fn is_a_path(text: &str) -> bool {
    let extension = Path::new(text).extension().map(|extension| extension.to_string_lossy());
    extension.is_some_and(|extension| extension.starts_with(char::is_alphabetic))
        || text.ends_with('/')
        || ["/", "./", "../"].iter().any(|start| text.starts_with(start))
}

/// Returns true if a text names a file. A text that starts with a point never does; other texts do
/// unless they start like a value, and in any case if they can only be a path.
fn names_a_file(text: &str) -> bool {
    let starts_with_point = text.split(',').map(coordinate).take_while(Option::is_some).count() > 1;
    !starts_with_point && (is_a_path(text) || !starts_like_a_value(text))
}

/// Returns true if a text starts with a number, or with a word that is a value: `design:`, a side
/// or an infiltration model. An empty text is a value, which its reader refuses.
fn starts_like_a_value(text: &str) -> bool {
    let text = text.trim_start();
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number = number.strip_prefix('.').unwrap_or(number);
    let word = text.split([',', ':']).next().unwrap_or_default();
    number.starts_with(|first: char| first.is_ascii_digit())
        || text.starts_with("design:")
        || sides(word).is_ok()
        || Model::ALL.iter().any(|model| model.name() == text.trim_end())
}

/// A value and its text. The reader of the option refuses a text that is not such a value.
#[derive(Clone, Debug)]
pub struct Written<T> {
    text: String,
    value: Result<T>,
}

impl<T: Clone> Written<T> {
    /// Returns the value, which is that of the option `key`.
    pub fn of(&self, key: &str) -> Result<T> {
        self.value.clone().map_err(|error| error.of(key))
    }
}

impl<T: FromStr<Err = Error>> From<&str> for Written<T> {
    fn from(text: &str) -> Written<T> {
        Written { text: text.into(), value: text.parse() }
    }
}

impl<T> fmt::Display for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A value, or the path of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueOrFile<V = String> {
    /// Sides, a point or a line; or, as text, a quantity with a unit or a bare number.
    Value(V),
    /// Path of a file or a folder.
    File(PathBuf),
}

impl<V: for<'a> From<&'a str>> From<&str> for ValueOrFile<V> {
    fn from(text: &str) -> ValueOrFile<V> {
        match names_a_file(text) {
            true => ValueOrFile::File(text.into()),
            false => ValueOrFile::Value(text.into()),
        }
    }
}

impl<V> ValueOrFile<V> {
    /// Returns the path, if this is a file.
    pub fn file(&self) -> Option<&Path> {
        match self {
            ValueOrFile::Value(_) => None,
            ValueOrFile::File(path) => Some(path),
        }
    }
}

impl<V: fmt::Display> fmt::Display for ValueOrFile<V> {
    /// Formats the text so that it is read as the same value or path again.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ValueOrFile::Value(value) => value.fmt(f),
            ValueOrFile::File(path) => {
                let start = if names_a_file(&path.to_string_lossy()) { "" } else { "./" };
                write!(f, "{start}{}", path.display())
            }
        }
    }
}

/// Place of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Easting and northing in the DEM's CRS.
    Point(f64, f64),
    /// Sides of the raster, or stretches of them.
    Sides(Sides),
}

impl Place {
    /// Splits a text like `612300,4052100,20 m3/s` or `west,tide.csv` into the place and the rest,
    /// and returns the text of the place too.
    pub fn split(text: &str) -> Option<(Place, &str, &str)> {
        let (first, rest) = text.split_once(',')?;
        let Some(x) = coordinate(first) else {
            let sides = first.trim().parse().ok().filter(|_| !first.trim().is_empty())?;
            return Some((Place::Sides(sides), first, rest));
        };
        let (second, value) = rest.split_once(',')?;
        let place = &text[..first.len() + 1 + second.len()];
        Some((Place::Point(x, coordinate(second)?), place, value))
    }
}

/// A value or a file after a place, or without one.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Place, if there is one.
    pub place: Option<Place>,
    /// Text of the place up to the value.
    before: String,
    /// Value, or file.
    pub value: ValueOrFile,
}

impl Placed {
    /// Returns the text of the place.
    pub fn place_text(&self) -> &str {
        self.before.trim_end().trim_end_matches(',')
    }
}

impl From<&str> for Placed {
    fn from(text: &str) -> Placed {
        let (place, value) = match Place::split(text) {
            Some((place, _, value)) => (Some(place), value.trim_start()),
            None => (None, text),
        };
        let before = text[..text.len() - value.len()].to_string();
        let value = if place.is_some() { value.trim_end() } else { value };
        Placed { place, before, value: value.into() }
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.before, self.value)
    }
}

/// The name of a bundled table, or the path of a file; a file of the same name is `./nlcd`.
#[derive(Clone, Debug, PartialEq)]
pub struct TableName(pub PathBuf);

impl TableName {
    /// Returns true if this is the name of a bundled table.
    pub fn is_bundled(&self) -> bool {
        let mut names = class_table::BUNDLED.iter().chain(&loss_table::BUNDLED);
        names.any(|(name, ..)| self.0.as_os_str() == *name)
    }
}

impl From<&str> for TableName {
    fn from(text: &str) -> TableName {
        TableName(text.into())
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// Implements parsing and serialization of types that are written as text.
macro_rules! written_as_text {
    ($($type:ty, [$($generic:tt)*];)*) => {$(
        impl<$($generic)*> FromStr for $type {
            type Err = Infallible;
            fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
                Ok(text.into())
            }
        }

        impl<'de, $($generic)*> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                written(&toml::Value::deserialize(from)?).map(|text| text.as_str().into())
            }
        }

        impl<$($generic)*> Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
    )*};
}

written_as_text! {
    ValueOrFile<V>, [V: for<'a> From<&'a str> + fmt::Display];
    Written<T>, [T: FromStr<Err = Error>];
    Placed, [];
    TableName, [];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_file(text: &str) -> bool {
        ValueOrFile::<String>::from(text).file().is_some()
    }

    #[test]
    fn a_text_that_starts_like_a_value_names_no_file() {
        for value in [
            "0.03",
            "-1 m",
            "+.5 m",
            ".5",
            "30 mm/h",
            "4 mm/15min",
            "12.5m",
            "4 1/h",
            "2021",
            " 3 m",
            "design:100mm/6h/chicago:0.4",
            "all",
            "north,east",
            "west:0-1200.5",
            "west:30",
            "horton",
            "green-ampt",
            "500120.5,4999870,St.Mary",
            "1,2",
            "",
            "1,2,3,4,weir/",
        ] {
            assert!(!is_file(value), "{value}");
        }
    }

    #[test]
    fn an_extension_or_a_slash_makes_a_path() {
        for path in [
            "n.tif",
            "100m.tif",
            "2021 rain.csv",
            "2021/",
            "2021/n.tif",
            "/data/2021",
            "./0.03",
            "../0.03",
            "radar",
            "nan mm/h",
            "hortons",
            "NETCDF:rain.nc:rain",
            "PG:dbname=flood",
            "/vsizip/a.zip/1",
            "allotments",
            "0.03/n",
        ] {
            // A folder that starts with a number needs a mark at its end or start.
            assert_eq!(is_file(path), path != "0.03/n", "{path}");
        }
    }

    #[test]
    fn the_place_of_a_value_is_a_point_or_a_side() {
        let split = |text| Place::split(text).map(|(_, place, value)| (place, value));
        assert_eq!(split("1.5,-2, h.csv"), Some(("1.5,-2", " h.csv")));
        assert_eq!(split("1,2,a,b.csv"), Some(("1,2", "a,b.csv")));
        assert_eq!(split("west,2.4 m"), Some(("west", "2.4 m")));
        assert_eq!(split("n:0-90,2.4 m"), Some(("n:0-90", "2.4 m")));
        for none in ["sources.gpkg", "1,2", "upstream,2", ",2", "", "./1,2,q.tif"] {
            assert_eq!(split(none), None, "{none}");
        }
    }

    #[test]
    fn texts_are_written_as_they_are_read() {
        for text in ["1.5,-2, h.csv", "west,2.4 m", "q.tif", "./1,2,q.tif", "2.4 m"] {
            let placed = Placed::from(text);
            assert_eq!(placed.to_string(), text);
            assert_eq!(serde_json::to_value(&placed).unwrap(), text);
            assert_eq!(serde_json::from_value::<Placed>(text.into()).unwrap(), placed);
        }
        // Relative to a folder whose name starts like a value.
        let inside = ValueOrFile::<String>::File(Path::new("2021").join("n"));
        assert_eq!(inside.to_string(), "./2021/n");
        assert!(is_file(&inside.to_string()));
    }
}
