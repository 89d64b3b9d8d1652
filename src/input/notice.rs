//! Notes and warnings about input. Notices are typed, so that no code has to search their texts.

use super::file::InputFile;
use crate::error::Result;
use crate::measures;
use crate::measures::quantity::is_bare;
use crate::units::Metre;
use crate::words::{and_so_on, short};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// Maximum number of names listed for notices of one kind.
const NAMED: usize = 4;

/// Note or warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Text of the notice.
    pub text: String,
    /// Subject, and the text without the subject. Notices that differ only in their subject are
    /// merged.
    about: Option<(String, String)>,
    /// `true` if the notice reports a source that brings no water.
    dry: bool,
    /// `true` if the notice describes an assumption made because nothing declares a value.
    assumed: bool,
    /// `true` for a level without a unit; irrelevant if the DEM is in metres.
    bare_level: bool,
}

impl<T: Into<String>> From<T> for Notice {
    fn from(text: T) -> Notice {
        Notice { text: text.into(), about: None, dry: false, assumed: false, bare_level: false }
    }
}

impl Notice {
    /// Creates a notice about a subject, such as a file or a feature, of which there may be many.
    pub fn about(name: &str, message: impl Fn(&str) -> String) -> Notice {
        Notice { about: Some((name.into(), message(""))), ..Notice::from(message(name)) }
    }

    /// Creates a notice about a place, a feature or a line of a file, named at the end.
    pub fn at(place: &str, text: impl std::fmt::Display) -> Notice {
        Notice::about(place, |place| format!("{text} ({place})"))
    }

    /// Creates a notice about an input used as `role`: `source: 'a.csv'` followed by `what`.
    pub fn of(role: &str, name: &str, what: impl std::fmt::Display) -> Notice {
        // A name may contain a line break.
        let name = name.replace(char::is_control, " ");
        let text = format!("{role}: '{name}' {what}");
        Notice {
            about: Some((format!("'{name}'"), format!("{role} {what}"))),
            ..Notice::from(text)
        }
    }

    /// Marks the notice as reporting a source that brings no water.
    pub fn dry(self) -> Notice {
        Notice { dry: true, ..self }
    }
}

/// Files that were read, with notes and warnings about them.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// Files that were read.
    pub inputs: Vec<InputFile>,
    notes: Vec<Notice>,
    warnings: Vec<Notice>,
}

impl Notices {
    /// Records a file read as `role`.
    pub fn read(&mut self, role: &str, path: &Path) -> Result<()> {
        self.inputs.push(InputFile::new(role, path)?);
        Ok(())
    }

    /// Returns `true` if a file has been read, in any role.
    pub fn have_read(&self, path: &Path) -> bool {
        self.inputs.iter().any(|input| path == Path::new(&input.path))
    }

    /// Adds a note.
    pub fn note(&mut self, notice: impl Into<Notice>) {
        self.notes.push(notice.into());
    }

    /// Adds a note on a default assumed because no file or option declares the value.
    pub fn assume(&mut self, notice: impl Into<Notice>) {
        self.notes.push(Notice { assumed: true, ..notice.into() });
    }

    /// Reads a level (m above the DEM's zero) of the option `key`. A level without a unit is noted,
    /// for DEMs that are not in metres.
    ///
    /// # Errors
    /// If it is not a level.
    pub fn level(&mut self, key: &str, text: &str) -> Result<Metre> {
        let level = measures::parse_level(text).map_err(|error| error.of(key))?;
        if is_bare(text) {
            self.bare_level(key, text);
        }
        Ok(level)
    }

    /// Adds a note on a level without a unit, for DEMs that are not in metres.
    pub fn bare_level(&mut self, key: &str, text: &str) {
        let what = "has no unit; it is taken in metres, but the DEM's heights are in another unit";
        self.assume(Notice { bare_level: true, ..Notice::of(key, text, what) });
    }

    /// Adds a warning.
    pub fn warn(&mut self, notice: impl Into<Notice>) {
        self.warnings.push(notice.into());
    }

    /// Adds notes.
    pub fn note_all<T: Into<Notice>>(&mut self, notices: impl IntoIterator<Item = T>) {
        self.notes.extend(notices.into_iter().map(Into::into));
    }

