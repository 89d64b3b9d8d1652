//! Layer names on the command line: offered by shells and the help, and checked by
//! [`crate::output::layers::choose`].

use crate::output::layers::{ALL, LAYERS, TimeScope};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

/// Parser that accepts any text, because names may be a comma-separated list and depend on the run.
/// It offers the names individually.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerNames {
    /// Names of all layers, and `all`.
    All,
    /// Names of layers with series.
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
        let offered = LAYERS.iter().filter(move |layer| is_all || layer.scope == TimeScope::Now);
        let layers = offered.map(|layer| PossibleValue::new(layer.key).help(layer.about));
        let all = PossibleValue::new(ALL).help("all layers of the run");
        Some(Box::new(layers.chain(is_all.then_some(all))))
    }
}
