//! Lines with a kind and what that needs, as `links` and `structures` give them.

use super::point_table::coordinate;
use crate::error::{Error, Result};
use crate::input::columns::Table;
use crate::input::description::fields::BareFields;
use crate::input::notice::{Notice, Notices, Reading};
use crate::measures;
use crate::measures::quantity::is_bare;
use crate::units::{Metre, Second};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The columns of a CSV that say where a line is.
const ENDS: [&str; 4] = ["x1", "y1", "x2", "y2"];

/// What lines of a key may say of themselves.
#[derive(Clone, Copy, Debug)]
pub struct Sayings {
    /// The key.
    pub key: &'static str,
    /// What may be said beside the kind.
    pub names: &'static [&'static str],
    /// What a CSV of them looks like.
    pub example: &'static str,
}

/// A line as it is written.
#[derive(Debug)]
pub struct Drawn {
    /// For messages.
    pub place: String,
    /// Its kind.
    pub kind: String,
    /// Its points, in the DEM's CRS; at least two.
    pub points: Vec<(f64, f64)>,
    /// To which the paths that it names are relative.
    pub folder: PathBuf,
    /// What could be said of it.
    pub sayings: Sayings,
    /// What is said of it, in that order.
    pub said: Vec<Option<String>>,
    /// What was asked for, by its place there.
    pub asked: RefCell<BTreeSet<usize>>,
    /// Levels that were read without a unit.
    bare_levels: RefCell<Vec<String>>,
}

impl Drawn {
    /// A line of a file.
    pub fn of(
        path: &Path,
        place: String,
        sayings: Sayings,
        (kind, points): (String, Vec<(f64, f64)>),
        said: Vec<Option<String>>,
    ) -> Drawn {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Drawn {
            place,
            kind,
            points,
            folder,
            sayings,
            said,
            asked: RefCell::default(),
            bare_levels: RefCell::default(),
        }
    }

    /// Lines of a CSV with the columns `x1,y1,x2,y2,kind` and those of the [`Sayings`] that are
    /// needed.
    pub fn read_table(path: &Path, sayings: Sayings) -> Result<Reading<Vec<Drawn>>> {
        let table = Table::read(path, sayings.key, sayings.example)?;
        let header = &table.header;
        let bare = |header: &str| header.split('[').next().unwrap_or_default().trim().to_string();
        let is_known = |name: &&str| {
            ["kind"].iter().chain(&ENDS).chain(sayings.names).any(|k| *k == bare(name))
        };
        if let Some(name) = header.iter().find(|name| !is_known(name)) {
            let columns =
                format!("columns: {}, kind, {}", ENDS.join(", "), sayings.names.join(", "));
            return Err(table.wrong_header(format!("there is no column '{name}'")).hint(columns));
        }
        let bare_names: Vec<String> = header.iter().map(bare).collect();
        if let Some(at) =
            (1..bare_names.len()).find(|&at| bare_names[..at].contains(&bare_names[at]))
        {
            let what = format!("the column '{}' is there twice", bare_names[at]);
            return Err(table.wrong_header(what).hint("take one of them out"));
        }
        let column = |name: &str| header.iter().position(|column| column == name);
        for name in ENDS.iter().chain(&["kind"]) {
            column(name).ok_or_else(|| table.wrong_header(format!("it has no column '{name}'")))?;
        }
        let (bare_fields, mut lines) = (BareFields::default(), Vec::new());
        for (line, record) in &table.rows {
            let text = |name: &str| {
                let text = column(name).and_then(|at| record.get(at)).unwrap_or_default();
                (!text.is_empty()).then(|| text.to_string())
            };
            let mut ends = [0.0; 4];
            for (end, name) in ends.iter_mut().zip(ENDS) {
                let written = text(name).unwrap_or_default();
                *end = coordinate(&written).ok_or_else(|| {
                    table.wrong(*line, format!("the {name} '{written}' is not a coordinate"))
                })?;
            }
            let place = format!("{}, line {line}", path.display());
            let points = vec![(ends[0], ends[1]), (ends[2], ends[3])];
            // A number under `capacity [l/s]` is in that unit.
            let said = sayings.names.iter().map(|name| {
                let (at, unit) = table.measured(name)?;
                let text = record.get(at).filter(|text| !text.is_empty())?;
                let unit = unit.filter(|_| text.parse::<f64>().is_ok());
                if unit.is_none() {
                    bare_fields.see(name, text);
                }
                Some(unit.map_or(text.into(), |unit| format!("{text} {unit}")))
            });
            let said = said.collect();
            let kind = text("kind").unwrap_or_default();
            lines.push(Drawn::of(path, place, sayings, (kind, points), said));
        }
        let mut read = Reading { value: lines, notices: Notices::default() };
        let assumed = bare_fields.assumed(sayings.key, &path.to_string_lossy());
        assumed.into_iter().for_each(|assumed| read.notices.assume(assumed));
        Ok(read)
    }

