//! What a vector layer must tell of its features.

use super::Shape;

/// What a layer must tell of its features, and what these may be.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The field that holds a number, or a text with a unit.
    pub(super) constant: &'static str,
    /// What may stand in its place.
    pub(super) instead: Instead,
    /// Further fields, which may be missing or empty.
    pub(super) more: &'static [&'static str],
    /// What the features must be, if it matters.
    pub(super) shape: Option<Shape>,
    /// Whether features that do not touch the domain are left out rather than refused.
    pub(super) clipped: bool,
}

/// What may stand in place of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// The path of a table in this field, relative to the layer's file.
    Table(&'static str),
    /// Another constant in this field.
    Other(&'static str),
    /// Nothing: a value that is known without the layer.
    Default,
    /// Nothing: every feature must tell.
    Never,
}

impl Fields {
    pub(super) const fn new(constant: &'static str, instead: Instead) -> Fields {
        Fields { constant, instead, more: &[], shape: None, clipped: false }
    }

    /// Every feature must have a value in the field `constant`.
    pub const fn one(constant: &'static str) -> Fields {
        Fields::new(constant, Instead::Never)
    }

    /// The field `constant` may be missing or empty.
    pub const fn optional(constant: &'static str) -> Fields {
        Fields::new(constant, Instead::Default)
    }

    /// Every feature must have a value in the field `constant`, or the path of a CSV in the field `table`.
    pub const fn or_table(constant: &'static str, table: &'static str) -> Fields {
        Fields::new(constant, Instead::Table(table))
    }

    /// Every feature must have a value in one of two fields.
    pub const fn either(constant: &'static str, other: &'static str) -> Fields {
        Fields::new(constant, Instead::Other(other))
    }

    /// Reads these fields, too, where they are.
    pub const fn with(self, more: &'static [&'static str]) -> Fields {
        Fields { more, ..self }
    }

    /// Features of another shape are refused.
    pub const fn only(self, shape: Shape) -> Fields {
        Fields { shape: Some(shape), ..self }
    }

    /// Features that do not touch the domain are left out, as long as one does.
    pub const fn clipped(self) -> Fields {
        Fields { clipped: true, ..self }
    }

    /// The field that may stand in place of the constant's.
    pub(super) fn second(self) -> Option<&'static str> {
        match self.instead {
            Instead::Table(name) | Instead::Other(name) => Some(name),
            Instead::Default | Instead::Never => None,
        }
    }
}
