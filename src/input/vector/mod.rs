//! Vector layers (GeoPackage, GeoJSON, Shapefile, …): features with a value, and the cells they touch.

mod feature;
pub mod lines;
pub mod named;
mod points;
pub mod whole;

pub use super::burn::Shape;
use super::{dataset, remote};
pub use feature::{Feature, Value};
pub use points::{PlacedValue, Points, read_points};

use super::endless::why_not_read;
use super::on_earth::{LOCAL, is_on_earth};
use super::place::{projection, same_crs};
use super::whereabouts::{self, nearest_free};
use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::gdal_log;
use gdal::Dataset;
use gdal::spatial_ref::{CoordTransform, SpatialRef};
use gdal::vector::{Geometry, Layer as GdalLayer, LayerAccess};
use std::path::{Path, PathBuf};

/// Endings of files that can hold nothing but vectors, or hardly ever hold anything else.
const ENDINGS: [&str; 6] = ["gpkg", "geojson", "json", "shp", "fgb", "gml"];

/// What a layer must tell of its features, and what these may be.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The field that holds a number, or a text with a unit.
    constant: &'static str,
    /// What may stand in its place.
    instead: Instead,
    /// Further fields, which may be missing or empty.
    more: &'static [&'static str],
    /// What the features must be, if it matters.
    shape: Option<Shape>,
    /// Whether features that do not touch the domain are left out rather than refused.
    clipped: bool,
}

/// What may stand in place of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instead {
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
    const fn new(constant: &'static str, instead: Instead) -> Fields {
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
    fn second(self) -> Option<&'static str> {
        match self.instead {
            Instead::Table(name) | Instead::Other(name) => Some(name),
            Instead::Default | Instead::Never => None,
        }
    }
}

