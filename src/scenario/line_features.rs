//! Lines with a kind and its parameters, as in `links` and `structures`.

use crate::error::{Error, Result};
use crate::input::description::fields::BareFields;
use crate::input::notice::{Notice, Notices, Reading};
use crate::input::tables::columns::CsvTable;
use crate::measures::quantity::is_bare;
use crate::measures::{self, header_unit};
use crate::units::{Metre, Second};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Columns of a CSV with the ends of a line.
const ENDS: [&str; 4] = ["x1", "y1", "x2", "y2"];

/// Fields of an option's lines.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    /// Key of the option.
    pub key: &'static str,
    /// Names of the fields besides the kind.
    pub names: &'static [&'static str],
    /// Sample content of a CSV, for hints.
    pub example: &'static str,
}

/// Line with the texts of its fields.
#[derive(Debug)]
pub struct LineFeature {
    /// Place in the file, for messages.
    pub place: String,
    /// Kind, such as `pump` or `weir`.
    pub kind: String,
    /// Points in the DEM's CRS, at least two.
    pub points: Vec<(f64, f64)>,
    /// Folder for relative paths in the fields.
    pub folder: PathBuf,
    /// Fields that the line may have.
    pub fields: FieldSpec,
    /// Texts of the fields, in the order of `fields.names`.
    pub texts: Vec<Option<String>>,
    /// Indices of the fields that were read, to find unused ones.
    pub used: RefCell<BTreeSet<usize>>,
    /// Texts of levels that were read without a unit.
    bare_levels: RefCell<Vec<String>>,
}

impl LineFeature {
    /// Creates a line of a file.
    pub fn of(
        path: &Path,
        place: String,
        fields: FieldSpec,
        kind: String,
        points: Vec<(f64, f64)>,
        texts: Vec<Option<String>>,
    ) -> LineFeature {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        LineFeature {
            place,
            kind,
            points,
            folder,
            fields,
            texts,
            used: RefCell::default(),
            bare_levels: RefCell::default(),
        }
    }

