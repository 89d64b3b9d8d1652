//! Reads options from scenario files, and merges, lists and describes them.

use super::Options;
use crate::error::{Error, Result};
use crate::input::gdal_access::remote;
use crate::input::text;
use crate::scenario::toml_hint;
use crate::scenario::toml_text::{Place, TomlText, together};
use crate::scenario::visit::{Key, Value, Visited};
use crate::suggest;
use clap::{CommandFactory, Parser};
use std::fmt::Display;
use std::path::Path;

/// Command with the options only, to get their names from clap.
#[derive(Parser)]
struct OptionsOnly {
    #[command(flatten)]
    _options: Options,
}

/// Returns the keys of a scenario file, in the order of the help.
pub fn keys() -> Vec<String> {
    describe().into_iter().map(|option| option.key).collect()
}

/// Returns former names of keys, which are still accepted.
fn former_keys() -> Vec<String> {
    let aliases = arguments().into_iter().filter_map(|argument| {
        Some(argument.get_all_aliases()?.into_iter().map(|name| name.replace('-', "_")).collect())
    });
    aliases.collect::<Vec<Vec<String>>>().concat()
}

/// Returns the flags of the options, in the order of the help.
pub fn arguments() -> Vec<clap::Arg> {
    let command = OptionsOnly::command();
    command.get_arguments().filter(|argument| argument.get_id() != "help").cloned().collect()
}

/// Help of an option.
#[derive(Clone, Debug)]
pub struct OptionHelp {
    /// Key of the option.
    pub key: String,
    /// First line of its help.
    pub help: String,
    /// Heading under which it is listed.
    pub heading: String,
}

/// Returns the help of every option, for generated docs and templates.
pub fn describe() -> Vec<OptionHelp> {
    let of = |argument: &clap::Arg| OptionHelp {
        key: argument.get_id().to_string(),
        help: argument.get_help().map(ToString::to_string).unwrap_or_default(),
        heading: argument.get_help_heading().unwrap_or_default().to_string(),
    };
    arguments().iter().map(of).collect()
}

/// Placeholder for the key of a group of options.
const NO_KEY: Key = Key { name: "", example: "", synonyms: "" };

/// Returns an example of a key's value as it is written in a scenario file; `{x}` and `{y}` are
/// placeholders for a point.
pub fn example(key: &str) -> Option<String> {
    let mut all = Vec::new();
    Options::keys(NO_KEY, &mut all);
    let Key { example, .. } = all.into_iter().find(|known| known.name == key)?;
    let is_bare = example == "true" || example.starts_with('[') || example.parse::<f64>().is_ok();
    Some(if is_bare { example.into() } else { format!("\"{example}\"") })
}

/// Returns the names of the options, each with its synonyms.
pub fn synonyms() -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    Options::keys(NO_KEY, &mut all);
    all.into_iter().map(|key| (key.name, key.synonyms)).collect()
}

/// Returns the error of an unknown key at a place.
pub fn unknown_key(place: impl Display, key: &str) -> Error {
    Error::input(format!("{place}: unknown key '{key}'")).hint(suggest::hint(
        &suggest::meant(key, synonyms()),
        "`inundate new dem.tif` prints all keys with examples",
    ))
}

/// Returns the message of the TOML crate about the value of a key, if it is not valid. The value is
/// read on its own, because a message about several keys does not name the key.
fn invalid(key: &str, value: &toml::Value) -> Option<String> {
    let alone = toml::Table::from_iter([(key.to_string(), value.clone())]);
    // Via text, because a table would read times of day as texts.
    let read = toml::from_str::<Options>(&alone.to_string());
    read.err().map(|error| error.message().to_string())
}

impl Options {
    /// Reads a scenario file. Relative paths in it are relative to its folder.
    pub fn from_file(path: &Path) -> Result<Options> {
        let shown = path.display();
        let text =
            text::text(path, text::SCENARIO).map_err(|error| toml_hint::of_file(path, error))?;
        let mut options = Options::from_toml(&text, &shown.to_string())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        options.make_relative_to(folder);
        options.scenario_file = Some(path.to_path_buf());
        Ok(options)
    }

    /// Returns the keys that are set, as in a scenario file, for the report.
    pub fn parameters(&self) -> serde_json::Value {
        let mut readable = self.clone();
        // Invalid UTF-8 in paths is replaced.
        readable.each_value(|_, value| {
            if let Some(path) = value.path() {
                *path = path.to_string_lossy().into_owned().into();
            }
        });
        let mut keys = serde_json::to_value(&readable).unwrap_or_default();
        if let Some(keys) = keys.as_object_mut() {
            let unset = |value: &serde_json::Value| {
                value.is_null() || *value == false || value.as_array().is_some_and(Vec::is_empty)
            };
            keys.retain(|_, value| !unset(value));
        }
        keys
    }

    /// Parses the text of a scenario file; `name` is for messages.
    ///
    /// # Errors
    /// If there are unknown keys or invalid values: one error that lists all of them.
    pub fn from_toml(text: &str, name: &str) -> Result<Options> {
        let (text, table) = TomlText::parse(text, name)?;
        let entries = table.iter().map(|(key, value)| (&key[..], vec![value]));
        together(Options::errors_in(entries, "", |key| text.place(&[key])))?;
        // Two names of an option may both be there.
        toml::from_str(text.text).map_err(|error| text.error(&error))
    }

    /// Returns the errors of keys and their values, of which a study has several; `at` completes
    /// the `place` of a key in messages.
    pub fn errors_in<'a, 'b>(
        entries: impl Iterator<Item = (&'a str, Vec<&'a toml::Value>)>,
        at: &str,
        place: impl Fn(&str) -> Place<'b>,
    ) -> Vec<Error> {
        let (known, former) = (keys(), former_keys());
        let error = |(key, values): (&str, Vec<&toml::Value>)| {
            if ![&known, &former].iter().any(|keys| keys.iter().any(|known| known == key)) {
                return Some(unknown_key(format_args!("{}{at}", place(key)), key));
            }
            let message = values.into_iter().find_map(|value| invalid(key, value))?;
            Some(place(key).error(&format!("{at}: {key}"), &message))
        };
        entries.filter_map(error).collect()
    }

    /// Reads a table of valid keys from another file; `name` is for messages. Relative paths are
    /// relative to `folder`.
    pub fn from_table(table: &toml::Table, name: &str, folder: &Path) -> Result<Options> {
        // Via text, because a table would read times of day as texts.
        let mut options: Options = toml::from_str(&table.to_string())
            .map_err(|error| Error::input(format!("{name}: {}", error.message())))?;
        options.make_relative_to(folder);
        Ok(options)
    }

    /// Calls `see` for each value that is set, with its key.
    pub fn each_value(&mut self, mut see: impl FnMut(&'static str, &mut dyn Value)) {
        self.each("", &mut see);
    }

    /// Fills unset options from a file. A duration given here replaces the file's number of steps,
    /// and vice versa.
    pub fn over(mut self, mut file: Options) -> Options {
        if self.duration.is_some() {
            file.steps = None;
        }
        if self.steps.is_some() {
            file.duration = None;
        }
        self.fill(file);
        self
    }

    /// Resolves relative paths against a folder instead of the working folder.
    fn make_relative_to(&mut self, folder: &Path) {
        self.each_value(|_, value| {
            if let Some(path) = value.path()
                && !remote::is_remote(&path.to_string_lossy())
            {
                *path = folder.join(&*path);
            }
        });
    }
}
