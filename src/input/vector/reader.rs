//! Opening, checking and reading of a vector layer, feature by feature.

use super::fields::NAMES;
use super::{ConstantAlternative, Fields, Item};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::checksum;
use crate::input::dem::on_earth::{LOCAL, is_on_earth};
use crate::input::description::fields::BareFields;
use crate::input::description::vertical::HeightUnit;
use crate::input::gdal_access::{dataset, gdal_log, remote};
use crate::input::notice::{Notice, Notices, Reading};
use crate::input::raster::place::{is_in_degrees, same_crs, transformed};
use crate::input::vector::point_position;
use crate::input::vector::reprojection::Reprojection;
use crate::measures::{goes_on_after, header_unit, unit_after};
use crate::suggest;
use gdal::Dataset;
use gdal::spatial_ref::SpatialRef;
use gdal::vector::{Geometry, Layer as GdalLayer, LayerAccess};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum length of a field name in a Shapefile; longer names are cut.
const CUT: usize = 10;
/// Number of fields from which a layer's other fields are named, since one may be misspelt.
const MANY_FIELDS: usize = 6;

/// Layer to read, and the DEM's grid.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) role: &'a str,
    pub(super) fields: Fields,
    pub(super) grid: &'a Grid,
}

impl<'a> Reader<'a> {
    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}': {what}", self.role, self.path.display()))
    }

    /// Opens the file.
    pub(super) fn opened(&self) -> Result<Dataset> {
        gdal_log::install();
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
        if checksum::sqlite_log(path).is_some() {
            // On closing, GDAL merges a log that no other program has open. Later, this would change
            // the checksum.
            drop(dataset::vectors(path));
            gdal_log::take();
        }
        dataset::vectors(path).map_err(|_| {
            let (said, shown) = (gdal_log::why("format not recognized"), path.display());
            let has_driver = dataset::has_vector_driver(path);
            gdal_log::take();
            if has_driver {
                return self
                    .wrong(format!("it is not a vector file that GDAL can read: {said}"))
                    .hint(format!("inspect it with ogrinfo '{shown}'"));
            }
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            self.wrong(format!(
                "it is not a vector file in a format of this build of inundate: {said}"
            ))
            .hint(format!(
                "if ogrinfo '{shown}' reads it, convert it: ogr2ogr -f GPKG '{stem}.gpkg' '{shown}'"
            ))
        })
    }

    /// Opens the layer of the file.
    pub(super) fn open<'d>(self, dataset: &'d Dataset) -> Result<Open<'a, 'd>> {
        let layer = self.layer(dataset)?;
        let mut warnings = Vec::new();
        let to_dem = self.to_dem(&layer, &mut warnings)?;
        let crs = layer.spatial_ref();
        let height_unit = crs.map_or(HeightUnit::Assumed(1.0), |crs| HeightUnit::of(&crs));
        let notes = Vec::new();
        let (read_fields, missing_fields) = Default::default();
        Ok(Open {
            reader: self,
            layer,
            to_dem,
            height_unit,
            warnings,
            notes,
            read_fields,
            missing_fields,
        })
    }

    /// Returns the only layer with geometries (QGIS keeps its styles in another).
    fn layer<'d>(&self, dataset: &'d Dataset) -> Result<GdalLayer<'d>> {
        let drawn = |layer: &GdalLayer| layer.defn().geom_fields().next().is_some();
        let mut layers: Vec<GdalLayer> = dataset.layers().filter(drawn).collect();
        let names: Vec<String> = layers.iter().map(LayerAccess::name).collect();
        match (layers.pop(), layers.len()) {
            (Some(layer), 0) => Ok(layer),
            (None, _) => Err(self
                .wrong("it has no layer with points, lines or polygons")
                .hint(format!("list its layers: ogrinfo -so '{}'", self.path.display()))),
            _ => Err(self
                .wrong(format!("it has {} layers: {}", names.len(), names.join(", ")))
                .hint(format!(
                    "copy the right one to a separate file: ogr2ogr layer.gpkg '{}' '{}'",
                    self.path.display(),
                    names[0]
                ))),
        }
    }

    /// Returns a hint on the CRS of GeoJSON, if the file is GeoJSON.
    pub(super) fn geojson(&self) -> &'static str {
        let ending = self.path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("geojson" | "json") => ": GeoJSON that names none is in degrees (WGS 84)",
            _ => "",
        }
    }

    /// Returns the transformation to the DEM's CRS, if it differs.
    fn to_dem(self, layer: &GdalLayer, warnings: &mut Vec<String>) -> Result<Option<Reprojection>> {
        // A GeoPackage gives such a name to an unknown CRS.
        let known = |srs: &SpatialRef| !srs.name().unwrap_or_default().starts_with("Undefined");
        let own = layer.spatial_ref().filter(known).and_then(|srs| srs.to_wkt().ok());
        let shown = self.path.display();
        let dem = self.grid.crs.as_deref();
        // A DEM in a local CRS has no layers in other CRSs.
        let dem_is_local = dem
            .and_then(|dem| SpatialRef::from_wkt(dem).ok())
            .is_some_and(|dem| !is_on_earth(&dem));
        let or = match dem_is_local {
            true => format!("; if the DEM and this layer are in local metres, {LOCAL}"),
            false => String::new(),
        };
        let (own, dem) = match (own, dem) {
            (Some(own), Some(dem)) => (own, dem),
            (None, Some(_)) => {
                return Err(self.wrong("its coordinate reference system is not known").hint(
                    format!("assign it: ogr2ogr -a_srs EPSG:xxxxx with_crs.gpkg '{shown}'{or}"),
                ));
            }
            // GeoJSON without a CRS is in degrees by definition.
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
        Reprojection::new(Some(&own), self.grid).map(Some).ok_or_else(|| {
            let said = gdal_log::why("no transformation is known");
            self.wrong(format!(
                "its coordinate reference system cannot be transformed to the DEM's: {said}"
            ))
            .hint(format!(
                "assign the right one: ogr2ogr -a_srs EPSG:xxxxx with_crs.gpkg '{shown}'{or}"
            ))
        })
    }
}

