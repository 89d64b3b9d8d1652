//! Names of layers on the command line: offered by shells and the help, judged by [`crate::output::layers::choose`].

use crate::output::layers::{ALL, LAYERS, Tells};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

/// Takes any text, since names may come as a list with commas between them or be judged by what a run has, and offers the names one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerNames {
    /// Those of all layers, and of all at once.
    All,
    /// Those of layers that have series.
    Series,
}

impl TypedValueParser for LayerNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, text: &OsStr) -> Result<String, Error> {
        let text = text.to_str().map(String::from);
        text.ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let is_all = *self == LayerNames::All;
        let offered = LAYERS.iter().filter(move |layer| is_all || layer.tells == Tells::Now);
        let layers = offered.map(|layer| PossibleValue::new(layer.key).help(layer.about));
        let all = PossibleValue::new(ALL).help("everything that the run has");
        Some(Box::new(layers.chain(is_all.then_some(all))))
    }
}
