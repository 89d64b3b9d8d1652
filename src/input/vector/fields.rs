//! Required fields of vector layers.

use super::Shape;

/// Fields that may name a feature; the first one present is used.
pub const NAMES: [&str; 5] = ["name", "gauge", "section", "label", "id"];

/// Required fields of a layer, and the allowed geometries.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// Field with a number, or a text with a unit.
    pub(super) constant: &'static str,
    /// Alternative to the constant.
    pub(super) instead: ConstantAlternative,
    /// Additional fields, which may be missing or empty.
    pub(super) more: &'static [&'static str],
    /// Required geometry, if any.
    pub(super) shape: Option<Shape>,
    /// `true` to skip features that do not touch the domain instead of rejecting them.
    pub(super) clipped: bool,
}

/// Alternative to a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstantAlternative {
    /// The path of a table in this field, relative to the layer's file.
    Table(&'static str),
    /// Another constant in this field.
    Other(&'static str),
    /// No field: a default applies.
    Default,
    /// No alternative: the constant is required.
    Never,
}

impl Fields {
    pub(super) const fn new(constant: &'static str, instead: ConstantAlternative) -> Fields {
        Fields { constant, instead, more: &[], shape: None, clipped: false }
    }

    /// Requires a value in the field `constant`.
    pub const fn one(constant: &'static str) -> Fields {
        Fields::new(constant, ConstantAlternative::Never)
    }

    /// Allows the field `constant` to be missing or empty.
    pub const fn optional(constant: &'static str) -> Fields {
        Fields::new(constant, ConstantAlternative::Default)
    }

    /// Requires a value in the field `constant`, or the path of a CSV in the field `table`.
    pub const fn or_table(constant: &'static str, table: &'static str) -> Fields {
        Fields::new(constant, ConstantAlternative::Table(table))
    }

    /// Requires a value in one of two fields.
    pub const fn either(constant: &'static str, other: &'static str) -> Fields {
        Fields::new(constant, ConstantAlternative::Other(other))
    }

    /// Also reads additional fields, where present.
    pub const fn with(self, more: &'static [&'static str]) -> Fields {
        Fields { more, ..self }
    }

    /// Rejects features of another shape.
    pub const fn only(self, shape: Shape) -> Fields {
        Fields { shape: Some(shape), ..self }
    }

    /// Skips features that do not touch the domain, as long as one does.
    pub const fn clipped(self) -> Fields {
        Fields { clipped: true, ..self }
    }

    /// Returns the field that may replace the constant's.
    pub(super) fn second(self) -> Option<&'static str> {
        match self.instead {
            ConstantAlternative::Table(name) | ConstantAlternative::Other(name) => Some(name),
            ConstantAlternative::Default | ConstantAlternative::Never => None,
        }
    }
}
