//! Features of a vector layer: field values and cells.

use super::reader::{Column, Reader};
use super::{ConstantAlternative, Fields};
use crate::error::{Error, Result};
use crate::input::description::fields::BareFields;
use crate::input::gdal_access::gdal_log;
use crate::input::vector::burn::{CoveredCells, Ends, Shape, burn, ends, shape};
use crate::input::vector::clip;
use crate::input::vector::reprojection::Reprojection;
use crate::measures::quantity::is_bare;
use gdal::vector::{Feature as GdalFeature, FieldValue, Geometry};
use std::path::{Path, PathBuf};

/// Value of a feature.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A quantity, as text.
    Constant(String),
    /// A quantity from the alternative field.
    Other(String),
    /// Path of a table.
    Table(PathBuf),
    /// No value, where this is allowed.
    Unsaid,
}

/// Feature that touches the domain.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Number in the layer.
    pub id: u64,
    /// Value of its field.
    pub value: Value,
    /// Values of additional fields, in the requested order.
    pub more: Vec<Option<String>>,
    /// Cells of the domain that the feature touches, ascending; at least one.
    pub cells: Vec<usize>,
    /// `true` if it also touches cells outside the domain or extends beyond the raster.
    pub partly: bool,
    /// First and last point of a line with one part, in the DEM's CRS.
    pub ends: Option<Ends>,
}

/// Points, and their heights if they have heights.
pub(super) type Vertices = (Vec<(f64, f64)>, Option<Vec<f64>>);

/// Feature being read.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) feature: &'a GdalFeature<'a>,
    /// Number in the layer.
    pub(super) id: u64,
    /// Transformation to the DEM's CRS, if it differs.
    pub(super) to_dem: Option<&'a Reprojection>,
    /// Fields in which numbers without a unit were found.
    pub(super) bare: &'a BareFields,
}

