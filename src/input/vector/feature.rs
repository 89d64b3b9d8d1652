//! A feature of a vector layer: what its fields say, and the cells it touches.

use super::{Fields, Reader};
use crate::error::Result;
use crate::input::burn::{Burnt, burn};
use gdal::spatial_ref::CoordTransform;
use gdal::vector::{Feature as GdalFeature, FieldValue};
use std::path::{Path, PathBuf};

/// What a feature says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A quantity.
    Constant(String),
    /// A file.
    Table(PathBuf),
}

/// A feature that touches the domain.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Its number in the layer.
    pub id: u64,
    /// What it says.
    pub value: Value,
    /// The cells of the domain that it touches, in rising order; at least one.
    pub cells: Vec<usize>,
    /// Whether it also touches cells outside the domain, or reaches beyond the raster.
    pub partly: bool,
}

impl Reader<'_> {
    /// What a feature says in its one or other field.
    pub(super) fn value(
        &self,
        feature: &GdalFeature,
        id: u64,
        at: [Option<usize>; 2],
    ) -> Result<Value> {
        let Fields { constant, table } = self.fields;
        let text = |name, at: Option<usize>| match at {
            Some(at) => self.text(feature, id, name, at),
            None => Ok(None),
        };
        match (text(constant, at[0])?, text(table, at[1])?) {
            (Some(text), None) => Ok(Value::Constant(text)),
            (None, Some(file)) => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                Ok(Value::Table(folder.join(file)))
            }
            (None, None) => Err(self
                .wrong(format!("feature {id} has neither a '{constant}' nor a '{table}'"))
                .hint("fill in one of the fields, or delete the feature")),
            (Some(_), Some(_)) => Err(self
                .wrong(format!("feature {id} has both a '{constant}' and a '{table}'"))
                .hint("leave one of the fields empty (NULL)")),
        }
    }

    /// The field called `name` as text; `None` if it is empty.
    pub(super) fn text(
        &self,
        feature: &GdalFeature,
        id: u64,
        name: &str,
        at: usize,
    ) -> Result<Option<String>> {
        // SAFETY: the feature is alive and the index is that of one of its fields.
        let set = unsafe { gdal_sys::OGR_F_IsFieldSetAndNotNull(feature.c_feature(), at as i32) };
        if set == 0 {
            return Ok(None);
        }
        // Numbers are written so that they read the same again.
        let text = match feature.field(at) {
            Ok(Some(FieldValue::StringValue(text))) => text,
            Ok(Some(FieldValue::RealValue(number))) => number.to_string(),
            Ok(Some(FieldValue::IntegerValue(number))) => number.to_string(),
            Ok(Some(FieldValue::Integer64Value(number))) => number.to_string(),
            Ok(None) => return Ok(None),
            _ => {
                return Err(self
                    .wrong(format!("feature {id}: the field '{name}' is neither text nor a number"))
                    .hint("change the type of the field"));
            }
        };
        let text = text.trim();
        Ok((!text.is_empty()).then(|| text.to_string()))
    }

    /// The cells of a feature.
    pub(super) fn cells(
        &self,
        feature: &GdalFeature,
        id: u64,
        to_dem: Option<&CoordTransform>,
    ) -> Result<Burnt> {
        let geometry = self.geometry(feature, id, to_dem)?;
        let burnt = burn(&geometry, self.grid);
        let burnt = burnt.map_err(|error| self.wrong(format!("feature {id}: {error}")))?;
        burnt.ok_or_else(|| {
            self.wrong(format!(
                "feature {id} is neither point, line nor polygon but a {}",
                geometry.geometry_name()
            ))
            .hint("split it with ogr2ogr -explodecollections -nlt CONVERT_TO_LINEAR")
        })
    }
}
