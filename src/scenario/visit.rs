//! One table of options: the fields of a struct, each with what it may name and an example. Whoever goes over all options,
//! to lay flags over those of a file, to move paths to another folder or to show examples, goes over that table.

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

/// What an option may name.
#[derive(Clone, Copy, Debug)]
pub enum Names {
    /// No file.
    Nothing,
    /// A file.
    File,
    /// A file, or one of these tables.
    Table(&'static [Bundled]),
    /// A file, if there is one of that name or it looks like one.
    FileOrValue,
    /// A file behind a point or a side, or alone.
    Placed,
    /// A file, unless it is points and what they are called.
    FileOrPoints,
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name in a scenario file.
    pub name: &'static str,
    /// What it may name.
    pub names: Names,
    /// A value as an example, without quotes.
    pub example: &'static str,
}

/// What an option says in words.
pub enum Said<'a> {
    /// A path.
    Path(&'a mut PathBuf),
    /// Any other text.
    Text(&'a mut String),
}

impl Said<'_> {
    /// Its text; of a path that is not UTF-8 as well as it can be told.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Said::Path(path) => path.to_string_lossy(),
            Said::Text(text) => text.as_str().into(),
        }
    }
}

/// An option or a group of them.
pub trait Visited: Sized {
    /// Takes what others have where it is unset.
    fn fill(&mut self, others: Self);

    /// Hands over all that is said in words; `key` is the option, if it is one.
    fn each(&mut self, key: Key, see: &mut dyn FnMut(Key, Said));

    /// Adds its keys; `key` is the option, if it is one.
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
    /// What it says in words, if it does.
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

/// A struct of options. Behind each field stand what it may name and an example.
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