impl Item<'_> {
    /// Returns the error for the feature; `what` follows its name.
    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> Error {
        self.reader.wrong(format_args!("feature {}{what}", self.id))
    }

    /// Returns the value of its first or alternative field.
    pub(super) fn value(&self, [first, other]: &[Column; 2]) -> Result<Value> {
        let fields = self.reader.fields;
        let Fields { constant, instead, .. } = fields;
        let second = fields.second().unwrap_or_default();
        match (self.text(first.clone())?, self.text(other.clone())?) {
            (Some(text), None) => Ok(Value::Constant(text)),
            (None, Some(text)) if matches!(instead, ConstantAlternative::Other(_)) => {
                Ok(Value::Other(text))
            }
            (None, Some(file)) => {
                let folder = self.reader.path.parent().unwrap_or(Path::new(""));
                Ok(Value::Table(folder.join(file)))
            }
            (None, None) if instead == ConstantAlternative::Default => Ok(Value::Unsaid),
            (None, None) if instead == ConstantAlternative::Never => Err(self
                .wrong(format_args!(" has no '{constant}'"))
                .hint("fill in the field, or delete the feature")),
            (None, None) => Err(self
                .wrong(format_args!(" has neither a '{constant}' nor a '{second}'"))
                .hint("fill in one of the fields, or delete the feature")),
            (Some(_), Some(_)) => Err(self
                .wrong(format_args!(" has both a '{constant}' and a '{second}'"))
                .hint("leave one of the fields empty (NULL)")),
        }
    }

    /// Returns a field as text; `None` if it is empty or missing.
    pub(super) fn text(&self, (name, at, unit): Column) -> Result<Option<String>> {
        let Some(at) = at.filter(|&at| is_set(self.feature, at)) else { return Ok(None) };
        // Numbers are formatted so that they parse to the same value.
        let text = match self.feature.field(at) {
            Ok(Some(FieldValue::StringValue(text))) => text,
            Ok(Some(FieldValue::RealValue(number))) => number.to_string(),
            Ok(Some(FieldValue::IntegerValue(number))) if is_boolean(self.feature, at) => {
                (number != 0).to_string()
            }
            Ok(Some(FieldValue::IntegerValue(number))) => number.to_string(),
            Ok(Some(FieldValue::Integer64Value(number))) => number.to_string(),
            Ok(None) => return Ok(None),
            _ => {
                return Err(self
                    .wrong(format_args!(": the field '{name}' is neither text nor a number"))
                    .hint("change the type of the field"));
            }
        };
        let text = text.trim();
        if let Some(unit) = unit.as_ref().filter(|_| is_bare(text) || text.contains(':')) {
            return Ok(Some(format!("{text} {unit}")));
        }
        self.bare.see(name, text);
        Ok((!text.is_empty()).then(|| text.to_string()))
    }

    /// Returns several fields as texts.
    pub(super) fn texts(&self, columns: &[Column]) -> Result<Vec<Option<String>>> {
        columns.iter().map(|column| self.text(column.clone())).collect()
    }

    /// Returns its cells, and its ends if it is a line.
    pub(super) fn cells(&self) -> Result<(CoveredCells, Option<Ends>)> {
        let Some(geometry) = self.near()? else {
            return Ok((CoveredCells { cells: Vec::new(), beyond: true }, None));
        };
        if let (Some(is), Some(wanted)) = (shape(&geometry), self.reader.fields.shape)
            && is != wanted
        {
            let error = self.wrong(format_args!(" is made of {}", is.name()));
            return Err(error.hint(format!("give a layer of {}", wanted.name())));
        }
        if shape(&geometry) == Some(Shape::Lines)
            && geometry.geometry_count() == 0
            && geometry.point_count() < 2
        {
            return Err(self.of_one_point());
        }
        let burnt = burn(&geometry, self.reader.grid);
        let burnt = burnt.map_err(|error| self.wrong(format_args!(": {error}")))?;
        let burnt = burnt.map(|burnt| (burnt, ends(&geometry)));
        burnt.ok_or_else(|| {
            let name = geometry.geometry_name();
            self.wrong(format_args!(" is neither point, line nor polygon but a {name}"))
                .hint("split it with ogr2ogr -explodecollections -nlt CONVERT_TO_LINEAR")
        })
    }

    /// Returns the error for a line with only one point.
    pub(super) fn of_one_point(&self) -> Error {
        self.wrong(" is a line of one point").hint("draw its other end, or delete it")
    }

    /// Returns the points of a geometry with a single part, and their heights, if it has heights.
    pub(super) fn drawn(&self, wanted: Shape) -> Result<Vertices> {
        let geometry = self.whole()?;
        let is = shape(&geometry);
        if is != Some(wanted) {
            let is = match is {
                Some(Shape::Points) => "a point",
                Some(Shape::Lines) => "a line",
                Some(Shape::Polygons) => "a polygon",
                None => "neither point nor line",
            };
            return Err(self
                .wrong(format_args!(" is {is} ({})", geometry.geometry_name()))
                .hint(format!("give a layer of {}", wanted.name())));
        }
        let parts = geometry.geometry_count();
        if parts > 1 {
            return Err(self
                .wrong(format_args!(" has {parts} parts"))
                .hint("split it: ogr2ogr -explodecollections single.gpkg …"));
        }
        let mut points = Vec::new();
        match parts {
            0 => geometry.get_points(&mut points),
            _ => geometry.get_geometry(0).get_points(&mut points),
        };
        // A line with only measures (M) has no heights.
        // SAFETY: `geometry` is owned here, so its handle is valid; the call only reads.
        let is_high = unsafe { gdal_sys::OGR_G_Is3D(geometry.c_geometry()) } != 0;
        let heights = is_high.then(|| points.iter().map(|(_, _, z)| *z).collect());
        Ok((points.into_iter().map(|(x, y, _)| (x, y)).collect(), heights))
    }

    /// Returns its whole geometry in the DEM's CRS.
    fn whole(&self) -> Result<Geometry> {
        let transformed = match self.to_dem {
            Some(to_dem) => to_dem.whole(self.geometry()?),
            None => Ok(self.geometry()?.clone()),
        };
        self.finite(transformed)
    }

    /// Returns its geometry in the DEM's CRS, at least its part near the DEM; `None` if it is so far
    /// away that it has no place in the DEM's CRS.
    pub(super) fn near(&self) -> Result<Option<Geometry>> {
        let geometry = self.geometry()?;
        let Some(to_dem) = self.to_dem else { return Ok(Some(geometry.clone())) };
        to_dem.near(geometry).transpose().map(|near| self.finite(near)).transpose()
    }

    /// Returns an empty geometry of its type.
    pub(super) fn empty(&self) -> Result<Geometry> {
        let empty = Geometry::empty(self.geometry()?.geometry_type());
        empty.map_err(|error| self.wrong(format_args!(": {error}")))
    }

    /// Returns its geometry in the layer's CRS.
    fn geometry(&self) -> Result<&Geometry> {
        let empty = || self.wrong(" has no geometry").hint("draw it, or delete its row");
        let geometry = self.feature.geometry().filter(|geometry| !geometry.is_empty());
        let geometry = geometry.ok_or_else(empty)?;
        if clip::is_finite(geometry) { Ok(geometry) } else { Err(self.nowhere("")) }
    }

    /// Checks a transformed geometry.
    fn finite(&self, transformed: gdal::errors::Result<Geometry>) -> Result<Geometry> {
        let geometry = transformed.map_err(|_| {
            let said = gdal_log::why("out of its bounds");
            self.wrong(format_args!(" cannot be transformed to the DEM's CRS: {said}"))
                .hint(format!("check its coordinates and the layer's CRS{}", self.reader.geojson()))
        })?;
        if clip::is_finite(&geometry) {
            Ok(geometry)
        } else {
            Err(self.nowhere(" in the DEM's CRS"))
        }
    }

    /// Returns the error for a feature with a coordinate that is infinite or NaN.
    fn nowhere(&self, how: &str) -> Error {
        self.wrong(format_args!(" has a coordinate that is not a finite number{how}"))
            .hint("redraw or delete it")
    }
}

/// Returns `true` if a field of a feature is set and not null.
pub(super) fn is_set(feature: &GdalFeature, at: usize) -> bool {
    // SAFETY: `feature` is borrowed, so its handle is valid, and callers pass `at` from the layer
    // definition that the feature shares; the call only reads.
    unsafe { gdal_sys::OGR_F_IsFieldSetAndNotNull(feature.c_feature(), at as i32) != 0 }
}

/// Returns `true` if a field holds true or false, which GDAL gives as numbers.
fn is_boolean(feature: &GdalFeature, at: usize) -> bool {
    // SAFETY: as in `is_set`; the definition belongs to the layer, which outlives the feature.
    let kind = unsafe {
        gdal_sys::OGR_Fld_GetSubType(gdal_sys::OGR_F_GetFieldDefnRef(
            feature.c_feature(),
            at as i32,
        ))
    };
    kind == gdal_sys::OGRFieldSubType::OFSTBoolean
}