    /// What is said under a name.
    pub fn text(&self, name: &str) -> Option<&str> {
        let at = self.sayings.names.iter().position(|known| *known == name);
        let at = at.expect("a known field");
        self.asked.borrow_mut().insert(at);
        self.said[at].as_deref()
    }

    /// An error if something is said that its kind takes no notice of.
    pub fn check_used(&self) -> Result<()> {
        let asked = self.asked.borrow();
        let mut unused = (0..self.said.len()).filter(|at| self.said[*at].is_some());
        let Some(at) = unused.find(|at| !asked.contains(at)) else { return Ok(()) };
        let (name, names) = (self.sayings.names[at], self.sayings.names);
        let own: Vec<&str> = asked.iter().map(|at| names[*at]).collect();
        Err(self
            .wrong(format_args!("a {} takes no notice of '{name}'", self.kind))
            .hint(format!("leave it empty; what counts here: {}", own.join(", "))))
    }

    /// Something to say about it.
    pub fn notice(&self, what: impl std::fmt::Display) -> Notice {
        Notice::at(&self.place, format!("{}: {what}", self.sayings.key))
    }

    /// An error about it.
    pub fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: {what}", self.sayings.key))
    }

    /// What is said under a name, read.
    pub fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
        let parsed = self.text(name).map(parse).transpose();
        parsed.map_err(|error| error.of(format_args!("{}: {name}", self.sayings.key)))
    }

    /// Reads a level (m above the DEM's zero).
    pub fn level(&self, name: &str) -> Result<Option<Metre>> {
        if let Some(text) = self.text(name).filter(|text| is_bare(text)) {
            self.bare_levels.borrow_mut().push(text.to_string());
        }
        self.parsed(name, measures::parse_level)
    }

    /// Notes the levels that were read without a unit.
    pub fn note_bare_levels(&self, notices: &mut Notices) {
        for text in self.bare_levels.borrow().iter() {
            notices.bare_level(self.sayings.key, text);
        }
    }

    /// A duration (s), which needs a unit unless it is 0: a breach within 2 s is another than one
    /// within 2 h.
    pub fn duration(&self, name: &str) -> Result<Option<Second>> {
        if let Some(text) = self.text(name).filter(|text| is_bare(text))
            && text.trim().parse() != Ok(0.0)
        {
            return Err(self.wrong(format_args!("{name}: '{text}' has no unit of time")).hint(format!(
                "write it with one, as '{text} h' or '{text} min'; or name the unit in the header of a CSV, as '{name} [h]'"
            )));
        }
        self.parsed(name, measures::parse_duration)
    }

    /// A length above 0 (m).
    pub fn length(&self, name: &str) -> Result<Option<Metre>> {
        match self.parsed(name, measures::parse_depth)? {
            Some(0.0) => Err(self
                .wrong(format_args!("{name}: it is 0"))
                .hint("give its measure in m, or leave it out")),
            length => Ok(length),
        }
    }
}
