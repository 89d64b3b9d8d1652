//! Reads options from scenario files, and merges, lists and describes them.

use super::Options;
use crate::error::{Error, Result};
use crate::input::{remote, text};
use crate::scenario::toml_hint;
use crate::scenario::visit::{Key, Value, Visited};
use clap::{CommandFactory, Parser};
use std::path::Path;

/// Command with the options only, to get their names from clap.
#[derive(Parser)]
struct OptionsOnly {
    #[command(flatten)]
    _options: Options,
}

/// Returns the keys of a scenario file, in the order of the help.
pub fn keys() -> Vec<String> {
    describe().into_iter().map(|(key, ..)| key).collect()
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

/// Returns key, help (first line) and heading of every option, for generated docs and templates.
pub fn describe() -> Vec<(String, String, String)> {
    arguments()
        .iter()
        .map(|argument| {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let heading = argument.get_help_heading().unwrap_or_default().to_string();
            (argument.get_id().to_string(), help, heading)
        })
        .collect()
}

/// Placeholder for the key of a group of options.
const NO_KEY: Key = Key { name: "", example: "" };

/// Returns an example of a key's value as it is written in a scenario file; `{x}` and `{y}` are
/// placeholders for a point.
pub fn example(key: &str) -> Option<String> {
    let mut all = Vec::new();
    Options::keys(NO_KEY, &mut all);
    let Key { example, .. } = all.into_iter().find(|known| known.name == key)?;
    let is_bare = example == "true" || example.starts_with('[') || example.parse::<f64>().is_ok();
    Some(if is_bare { example.into() } else { format!("\"{example}\"") })
}

/// Returns the known word that is most similar to `word`.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> &'a str {
    let likeness = |known: &str| strsim::jaro_winkler(known, word);
    known
        .into_iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .expect("there are words to choose from")
}

/// Finds the key with the invalid value by deserializing each key alone, since the error does not
/// name it.
fn key_at_fault(table: &toml::Table) -> String {
    let fails = |(key, value): &(&String, &toml::Value)| {
        let alone = toml::Table::from_iter([((*key).clone(), (*value).clone())]);
        toml::from_str::<Options>(&alone.to_string()).is_err()
    };
    table.iter().find(fails).map(|(key, _)| format!("{key}: ")).unwrap_or_default()
}

impl Options {
    /// Reads a scenario file. Relative paths in it are relative to its folder.
    pub fn from_file(path: &Path) -> Result<Options> {
        let shown = path.display();
        let text =
            text::text(path, text::SCENARIO).map_err(|error| toml_hint::of_file(path, error))?;
        // Some editors write a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let mut options = Options::from_toml(text, &shown.to_string())?;
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
    pub fn from_toml(text: &str, name: &str) -> Result<Options> {
        let wrong = |key: &str, error: toml::de::Error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let said = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default();
            Error::input(format!("'{name}'{place}: {key}{}", error.message()))
                .hint(toml_hint::of_message(error.message(), said))
        };
        let table: toml::Table = toml::from_str(text).map_err(|error| wrong("", error))?;
        Options::check_keys(&table, &format!("'{name}'"))?;
        toml::from_str(text).map_err(|error| wrong(&key_at_fault(&table), error))
    }

    /// Refuses unknown keys; `name` is the name of the table in messages.
    pub fn check_keys(table: &toml::Table, name: &str) -> Result<()> {
        let (known, former) = (keys(), former_keys());
        let is_known = |key: &String| known.contains(key) || former.contains(key);
        let Some(key) = table.keys().find(|key| !is_known(key)) else { return Ok(()) };
        let nearest = nearest(key, known.iter().map(String::as_str));
        Err(Error::input(format!("{name}: unknown key '{key}'")).hint(format!(
            "the nearest known key is '{nearest}'; `inundate new dem.tif` prints all of them"
        )))
    }

    /// Reads a table of keys from another file; `name` is for messages. Relative paths are relative
    /// to `folder`.
    pub fn from_table(table: &toml::Table, name: &str, folder: &Path) -> Result<Options> {
        Options::check_keys(table, name)?;
        // Via text, because a table would read times of day as texts.
        let mut options: Options = toml::from_str(&table.to_string()).map_err(|error| {
            Error::input(format!("{name}: {}{}", key_at_fault(table), error.message()))
                .hint(toml_hint::of_message(error.message(), ""))
        })?;
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