    /// Adds warnings.
    pub fn warn_all<T: Into<Notice>>(&mut self, notices: impl IntoIterator<Item = T>) {
        self.warnings.extend(notices.into_iter().map(Into::into));
    }

    /// Returns `true` if a warning reports a source that brings no water.
    pub fn are_dry(&self) -> bool {
        self.warnings.iter().any(|notice| notice.dry)
    }

    /// Adds all notices and files of another collection.
    pub fn add(&mut self, others: Notices) {
        let Notices { inputs, notes, warnings } = others;
        self.inputs.extend(inputs);
        self.notes.extend(notes);
        self.warnings.extend(warnings);
    }

    /// Adds the notices of a reading and returns its value.
    pub fn of<T>(&mut self, reading: Reading<T>) -> T {
        self.add(reading.notices);
        reading.value
    }

    /// Returns the files, and the texts of assumptions, notes and warnings, merged by kind.
    /// `metres` is the size of the DEM's height unit.
    pub fn into_texts(self, metres: f64) -> Texts {
        let Notices { inputs, mut notes, warnings } = self;
        notes.retain(|notice| !notice.bare_level || metres != 1.0);
        let (assumed, notes) = notes.into_iter().partition(|notice| notice.assumed);
        Texts { inputs, assumed: fold(assumed), notes: fold(notes), warnings: fold(warnings) }
    }
}

/// Texts of notices.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Files that were read.
    pub inputs: Vec<InputFile>,
    /// Defaults assumed because nothing declares the value.
    pub assumed: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Warnings: possible faults.
    pub warnings: Vec<String>,
}

/// A value read from input, with its notices.
#[derive(Clone, Debug, Default)]
pub struct Reading<T> {
    /// Value that was read.
    pub value: T,
    /// Notices about the value.
    pub notices: Notices,
}

impl<T> Deref for Reading<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Reading<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Merges notices of one kind: the first text, with the number and the names of the others. Fifty
/// hydrographs do not need fifty notes.
fn fold(notices: Vec<Notice>) -> Vec<String> {
    let mut kinds: Vec<(Notice, Vec<String>)> = Vec::new();
    for notice in notices {
        let like = |known: &Notice| match (&known.about, &notice.about) {
            (Some((_, known)), Some((_, kind))) => known == kind,
            _ => known.text == notice.text,
        };
        match kinds.iter_mut().find(|(known, _)| like(known)) {
            Some((first, _)) if first.text == notice.text => {}
            Some((_, others)) => others.extend(notice.about.map(|(name, _)| name)),
            None => kinds.push((notice, Vec::new())),
        }
    }
    let merged = |(first, others): (Notice, Vec<String>)| {
        let text = short(&first.text).into_owned();
        if others.is_empty() {
            return text;
        }
        let named = and_so_on(others.iter().map(|name| short(name)), NAMED);
        format!("{text} (the same for {} more: {named})", others.len())
    };
    kinds.into_iter().map(merged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(name: &str) -> Notice {
        Notice::of("source", name, "ends with a flow above 0")
    }

    #[test]
    fn one_kind_is_told_once_with_a_count() {
        let mut notices = Notices::default();
        let (a, b, c) = (ends("a.csv"), ends("b.csv"), ends("c.csv"));
        notices.warn_all([a.clone(), "rain: up to 12 mm/h".into(), b, c, a]);
        let level = Notice::of("level", "a.csv", "ends with a flow above 0");
        notices.warn(level.dry());
        assert!(notices.are_dry());
        let Texts { notes, warnings, .. } = notices.into_texts(1.0);
        assert!(notes.is_empty());
        assert_eq!(
            warnings,
            [
                "source: 'a.csv' ends with a flow above 0 (the same for 2 more: 'b.csv', 'c.csv')",
                "rain: up to 12 mm/h",
                "level: 'a.csv' ends with a flow above 0"
            ]
        );
    }

    #[test]
    fn what_is_about_nothing_is_told_once_as_it_is() {
        let mut notices = Notices::default();
        ["the run's end isn't known", "", "the run's end isn't known", "dem: 3 cells of 'a.tif'"]
            .into_iter()
            .for_each(|text| notices.note(text));
        let notes = notices.into_texts(1.0).notes;
        assert_eq!(notes, ["the run's end isn't known", "", "dem: 3 cells of 'a.tif'"]);
    }
}