/// A layer on the DEM's grid.
#[derive(Debug)]
pub struct VectorLayer {
    /// Its features; at least one.
    pub features: Vec<Feature>,
    /// How many others were left out because they do not touch the domain.
    pub left_out: usize,
    /// The files that it is made of.
    pub files: Vec<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Whether a path names a vector file rather than a raster.
pub fn is_vector(path: &Path) -> bool {
    gdal_log::install();
    // Its reader says so.
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

/// Reads a layer for `role`. Every feature must say something and touch the domain.
pub fn read(
    path: &Path,
    role: &str,
    fields: Fields,
    grid: &Grid,
    bed: &Bed,
) -> Result<VectorLayer> {
    let reader = Reader { path, role, fields, grid };
    let dataset = reader.opened()?;
    let mut layer = reader.layer(&dataset)?;
    let mut warnings = Vec::new();
    let to_dem = reader.to_dem(&layer, &mut warnings)?;
    let mut features = Vec::new();
    let (mut outside, mut dry) = (Vec::new(), Vec::new());
    let (mut first_outside, mut first_dry) = (None, None);
    let columns = [Some(fields.constant), fields.second()];
    let columns = columns.map(|name| name.and_then(|name| index(&layer, name)));
    if columns == [None, None] && fields.instead != Instead::Default {
        return Err(reader.no_field(&layer));
    }
    let more: Vec<_> = fields.more.iter().map(|name| (*name, index(&layer, name))).collect();
    for feature in layer.features() {
        let id = feature.fid().unwrap_or(0);
        let value = reader.value(&feature, id, columns)?;
        let mut texts = Vec::new();
        for &(name, at) in &more {
            let text = at.map_or(Ok(None), |at| reader.text(&feature, id, name, at))?;
            texts.push(text);
        }
        let (burnt, ends) = reader.cells(&feature, id, to_dem.as_ref())?;
        let inside = |cell: &usize| bed.levels[*cell] != Bed::OUTSIDE;
        let cells: Vec<usize> = burnt.cells.iter().copied().filter(inside).collect();
        if burnt.cells.is_empty() {
            first_outside = first_outside.or_else(|| first_point(feature.geometry()?));
            outside.push(id);
        } else if cells.is_empty() {
            first_dry = first_dry.or(Some(burnt.cells[0]));
            dry.push(id);
        } else {
            let partly = burnt.beyond || cells.len() < burnt.cells.len();
            features.push(Feature { id, value, more: texts, cells, partly, ends });
        }
    }
    if let Some(said) = gdal_log::take() {
        return Err(reader.wrong(format!("it cannot be read: {said}")));
    }
    let [west, south, east, north] = grid.extent();
    let left_out = outside.len() + dry.len();
    if fields.clipped && !features.is_empty() {
        outside.clear();
        dry.clear();
    }
    if !outside.is_empty() {
        let what = format!("{} outside the DEM", lie(&outside));
        return Err(reader.wrong(what).hint(format!(
            "the DEM covers x {west} to {east}, y {south} to {north}{}; look at the layer's CRS, or clip it",
            reader.likely(first_outside, to_dem.as_ref())
        )));
    }
    if let (Some(cell), false) = (first_dry, dry.is_empty()) {
        let on = match bed.blocked.binary_search(&cell) {
            Ok(_) => "cells that buildings block",
            Err(_) => "NoData cells of the DEM",
        };
        let free = nearest_free(whereabouts::centre(grid, cell), grid, |cell| {
            bed.levels[cell] != Bed::OUTSIDE
        });
        return Err(reader
            .wrong(format!("{} on {on}", lie(&dry)))
            .hint(format!("move them onto the terrain, or delete them{free}")));
    }
    if features.is_empty() {
        return Err(reader.wrong("the layer has no features").hint("leave it out, or draw some"));
    }
    Ok(VectorLayer { features, left_out, files: dataset::files(&dataset, path), warnings })
}

fn is_in_degrees(wkt: &str) -> bool {
    SpatialRef::from_wkt(wkt).is_ok_and(|srs| srs.is_geographic())
}

/// The first point of a geometry as the layer has it.
fn first_point(geometry: &Geometry) -> Option<(f64, f64)> {
    if geometry.geometry_count() > 0 {
        return first_point(&geometry.get_geometry(0));
    }
    let (x, y, _) = geometry.get_point(0);
    (geometry.point_count() > 0).then_some((x, y))
}

/// `features 3, 7, 8 and 12 more lie`.
fn lie(ids: &[u64]) -> String {
    let shown: Vec<String> = ids.iter().take(5).map(u64::to_string).collect();
    let more = if ids.len() > 5 { format!(" and {} more", ids.len() - 5) } else { String::new() };
    let (plural, verb) = if ids.len() == 1 { ("", "lies") } else { ("s", "lie") };
    format!("feature{plural} {}{more} {verb}", shown.join(", "))
}

fn index(layer: &GdalLayer, name: &str) -> Option<usize> {
    layer.defn().fields().position(|field| field.name().eq_ignore_ascii_case(name))
}

struct Reader<'a> {
    path: &'a Path,
    role: &'a str,
    fields: Fields,
    grid: &'a Grid,
}

impl Reader<'_> {
    fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}': {what}", self.role, self.path.display()))
    }

    /// The file, opened.
    fn opened(&self) -> Result<Dataset> {
        let path = self.path;
        remote::check(path, self.role)?;
        if !path.to_string_lossy().starts_with("/vsi") {
            let data = std::fs::metadata(path).map_err(|error| {
                self.wrong(format!("cannot open it: {error}"))
                    .hint("check the path; in a scenario file it is relative to that file's folder")
            })?;
            if data.is_file() && data.len() == 0 {
                return Err(self.wrong("it is empty (0 bytes)"));
            }
        }
        gdal_log::take();
        dataset::vectors(path).map_err(|_| {
            let said = gdal_log::take().unwrap_or_else(|| "format not recognized".into());
            self.wrong(format!("it is not a vector file that GDAL can read: {said}"))
                .hint(format!("see what GDAL makes of it: ogrinfo '{}'", path.display()))
        })
    }

    /// The one layer with geometries (QGIS keeps its styles in another).
    fn layer<'d>(&self, dataset: &'d Dataset) -> Result<GdalLayer<'d>> {
        let drawn = |layer: &GdalLayer| layer.defn().geom_fields().next().is_some();
        let mut layers: Vec<GdalLayer> = dataset.layers().filter(drawn).collect();
        let names: Vec<String> = layers.iter().map(LayerAccess::name).collect();
        match (layers.pop(), layers.len()) {
            (Some(layer), 0) => Ok(layer),
            (None, _) => Err(self
                .wrong("it has no layer with points, lines or polygons")
                .hint(format!("see what it holds: ogrinfo -so '{}'", self.path.display()))),
            _ => Err(self
                .wrong(format!("it has {} layers: {}", names.len(), names.join(", ")))
                .hint(format!(
                    "put the one that is meant in a file of its own: ogr2ogr layer.gpkg '{}' '{}'",
                    self.path.display(),
                    names[0]
                ))),
        }
    }

    /// What is most likely wrong with a feature outside the DEM, whose first point is known in the layer's CRS.
    fn likely(&self, point: Option<(f64, f64)>, to_dem: Option<&CoordTransform>) -> &'static str {
        let Some((x, y)) = point else { return "" };
        let Some(to_dem) = to_dem else { return whereabouts::likely(self.grid, &[(x, y)]) };
        let (mut xs, mut ys) = ([y], [x]);
        let moved = to_dem.transform_coords(&mut xs, &mut ys, &mut []).is_ok();
        gdal_log::take();
        let lies_on_it = moved && self.grid.cell_at(xs[0], ys[0]).is_some();
        if lies_on_it { ", and x and y look swapped" } else { "" }
    }

    fn no_field(&self, layer: &GdalLayer) -> Error {
        let Fields { constant, instead, .. } = self.fields;
        let names: Vec<String> = layer.defn().fields().map(|field| field.name()).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        let (lacks, more) = match instead {
            Instead::Table(table) => (
                format!("neither a field '{constant}' nor '{table}'"),
                format!(" or '{table}' (the path of a CSV)"),
            ),
            Instead::Other(other) => {
                (format!("neither a field '{constant}' nor '{other}'"), format!(" or '{other}'"))
            }
            _ => (format!("no field '{constant}'"), String::new()),
        };
        self.wrong(format!("it has {lacks}; its fields: {names}"))
            .hint(format!("add a field '{constant}' (a number, or a text with a unit){more}"))
    }

    /// The transformation to the DEM's CRS, if it is another.
    fn to_dem(
        &self,
        layer: &GdalLayer,
        warnings: &mut Vec<String>,
    ) -> Result<Option<CoordTransform>> {
        // A GeoPackage calls a CRS that is not known by such a name.
        let known = |srs: &SpatialRef| !srs.name().unwrap_or_default().starts_with("Undefined");
        let own = layer.spatial_ref().filter(known).and_then(|srs| srs.to_wkt().ok());
        let shown = self.path.display();
        let dem = self.grid.crs.as_deref();
        // A DEM in a CRS of its own has layers in no other.
        let dem_is_local = dem
            .and_then(|dem| SpatialRef::from_wkt(dem).ok())
            .is_some_and(|dem| !is_on_earth(&dem));
        let or = match dem_is_local {
            true => format!("; if the DEM is in metres of its own, and so is this, {LOCAL}"),
            false => String::new(),
        };
        let (own, dem) = match (own, dem) {
            (Some(own), Some(dem)) => (own, dem),
            (None, Some(_)) => {
                return Err(self.wrong("its coordinate reference system is not known").hint(
                    format!(
                        "tell which it is: ogr2ogr -a_srs EPSG:xxxxx with_crs.gpkg '{shown}'{or}"
                    ),
                ));
            }
            // GeoJSON that names none is said to be in degrees.
            (Some(own), None) if !self.geojson().is_empty() && is_in_degrees(&own) => {
                return Ok(None);
            }
            (Some(_), None) => {
                warnings.push(format!(
                    "{}: the DEM has no coordinate reference system; the coordinates of '{shown}' are taken as the DEM's",
                    self.role
                ));
                return Ok(None);
            }
            (None, None) => return Ok(None),
        };
        if same_crs(Some(&own), Some(dem)) {
            return Ok(None);
        }
        gdal_log::take();
        projection(Some(&own), Some(dem)).map(Some).ok_or_else(|| {
            let said = gdal_log::take().unwrap_or_else(|| "no transformation is known".into());
            self.wrong(format!(
                "its coordinate reference system cannot be brought to the DEM's: {said}"
            ))
            .hint(format!(
                "tell the right one: ogr2ogr -a_srs EPSG:xxxxx with_crs.gpkg '{shown}'{or}"
            ))
        })
    }
}