/// Field of a layer: name, index if the layer has it, and the unit in its name.
pub(super) type Column<'a> = (&'a str, Option<usize>, Option<String>);

/// Open layer.
pub(super) struct Open<'a, 'd> {
    reader: Reader<'a>,
    pub(super) layer: GdalLayer<'d>,
    /// Transformation to the DEM's CRS, if it differs.
    to_dem: Option<Reprojection>,
    /// Unit of the heights of its points.
    pub(super) height_unit: HeightUnit,
    warnings: Vec<String>,
    notes: Vec<Notice>,
    /// Indices of the fields that are read, and names of those that the layer lacks.
    read_fields: BTreeSet<usize>,
    missing_fields: Vec<String>,
}

impl Open<'_, '_> {
    /// Returns the field `name`; see [`Open::find`].
    pub(super) fn column<'n>(&mut self, name: &'n str) -> Result<Column<'n>> {
        let column = self.find(name)?;
        match column.1 {
            Some(at) => _ = self.read_fields.insert(at),
            None => self.missing_fields.push(name.to_string()),
        }
        Ok(column)
    }

    /// Adds notices about fields that are not read: a warning of those that look like a misspelt
    /// name, and a note of all in layers with many optional fields.
    fn report_unread(&self, notices: &mut Notices) {
        let (role, shown) = (self.reader.role, self.reader.path.display());
        let fields = self.layer.defn().fields().enumerate();
        let unread = fields.filter(|(at, _)| !self.read_fields.contains(at));
        let unread: Vec<String> = unread.map(|(_, field)| field.name()).collect();
        let missing = self.missing_fields.iter().filter(|name| !NAMES.contains(&name.as_str()));
        let missing: Vec<(&str, &str)> = missing.map(|name| (&name[..], &name[..])).collect();
        for field in &unread {
            // `area_rod` may be an area in a unit that is not known.
            let begun = || {
                let mut names = missing.iter().map(|(name, _)| *name);
                names.find(|name| goes_on_after(field, name))
            };
            if let Some(name) = suggest::similar(field, missing.iter().copied()).or_else(begun) {
                notices.warn(Notice::of(
                    role,
                    &shown.to_string(),
                    format!(
                        "has a field '{field}', which is not read; rename it if it is '{name}'"
                    ),
                ));
            }
        }
        if !unread.is_empty() && self.read_fields.len() + missing.len() >= MANY_FIELDS {
            let what = format!("has fields that are not read: {}", unread.join(", "));
            notices.note(Notice::of(role, &shown.to_string(), what));
        }
    }

    /// Returns the field `name`, also with a unit (`height [ft]`, `height_ft`), or else the field
    /// with its first characters as a name, as a Shapefile cuts it.
    ///
    /// # Errors
    /// If several names may have been cut to the same, or the unit in the name was cut off.
    fn find<'n>(&mut self, name: &'n str) -> Result<Column<'n>> {
        let headers: Vec<String> = self.layer.defn().fields().map(|field| field.name()).collect();
        let is_it = |header: &&String| {
            header_unit(header).0.eq_ignore_ascii_case(name) || unit_after(header, name).is_some()
        };
        let [first, second] = {
            let mut all = headers.iter().filter(is_it);
            [all.next(), all.next()]
        };
        if let (Some(first), Some(second), false) = (first, second, NAMES.contains(&name)) {
            return Err(self
                .reader
                .wrong(format!("its fields '{first}' and '{second}' both give '{name}'"))
                .hint("delete or rename one of them"));
        }
        for (at, header) in headers.iter().enumerate() {
            let (bare, unit) = header_unit(header);
            if bare.eq_ignore_ascii_case(name) {
                return Ok((name, Some(at), unit.map(String::from)));
            }
            let cut = header.strip_suffix(['[', '(']).filter(|_| header.len() == CUT);
            if cut.is_some_and(|cut| cut.trim().eq_ignore_ascii_case(name)) {
                return Err(self.cut(format!("the unit in its field '{header}' is cut off")));
            }
        }
        let measured = |header: &String| unit_after(header, name).map(String::from);
        let found =
            headers.iter().enumerate().find_map(|(at, header)| Some((at, measured(header)?)));
        if let Some((at, unit)) = found.filter(|_| !NAMES.contains(&name)) {
            return Ok((name, Some(at), Some(unit)));
        }
        let start = name.get(..CUT).filter(|start| *start != name);
        let is_start =
            |header: &String| start.is_some_and(|start| header.eq_ignore_ascii_case(start));
        let Some(at) = headers.iter().position(is_start) else { return Ok((name, None, None)) };
        let header = &headers[at];
        // GDAL numbers the names that would be equal: bed_level_, bed_leve_1.
        let numbered = format!("{}_1", &name[..CUT - 2]);
        if headers.iter().any(|other| other.eq_ignore_ascii_case(&numbered)) {
            return Err(
                self.cut(format!("its fields '{header}' and '{numbered}' may both be '{name}'"))
            );
        }
        let what = format!("has a field '{header}', which is read as '{name}'");
        self.notes.push(Notice::of(
            self.reader.role,
            &self.reader.path.display().to_string(),
            what,
        ));
        Ok((name, Some(at), None))
    }

    /// Returns the error for field names that a Shapefile has cut.
    fn cut(&self, what: String) -> Error {
        self.reader
            .wrong(format!("{what}: a Shapefile cuts names after {CUT} characters"))
            .hint("save the layer as a GeoPackage with the whole names, or rename its fields")
    }

    /// Returns the fields `names`.
    ///
    /// # Errors
    /// Like [`Open::column`].
    pub(super) fn columns<'n>(&mut self, names: &[&'n str]) -> Result<Vec<Column<'n>>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// Returns the field with a constant, and the one that may replace it.
    ///
    /// # Errors
    /// If neither exists, and features must have a value.
    pub(super) fn value_columns(&mut self) -> Result<[Column<'static>; 2]> {
        let fields = self.reader.fields;
        let mut column =
            |name: Option<_>| name.map_or(Ok(("", None, None)), |name| self.column(name));
        let columns = [column(Some(fields.constant))?, column(fields.second())?];
        if columns.iter().all(|(_, at, _)| at.is_none())
            && fields.instead != ConstantAlternative::Default
        {
            return Err(self.no_field());
        }
        Ok(columns)
    }

    /// Calls `read` for each feature and collects the results; an error if there are no features.
    pub(super) fn each<T>(
        &mut self,
        mut read: impl FnMut(Item) -> Result<T>,
    ) -> Result<Reading<Vec<T>>> {
        let (reader, to_dem) = (self.reader, self.to_dem.as_ref());
        let (bare, mut value) = (BareFields::default(), Vec::new());
        for feature in self.layer.features() {
            let id = feature.fid().unwrap_or(0);
            value.push(read(Item { reader, feature: &feature, id, to_dem, bare: &bare })?);
        }
        if let Some(said) = gdal_log::take() {
            return Err(reader.wrong(format!("it cannot be read: {said}")));
        }
        if value.is_empty() {
            let error = reader.wrong("the layer has no features");
            return Err(error.hint("leave the layer out, or add features"));
        }
        let mut notices = Notices::default();
        notices.warn_all(self.warnings.iter().cloned());
        notices.note_all(self.notes.iter().cloned());
        self.report_unread(&mut notices);
        notices.read(reader.role, reader.path)?;
        let assumed = bare.assumed(reader.role, &reader.path.to_string_lossy());
        assumed.into_iter().for_each(|assumed| notices.assume(assumed));
        Ok(Reading { value, notices })
    }

    /// Returns the most likely fault of a feature outside the DEM, from its first point in the
    /// layer's CRS.
    pub(super) fn likely(&self, point: Option<(f64, f64)>) -> &'static str {
        let (grid, Some((x, y))) = (self.reader.grid, point) else { return "" };
        let Some(to_dem) = &self.to_dem else { return point_position::likely(grid, &[(x, y)]) };
        let moved = transformed(to_dem.point(), (y, x));
        gdal_log::take();
        if moved.is_some_and(|(x, y)| grid.cell_at(x, y).is_some()) {
            ", and x and y look swapped"
        } else {
            ""
        }
    }

    /// Returns the error for a layer without the required fields.
    pub(super) fn no_field(&self) -> Error {
        let Fields { constant, instead, .. } = self.reader.fields;
        let names: Vec<String> = self.layer.defn().fields().map(|field| field.name()).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        let (lacks, more) = match instead {
            ConstantAlternative::Table(table) => (
                format!("neither a field '{constant}' nor '{table}'"),
                format!(" or '{table}' (the path of a CSV)"),
            ),
            ConstantAlternative::Other(other) => {
                (format!("neither a field '{constant}' nor '{other}'"), format!(" or '{other}'"))
            }
            _ => (format!("no field '{constant}'"), String::new()),
        };
        self.reader
            .wrong(format!("it has {lacks}; its fields: {names}"))
            .hint(format!("add a field '{constant}' (a number, or a text with a unit){more}"))
    }
}

/// Returns `true` if a geometry has several points, all of them equal.
pub(super) fn has_no_length(geometry: &Geometry) -> bool {
    let parts = geometry.geometry_count();
    if parts > 0 {
        return (0..parts).all(|part| has_no_length(&geometry.get_geometry(part)));
    }
    let points = geometry.point_count() as i32;
    let at = |point: i32| {
        let (x, y, _) = geometry.get_point(point);
        (x, y)
    };
    points > 1 && (1..points).all(|point| at(point) == at(0))
}

/// Returns the first point of a geometry, in its own CRS.
pub(super) fn first_point(geometry: &Geometry) -> Option<(f64, f64)> {
    if geometry.geometry_count() > 0 {
        return first_point(&geometry.get_geometry(0));
    }
    let (x, y, _) = geometry.get_point(0);
    (geometry.point_count() > 0).then_some((x, y))
}
