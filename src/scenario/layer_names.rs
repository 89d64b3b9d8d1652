//! Names of layers on the command line: offered by shells and the help, judged by [`crate::output::layers::choose`].

use crate::output::layers::{ALL, LAYERS, Tells};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

/// Takes any text, since names may come as a list with commas between them, and offers the names one by one.
#[derive(Clone, Debug)]
pub struct LayerNames;

impl TypedValueParser for LayerNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, text: &OsStr) -> Result<String, Error> {
        any_text(command, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let layers = LAYERS.iter().map(|layer| PossibleValue::new(layer.key).help(layer.about));
        let all = PossibleValue::new(ALL).help("everything that the run has");
        Some(Box::new(layers.chain([all])))
    }
}

/// The same for one layer that has series; other names are judged by what a run has.
#[derive(Clone, Debug)]
pub struct SeriesNames;

impl TypedValueParser for SeriesNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, text: &OsStr) -> Result<String, Error> {
        any_text(command, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let layers = LAYERS.iter().filter(|layer| layer.tells == Tells::Now);
        Some(Box::new(layers.map(|layer| PossibleValue::new(layer.key).help(layer.about))))
    }
}

fn any_text(command: &Command, text: &OsStr) -> Result<String, Error> {
    let text = text.to_str().map(String::from);
    text.ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
}