    /// Reads the lines of a CSV with the columns `x1,y1,x2,y2,kind` and any columns of
    /// [`FieldSpec`].
    pub fn read_table(path: &Path, fields: FieldSpec) -> Result<Reading<Vec<LineFeature>>> {
        let table = CsvTable::read(path, fields.key, fields.example)?;
        let header = &table.header;
        let names = header.iter().map(|header| header_unit(header).0.to_lowercase());
        let names: Vec<String> = names.collect();
        let is_known =
            |name: &&String| ["kind"].iter().chain(&ENDS).chain(fields.names).any(|k| k == name);
        if let Some(name) = names.iter().find(|name| !is_known(name)) {
            let columns =
                format!("columns: {}, kind, {}", ENDS.join(", "), fields.names.join(", "));
            return Err(table
                .wrong_header(format!("the column '{name}' is unknown"))
                .hint(columns));
        }
        if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            let what = format!("the column '{}' appears twice", names[at]);
            return Err(table.wrong_header(what).hint("remove one of them"));
        }
        let column = |name: &str| {
            let at = header.iter().position(|column| column.eq_ignore_ascii_case(name));
            at.ok_or_else(|| table.without_column(name))
        };
        let [x1, y1, x2, y2] = ENDS.map(column);
        let (from, to, kind) = ([x1?, y1?], [x2?, y2?], column("kind")?);
        let (bare_fields, mut lines) = (BareFields::default(), Vec::new());
        for (line, record) in &table.rows {
            let point = |[x, y]: [usize; 2]| -> Result<(f64, f64)> {
                Ok((table.coordinate(*line, record, x)?, table.coordinate(*line, record, y)?))
            };
            let place = format!("{}, line {line}", path.display());
            let points = vec![point(from)?, point(to)?];
            // A number under `capacity [l/s]` has that unit.
            let texts = fields.names.iter().map(|name| {
                let (at, unit) = table.measured(name)?;
                let text = record.get(at).filter(|text| !text.is_empty())?;
                // A clock time is in hours, or in the form under `formation_time [mm:ss]`.
                let unit = unit.filter(|_| text.parse::<f64>().is_ok() || text.contains(':'));
                if unit.is_none() {
                    bare_fields.see(name, text);
                }
                Some(unit.map_or(text.into(), |unit| format!("{text} {unit}")))
            });
            let texts = texts.collect();
            let kind = record[kind].to_string();
            lines.push(LineFeature::of(path, place, fields, kind, points, texts));
        }
        let mut read = Reading { value: lines, notices: Notices::default() };
        read.notices.read(fields.key, path)?;
        let assumed = bare_fields.assumed(fields.key, &path.to_string_lossy());
        assumed.into_iter().for_each(|assumed| read.notices.assume(assumed));
        Ok(read)
    }

    /// Returns the text of a field, and marks the field as used.
    pub fn text(&self, name: &str) -> Option<&str> {
        let at = self.fields.names.iter().position(|known| *known == name);
        let at = at.expect("a known field");
        self.used.borrow_mut().insert(at);
        self.texts[at].as_deref()
    }

    /// Checks that every given field was used by the kind.
    ///
    /// # Errors
    /// If a field has no effect.
    pub fn check_used(&self) -> Result<()> {
        let used = self.used.borrow();
        let mut unused = (0..self.texts.len()).filter(|at| self.texts[*at].is_some());
        let Some(at) = unused.find(|at| !used.contains(at)) else { return Ok(()) };
        let (name, names) = (self.fields.names[at], self.fields.names);
        let own: Vec<&str> = used.iter().map(|at| names[*at]).collect();
        Err(self
            .wrong(format_args!("a {} does not use '{name}'", self.kind))
            .hint(format!("leave it empty; a line of this kind uses: {}", own.join(", "))))
    }

    /// Creates a notice about the line.
    pub fn notice(&self, what: impl std::fmt::Display) -> Notice {
        Notice::at(&self.place, format!("{}: {what}", self.fields.key))
    }

    /// Creates an error about the line.
    pub fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: {what}", self.fields.key))
    }

    /// Parses the text of a field.
    pub fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
        let parsed = self.text(name).map(parse).transpose();
        parsed.map_err(|error| error.of(format_args!("{}: {name}", self.fields.key)))
    }

    /// Parses a level (m above the DEM's zero).
    pub fn level(&self, name: &str) -> Result<Option<Metre>> {
        if let Some(text) = self.text(name).filter(|text| is_bare(text)) {
            self.bare_levels.borrow_mut().push(text.to_string());
        }
        self.parsed(name, measures::parse_level)
    }

    /// Notes the levels that were read without a unit.
    pub fn note_bare_levels(&self, notices: &mut Notices) {
        for text in self.bare_levels.borrow().iter() {
            notices.bare_level(self.fields.key, text);
        }
    }

    /// Parses a duration (s). A unit is required unless it is 0, because 2 s and 2 h make very
    /// different breaches.
    pub fn duration(&self, name: &str) -> Result<Option<Second>> {
        if let Some(text) = self.text(name).filter(|text| is_bare(text))
            && text.trim().parse() != Ok(0.0)
        {
            return Err(self.wrong(format_args!("{name}: '{text}' has no unit of time")).hint(format!(
                "add one, as in '{text} h' or '{text} min', or name the unit in the header of a CSV, as in '{name} [h]'"
            )));
        }
        self.parsed(name, measures::parse_duration)
    }

    /// Parses a length above 0 (m).
    pub fn length(&self, name: &str) -> Result<Option<Metre>> {
        match self.parsed(name, measures::parse_depth)? {
            Some(0.0) => Err(self
                .wrong(format_args!("{name}: it is 0"))
                .hint("give a length in m, or leave it out")),
            length => Ok(length),
        }
    }
}
