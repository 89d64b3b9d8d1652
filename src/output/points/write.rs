//! Writes `points.csv` and `points.gpkg`.

use super::{Column, FID, PointFeature, Points, field_name};
use crate::error::Result;
use crate::input::vector::all_features::text_of;
use crate::output::features::{WriteOutcome, rehearse, undated};
use crate::output::folder::{OutputFolder, POINTS_TABLE, cannot_write};
use crate::words::cell;
use gdal::DriverManager;
use gdal::spatial_ref::SpatialRef;
use gdal::vector::{Feature, FieldValue, Geometry, LayerAccess, LayerOptions};
use gdal_sys::OGRFieldType;
use std::path::Path;

/// Writes the table: a line per feature, with its own fields and the results.
pub fn table(points: &Points, columns: &[Column], folder: &OutputFolder) -> Result<()> {
    let failed = cannot_write::<csv::Error>(POINTS_TABLE);
    let mut writer = csv::Writer::from_path(folder.staged(POINTS_TABLE)).map_err(&failed)?;
    let own = points.fields.iter().map(|field| cell(&field.name).into_owned());
    let heads = [FID.to_string()].into_iter().chain(own).chain(columns.iter().map(Column::head));
    writer.write_record(heads).map_err(&failed)?;
    for (at, feature) in points.features.iter().enumerate() {
        let own = feature.values.iter().map(|value| match value {
            Some(value @ FieldValue::StringValue(_)) => cell(&text_of(value)).into_owned(),
            Some(value) => text_of(value),
            None => String::new(),
        });
        let added_fields =
            columns.iter().map(|column| column.values[at].map(|value| value.to_string()));
        let added_fields = added_fields.map(Option::unwrap_or_default);
        let record = [feature.id.to_string()].into_iter().chain(own).chain(added_fields);
        writer.write_record(record).map_err(&failed)?;
    }
    writer.flush().map_err(|error| failed(error.into()))
}

/// Writes the layer: the features as they are, with the same fields.
///
/// # Errors
/// If the file cannot be written: the disk is full, say.
pub fn layer(
    points: &Points,
    columns: &[Column],
    crs: Option<&str>,
    path: &Path,
) -> Result<WriteOutcome> {
    let added_fields: Vec<String> = columns.iter().map(|of| field_name(of.name, of.unit)).collect();
    let value = |at: usize, column: usize| columns[column].values[at];
    undated(path, |path| write_layer(points, &points.features, crs, path, &added_fields, &value))
}

/// Writes the layer in memory with only its first feature and the additional fields in
/// `added_fields`, to check whether a GeoPackage can have such fields.
pub fn rehearse_layer(points: &Points, added_fields: &[String]) -> WriteOutcome {
    let first = &points.features[..points.features.len().min(1)];
    rehearse(|path| write_layer(points, first, None, path, added_fields, &|_, _| None))
}

/// Writes features with the additional fields in `added_fields`; `value` returns the value of a
/// feature (index) in such a field (index).
fn write_layer(
    points: &Points,
    features: &[PointFeature],
    crs: Option<&str>,
    path: &Path,
    added_fields: &[String],
    value: &dyn Fn(usize, usize) -> Option<f64>,
) -> gdal::errors::Result<()> {
    let srs = crs.map(SpatialRef::from_wkt).transpose()?;
    let mut file = DriverManager::get_driver_by_name("GPKG")?.create_vector_only(path)?;
    let mut all = file.start_transaction()?;
    let options =
        LayerOptions { name: "points", srs: srs.as_ref(), ty: points.kind, options: None };
    let layer = all.create_layer(options)?;
    let own = points.fields.iter().map(|field| (field.name.as_str(), field.kind));
    let added_fields = added_fields.iter().map(|name| (name.as_str(), OGRFieldType::OFTReal));
    let fields: Vec<_> = own.chain(added_fields).collect();
    layer.create_defn_fields(&fields)?;
    for (at, of) in features.iter().enumerate() {
        let mut feature = Feature::new(layer.defn())?;
        // SAFETY: the feature is alive.
        unsafe { gdal_sys::OGR_F_SetFID(feature.c_feature(), of.id as i64) };
        feature.set_geometry(Geometry::from_wkb(&of.geometry)?)?;
        for (field, value) in of.values.iter().enumerate() {
            if let Some(value) = value {
                feature.set_field(field, value)?;
            }
        }
        for column in 0..fields.len() - points.fields.len() {
            if let Some(value) = value(at, column) {
                let field = points.fields.len() + column;
                feature.set_field(field, &FieldValue::RealValue(value))?;
            }
        }
        feature.create(&layer)?;
    }
    all.commit()?;
    file.close()
}
