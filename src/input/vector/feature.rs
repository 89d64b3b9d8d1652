//! A feature of a vector layer: what its fields say, and the cells it touches.

use super::{Fields, Instead, Reader};
use crate::error::Result;
use crate::input::burn::{Burnt, Ends, Shape, burn, ends, shape};
use gdal::spatial_ref::CoordTransform;
use gdal::vector::{Feature as GdalFeature, FieldValue};
use std::path::{Path, PathBuf};

/// What a feature says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A quantity.
    Constant(String),
    /// The quantity of the other field.
    Other(String),
    /// A file.
    Table(PathBuf),
    /// Nothing, where that is allowed.
    Unsaid,
}

/// A feature that touches the domain.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Its number in the layer.
    pub id: u64,
    /// What it says.
    pub value: Value,
    /// What its further fields hold, in the order in which they were asked for.
    pub more: Vec<Option<String>>,
    /// The cells of the domain that it touches, in rising order; at least one.
    pub cells: Vec<usize>,
    /// Whether it also touches cells outside the domain, or reaches beyond the raster.
    pub partly: bool,
    /// The first and the last point of a line in one part, in the DEM's CRS.
    pub ends: Option<Ends>,
}

impl Reader<'_> {
    /// What a feature says in its one or other field.
    pub(super) fn value(
        &self,
        feature: &GdalFeature,
        id: u64,
        at: [Option<usize>; 2],
    ) -> Result<Value> {
        let Fields { constant, instead, .. } = self.fields;
        let second = self.fields.second().unwrap_or_default();
        let text = |name, at: Option<usize>| match at {
            Some(at) => self.text(feature, id, name, at),
            None => Ok(None),
        };
        match (text(constant, at[0])?, text(second, at[1])?) {
            (Some(text), None) => Ok(Value::Constant(text)),
            (None, Some(text)) if matches!(instead, Instead::Other(_)) => Ok(Value::Other(text)),
            (None, Some(file)) => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                Ok(Value::Table(folder.join(file)))
            }
            (None, None) if instead == Instead::Default => Ok(Value::Unsaid),
            (None, None) if instead == Instead::Never => Err(self
                .wrong(format!("feature {id} has no '{constant}'"))
                .hint("fill in the field, or delete the feature")),
            (None, None) => Err(self
                .wrong(format!("feature {id} has neither a '{constant}' nor a '{second}'"))
                .hint("fill in one of the fields, or delete the feature")),
            (Some(_), Some(_)) => Err(self
                .wrong(format!("feature {id} has both a '{constant}' and a '{second}'"))
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

    /// The cells of a feature, and where it starts and ends if it is a line.
    pub(super) fn cells(
        &self,
        feature: &GdalFeature,
        id: u64,
        to_dem: Option<&CoordTransform>,
    ) -> Result<(Burnt, Option<Ends>)> {
        let geometry = self.geometry(feature, id, to_dem)?;
        if let (Some(is), Some(wanted)) = (shape(&geometry), self.fields.shape)
            && is != wanted
        {
            let name = |shape| match shape {
                Shape::Points => "points",
                Shape::Lines => "lines",
                Shape::Polygons => "polygons",
            };
            let what = format!("feature {id} is made of {}", name(is));
            return Err(self.wrong(what).hint(format!("give a layer of {}", name(wanted))));
        }
        if shape(&geometry) == Some(Shape::Lines)
            && geometry.geometry_count() == 0
            && geometry.point_count() < 2
        {
            let what = format!("feature {id} is a line of one point");
            return Err(self.wrong(what).hint("draw its other end, or delete it"));
        }
        let burnt = burn(&geometry, self.grid);
        let burnt = burnt.map_err(|error| self.wrong(format!("feature {id}: {error}")))?;
        let burnt = burnt.map(|burnt| (burnt, ends(&geometry)));
        burnt.ok_or_else(|| {
            self.wrong(format!(
                "feature {id} is neither point, line nor polygon but a {}",
                geometry.geometry_name()
            ))
            .hint("split it with ogr2ogr -explodecollections -nlt CONVERT_TO_LINEAR")
        })
    }
}
