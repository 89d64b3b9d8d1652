//! Table of options: the fields of a struct, with an example of each value and the words by which
//! users of other models may look for it. Merging flags with a file, moving paths to another folder,
//! showing examples and suggesting options all iterate over this table.

use super::value_or_file::{Placed, TableName, ValueOrFile, Written};
use super::values::{GrainChoice, Moment, OutputGrid, OutputSurface, Quantity};
use crate::engine::device::Device;
use crate::engine::neighbourhood::Neighbourhood;
use crate::input::description::rain_values::RainValues;
use crate::output::colour::Choice;
use crate::output::compression::Compression;
use crate::output::stack::StackFormat;
use std::path::PathBuf;

/// An option and an example of its value.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Key in a scenario file.
    pub name: &'static str,
    /// Example of a value, without quotes.
    pub example: &'static str,
    /// Other words for the option, separated by spaces, which errors translate.
    pub synonyms: &'static str,
}

/// An option or a group of options.
pub trait Visited: Sized {
    /// Fills in values of `others` where this one is unset.
    fn fill(&mut self, others: Self);

    /// Calls `see` for each value with its key. `key` is the option's own; it is unused for a
    /// group.
    fn each(&mut self, key: &'static str, see: &mut dyn FnMut(&'static str, &mut dyn Value));

    /// Appends the keys; `key` describes the option and is unused for a group.
    fn keys(key: Key, all: &mut Vec<Key>) {
        all.push(key);
    }
}

impl Visited for bool {
    fn fill(&mut self, other: bool) {
        *self |= other;
    }

    fn each(&mut self, _: &'static str, _: &mut dyn FnMut(&'static str, &mut dyn Value)) {}
}

/// The value of an option.
pub trait Value {
    /// Returns the path in the value, if it names a file.
    fn path(&mut self) -> Option<&mut PathBuf> {
        None
    }

    /// Returns true if a text without a path would be a value instead.
    fn may_be_a_value(&self) -> bool {
        false
    }
}

impl<T: Value> Visited for Option<T> {
    fn fill(&mut self, other: Option<T>) {
        if self.is_none() {
            *self = other;
        }
    }

    fn each(&mut self, key: &'static str, see: &mut dyn FnMut(&'static str, &mut dyn Value)) {
        self.iter_mut().for_each(|value| see(key, value));
    }
}

impl<T: Value> Visited for Vec<T> {
    fn fill(&mut self, others: Vec<T>) {
        if self.is_empty() {
            *self = others;
        }
    }

    fn each(&mut self, key: &'static str, see: &mut dyn FnMut(&'static str, &mut dyn Value)) {
        self.iter_mut().for_each(|value| see(key, value));
    }
}

impl Value for PathBuf {
    fn path(&mut self) -> Option<&mut PathBuf> {
        Some(self)
    }
}

impl Value for TableName {
    fn path(&mut self) -> Option<&mut PathBuf> {
        (!self.is_bundled()).then_some(&mut self.0)
    }
}

impl<V> Value for ValueOrFile<V> {
    fn path(&mut self) -> Option<&mut PathBuf> {
        match self {
            ValueOrFile::Value(_) => None,
            ValueOrFile::File(path) => Some(path),
        }
    }

    fn may_be_a_value(&self) -> bool {
        true
    }
}

impl Value for Placed {
    fn path(&mut self) -> Option<&mut PathBuf> {
        self.value.path()
    }

    fn may_be_a_value(&self) -> bool {
        true
    }
}

impl<T> Value for Written<T> {}
/// Implements [`Value`] for types that name no file.
macro_rules! plain_values {
    ($($type:ty)*) => { $(impl Value for $type {})* };
}

plain_values! {
    String Quantity f64 u32 u64 usize Choice Compression Device GrainChoice Moment Neighbourhood
    RainValues StackFormat OutputGrid OutputSurface
}

/// Defines a struct of options: each field is followed by an example of its value, and by its
/// synonyms if it has any.
macro_rules! options {
    (
        $(#[$about:meta])* pub struct $name:ident {
            $($(#[$of:meta])* pub $field:ident: $type:ty = $example:expr $(=> $synonyms:literal)?,)*
        }
    ) => {
        $(#[$about])* pub struct $name {
            $($(#[$of])* pub $field: $type,)*
        }

        impl $crate::scenario::visit::Visited for $name {
            fn fill(&mut self, others: Self) {
                $(self.$field.fill(others.$field);)*
            }

            fn each(&mut self, _: &'static str, see: &mut dyn FnMut(&'static str, &mut dyn Value)) {
                $(self.$field.each(stringify!($field), see);)*
            }

            fn keys(_: Key, all: &mut Vec<Key>) {
                $(
                    let (name, synonyms) = (stringify!($field), concat!($($synonyms)?));
                    <$type>::keys(Key { name, example: $example, synonyms }, all);
                )*
            }
        }
    };
}
