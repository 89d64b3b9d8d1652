//! Vector layers of observations: opened through GDAL, distinguished by geometry type, transformed
//! to the result's CRS.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use crate::input::gdal_access::remote;
use crate::input::raster::place::same_crs;
use crate::input::vector::clip;
use crate::input::vector::reprojection::Reprojection;
use gdal::Dataset;
use gdal::vector::{Geometry, LayerAccess, OGRwkbGeometryType, OwnedLayer, geometry_type_flatten};
use std::path::Path;

/// Kind of observation in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedAs {
    /// Points: observed depths or levels.
    Points,
    /// Polygons: an observed extent.
    Polygons,
}

/// A layer of a vector file.
pub struct Vectors {
    /// The open layer.
    pub layer: OwnedLayer,
    /// Kind of observation in it.
    pub shape: ObservedAs,
    /// Number of features without a geometry, which are left out.
    pub empty: usize,
}

/// Opens the layer called `wanted`, or the only one with geometries; `None` if the file has no
/// vector layer (then it is a raster or unknown to GDAL, which [`super::raster`] determines).
pub fn open(path: &Path, wanted: Option<&str>) -> Result<Option<Vectors>> {
    gdal_log::install();
    gdal_log::take();
    remote::check(path, "with")?;
    let Ok(dataset) = Dataset::open(path) else {
        gdal_log::take();
        return Ok(None);
    };
    if dataset.layer_count() == 0 || dataset.raster_count() > 0 {
        return Ok(None);
    }
    let shown = path.display();
    let names: Vec<String> = dataset
        .layers()
        .filter(|layer| layer.defn().geometry_type() != OGRwkbGeometryType::wkbNone)
        .map(|layer| layer.name())
        .collect();
    let name = match (wanted, &names[..]) {
        (Some(wanted), names) if names.iter().any(|name| name == wanted) => wanted.to_string(),
        (Some(wanted), names) => {
            return Err(Error::input(format!("with: '{shown}' has no layer '{wanted}'"))
                .hint(format!("it has: {}", names.join(", "))));
        }
        (None, [only]) => only.clone(),
        (None, []) => {
            return Err(Error::input(format!("with: '{shown}' has no layer with geometries"))
                .hint(format!("list its contents: ogrinfo '{shown}'")));
        }
        (None, names) => {
            return Err(Error::input(format!("with: '{shown}' has {} layers", names.len()))
                .hint(format!("choose one with --layer: {}", names.join(", "))));
        }
    };
    let broken = |error: gdal::errors::GdalError| {
        let said = gdal_log::why(error);
        Error::input(format!("with: '{shown}' cannot be read: {said}"))
    };
    let mut layer = dataset.into_layer_by_name(&name).map_err(broken)?;
    let (shape, empty) = shape_of(&mut layer, path)?;
    Ok(Some(Vectors { layer, shape, empty }))
}

/// Returns the common geometry type of a layer's features, and the number of features without a
/// geometry.
fn shape_of(layer: &mut OwnedLayer, path: &Path) -> Result<(ObservedAs, usize)> {
    use OGRwkbGeometryType as Type;
    let shown = path.display();
    let (mut found, mut empty) = (None, 0);
    for feature in layer.features() {
        let Some(geometry) = feature.geometry().filter(|geometry| !geometry.is_empty()) else {
            empty += 1;
            continue;
        };
        let kind = geometry_type_flatten(geometry.geometry_type());
        let shape = match kind {
            Type::wkbPoint | Type::wkbMultiPoint => ObservedAs::Points,
            Type::wkbPolygon
            | Type::wkbMultiPolygon
            | Type::wkbCurvePolygon
            | Type::wkbMultiSurface => ObservedAs::Polygons,
            _ => {
                let name = geometry.geometry_name().to_lowercase();
                return Err(Error::input(format!(
                    "with: '{shown}' contains a {name}; an extent consists of polygons, observed depths and levels are points"
                ))
                .hint("choose another layer (--layer), or make polygons of the lines in a GIS"));
            }
        };
        if found.is_some_and(|found| found != shape) {
            return Err(Error::input(format!("with: '{shown}' holds both points and polygons"))
                .hint("put them in separate layers"));
        }
        found = Some(shape);
    }
    let shape = found.ok_or_else(|| {
        Error::input(format!("with: '{shown}' is empty: none of its features has a geometry"))
            .hint(format!("list its contents: ogrinfo -al -so '{shown}'"))
    })?;
    // A reader that stops early at damaged data only reports it in its log.
    match gdal_log::take() {
        Some(said) => {
            Err(Error::input(format!("with: '{shown}' cannot be read completely: {said}")))
        }
        None => Ok((shape, empty)),
    }
}

impl Vectors {
    /// Calls a closure for every feature with its geometry in the grid's CRS.
    pub fn for_each(
        &mut self,
        path: &Path,
        grid: &Grid,
        warnings: &mut Vec<String>,
        mut each: impl FnMut(&gdal::vector::Feature, Geometry) -> Result<()>,
    ) -> Result<()> {
        let shown = path.display();
        let crs = self.layer.spatial_ref().and_then(|srs| srs.to_wkt().ok());
        if crs.is_none() && grid.crs.is_some() {
            warnings.push(format!(
                "with: '{shown}' has no coordinate reference system; the result's is assumed"
            ));
        }
        if self.empty > 0 {
            warnings.push(format!(
                "with: {} features of '{shown}' have no geometry; left out",
                self.empty
            ));
        }
        let impossible = || {
            Error::input(format!("with: '{shown}' cannot be transformed to the result's CRS"))
                .hint(format!("check the CRS that it declares: ogrinfo -al -so '{shown}'"))
        };
        let transform = Reprojection::new(crs.as_deref(), grid);
        if transform.is_none() && !same_crs(crs.as_deref(), grid.crs.as_deref()) {
            return Err(impossible());
        }
        for feature in self.layer.features() {
            let Some(geometry) = feature.geometry().filter(|geometry| !geometry.is_empty()) else {
                continue;
            };
            let geometry = match &transform {
                Some(transform) => match transform.near(geometry) {
                    Ok(Some(geometry)) => geometry,
                    Ok(None) if self.shape == ObservedAs::Polygons => continue,
                    _ => {
                        gdal_log::take();
                        return Err(impossible());
                    }
                },
                None => geometry.clone(),
            };
            if !clip::is_finite(&geometry) {
                let id = feature.fid().unwrap_or(0);
                return Err(Error::input(format!(
                    "with: '{shown}': feature {id} has a coordinate that is no finite number"
                ))
                .hint("draw it anew, or delete it"));
            }
            each(&feature, geometry)?;
        }
        Ok(())
    }
}
