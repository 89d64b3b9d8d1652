//! Vector layers (GeoPackage, GeoJSON, Shapefile, …): features with a value, and the cells they
//! touch.

pub mod all_features;
pub mod burn;
pub mod clip;
mod feature;
mod fields;
pub mod lines;
pub mod named;
pub mod point_position;
mod points;
mod reader;
pub mod reprojection;
mod validity;

pub use crate::input::vector::burn::Shape;
pub use feature::{Feature, Value};
pub use fields::Fields;
pub use points::{PlacedValue, read_points};

use super::endless::why_not_read;
use super::notice::Reading;
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::gdal_access::{dataset, gdal_log};
use crate::input::vector::point_position::{covered, nearest_free};
use crate::words::and_more;
use feature::Item;
use fields::ConstantAlternative;
use gdal::Dataset;
use reader::{Reader, first_point, has_no_length};
use std::path::Path;

/// Extensions of files that hold only vectors, or hardly ever anything else.
const ENDINGS: [&str; 13] = [
    "gpkg", "geojson", "json", "shp", "fgb", "gml", "kml", "kmz", "tab", "mif", "dxf", "gpx", "gdb",
];

/// Vector layer on the DEM's grid.
#[derive(Debug)]
pub struct VectorLayer {
    /// Features; at least one.
    pub features: Vec<Feature>,
    /// Number of features skipped because they do not touch the domain.
    pub left_out: usize,
}

/// Returns `true` if a path names a vector file rather than a raster.
pub fn is_vector(path: &Path) -> bool {
    gdal_log::install();
    // The reader of the file reports the reason.
    if why_not_read(path).is_some() {
        return false;
    }
    let has_layers = dataset::vectors(path).is_ok_and(|dataset| dataset.layer_count() > 0);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let named_so = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
    let is = has_layers || (named_so && Dataset::open(path).is_err());
    gdal_log::take();
    is
}

/// Reads a layer for `role`. Every feature must have a value and touch the domain.
pub fn read(
    path: &Path,
    role: &str,
    fields: Fields,
    ground: Topography,
) -> Result<Reading<VectorLayer>> {
    let grid = ground.grid;
    let reader = Reader { path, role, fields, grid };
    let dataset = reader.opened()?;
    let mut layer = reader.open(&dataset)?;
    let (mut outside, mut dry) = (Vec::new(), Vec::new());
    let (mut first_outside, mut first_dry) = (None, None);
    let (columns, more) = (layer.value_columns()?, layer.columns(fields.more)?);
    let Reading { value: all, notices } = layer.each(|item| {
        let (value, more) = (item.value(&columns)?, item.texts(&more)?);
        let (burnt, ends) = item.cells()?;
        let inside = |cell: &usize| ground.is_inside(*cell);
        let cells: Vec<usize> = burnt.cells.iter().copied().filter(inside).collect();
        // Such a line touches a cell or none, depending on GDAL's version.
        if item.feature.geometry().is_some_and(has_no_length) {
            return Err(item
                .wrong(" has no length: all its points are equal")
                .hint("draw it with two different points, or delete it"));
        }
        if burnt.cells.is_empty() {
            first_outside = first_outside.or_else(|| first_point(item.feature.geometry()?));
            outside.push(item.id);
        } else if cells.is_empty() {
            first_dry = first_dry.or(Some(burnt.cells[0]));
            dry.push(item.id);
        } else {
            let partly = burnt.beyond || cells.len() < burnt.cells.len();
            return Ok(Some(Feature { id: item.id, value, more, cells, partly, ends }));
        }
        Ok(None)
    })?;
    let features: Vec<Feature> = all.into_iter().flatten().collect();
    let left_out = outside.len() + dry.len();
    if fields.clipped && !features.is_empty() {
        outside.clear();
        dry.clear();
    }
    if !outside.is_empty() {
        let what = format!("{} outside the DEM", located(&outside));
        return Err(reader.wrong(what).hint(format!(
            "{}{}; check the layer's CRS, or clip the layer",
            covered(grid),
            layer.likely(first_outside)
        )));
    }
    if let (Some(cell), false) = (first_dry, dry.is_empty()) {
        let on = match ground.bed.blocked.binary_search(&cell) {
            Ok(_) => "cells that buildings block",
            Err(_) => "NoData cells of the DEM",
        };
        let at = grid.spot(cell);
        let free = nearest_free((at.x, at.y), ground);
        return Err(reader
            .wrong(format!("{} on {on}", located(&dry)))
            .hint(format!("move them onto the terrain, or delete them{free}")));
    }
    Ok(Reading { value: VectorLayer { features, left_out }, notices })
}

/// Lists features: `features 3, 7, 8 and 12 more lie`.
fn located(ids: &[u64]) -> String {
    let (plural, verb) = if ids.len() == 1 { ("", "is") } else { ("s", "are") };
    format!("feature{plural} {} {verb}", and_more(ids.iter(), 5))
}
