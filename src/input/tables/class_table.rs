//! Tables of Manning's n by land-cover class: a user's CSV, or a bundled table.

use crate::engine::roughness::{RANGE, examples};
use crate::error::{Error, Result};
use crate::input::tables::bundled::{self, Bundled};
use crate::input::tables::by_class::{by_class, find, whole};
use csv::StringRecord;
use std::path::Path;

/// Bundled tables: name, purpose, contents. The head of each names the source of its values.
pub const BUNDLED: [Bundled; 2] = [
    (
        "worldcover",
        "ESA WorldCover 10 m (v100, v200)",
        include_str!("../../../data/land_cover/worldcover.csv"),
    ),
    (
        "nlcd",
        "National Land Cover Database of the USA (2001 to 2021)",
        include_str!("../../../data/land_cover/nlcd.csv"),
    ),
];

/// Line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Number in the raster.
    pub class: i64,
    /// Manning's n (s/m^⅓).
    pub n: f64,
    /// Name of the class, if the table has one.
    pub name: Option<String>,
    /// Line number in the file.
    line: u64,
}

/// Manning's n by class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassTable {
    /// Lines, ascending by class.
    pub classes: Vec<Class>,
}

impl ClassTable {
    /// Reads a file, or the bundled table of that name (a file of the same name is `./nlcd`).
    pub fn read(path: &Path) -> Result<ClassTable> {
        let (text, name) = bundled::read(path, &BUNDLED, "land_cover_table")?;
        ClassTable::parse(&text, &name)
    }

    /// Parses the contents of a file: the header `class,n` or `class,n,name`, then one line per
    /// class. Lines that start with `#` are comments. `name` is for messages.
    pub fn parse(text: &[u8], name: &str) -> Result<ClassTable> {
        let wrong = |line: u64, what: String| {
            Error::input(format!("land_cover_table: '{name}', line {line}: {what}"))
                .hint("the file starts like this:\n    class,n,name\n    10,0.16,Tree cover\n    30,0.035,Grassland")
        };
        let number = |class: &Class| (class.class, class.line);
        let parse = |(): &(), record: &StringRecord, line| parse_line(record, line);
        Ok(ClassTable { classes: by_class(text, wrong, check_header, parse, number)? })
    }

    /// Returns the index of a raster's value in [`ClassTable::classes`]; `None` if it has no line.
    pub fn find(&self, value: f64) -> Option<usize> {
        find(&self.classes, value, |line| line.class)
    }
}

fn check_header(header: &StringRecord) -> std::result::Result<(), String> {
    let names: Vec<String> = header.iter().map(str::to_lowercase).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if matches!(names[..], ["class", "n"] | ["class", "n", "name"]) {
        return Ok(());
    }
    let found: Vec<&str> = header.iter().collect();
    let found = found.join(",");
    Err(format!("the header must be class,n or class,n,name, but is {found}"))
}

fn parse_line(record: &StringRecord, line: u64) -> Result<Class> {
    let class = whole(&record[0])?;
    let n = record[1].parse::<f64>().ok().filter(|n| RANGE.contains(n)).ok_or_else(|| {
        let what = format!("the n of class {class}, '{}', is not a Manning's n", &record[1]);
        Error::input(what).hint(examples())
    })?;
    let name = record.get(2).filter(|name| !name.is_empty()).map(str::to_string);
    Ok(Class { class, n, name, line })
}
