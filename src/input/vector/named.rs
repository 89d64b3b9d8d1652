//! Vector layers of points or lines that have names: gauges and sections.

use super::{Fields, Instead, Reader, index};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::clip;
use crate::input::{dataset, gdal_log};
use gdal::spatial_ref::CoordTransform;
use gdal::vector::{Feature as GdalFeature, Geometry, LayerAccess, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType as Type;
use std::path::{Path, PathBuf};

/// The fields that name a feature, the first that there is.
pub const NAMES: [&str; 5] = ["name", "gauge", "section", "label", "id"];

/// What the features of a layer must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Points.
    Points,
    /// Lines of two or more points.
    Lines,
}

/// A point or line with a name.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its number in the layer.
    pub id: u64,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its points, in the DEM's CRS.
    pub points: Vec<(f64, f64)>,
    /// What stands in the further fields that were asked for, in their order.
    pub said: Vec<Option<String>>,
}

/// Points, and the height of each if they have heights.
pub(super) type Drawn = (Vec<(f64, f64)>, Option<Vec<f64>>);

/// A layer of named points or lines.
#[derive(Debug)]
pub struct NamedLayer {
    /// Its features; at least one.
    pub features: Vec<Named>,
    /// The files that it is made of.
    pub files: Vec<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Reads a layer for `role`, in the DEM's CRS, with further fields, which may be missing or empty.
pub fn read_named(
    path: &Path,
    role: &str,
    wanted: Wanted,
    more: &[&str],
    grid: &Grid,
) -> Result<NamedLayer> {
    gdal_log::install();
    let reader = Reader { path, role, fields: Fields::new(NAMES[0], Instead::Never), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.layer(&dataset)?;
    let mut warnings = Vec::new();
    let to_dem = reader.to_dem(&layer, &mut warnings)?;
    let label = NAMES.iter().find_map(|name| Some((*name, index(&layer, name)?)));
    let more: Vec<_> = more.iter().map(|name| (*name, index(&layer, name))).collect();
    let mut features = Vec::new();
    for feature in layer.features() {
        let id = feature.fid().unwrap_or(0);
        let said = more
            .iter()
            .map(|&(name, at)| at.map_or(Ok(None), |at| reader.text(&feature, id, name, at)));
        let said = said.collect::<Result<_>>()?;
        let name = label.map_or(Ok(None), |(name, at)| reader.text(&feature, id, name, at))?;
        let points = reader.points(&feature, id, wanted, to_dem.as_ref())?;
        features.push(Named { id, name, points, said });
    }
    if let Some(said) = gdal_log::take() {
        return Err(reader.wrong(format!("it cannot be read: {said}")));
    }
    if features.is_empty() {
        return Err(reader.wrong("the layer has no features").hint("leave it out, or draw some"));
    }
    Ok(NamedLayer { features, files: dataset::files(&dataset, path), warnings })
}

impl Reader<'_> {
    /// The points of a feature in one part.
    pub(super) fn points(
        &self,
        feature: &GdalFeature,
        id: u64,
        wanted: Wanted,
        to_dem: Option<&CoordTransform>,
    ) -> Result<Vec<(f64, f64)>> {
        Ok(self.drawn(feature, id, wanted, to_dem)?.0)
    }

    /// The points of a feature in one part, and their heights, if it is drawn with heights.
    pub(super) fn drawn(
        &self,
        feature: &GdalFeature,
        id: u64,
        wanted: Wanted,
        to_dem: Option<&CoordTransform>,
    ) -> Result<Drawn> {
        let geometry = self.geometry(feature, id, to_dem)?;
        let (is, ask) = match geometry_type_flatten(geometry.geometry_type()) {
            Type::wkbPoint | Type::wkbMultiPoint => (Some(Wanted::Points), "a point"),
            Type::wkbLineString | Type::wkbMultiLineString => (Some(Wanted::Lines), "a line"),
            Type::wkbPolygon | Type::wkbMultiPolygon => (None, "a polygon"),
            _ => (None, "neither point nor line"),
        };
        if is != Some(wanted) {
            let wanted = if wanted == Wanted::Points { "points" } else { "lines" };
            return Err(self
                .wrong(format!("feature {id} is {ask} ({})", geometry.geometry_name()))
                .hint(format!("give a layer of {wanted}")));
        }
        let parts = geometry.geometry_count();
        if parts > 1 {
            return Err(self
                .wrong(format!("feature {id} has {parts} parts"))
                .hint("split it: ogr2ogr -explodecollections single.gpkg …"));
        }
        let mut points = Vec::new();
        match parts {
            0 => geometry.get_points(&mut points),
            _ => geometry.get_geometry(0).get_points(&mut points),
        };
        // A line with measures (M) alone has no heights.
        // SAFETY: the geometry is alive.
        let is_high = unsafe { gdal_sys::OGR_G_Is3D(geometry.c_geometry()) } != 0;
        let heights = is_high.then(|| points.iter().map(|(_, _, z)| *z).collect());
        Ok((points.into_iter().map(|(x, y, _)| (x, y)).collect(), heights))
    }

    /// What not all know of GeoJSON, if it is that.
    pub(super) fn geojson(&self) -> &'static str {
        let ending = self.path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("geojson" | "json") => ": GeoJSON that names none is in degrees (WGS 84)",
            _ => "",
        }
    }

    /// The geometry of a feature in the DEM's CRS.
    pub(super) fn geometry(
        &self,
        feature: &GdalFeature,
        id: u64,
        to_dem: Option<&CoordTransform>,
    ) -> Result<Geometry> {
        let empty = || {
            self.wrong(format!("feature {id} has no geometry")).hint("draw it, or delete its row")
        };
        let geometry = feature.geometry().filter(|geometry| !geometry.is_empty());
        let mut geometry = geometry.ok_or_else(empty)?.clone();
        if !clip::is_finite(&geometry) {
            return Err(self.nowhere(id, ""));
        }
        if let Some(to_dem) = to_dem {
            geometry.transform_inplace(to_dem).map_err(|_| {
                let said = gdal_log::take().unwrap_or_else(|| "out of its bounds".into());
                self.wrong(format!("feature {id} cannot be brought to the DEM's CRS: {said}")).hint(
                    format!("look at its coordinates, and at the layer's CRS{}", self.geojson()),
                )
            })?;
            if !clip::is_finite(&geometry) {
                return Err(self.nowhere(id, " in the DEM's CRS"));
            }
        }
        Ok(geometry)
    }

    /// The error of a feature with a coordinate that is infinite or no number.
    fn nowhere(&self, id: u64, how: &str) -> Error {
        self.wrong(format!("feature {id} has a coordinate that is no finite number{how}"))
            .hint("draw it anew, or delete it")
    }
}
