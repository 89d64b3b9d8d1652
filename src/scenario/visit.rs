//! Table of options: the fields of a struct, with the kind of each value and an example. Merging
//! flags with a file, moving paths to another folder and showing examples all iterate over this
//! table.

use super::values::{GrainChoice, Moment, OutputGrid, Quantity};
use crate::engine::device::Device;
use crate::engine::neighbourhood::Neighbourhood;
use crate::input::bundled::Bundled;
use crate::input::description::rain_values::RainValues;
use crate::output::colour::Choice;
use crate::output::compression::Compression;
use crate::output::stack::StackFormat;
use std::borrow::Cow;
use std::path::PathBuf;

/// Value kinds of an option, with regard to files.
#[derive(Clone, Copy, Debug)]
pub enum Names {
    /// Never a file.
    Nothing,
    /// Always a file.
    File,
    /// A file, or a bundled table.
    Table(&'static [Bundled]),
    /// A file if it exists or looks like one, otherwise a value.
    FileOrValue,
    /// A file after a point or a side, or a file alone.
    Placed,
    /// A file, unless it consists of points and a name.
    FileOrPoints,
}

/// An option and the kind of its value.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Key in a scenario file.
    pub name: &'static str,
    /// Kind of its value.
    pub names: Names,
    /// Example of a value, without quotes.
    pub example: &'static str,
}

/// Text of an option's value, mutable.
pub enum Said<'a> {
    /// Path of a file.
    Path(&'a mut PathBuf),
    /// Any text that is not a plain path.
    Text(&'a mut String),
}

impl Said<'_> {
    /// Returns the text; invalid UTF-8 in a path is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Said::Path(path) => path.to_string_lossy(),
            Said::Text(text) => text.as_str().into(),
        }
    }
}

/// An option or a group of options.
pub trait Visited: Sized {
    /// Fills in values of `others` where this one is unset.
    fn fill(&mut self, others: Self);

    /// Calls `see` for each text value. `key` describes the option; it is unused for a group.
    fn each(&mut self, key: Key, see: &mut dyn FnMut(Key, Said));

    /// Appends the keys; `key` describes the option and is unused for a group.
    fn keys(key: Key, all: &mut Vec<Key>) {
        all.push(key);
    }
}

impl Visited for bool {
    fn fill(&mut self, other: bool) {
        *self |= other;
    }

    fn each(&mut self, _: Key, _: &mut dyn FnMut(Key, Said)) {}
}

impl Visited for Vec<String> {
    fn fill(&mut self, others: Vec<String>) {
        if self.is_empty() {
            *self = others;
        }
    }

    fn each(&mut self, key: Key, see: &mut dyn FnMut(Key, Said)) {
        self.iter_mut().for_each(|text| see(key, Said::Text(text)));
    }
}

/// The value of an option.
pub trait Value {
    /// Returns the text of the value, if the value is text.
    fn said(&mut self) -> Option<Said<'_>> {
        None
    }
}

impl<T: Value> Visited for Option<T> {
    fn fill(&mut self, other: Option<T>) {
        if self.is_none() {
            *self = other;
        }
    }

    fn each(&mut self, key: Key, see: &mut dyn FnMut(Key, Said)) {
        if let Some(said) = self.as_mut().and_then(Value::said) {
            see(key, said);
        }
    }
}

impl Value for PathBuf {
    fn said(&mut self) -> Option<Said<'_>> {
        Some(Said::Path(self))
    }
}

impl Value for String {
    fn said(&mut self) -> Option<Said<'_>> {
        Some(Said::Text(self))
    }
}

impl Value for Quantity {
    fn said(&mut self) -> Option<Said<'_>> {
        Some(Said::Text(&mut self.0))
    }
}

impl Value for f64 {}
impl Value for u32 {}
impl Value for u64 {}
impl Value for usize {}
impl Value for Choice {}
impl Value for Compression {}
impl Value for Device {}
impl Value for GrainChoice {}
impl Value for Moment {}
impl Value for Neighbourhood {}
impl Value for RainValues {}
impl Value for StackFormat {}
impl Value for OutputGrid {}

/// Defines a struct of options: each field is followed by the kind of its value and an example.
macro_rules! options {
    (
        $(#[$about:meta])* pub struct $name:ident {
            $($(#[$of:meta])* pub $field:ident: $type:ty = ($names:expr, $example:expr),)*
        }
    ) => {
        $(#[$about])* pub struct $name {
            $($(#[$of])* pub $field: $type,)*
        }

        impl $crate::scenario::visit::Visited for $name {
            fn fill(&mut self, others: Self) {
                $(self.$field.fill(others.$field);)*
            }

            fn each(&mut self, _: Key, see: &mut dyn FnMut(Key, Said)) {
                $(
                    let name = stringify!($field);
                    self.$field.each(Key { name, names: $names, example: $example }, see);
                )*
            }

            fn keys(_: Key, all: &mut Vec<Key>) {
                $(
                    let name = stringify!($field);
                    <$type>::keys(Key { name, names: $names, example: $example }, all);
                )*
            }
        }
    };
}
