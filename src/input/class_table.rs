//! Tables of Manning's n by land-cover class: a CSV of the user, or one of those bundled.

use crate::engine::roughness::{RANGE, examples};
use crate::error::{Error, Result};
use crate::input::bundled::{self, Bundled};
use crate::input::dialect;
use std::path::Path;

/// The bundled tables: name, what it is for, contents. Each says in its head where its values are from.
pub const BUNDLED: [Bundled; 2] = [
    (
        "worldcover",
        "ESA WorldCover 10 m (v100, v200)",
        include_str!("../../data/land_cover/worldcover.csv"),
    ),
    (
        "nlcd",
        "National Land Cover Database of the USA (2001 to 2021)",
        include_str!("../../data/land_cover/nlcd.csv"),
    ),
];

/// A line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its number in the raster.
    pub class: i64,
    /// Manning's n (s/m^⅓).
    pub n: f64,
    /// What it is, if the table says.
    pub name: Option<String>,
    /// The line of the file.
    line: u64,
}

/// Manning's n by class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassTable {
    /// By class, ascending.
    classes: Vec<Class>,
}

impl ClassTable {
    /// Reads a file, or takes the bundled table of that name (a file called like one is `./nlcd`).
    pub fn read(path: &Path) -> Result<ClassTable> {
        let (text, name) = bundled::read(path, &BUNDLED, "land_cover_table")?;
        ClassTable::parse(&text, &name)
    }

    /// Parses the contents of a file: the header `class,n` or `class,n,name`, then a line a class.
    /// Lines that start with `#` are comments. `name` is for messages.
    pub fn parse(text: &[u8], name: &str) -> Result<ClassTable> {
        let wrong = |line: u64, what: String| {
            Error::input(format!("land_cover_table: '{name}', line {line}: {what}"))
                .hint("the file starts like this:\n    class,n,name\n    10,0.16,Tree cover\n    30,0.035,Grassland")
        };
        let mut reader = dialect::headless(text);
        let mut classes: Vec<Class> = Vec::new();
        let mut header = None;
        for record in reader.records() {
            let record = record.map_err(|error| {
                wrong(error.position().map_or(1, |place| line_of(text, place)), plain(&error))
            })?;
            let line = record.position().map_or(1, |place| line_of(text, place));
            if header.is_none() {
                check_header(&record).map_err(|what| wrong(line, what))?;
                header = Some(line);
                continue;
            }
            let class = parse_line(&record, line).map_err(|what| match what {
                Wrong::Line(what) => wrong(line, what),
                Wrong::Roughness(what) => wrong(line, what).hint(examples()),
            })?;
            if let Some(first) = classes.iter().find(|known| known.class == class.class) {
                let what =
                    format!("class {} is there twice (first in line {})", class.class, first.line);
                return Err(wrong(line, what));
            }
            classes.push(class);
        }
        match header {
            None => return Err(wrong(1, "the file is empty".into())),
            Some(line) if classes.is_empty() => {
                return Err(wrong(line, "no class follows the header".into()));
            }
            Some(_) => {}
        }
        classes.sort_by_key(|class| class.class);
        Ok(ClassTable { classes })
    }

    /// The classes, ascending.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Where in [`ClassTable::classes`] a value of a raster is; `None` if it is in no line.
    pub fn find(&self, value: f64) -> Option<usize> {
        find(&self.classes, value, |line| line.class)
    }
}

/// Where in classes that ascend a value of a raster is; `None` if it is none of them.
pub(super) fn find<T>(classes: &[T], value: f64, number: fn(&T) -> i64) -> Option<usize> {
    // Exact far beyond any class; what is not whole or not small is none.
    let class = value as i64;
    if class as f64 != value {
        return None;
    }
    classes.binary_search_by_key(&class, number).ok()
}

/// What may be wrong with a line.
enum Wrong {
    /// Its form.
    Line(String),
    /// Its roughness.
    Roughness(String),
}

fn check_header(header: &csv::StringRecord) -> std::result::Result<(), String> {
    let names: Vec<String> = header.iter().map(str::to_lowercase).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if matches!(names[..], ["class", "n"] | ["class", "n", "name"]) {
        return Ok(());
    }
    let found: Vec<&str> = header.iter().collect();
    let found = found.join(",");
    let why = if found.contains(';') { "; separate by a comma, not a semicolon (;)" } else { "" };
    Err(format!("the header must be class,n or class,n,name, but is {found}{why}"))
}

fn parse_line(record: &csv::StringRecord, line: u64) -> std::result::Result<Class, Wrong> {
    let class = record[0]
        .parse::<i64>()
        .map_err(|_| Wrong::Line(format!("the class '{}' is not a whole number", &record[0])))?;
    let n = record[1].parse::<f64>().ok().filter(|n| RANGE.contains(n)).ok_or_else(|| {
        Wrong::Roughness(format!("the n of class {class}, '{}', is not a Manning's n", &record[1]))
    })?;
    let name = record.get(2).filter(|name| !name.is_empty()).map(str::to_string);
    Ok(Class { class, n, name, line })
}

/// The line of a record: that of its first byte, after the comments and empty lines that the reader
/// counts to it.
pub(super) fn line_of(text: &[u8], place: &csv::Position) -> u64 {
    let mut line = place.line();
    let rest = text.get(place.byte() as usize..).unwrap_or_default();
    for content in rest.split(|&byte| byte == b'\n') {
        let empty = content.iter().all(|&byte| byte == b'\r');
        if !empty && !content.starts_with(b"#") {
            break;
        }
        line += 1;
    }
    line
}

/// What the reader says, without the places that it counts otherwise than people.
pub(super) fn plain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!(
                "{len} columns, but the header has {expected_len} (put a name with a comma in double quotes)"
            )
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8".into(),
        _ => error.to_string(),
    }
}
